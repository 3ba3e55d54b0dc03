"""Programs as the production rules of their typed derivations: the form ``rules``.

After Krishnamurthy, Dasigi and Gardner (2017) and the intermediate form of Wang et al. (2020):
top-down and from left to right, each token rewrites the leftmost open type. A rule ``Noun[State] ->
lake(Related[InState])`` says that a predicate over arguments of some types makes a program of the
type on the left. The types are the domain's own.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

from partwise.errors import (
    PartwiseError,
    ProgramTypeError,
    UnknownConstantError,
)
from partwise.interface.data import Example
from partwise.language.constants import Application, Constant, Signature
from partwise.language.domain import Domain
from partwise.language.open_types import open_type_of
from partwise.language.program import Term
from partwise.language.text import split
from partwise.language.types import Pattern, Type, match, substitute
from partwise_papers.constrained.tokens import QUOTE
from partwise_papers.seq2seq.decoding import END, Mask, OutputVocabulary
from partwise_papers.seq2seq.forms import Form

Kinds = frozenset[Type]
"""What may stand somewhere."""
Row = tuple[Type, ...]
"""Types of the arguments that are given."""


class Shape(NamedTuple):
    """A use of a constant: which of its arguments are given.

    Attributes:
        key: the head of a predicate, or the place in `Vocabulary.types` of an entity's type.
        slots: those of the arguments given; parts of a conjunction are all of slot 0.
        name: of an entity that has a rule of its own.
    """

    key: str | int
    slots: tuple[int, ...] = ()
    name: str = ""


def shape_of(domain: Domain, program: Application) -> Shape:
    """That of a program's outermost constant."""
    constant, args = program.constant, program.args
    if constant.variadic:
        return Shape(constant.head, (0,) * len(args))
    slots = tuple(slot for slot, arg in enumerate(args) if arg is not None)
    if not constant.is_entity:
        return Shape(constant.head, slots)
    place = domain.vocabulary.type_of(constant.number)
    entity_type = domain.vocabulary.types[place]
    # Words of the language, such as colours, have rules of their own.
    own = entity_type.blank.bare and entity_type.pattern is None
    return Shape(place, slots, str(constant.name) if own else "")


def constant_of(domain: Domain, shape: Shape, name: str = "") -> Constant:
    """The constant of a shape (`name`: of an entity that has no rule of its own; without one it is
    a blank); raises LookupError if the domain lacks it."""
    known = domain.vocabulary
    if isinstance(shape.key, str):
        found = known.find(shape.key, None)
        if found is None:
            raise LookupError(f"{domain.name} has no predicate {shape.key}")
        return found
    name = shape.name or name
    return known[known.meet(shape.key, name)] if name else known.types[shape.key].blank


