"""Names in the programs of pairs: names, numbers and constants, and what Python calls all of them.

Also what named arguments say beside their types, as in ``give(agent=emma, theme=cake)``. A call is
of a frame, the names of its arguments in their order; what is called is a name of the frame, so
that one frame's types hold for all that is called with it. The words of such a name are those that
it is always called by. Where an argument stands tells it from others of its type.
"""

import keyword
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from partwise.interface.data import Example
from partwise.language.program import Term
from partwise.language.program_spelling import (
    Place,
    Slot,
    SpelledDomain,
    Spelling,
    Syntax,
    is_frame,
    write_spelled,
)
from partwise.language.text import split, tokenize

SAID, SURE, OFTEN = 0.8, 0.98, 3
"""The share of a word's uses with a name that it says; of uses that a rule must hold for; and how
many uses there must be."""
Words = Mapping[str, Sequence[str]]
"""Name or predicate -> the words that say it."""


@dataclass
class Frames:
    """What named arguments say: the `sides` of places, ``Before`` or ``After``; what is `shared`,
    as in `Domain`; and by method what questions need not say, since it is shared."""

    sides: dict[Slot, str] = field(default_factory=dict)
    shared: dict[str, dict[str, str]] = field(default_factory=dict)
    left_out: defaultdict[str, dict[int, str]] = field(default_factory=lambda: defaultdict(dict))


def find_frames(
    examples: Sequence[Example[Term]],
    spelling: Spelling,
    heads: Words,
    allowed: Mapping[Slot, Collection[str]],
    arities: Mapping[str, Sequence[int]],
) -> Frames:
    """What is to say of a domain's frames. `heads`: the words of predicates, and of names that take
    arguments; `allowed`: what may stand where; `arities`: how many arguments a method may have."""
    methods = {symbol: name for name, symbol in spelling.symbols.items() if is_frame(symbol)}
    if not methods:
        return Frames()
    made = Frames(sides(examples, heads))
    spelled = [spelling.outward(example.meaning) for example in examples]
    for frame, copies in find_shared(spelled).items():
        made.shared[methods[frame]] = {
            f"x{place + 1}.x{inner + 1}": f"x{source + 1}"
            for (place, inner), source in copies.items()
        }
        for place, inner in copies:
            for method in allowed[methods[frame], len(frame.split(" ")), place]:
                # Of arguments that may be left out, only the last ones can be.
                if method in methods.values() and arities[method] == [inner + 1]:
                    made.left_out[method][inner] = ""
    return made


def words_of_frames(examples: Sequence[Example[Term]]) -> dict[str, list[str]]:
    """What is called with named arguments -> the words that it is called by, its own aside."""
    words, heads, both = Counter[str](), Counter[str](), Counter[tuple[str, str]]()
    for example in examples:
        parts = list(example.meaning.walk())
        called = {part.args[0].symbol for part in parts if part.args and is_frame(part.symbol)}
        leaves = {part.symbol.lower() for part in parts if part.args is None}
        free = set(tokenize(example.question).words) - leaves
        words.update(free)
        heads.update(called)
        both.update((word, head) for word in free for head in called)
    best: dict[str, str] = {}
    # A word of several is that of the rarest, which "said" in all its sentences is not.
    for word, head in sorted(both, key=lambda one: (both[one] ** 2 / heads[one[1]], one)):
        if both[word, head] >= SAID * words[word]:
            best[word] = head
    said: defaultdict[str, list[str]] = defaultdict(list)
    for word, head in sorted(best.items()):
        said[head].append(word)
    return dict(said)


def find_shared(programs: Sequence[Term]) -> dict[str, dict[tuple[int, int], int]]:
    """Frame -> an argument within one of its arguments -> the argument that is always the same, as
    of ``want(agent=emma, xcomp=sleep(agent=emma))``."""
    counts: defaultdict[tuple[str, tuple[int, int], int], list[bool]] = defaultdict(list)
    calls = (part for program in programs for part in program.walk() if is_frame(part.symbol))
    for call in calls:
        of_arguments = (
            (place, inner, value)
            for place, arg in enumerate(call.operands)
            for inner, value in enumerate(arg.operands if is_frame(arg.symbol) else ())
        )
        for place, inner, value in of_arguments:
            for source, other in enumerate(call.operands):
                if source != place:
                    counts[call.symbol, (place, inner), source].append(value == other)
    shared: defaultdict[str, dict[tuple[int, int], int]] = defaultdict(dict)
    for (frame, path, source), same in counts.items():
        if len(same) >= OFTEN and sum(same) >= SURE * len(same):
            shared[frame][path] = source
    return dict(shared)


