"""From pairs of questions and programs to all that a domain declares.

Types say what may stand where. What a predicate returns is known by where it stands, and what an
argument takes by what stands there. A predicate whose place depends on what it is applied to, as
``largest`` in ``capital(largest(state))``, returns what it is given. What never stood together in
the examples may still do so where others like it do; how far that goes (the reach) is chosen on
examples that are held out. Phrases come from aligning words and predicates (IBM Model 1).
"""

from __future__ import annotations

import itertools
import keyword
import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from partwise.authoring.names import USED, InferredNames, NameKind, find_frames, find_names
from partwise.authoring.new import class_name
from partwise.errors import DataError
from partwise.evaluation.splits import inner_split
from partwise.interface.data import Example
from partwise.language.program import Term
from partwise.language.program_spelling import (
    NUMBER,
    WHOLE,
    CallNode,
    Slot,
    Syntax,
    Uses,
    is_frame,
    node_of,
)
from partwise.language.text import only_punctuation, split, tokenize
from partwise.training.model_1 import model_1

ODD = 3.0
"""Nats that a use costs which speaks against a type variable."""
SURE = 1.5
"""Nats that must speak for it."""
SAYS, USUAL = 0.8, 0.6
"""The shares of a word's uses with a constant, and of the constant's with it, if it says it."""
RARE = 0.1
"""Added to how often something would stand somewhere by chance."""
Array = NDArray[np.float64]


def find_defaults(
    examples: Sequence[Example[Term]], constants: Mapping[str, str]
) -> dict[tuple[str, int], str]:
    """Which constant says at which place that nothing is there, as ``all`` in ``city(all)``: a word
    without quotes, the only one at its place, which no word of questions says. `constants`: method
    -> what programs write."""
    counts: defaultdict[tuple[str, int], Counter[str]] = defaultdict(Counter)
    said: defaultdict[str, Counter[str]] = defaultdict(Counter)
    words = Counter[str]()
    for example in examples:
        question = set(split(example.question))
        words.update(question)
        leaves = set()
        for part in example.meaning.walk():
            for slot, arg in enumerate(part.operands):
                leaf = arg.symbol if arg.args == () else ""
                plain = constants.get(leaf, "").replace("_", "a").isalpha()
                counts[part.symbol, slot][leaf if plain else ""] += 1
                leaves |= {leaf} if plain else set()
        for leaf in leaves:
            said[leaf].update((*question, ""))
    wordless = {
        leaf
        for leaf, seen in said.items()
        if not any(seen[w] >= max(SAYS * words[w], USUAL * seen[""]) for w in seen if w)
    }
    kept: dict[tuple[str, int], str] = {}
    # From the last argument on, as those after one that may be left out may be, too.
    for method, slot in sorted(counts, key=lambda place: -place[1]):
        leaves = counts[method, slot].keys() - {""}
        last = (method, slot + 1) not in counts or (method, slot + 1) in kept
        if len(leaves) == 1 and leaves <= wordless and last:
            kept[method, slot] = next(iter(leaves))
    return kept