class ShapeTypes:
    """What programs of some shapes return, whatever they are made of.

    Attributes:
        kinds: all types that programs may have.
        returns: shape -> types of its arguments -> its type. A conjunction has two of its parts.
        start: what a whole program may return.
        alike: type -> the first of those that are alike: no program around them can tell which of
            them it is, so that rules need not, either.
    """

    def __init__(self, domain: Domain, shapes: Iterable[Shape]) -> None:
        self.domain = domain
        self.constants = {
            shape: constant_of(domain, shape) for shape in sorted(set(shapes), key=str)
        }
        self.kinds: dict[Type, None] = {}
        self.returns: dict[Shape, dict[Row, Type]] = {constant: {} for constant in self.constants}
        while self._grow():
            pass
        wanted = domain.root_type
        self.start: Kinds = frozenset(
            kind for kind in self.kinds if wanted is None or match(wanted, kind) is not None
        )
        self.alike = self._alike()

    def _grow(self) -> bool:
        """Apply everything to the types known so far; whether there are more then."""
        before = len(self.kinds)
        for shape, known in self.returns.items():
            constant = self.constants[shape]
            for row in self._candidates(constant, shape.slots):
                if row not in known and (kind := self._type(constant, shape.slots, row)):
                    known[row] = kind
                    self.kinds[kind] = None
        return len(self.kinds) > before

    def _candidates(self, constant: Constant, slots: Sequence[int]) -> Iterator[Row]:
        # Parts of a conjunction are alike, so two of them say what more of them return.
        slots = slots[:2] if constant.variadic else slots
        fitting = [
            [kind for kind in self.kinds if _fits(patterns_of(constant, slot), kind)]
            for slot in slots
        ]
        return itertools.product(*fitting)

    def _type(self, constant: Constant, slots: Sequence[int], row: Row) -> Type | None:
        given: list[Application | None] = [_placeholder(kind) for kind in row]
        if not constant.variadic:
            filled = dict(zip(slots, given, strict=True))
            given = [filled.get(slot) for slot in range(len(constant.defaults))]
        try:
            open_type = open_type_of(Application(constant, tuple(given)))
        except ProgramTypeError:
            return None
        closed = next((signature.returns for signature in open_type if signature.closed), None)
        return closed if isinstance(closed, Type) else None

    def _alike(self) -> dict[Type, Type]:
        """Partition refinement, as for the states of a minimal automaton."""
        groups = {kind: int(kind in self.start) for kind in self.kinds}
        uses: dict[Type, list[tuple[object, Type]]] = {kind: [] for kind in self.kinds}
        for shape, rows in self.returns.items():
            for row, kind in rows.items():
                for place, arg in enumerate(row):
                    beside = (shape, place, row[:place], row[place + 1 :])
                    uses[arg].append((beside, kind))
        while True:
            seen: dict[object, int] = {}
            after = {
                kind: seen.setdefault(
                    (groups[kind], frozenset((one, groups[whole]) for one, whole in uses[kind])),
                    len(seen),
                )
                for kind in self.kinds
            }
            if len(seen) == len(set(groups.values())):
                break
            groups = after
        first: dict[int, Type] = {}
        return {kind: first.setdefault(groups[kind], kind) for kind in self.kinds}

    def named(self, kinds: Kinds, patterns: Iterable[Pattern]) -> str:
        """The first of some declared types that stands for just these; else they themselves."""
        for pattern in patterns:
            bound = {kind: match(pattern, kind) for kind in self.kinds}
            if kinds == {kind for kind, bindings in bound.items() if bindings is not None}:
                return str(pattern)
            for bindings in filter(None, map(bound.get, kinds)):
                if kinds == {kind for kind in self.kinds if bound[kind] == bindings}:
                    return str(substitute(pattern, bindings))
        return " | ".join(sorted(map(str, kinds)))


def patterns_of(constant: Constant, slot: int) -> list[Pattern]:
    """What signatures say of an argument."""
    params = (param for signature in constant.signatures for param in signature.params)
    return [pattern for number, pattern, _ in params if number == slot]


def _fits(patterns: Iterable[Pattern], kind: Type) -> bool:
    return any(match(pattern, kind) is not None for pattern in patterns)


def _placeholder(kind: Type) -> Application:
    """Something of a type."""
    constant = Constant(str(kind), str(kind), None, (Signature((), kind),), (), ())
    return Application(constant, ())


ANY_NAME = "..."
"""What rules show in the place of a name."""


@dataclass(frozen=True)
class Rule:
    """A production rule.

    Attributes:
        text: itself, as a token.
        returns: one of the types on its left side, which are all alike.
        takes: what may stand at each argument given.
        named: whether the words of a name come before the arguments.
    """

    text: str
    shape: Shape
    returns: Type
    takes: tuple[Kinds, ...]
    named: bool


