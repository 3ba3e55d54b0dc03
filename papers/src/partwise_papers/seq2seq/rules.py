"""Programs as the production rules of their typed derivations: the form ``rules``.

After Krishnamurthy, Dasigi and Gardner (2017) and the intermediate form of Wang et al.
(2020): top-down and from left to right, each token rewrites the leftmost open type. A name is its
rule, then its words, which may be copied from the question, then a quote; so names that no
training program has are within reach. Words of the language that stand in programs as they are,
such as colours, are rules.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Self

from partwise.errors import (
    PartwiseError,
    ProgramTypeError,
    UnknownConstantError,
)
from partwise.interface.data import Example
from partwise.language.constants import Application
from partwise.language.domain import Domain
from partwise.language.program import Term
from partwise.language.text import split
from partwise.language.types import Type
from partwise_papers.constrained.tokens import QUOTE
from partwise_papers.seq2seq.derivation import DerivationMask
from partwise_papers.seq2seq.forms import Form
from partwise_papers.seq2seq.productions import Productions
from partwise_papers.seq2seq.search import Mask
from partwise_papers.seq2seq.shapes import Shape, constant_of, shape_of
from partwise_papers.seq2seq.vocabulary import OutputVocabulary


class Rules(Form):
    """Rules of the shapes that training programs have.

    Args:
        shapes: uses of constants.
        names: (place in `Vocabulary.types`, name) of training programs, as they are spelled.

    Raises:
        PartwiseError: for a domain whose meanings are no programs.
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
        kind, tokens = self._derived(_application(self.domain, meaning))
        if kind not in self.productions.start:
            raise ProgramTypeError(f"a whole program may not be {kind}: {meaning}")
        return tokens

    def _derived(self, program: Application) -> tuple[Type, list[str]]:
        below = [self._derived(arg) for arg in program.args if arg is not None]
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
        """The name of a type that has some words; None if there is none.

        Args:
            place: that of the type in `Vocabulary.types`.
        """
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