class Types:
    """What may stand where, by what stood where in the calls of programs."""

    def __init__(self, uses: Uses, programs: Sequence[CallNode]) -> None:
        seen: defaultdict[Slot, Counter[str]] = defaultdict(Counter)
        self._calls: defaultdict[tuple[str, int], list[tuple[Slot, CallNode]]] = defaultdict(list)
        for slot, node in uses.of(programs):
            seen[slot][uses.return_of(node)] += 1
            self._calls[node.method, len(node.args)].append((slot, node))
        self.uses = replace(uses, seen=dict(seen))

    @classmethod
    def of(
        cls, programs: Sequence[CallNode], defaults: Mapping[tuple[str, int], str] | None = None
    ) -> Types:
        """The types of programs, with type variables where most uses speak for them."""
        types = cls(Uses(defaults=defaults or {}), programs)
        tried = sorted((*call, slot) for call in types._calls for slot in range(call[1]))
        while True:
            through = types.uses.through
            gains = {slot: types._gain(slot) for slot in tried if slot[:2] not in through}
            best = max(gains, key=lambda slot: gains[slot], default=None)
            if best is None or gains[best] < SURE:
                return types
            types = cls(replace(types.uses, through={**through, best[:2]: best[2]}), programs)

    def _gain(self, slot: Slot) -> float:
        """What speaks for returning the type of an argument: where a call stands, its argument
        stands, too, and other arguments of it would not."""
        places: Counter[Slot] = Counter()
        given: list[tuple[Slot, str]] = []
        for place, node in self._calls[slot[:2]]:
            arg = node.args[slot[2]]
            if arg is None:
                return 0.0
            places[place] += 1
            given.append((place, self.uses.return_of(arg)))
        if len({kind for _, kind in given}) < 2:
            return 0.0
        gain = 0.0
        for place, kind in given:
            if kind in self.uses.seen[place] and kind != slot[0]:
                share = sum(n for other, n in places.items() if kind in self.uses.seen[other])
                gain -= math.log(share / places.total())
            else:
                gain -= ODD
        return gain

    @cached_property
    def _table(self) -> tuple[list[Slot], list[str], Array, Array, Array]:
        """Places, what stands at them, how often, how often it would by chance, and what speaks for
        what did not. For a thing at a place speaks each other one that stood there, by the places
        that both stood at; the fewer things stand at such a place, the more it says. Against it
        speaks that it would have stood there by now."""
        slots = sorted(self.uses.seen)
        kinds = sorted({kind for seen in self.uses.seen.values() for kind in seen})
        counts = np.array(
            [[self.uses.seen[slot].get(kind, 0) for kind in kinds] for slot in slots], float
        )
        stood = (counts > 0).astype(float)
        weight = np.log(len(kinds) / stood.sum(1))
        alike = stood.T @ (stood * weight[:, None])
        np.fill_diagonal(alike, 0.0)
        chance = np.array([[self.uses.chance(slot, kind) for kind in kinds] for slot in slots])
        return slots, kinds, counts, chance, stood @ alike / np.sqrt(chance + RARE)

    def allowed(self, reach: float) -> dict[Slot, set[str]]:
        """What may stand where: what stood there, and then what most speaks for. `reach`: how
        often, as a share of all uses, anything would by chance stand where it never did and yet
        may."""
        slots, kinds, counts, chance, evidence = self._table
        may = (counts > 0) | (reach >= 1)
        rest = [place for place in zip(*np.nonzero(~may), strict=True) if evidence[place] > 0]
        left = reach * counts.sum()
        for place in sorted(rest, key=lambda place: -evidence[place]):
            left -= chance[place]
            if left < 0:
                break
            may[place] = True
        may |= self._inside(slots, kinds)
        return {
            slot: {kind for kind, one in zip(kinds, row, strict=True) if one}
            for slot, row in zip(slots, may, strict=True)
        }

    def _inside(self, slots: Sequence[Slot], kinds: Sequence[str]) -> NDArray[np.bool_]:
        """Where that may stand which was only ever a whole program without arguments. Nothing tells
        where it belongs but its like: the others that were whole programs without arguments. It may
        stand where at least half of them did that stood anywhere else."""
        alone = {
            method
            for (method, arity), calls in self._calls.items()
            if not arity and any(slot == WHOLE for slot, _ in calls)
        }
        placed = {kind for slot in slots if slot != WHOLE for kind in self.uses.seen[slot]}
        like, lost = alone & placed, alone - placed
        return np.array(
            [
                [
                    kind in lost and 0 < len(like) <= 2 * len(like & self.uses.seen[slot].keys())
                    for kind in kinds
                ]
                for slot in slots
            ],
            bool,
        ).reshape(len(slots), len(kinds))

    def fits(self, program: CallNode, allowed: Mapping[Slot, set[str]]) -> bool:
        return all(
            self.uses.return_of(node) in allowed.get(slot, ())
            for slot, node in self.uses.of([program])
        )


REACHES = (0.02, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 1.0)
UNKNOWN = 0.2
"""Where there are too few examples to hold any out."""
PRICE = 0.4
"""Programs that must be gained, as a share of all, for types that take everything."""
HELD_OUT = (("template", 0), ("template", 1), ("template", 2), ("length", 0))
"""Kinds of split with their seeds; what is held out is put together in new ways."""