def sides(examples: Sequence[Example[Term]], heads: Words) -> dict[Slot, str]:
    """Places whose arguments only stand ``Before`` or ``After`` the word of what takes them;
    `heads` as in `find_frames`."""
    counts: defaultdict[Slot, Counter[str]] = defaultdict(Counter)
    for example in examples:
        words = tokenize(example.question).words
        for part in example.meaning.walk():
            args = part.operands
            head = part.args[0].symbol if part.is_of_name and part.args else part.symbol
            here = [place for place, word in enumerate(words) if word in heads.get(head, ())]
            for slot, arg in enumerate(args if len(here) == 1 else ()):
                quoted = (part.symbol.lower() for part in arg.walk() if part.quoted)
                there = [words.index(name) for name in quoted if words.count(name) == 1]
                if there:
                    side = _side(here[0], there)
                    counts[part.symbol, len(args), slot][side] += 1
    tops = {slot: count.most_common(1)[0] for slot, count in counts.items()}
    return {
        slot: side
        for slot, (side, count) in tops.items()
        if side and count >= max(OFTEN, SURE * counts[slot].total())
    }


def _side(here: int, there: Sequence[int]) -> str:
    if max(there) < here:
        return "Before"
    return "After" if min(there) > here else ""


NUMBER = r"-?\d+(?:\.\d+)?"
USED = frozenset(
    re.findall(
        r"\w+",
        "After Any Before ClassVar SEEN SpelledDomain Spelling TypeVar Uses annotations default "
        "entities name number overload predicate root self str unknown_names",
    )
)
"""Names that a written file uses itself."""
STANDS = 0.5
"""A name is one of a list if it stands in this share of its questions; else it is a constant."""
MISSED = 2
"""A name that is missed more often is a constant, too, if it is missed in a tenth of them: then it
has other words, which can be learned."""
BARE, FEWEST = 0.9, 3
"""The same for names without quotes, together, and how many there must be: they may be constants
that have words of their own."""


@dataclass
class NameKind:
    """Names of one constructor, the most frequent first; `phrases` of those that questions call
    otherwise."""

    method: str
    names: list[str]
    phrases: dict[str, tuple[str, ...]]


@dataclass
class InferredNames:
    """What all parts of programs are called. `numbers`: whether numbers stand in questions as they
    do in programs."""

    spelling: Spelling
    kinds: list[NameKind]
    numbers: bool


@dataclass(frozen=True)
class _Leaf:
    """A leaf of a program at its place; `called` is how its question names it, "" for not."""

    term: Term
    place: Place
    called: str


def find_names(examples: Sequence[Example[Term]], syntax: Syntax) -> InferredNames:
    terms = [term for example in examples for term in example.meaning.walk()]
    leaves = [leaf for example in examples for leaf in _leaves(example)]
    made = _Names(terms, syntax)
    for (quoted, group), members in sorted(_groups(leaves, made.constructors).items()):
        made.add(quoted, group, members)
    _name_frames(made.kinds, made.symbols, examples)
    listed, others = _part([leaf for leaf in leaves if _is_number(leaf.term)], True)
    for term in others:
        made.constants[made.python(f"n{term.symbol}", new=True)] = term.symbol
    return InferredNames(made.spelling(), made.kinds, bool(listed))


class _Names:
    """Names and constants as they are found. `constructors`: symbols of terms that hold names
    alone; `symbols`: Python name -> symbol, of terms."""

    def __init__(self, terms: Sequence[Term], syntax: Syntax) -> None:
        self.syntax = syntax
        with_args = [term for term in terms if term.args]
        self.constructors = {term.symbol for term in with_args}
        self.constructors -= {term.symbol for term in with_args if not term.is_of_name}
        self.several = {term.symbol for term in with_args if len(term.args or ()) > 1}
        self.python = Identifiers({term.symbol for term in terms})
        self.symbols = {
            self.python(term.symbol): term.symbol for term in terms if term.args is not None
        }
        self.kinds: list[NameKind] = []
        self.constants: dict[str, str] = {}
        self.places: dict[bool, dict[str, list[Place]]] = {True: {}, False: {}}

    def add(self, quoted: bool, group: tuple[Place, ...], members: Sequence[_Leaf]) -> None:
        symbol = group[0][0]
        listed, others = _part(members, quoted)
        built = quoted and symbol in self.constructors and group[0][1] == 0
        if built and symbol in self.several:
            listed, others = [*listed, *others], []
        wholes = [Term(symbol, (term,)) if built else term for term in others]
        for text in (write_spelled(whole, self.syntax) for whole in wholes):
            if text not in self.constants.values():
                self.constants[self.python(text, new=True)] = text
        if not listed:
            return
        method = self.python(symbol) if built else self.python(f"{symbol}_name", new=True)
        names = [term.symbol for term in listed]
        self.kinds.append(NameKind(method, names, _phrases(names, members)))
        if not built:
            self.places[quoted][method] = list(group)

    def spelling(self) -> Spelling:
        symbols = {name: symbol for name, symbol in self.symbols.items() if name != symbol}
        built = sorted(kind.method for kind in self.kinds if kind.method in self.symbols)
        places = (self.places[True], self.places[False])
        return Spelling(self.syntax, symbols, self.constants, tuple(built), *places)