class Productions:
    """The rules of some shapes: every derivation types, and every typed program has one.

    Attributes:
        start: what a whole program may return.
        rules: rules by their texts.
    """

    def __init__(self, domain: Domain, shapes: Iterable[Shape]) -> None:
        self.domain, self._types = domain, ShapeTypes(domain, shapes)
        self.start = self._types.start
        constants = self._types.constants
        self._declared = [
            pattern
            for constant in constants.values()
            for slot in range(len(constant.defaults))
            for pattern in patterns_of(constant, slot)
        ]
        members: dict[Type, set[Type]] = {}
        for kind, first in self._types.alike.items():
            members.setdefault(first, set()).add(kind)
        self._names = {
            first: str(first)
            if len(alike) == 1
            else self._types.named(frozenset(alike), self._declared)
            for first, alike in members.items()
        }
        self._of_shape = {shape: tuple(self._rules(shape)) for shape in constants}
        self.rules = {rule.text: rule for some in self._of_shape.values() for rule in some}

    def rule(self, shape: Shape, args: Row) -> Rule | None:
        """The rule of a shape over arguments of some types; None if there is none."""
        for rule in self._of_shape.get(shape, ()):
            if all(arg in kinds for arg, kinds in zip(args, rule.takes, strict=True)):
                return rule
        return None

    def _rules(self, shape: Shape) -> Iterator[Rule]:
        constant = self._types.constants[shape]
        by_result: dict[Type, set[Row]] = {}
        for row, kind in self._types.returns[shape].items():
            by_result.setdefault(self._types.alike[kind], set()).add(row)
        named = constant.is_entity and not shape.name
        for kind, rows in by_result.items():
            for takes in products(rows):
                if constant.variadic:
                    takes = (takes[0] & takes[1],) * len(shape.slots)
                if all(takes):
                    text = f"{self._names[kind]} -> {self._show(constant, shape, takes)}"
                    yield Rule(text, shape, kind, takes, named)

    def _show(self, constant: Constant, shape: Shape, takes: Sequence[Kinds]) -> str:
        shown = [
            Term(self._types.named(kinds, [*patterns_of(constant, slot), *self._declared]))
            for slot, kinds in zip(shape.slots, takes, strict=True)
        ]
        if constant.variadic:
            return constant.term(shown).text()
        if constant.is_entity and not shape.name:
            constant = self.domain.vocabulary.types[int(shape.key)].named(ANY_NAME, -1)
        given = dict(zip(shape.slots, shown, strict=True))
        return constant.term([given.get(slot) for slot in range(len(constant.defaults))]).text()


def products(rows: Iterable[Row]) -> list[tuple[Kinds, ...]]:
    """Rows as sets for each column, any choice from which is one of them.

    Those with the same rest are taken together, from the first column on.
    """
    rows = set(rows)
    columns = tuple(frozenset(column) for column in zip(*rows, strict=True))
    if math.prod(map(len, columns)) == len(rows):
        return [columns]
    rests: dict[Type, set[Row]] = {}
    for first, *rest in rows:
        rests.setdefault(first, set()).add(tuple(rest))
    alike: dict[frozenset[Row], set[Type]] = {}
    for first, some in rests.items():
        alike.setdefault(frozenset(some), set()).add(first)
    return [(frozenset(firsts), *more) for some, firsts in alike.items() for more in products(some)]


Wordings = tuple[tuple[str, ...], ...]
"""Names by their words."""
LONGEST_NAME = 6
"""Words of a name that only a pattern gives."""


class State(NamedTuple):
    """A derivation so far.

    Attributes:
        open: what is still to be rewritten, the leftmost last.
        place: that of the type of the name being written in `Vocabulary.types`; -1 outside names.
        words: those of the name so far.
    """

    open: tuple[Kinds, ...]
    place: int = -1
    words: tuple[str, ...] = ()


def advance(productions: Productions, state: State, token: str) -> State:
    """A derivation with one more token, which is allowed."""
    if state.place >= 0:
        if token == QUOTE:
            return State(state.open)
        return state._replace(words=(*state.words, token))
    rule = productions.rules[token]
    rest = (*state.open[:-1], *reversed(rule.takes))
    return State(rest, int(rule.shape.key) if rule.named else -1)


