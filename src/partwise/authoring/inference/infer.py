"""From pairs of questions and programs to all that a domain declares."""

from __future__ import annotations

import itertools
import keyword
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from partwise.authoring.inference.choose import choose_reach
from partwise.authoring.inference.frames import find_frames
from partwise.authoring.inference.names import USED, InferredNames, NameKind, find_names
from partwise.authoring.inference.types import Types, find_defaults
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
    """What is declared for one predicate, constructor of names, or for numbers.

    Attributes:
        defaults: slot -> the constant that says that it is left out.
        kind: the names that it makes.
        unsure: what a person should look at.
    """

    name: str
    signatures: list[Typed]
    defaults: Mapping[int, str] = field(default_factory=dict)
    kind: NameKind | None = None
    number: bool = False
    phrases: Sequence[str] = ()
    commutes: tuple[str, ...] = ()
    unsure: Sequence[str] = ()
    about: str = ""
    questions: Sequence[str] = ()

    @property
    def arity(self) -> int:
        """The most arguments that it has."""
        return max(len(hints) for hints, _ in self.signatures)


@dataclass
class Inferred:
    """All that a domain's file says.

    Attributes:
        count: of the pairs.
        classes: type -> the methods that return it.
        unions, variables: other types, of several classes each.
        words: of questions, that are no part of names.
        root: the predicate around all programs; without one, `answers` are what these return.
        samples: pairs to show.
        reach: how far types go beyond the pairs.
        uses: what stood where.
        shared: method -> an argument within it, by its path -> the one that fills it, too.
    """

    count: int
    naming: InferredNames
    classes: dict[str, list[str]]
    unions: dict[str, list[str]]
    variables: dict[str, list[str]]
    words: list[str]
    root: str | None
    answers: list[str]
    methods: list[Method]
    samples: list[tuple[str, str]]
    questions: tuple[str, ...]
    reach: float
    uses: Uses
    shared: Mapping[str, Mapping[str, str]]


def infer(
    examples: Sequence[Example[Term]], syntax: Syntax, reach: float | None = None
) -> Inferred:
    """Infer a domain from pairs, whose programs are as they are spelled.

    Args:
        reach: how far types go beyond the pairs; chosen on pairs that are held out, if not given.
    """
    naming = find_names(examples, syntax)
    inward = [replace(one, meaning=naming.spelling.inward(one.meaning)) for one in examples]
    found = find_defaults(inward, naming.spelling.constants)
    # What a frame lacks is left out of it.
    symbols = naming.spelling.symbols
    defaults = {p: leaf for p, leaf in found.items() if not is_frame(symbols.get(p[0], ""))}
    while True:
        nodes = [node_of(example.meaning, defaults) for example in inward]
        types = Types.of(nodes, defaults)
        far = choose_reach(inward, nodes) if reach is None else reach
        inference = _Inference(inward, naming, defaults, nodes, types, far)
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
        reach: float,
    ) -> None:
        self.examples, self.naming, self.defaults = examples, naming, defaults
        self.nodes, self.types, self.reach = nodes, types, reach
        self.allowed = types.allowed(reach)
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

        An argument fills the first place that takes its type.
        """
        last: dict[str, int] = {}
        for top in self.nodes:
            for node in top.walk():
                later: set[str] = set()
                for slot, arg in reversed(list(enumerate(node.args))):
                    if arg is not None:
                        later.add(self.title[self.types.uses.returned(arg)])
                    elif not later.isdisjoint(self._takes((node.method, len(node.args), slot))):
                        last[node.method] = max(slot, last.get(node.method, slot))
        return last

    def inferred(self) -> Inferred:
        """All of it, the most used predicates first."""
        counts = Counter(node.method for top in self.nodes for node in top.walk())
        methods = [
            self._method(name, self.phrases.get(name, ())) for name, _ in counts.most_common()
        ]
        classes: defaultdict[str, list[str]] = defaultdict(list)
        for producer, title in self.title.items():
            classes[title].append(producer)
        questions = tuple(dict.fromkeys(example.question for example in self.examples))[:6]
        samples = [(e.question, self.naming.spelling.write(e.meaning)) for e in self.examples[:FEW]]
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
            samples,
            questions,
            self.reach,
            self.types.uses,
            self.frames.shared,
        )

    def _titles(self) -> dict[str, str]:
        """What each method returns: methods that may stand at the same places return the same."""
        places: defaultdict[str, set[Slot]] = defaultdict(set)
        for slot, kinds in self.allowed.items():
            for kind in kinds:
                places[kind].add(slot)
        uses = Counter(self.types.uses.returned(node) for top in self.nodes for node in top.walk())
        titles: dict[frozenset[Slot], str] = {}
        # Decorators are looked up in the class first, where a method may have the name.
        taken = {node.method for top in self.nodes for node in top.walk()}
        for producer, _ in sorted(uses.items(), key=lambda item: (-item[1], item[0])):
            title = "".join(part[:1].upper() + part[1:] for part in producer.split("_"))
            while title in TITLES or title in titles.values() or title in taken:
                title += "Type"
            titles.setdefault(frozenset(places[producer]), title)
        return {producer: titles[frozenset(places[producer])] for producer in uses}

    def _arities(self) -> dict[str, list[int]]:
        """With how many arguments each method is used, the most first.

        One that returns the same as another and is used alike as far as it is used ("jump", where
        there are "walk" and "walk left") takes what this takes, too.
        """
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
        return sorted({self.title[one] for one in producers if one in self.title})

    def _takes(self, slot: Slot) -> list[str]:
        """The classes that an argument may have."""
        if slot not in self.allowed:
            # Nothing ever stood there but what says that it is left out.
            through = self.types.uses.through.get(slot[:2])
            return [self.title[slot[0]]] if through is None else self._takes((*slot[:2], through))
        return self._classes(self.allowed[slot])

    def _hint(self, slot: Slot) -> str:
        """The type of an argument."""
        members = self._takes(slot)
        if len(members) < 3:
            return " | ".join(members)
        for title, known in self.unions.items():
            if known == members:
                return title
        title = f"{self._camel(slot[0])}Takes{slot[2] + 1 if slot[1] > 1 else ''}"
        while title in self.unions or title in self.title.values():
            title += "Too"
        self.unions[title] = members
        return title

    def _camel(self, name: str) -> str:
        return "".join(part[:1].upper() + part[1:] for part in name.split("_"))

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
            (),
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
            for one in used:
                total = sum(shares[word, one] for word in words) + shares[None, one]
                for word in words:
                    counts[word, one] += shares[word, one] / total  # type: ignore[assignment]
        names = list(numbers)
        chosen: defaultdict[str, list[str]] = defaultdict(list)
        for (word, one), count in counts.most_common():
            # Its own name says it with less evidence.
            least = LEAST / 2 if word in names[one].lower().split("_") else LEAST
            sure = count >= max(OFTEN, least * seen[word]) and not only_punctuation(word)
            if sure and names[one] not in self.kinds and len(chosen[names[one]]) < PHRASES:
                chosen[names[one]].append(word)
        return chosen

    def _words(self) -> list[str]:
        """Words of at least two questions, outside names."""
        named = {word for kind in self.naming.kinds for name in kind.names for word in split(name)}
        counts = Counter(word for e in self.examples for word in set(tokenize(e.question).words))
        return sorted(w for w, n in counts.items() if n > 1 and w not in named and w.isalpha())