def choose_reach(examples: Sequence[Example[Term]], nodes: Sequence[CallNode]) -> float:
    """The reach (see `Types.allowed`) whose types fit most held-out programs for their
    looseness."""
    node = {id(example): call for example, call in zip(examples, nodes, strict=True)}
    fits, tried = Counter[float](), 0
    for kind, seed in HELD_OUT:
        try:
            train, test = inner_split(examples, kind, seed=seed)
        except DataError:
            continue
        types = Types.of([node[id(example)] for example in train])
        known = {part.method for example in train for part in node[id(example)].walk()}
        asked = [node[id(example)] for example in test]
        asked = [call for call in asked if {part.method for part in call.walk()} <= known]
        tried += len(asked)
        for reach in REACHES:
            allowed = types.allowed(reach)
            fits[reach] += sum(types.fits(call, allowed) for call in asked)
    if not tried:
        return UNKNOWN
    return max(REACHES, key=lambda reach: fits[reach] / tried - PRICE * reach)


FEW = 3
"""Questions that are shown for each predicate."""
LEAST, OFTEN = 0.5, 2.0
"""A word is a phrase of a predicate if it says it in this share of its uses, and in so many."""
PHRASES = 6
SHOWN = 5
"""What stood at a place is told if it is no more than this."""
TITLES = USED | {"OTHER", "WORDS", "NUMBER", *keyword.kwlist}
"""What no type may be called."""

Typed = tuple[tuple[str, ...], str]
"""Hints of the parameters, and of the result."""


@dataclass
class Method:
    """What is declared for a predicate, a constructor of names, or for numbers. `defaults`: slot ->
    the constant that says that it is left out; `unsure`: what a person should look at."""

    name: str
    signatures: list[Typed]
    defaults: Mapping[int, str] = field(default_factory=dict)
    kind: NameKind | None = None
    number: bool = False
    phrases: Sequence[str] = ()
    unsure: Sequence[str] = ()
    about: str = ""
    questions: Sequence[str] = ()

    @property
    def arity(self) -> int:
        return max(len(hints) for hints, _ in self.signatures)


@dataclass
class Inferred:
    """All that a domain's file says. `count` is of the pairs; `classes`: type -> the methods that
    return it; `unions` and `variables`: types of several classes; `words`: of questions, that are
    no part of names; `answers`: what whole programs return where there is no `root`; `sample`:
    a program to show; `uses`: what stood where; `shared` is as in `Domain`."""

    count: int
    naming: InferredNames
    classes: dict[str, list[str]]
    unions: dict[str, list[str]]
    variables: dict[str, list[str]]
    words: list[str]
    root: str | None
    answers: list[str]
    methods: list[Method]
    sample: str
    questions: tuple[str, ...]
    uses: Uses
    shared: Mapping[str, Mapping[str, str]]


def infer(
    examples: Sequence[Example[Term]], syntax: Syntax, reach: float | None = None
) -> Inferred:
    """Infer a domain from pairs, whose programs are as they are spelled. `reach`: how far types go
    beyond the pairs; chosen on pairs that are held out, if not given."""
    naming = find_names(examples, syntax)
    inward = [
        replace(example, meaning=naming.spelling.inward(example.meaning)) for example in examples
    ]
    found = find_defaults(inward, naming.spelling.constants)
    # What a frame lacks is left out of it.
    symbols = naming.spelling.symbols
    defaults = {p: leaf for p, leaf in found.items() if not is_frame(symbols.get(p[0], ""))}
    while True:
        nodes = [node_of(example.meaning, defaults) for example in inward]
        types = Types.of(nodes, defaults)
        far = choose_reach(inward, nodes) if reach is None else reach
        inference = _Inference(inward, naming, defaults, nodes, types, types.allowed(far))
        mistaken = inference.mistaken()
        if not mistaken:
            return inference.inferred()
        # Those before an argument that may not be left out may not be, either.
        defaults = {
            (method, slot): leaf
            for (method, slot), leaf in defaults.items()
            if slot > mistaken.get(method, -1)
        }