class DerivationMask:
    """A `Mask`: every output that it allows has an end, and is a well-typed program.

    Each rule of the vocabulary comes from a whole derivation, so that its arguments can be filled.

    Args:
        spell: (place in `Vocabulary.types`, words) -> the name that they spell, if any.
        listed: place -> names to choose from, by their words.
        questions: words that may be copied, of each question.
    """

    def __init__(
        self,
        productions: Productions,
        spell: Callable[[int, tuple[str, ...]], str | None],
        listed: Mapping[int, Sequence[tuple[str, ...]]],
        vocabulary: OutputVocabulary,
        questions: Sequence[Sequence[str]],
    ) -> None:
        self.productions, self.spell, self.listed = productions, spell, listed
        self.vocabulary, self.questions = vocabulary, questions
        self.rules = [
            rule for rule in productions.rules.values() if rule.text in vocabulary.numbers
        ]
        self._states: dict[tuple[int, tuple[int, ...]], State] = {}
        self._starting: dict[Kinds, list[int]] = {}
        self._wordings: dict[tuple[int, int], Wordings] = {}
        self._copied = [
            dict(zip(words, vocabulary.word_numbers(words), strict=True)) for words in questions
        ]

    def __call__(self, question: int, output: Sequence[int]) -> Sequence[int]:
        """The numbers of what may follow."""
        state = self._state(question, tuple(output))
        if state.place >= 0:
            return self._name_goes_on(question, state)
        return self._rules_of(state.open[-1]) if state.open else [END]

    def _state(self, question: int, output: tuple[int, ...]) -> State:
        if not output:
            return State((self.productions.start,))
        if (question, output) not in self._states:
            before = self._state(question, output[:-1])
            (token,) = self.vocabulary.output(output[-1:], self.questions[question])
            self._states[question, output] = advance(self.productions, before, token)
        return self._states[question, output]

    def _rules_of(self, kinds: Kinds) -> list[int]:
        if kinds not in self._starting:
            fitting = (rule.text for rule in self.rules if rule.returns in kinds)
            self._starting[kinds] = [self.vocabulary.numbers[text] for text in fitting]
        return self._starting[kinds]

    def _name_goes_on(self, question: int, state: State) -> list[int]:
        done = len(state.words)
        longer = [
            words for words in self._names(question, state.place) if words[:done] == state.words
        ]
        following = {words[done] if len(words) > done else QUOTE for words in longer}
        return sorted({self._number(question, word) for word in following})

    def _number(self, question: int, word: str) -> int:
        known = self.vocabulary.numbers
        return known[word] if word in known else self._copied[question][word]

    def _names(self, question: int, place: int) -> Wordings:
        """The names of a type whose words can be written, or stand in the question."""
        if (question, place) not in self._wordings:
            words = self.questions[question]
            usable = self.vocabulary.numbers.keys() | set(words)
            found = [one for one in self.listed.get(place, ()) if usable.issuperset(one)]
            spans = (
                tuple(words[begin:end])
                for begin in range(len(words))
                for end in range(begin + 1, min(begin + LONGEST_NAME, len(words)) + 1)
            )
            found += [span for span in spans if self.spell(place, span) is not None]
            self._wordings[question, place] = tuple(dict.fromkeys(found))
        return self._wordings[question, place]