def _phrases(names: Sequence[str], leaves: Sequence[_Leaf]) -> dict[str, tuple[str, ...]]:
    """How questions call the names that they do not call by the name itself."""
    called = {leaf.term.symbol: leaf.called for leaf in leaves if leaf.called}
    return {name: (called[name],) for name in names if called.get(name, name) != name}


def _name_frames(
    kinds: Sequence[NameKind], symbols: Mapping[str, str], examples: Sequence[Example[Term]]
) -> None:
    """Let whatever is called with named arguments be called so in each frame, by all its words."""
    framed = [kind for kind in kinds if is_frame(symbols.get(kind.method, ""))]
    said = words_of_frames(examples) if framed else {}
    names = list(dict.fromkeys(name for kind in framed for name in kind.names))
    for kind in framed:
        kind.names = names
        kind.phrases = {name: tuple(said[name]) for name in names if name in said}


def _leaves(example: Example[Term]) -> Iterator[_Leaf]:
    words = tokenize(example.question).words
    for term in example.meaning.walk():
        for slot, arg in enumerate(term.args or ()):
            if arg.args is None:
                yield _Leaf(arg, (term.symbol, slot), _name(arg, words))
    if example.meaning.args is None:
        yield _Leaf(example.meaning, ("", 0), _name(example.meaning, words))


def _name(leaf: Term, words: Sequence[str]) -> str:
    """How a question names a leaf: by its words, or where it is no text but a symbol, by its parts,
    as "new york" for ``new_york:ci``."""
    phrases = [leaf.symbol]
    if not leaf.quoted:
        phrases += [
            re.sub(r"[_\W]+", " ", part) for part in (leaf.symbol, leaf.symbol.split(":")[0])
        ]
    for phrase in phrases:
        key = split(phrase)
        if key and any(tuple(words[i : i + len(key)]) == key for i in range(len(words))):
            return phrase.strip()
    return ""


def _is_number(term: Term) -> bool:
    return not term.quoted and re.fullmatch(NUMBER, term.symbol) is not None


def _groups(
    leaves: Iterable[_Leaf], constructors: set[str]
) -> dict[tuple[bool, tuple[Place, ...]], list[_Leaf]]:
    parent: dict[object, object] = {}

    def top(item: object) -> object:
        while parent.setdefault(item, item) != item:
            item = parent[item]
        return item

    kept = [leaf for leaf in leaves if not _is_number(leaf.term)]
    for leaf in kept:
        if not (leaf.place[0] in constructors and leaf.place[1] == 0):
            parent[top((leaf.term.quoted, leaf.term))] = top((leaf.term.quoted, leaf.place))
    gathered: defaultdict[object, list[_Leaf]] = defaultdict(list)
    for leaf in kept:
        gathered[top((leaf.term.quoted, leaf.place))].append(leaf)
    return {
        (one[0].term.quoted, tuple(sorted({leaf.place for leaf in one}))): one
        for one in gathered.values()
    }


def _part(leaves: Sequence[_Leaf], quoted: bool) -> tuple[list[Term], list[Term]]:
    counts = Counter(leaf.term for leaf in leaves)
    stands = Counter(leaf.term for leaf in leaves if leaf.called)
    names = [
        term
        for term, count in counts.most_common()
        if stands[term] >= STANDS * count and count - stands[term] <= max(MISSED, count / 10)
    ]
    total = sum(counts[term] for term in names)
    sure = sum(stands[term] for term in names) >= BARE * total and len(names) >= FEWEST
    if not quoted and not sure:
        names = []
    return names, [term for term in counts if term not in names]


class Identifiers:
    """Python names for symbols: each another one, which no file and no domain uses otherwise."""

    def __init__(self, symbols: set[str]) -> None:
        self.symbols, self.known, self.taken = symbols, dict[str, str](), set[str]()

    def __call__(self, symbol: str, new: bool = False) -> str:
        """The name of a symbol. `new`: whether it is another one than that of calls of the same
        symbol."""
        if symbol in self.known and not new:
            return self.known[symbol]
        plain = re.sub(r"\W+|_{2,}", "_", symbol, flags=re.ASCII).strip("_")
        plain = plain if plain[:1].isalpha() else f"p_{plain}".rstrip("_")
        name, number = plain, 1
        while (
            name in self.taken | USED
            or (name in self.symbols and name != symbol)
            or keyword.iskeyword(name)
            or hasattr(SpelledDomain, name)
        ):
            number += 1
            name = f"{plain}_{number}"
        self.taken.add(name)
        if not new:
            self.known[symbol] = name
        return name