class _Inference:
    """One inference, of which all parts are known but for their names."""

    def __init__(
        self,
        examples: Sequence[Example[Term]],
        naming: InferredNames,
        defaults: Mapping[tuple[str, int], str],
        nodes: Sequence[CallNode],
        types: Types,
        allowed: dict[Slot, set[str]],
    ) -> None:
        self.examples, self.naming, self.defaults = examples, naming, defaults
        self.nodes, self.types, self.allowed = nodes, types, allowed
        self.kinds = {kind.method: kind for kind in naming.kinds}
        tops = {node.method for node in nodes if len(node.args) == 1 and node.args[0] is not None}
        inner = {node.method for top in nodes for node in top.walk() if node is not top}
        one = len({node.method for node in nodes}) == 1 and len(tops) == 1
        self.root = next(iter(tops)) if one and not tops & (inner | self.kinds.keys()) else None
        self.asked: defaultdict[str, list[str]] = defaultdict(list)
        for example, top in zip(examples, nodes, strict=True):
            for node in top.walk():
                self.asked[node.method].append(example.question)
        self.title = self._titles()
        self.arities = self._arities()
        self.unions: dict[str, list[str]] = {}
        self.variables: dict[str, list[str]] = {}
        self.phrases = self._phrases()
        heads = {**self.phrases}
        for kind in naming.kinds:
            heads |= {name: [name, *kind.phrases.get(name, ())] for name in kind.names}
        self.frames = find_frames(examples, naming.spelling, heads, self.allowed, self.arities)

    def mistaken(self) -> dict[str, int]:
        """Method -> the last argument that a program leaves out though a later one would fill it.
        An argument fills the first place that takes its type."""
        last: dict[str, int] = {}
        for top in self.nodes:
            for node in top.walk():
                later: set[str] = set()
                for slot, arg in reversed(list(enumerate(node.args))):
                    if arg is not None:
                        later.add(self.title[self.types.uses.return_of(arg)])
                    elif not later.isdisjoint(self._takes((node.method, len(node.args), slot))):
                        last[node.method] = max(slot, last.get(node.method, slot))
        return last

    def inferred(self) -> Inferred:
        counts = Counter(node.method for top in self.nodes for node in top.walk())
        methods = [
            self._method(name, self.phrases.get(name, ())) for name, _ in counts.most_common()
        ]
        classes: defaultdict[str, list[str]] = defaultdict(list)
        for producer, title in self.title.items():
            classes[title].append(producer)
        questions = tuple(dict.fromkeys(example.question for example in self.examples))[:6]
        return Inferred(
            len(self.examples),
            self.naming,
            dict(classes),
            self.unions,
            self.variables,
            self._words(),
            self.root,
            self._classes(self.allowed[WHOLE]),
            methods,
            self.naming.spelling.write(self.examples[0].meaning),
            questions,
            self.types.uses,
            self.frames.shared,
        )

    def _titles(self) -> dict[str, str]:
        """What each method returns: methods that may stand at the same places return the same."""
        places: defaultdict[str, set[Slot]] = defaultdict(set)
        for slot, kinds in self.allowed.items():
            for kind in kinds:
                places[kind].add(slot)
        uses = Counter(self.types.uses.return_of(node) for top in self.nodes for node in top.walk())
        titles: dict[frozenset[Slot], str] = {}
        # Decorators are looked up in the class first, where a method may have the name.
        taken = {node.method for top in self.nodes for node in top.walk()}
        for producer, _ in sorted(uses.items(), key=lambda item: (-item[1], item[0])):
            title = class_name(producer)
            while title in TITLES or title in titles.values() or title in taken:
                title += "Type"
            titles.setdefault(frozenset(places[producer]), title)
        return {producer: titles[frozenset(places[producer])] for producer in uses}

    def _arities(self) -> dict[str, list[int]]:
        """With how many arguments each method is used, the most first. One that returns the same as
        another and is used alike as far as it is used ("jump", where there are "walk" and "walk
        left") takes what this takes, too."""
        used: defaultdict[str, set[int]] = defaultdict(set)
        for top in self.nodes:
            for node in top.walk():
                used[node.method].add(len(node.args))
        arities = {name: set(counts) for name, counts in used.items()}
        for one, other in itertools.permutations(sorted(used), 2):
            if self.title.get(one) == self.title.get(other) and used[one] < used[other]:
                for arity in used[other] - arities[one]:
                    arities[one].add(arity)
                    places = ((arity, slot) for slot in range(arity))
                    self.allowed |= {
                        (one, *place): self.allowed[other, *place]
                        for place in places
                        if (other, *place) in self.allowed
                    }
        return {name: sorted(counts, reverse=True) for name, counts in arities.items()}

    def _classes(self, producers: set[str]) -> list[str]:
        return sorted({self.title[producer] for producer in producers if producer in self.title})

    def _takes(self, slot: Slot) -> list[str]:
        if slot not in self.allowed:
            # Nothing ever stood there but what says that it is left out.
            through = self.types.uses.through.get(slot[:2])
            return [self.title[slot[0]]] if through is None else self._takes((*slot[:2], through))
        return self._classes(self.allowed[slot])

    def _hint(self, slot: Slot) -> str:
        members = self._takes(slot)
        if len(members) < 3:
            return " | ".join(members)
        for title, known in self.unions.items():
            if known == members:
                return title
        title = f"{class_name(slot[0])}Takes{slot[2] + 1 if slot[1] > 1 else ''}"
        while title in self.unions or title in self.title.values():
            title += "Too"
        self.unions[title] = members
        return title

    def _signature(self, name: str, arity: int) -> Typed:
        through = self.types.uses.through.get((name, arity))
        hints = []
        for slot in range(arity):
            if slot == through:
                self.variables[name] = self._classes(self.allowed[name, arity, slot])
                hints.append(f"T_{name}")
            else:
                hints.append(self._hint((name, arity, slot)))
            side = self.frames.sides.get((name, arity, slot))
            hints[-1] = hints[-1] if side is None else f"{side}[{hints[-1]}]"
        return tuple(hints), f"T_{name}" if through is not None else self.title.get(name, "Any")

    def _method(self, name: str, phrases: Sequence[str]) -> Method:
        used = self.asked[name]
        arities = self.arities[name]
        defaults = {slot: leaf for (method, slot), leaf in self.defaults.items() if method == name}
        left_out = {**defaults, **self.frames.left_out[name]}
        questions = list(dict.fromkeys(used))
        kind = self.kinds.get(name)
        signatures = [self._signature(name, arity) for arity in arities]
        if name == self.root:
            signatures = [(signatures[0][0], "object")]
        return Method(
            name,
            signatures,
            left_out,
            kind,
            name == NUMBER and self.naming.numbers,
            phrases,
            list(self._unsure(name, arities, defaults)) if name != self.root else (),
            f"In {len(used)} places, as in:",
            questions[:FEW],
        )

    def _unsure(
        self, name: str, arities: Sequence[int], defaults: Mapping[int, str]
    ) -> Iterator[str]:
        for arity in arities:
            for slot in range(arity):
                place = (name, arity, slot)
                seen = self.types.uses.seen.get(place, {})
                if len(self.allowed.get(place, ())) > len(seen) <= SHOWN:
                    yield f"x{slot + 1} was only ever {', '.join(sorted(seen))}"
            if (name, arity) in self.types.uses.through:
                yield "it returns the type of what it is given"
        for slot, leaf in defaults.items():
            yield f"without x{slot + 1}, programs write {self.naming.spelling.constants[leaf]}"
        if len(arities) > 1:
            yield f"it has {' or '.join(map(str, sorted(arities)))} arguments"

    def _phrases(self) -> dict[str, list[str]]:
        """Words that mostly say one predicate, by IBM Model 1."""
        numbers: dict[str, int] = {}
        pairs = []
        for example, top in zip(self.examples, self.nodes, strict=True):
            words = tokenize(example.question).words
            used = [
                numbers.setdefault(n.method, len(numbers))
                for n in top.walk()
                if n.method != self.root
            ]
            pairs.append((words, used))
        # None is no word.
        shares = model_1([(((None, *words), used), 1.0) for words, used in pairs])
        counts, seen = Counter[tuple[str, int]](), Counter[str]()
        for words, used in pairs:
            seen.update(words)
            for constant in used:
                total = sum(shares[word, constant] for word in words) + shares[None, constant]
                for word in words:
                    counts[word, constant] += shares[word, constant] / total  # type: ignore[assignment]
        names = list(numbers)
        chosen: defaultdict[str, list[str]] = defaultdict(list)
        for (word, constant), count in counts.most_common():
            # Its own name says it with less evidence.
            least = LEAST / 2 if word in names[constant].lower().split("_") else LEAST
            sure = count >= max(OFTEN, least * seen[word]) and not only_punctuation(word)
            if (
                sure
                and names[constant] not in self.kinds
                and len(chosen[names[constant]]) < PHRASES
            ):
                chosen[names[constant]].append(word)
        return chosen

    def _words(self) -> list[str]:
        named = {word for kind in self.naming.kinds for name in kind.names for word in split(name)}
        counts = Counter(word for e in self.examples for word in set(tokenize(e.question).words))
        return sorted(w for w, n in counts.items() if n > 1 and w not in named and w.isalpha())