class Rules(Form):
    """Rules of the shapes that training programs have; raises PartwiseError for a domain whose
    meanings are no programs.

    Args:
        shapes: uses of constants.
        names: (place in `Vocabulary.types`, name) of training programs, as they are spelled.
    """

    constrained = True

    def __init__(
        self, domain: Any, shapes: Iterable[Shape] = (), names: Iterable[tuple[int, str]] = ()
    ) -> None:
        super().__init__(domain)
        if not isinstance(domain, Domain):
            raise PartwiseError(f"the form rules is for programs; {domain.name} has none")
        self.productions = Productions(domain, shapes)
        self.names = sorted(set(names))
        self.spellings: dict[int, dict[tuple[str, ...], str]] = {}
        for place, name in self.names:
            self.spellings.setdefault(place, {}).setdefault(split(name), name)
        rules = self.productions.rules.values()
        for place in {int(rule.shape.key) for rule in rules if rule.named}:
            known = self.spellings.setdefault(place, {})
            for name in domain.vocabulary.types[place].names:
                known.setdefault(split(name), name)

    @classmethod
    def learn(cls, domain: Any, train: Sequence[Example[Any]]) -> Self:
        """With the shapes and names of training programs."""
        shapes: set[Shape] = set()
        names: set[tuple[int, str]] = set()
        for example in train:
            try:
                parts = list(_application(domain, example.meaning).walk())
            except PartwiseError:
                continue
            for part in parts:
                shape = shape_of(domain, part)
                shapes.add(shape)
                if part.constant.is_entity and not shape.name:
                    names.add((int(shape.key), str(part.constant.name)))
        return cls(domain, shapes, names)

    def to_json(self) -> Any:
        """The shapes and the names."""
        shapes = sorted({rule.shape for rule in self.productions.rules.values()}, key=str)
        return {"shapes": shapes, "names": self.names}

    @classmethod
    def from_json(cls, domain: Any, saved: Any) -> Self:
        """See `Form`."""
        shapes = [Shape(key, tuple(slots), name) for key, slots, name in saved["shapes"]]
        return cls(domain, shapes, [(place, name) for place, name in saved["names"]])

    # --- programs to rules and back ----------------------------------------------------------

    def tokens(self, meaning: Any) -> list[str]:
        """See `Form`; the words of names are tokens of their own."""
        kind, tokens = self._derive(_application(self.domain, meaning))
        if kind not in self.productions.start:
            raise ProgramTypeError(f"a whole program may not be {kind}: {meaning}")
        return tokens

    def _derive(self, program: Application) -> tuple[Type, list[str]]:
        below = [self._derive(arg) for arg in program.args if arg is not None]
        shape = shape_of(self.domain, program)
        rule = self.productions.rule(shape, tuple(kind for kind, _ in below))
        if rule is None:
            raise ProgramTypeError(f"there is no rule for {program.term()}")
        tokens = [rule.text]
        if rule.named:
            tokens += [*split(str(program.constant.name)), QUOTE]
        return rule.returns, [*tokens, *(token for _, some in below for token in some)]

    def meaning(self, tokens: Sequence[str]) -> Term:
        """See `Form`."""
        rest = iter(tokens)
        program = self._read(rest, self.productions.start)
        if next(rest, None) is not None:
            raise ProgramTypeError("there are rules behind the end of a derivation")
        return self.domain.wrap(program.term())  # type: ignore[no-any-return]

    def _read(self, tokens: Iterator[str], wanted: frozenset[Type]) -> Application:
        token = next(tokens, None)
        rule = self.productions.rules.get(token or "")
        if rule is None or rule.returns not in wanted:
            raise ProgramTypeError(f"{token!r} cannot stand where it does in a derivation")
        name = self._name(tokens, int(rule.shape.key)) if rule.named else ""
        given = [self._read(tokens, kinds) for kinds in rule.takes]
        try:
            constant = constant_of(self.domain, rule.shape, name)
        except LookupError as error:
            raise UnknownConstantError(str(error)) from error
        if constant.variadic:
            return Application(constant, tuple(given))
        placed = dict(zip(rule.shape.slots, given, strict=True))
        places = range(len(constant.defaults))
        return Application(constant, tuple(placed.get(slot) for slot in places))

    def _name(self, tokens: Iterator[str], place: int) -> str:
        words: list[str] = []
        for token in tokens:
            if token == QUOTE:
                name = self.spelled(place, tuple(words))
                if name is not None:
                    return name
                break
            words.append(token)
        what = self.domain.vocabulary.types[place].head
        raise UnknownConstantError(f"{' '.join(words)!r} names no {what}")

    def spelled(self, place: int, words: tuple[str, ...]) -> str | None:
        """The name of a type that has some words; None if there is none (`place`: that of the type
        in `Vocabulary.types`)."""
        name = self.spellings.get(place, {}).get(words, " ".join(words))
        return name if name in self.domain.vocabulary.types[place] else None

    def mask(
        self,
        vocabulary: OutputVocabulary,
        questions: Sequence[Sequence[str]],
    ) -> Mask:
        """See `Form`: rules of the leftmost open type, and the words of its names."""
        listed = {place: tuple(known) for place, known in self.spellings.items()}
        return DerivationMask(self.productions, self.spelled, listed, vocabulary, questions)


def _application(domain: Domain, meaning: Any) -> Application:
    return domain.shared_arguments.without_copies(domain.interpret(meaning))
