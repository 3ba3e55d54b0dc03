"""What is written for a meaning, as tokens, and back: output forms by name."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Self

from partwise.interface.data import Example
from partwise.language.domain import Domain
from partwise.language.tokenizer import split
from partwise_papers.seq2seq.search import Mask
from partwise_papers.seq2seq.vocabulary import OutputVocabulary

_TOKEN = re.compile(r"'((?:[^'\\]|\\.)*)'|[(),]|[^\s(),']+")
QUOTE = "'"


class Form(ABC):
    """How meanings are written as sequences of tokens.

    Attributes:
        constrained: whether outputs are constrained to whole meanings, whatever settings say.

    Args:
        domain: whose meanings they are.
    """

    constrained: ClassVar[bool] = False

    def __init__(self, domain: Any) -> None:
        self.domain = domain

    @classmethod
    def learn(cls, domain: Any, train: Sequence[Example[Any]]) -> Self:
        """That of a domain, with what training examples say."""
        return cls(domain)

    def to_json(self) -> Any:
        """What was learned, as JSON values."""
        return None

    @classmethod
    def from_json(cls, domain: Any, saved: Any) -> Self:
        """What `to_json` gave."""
        return cls(domain)

    @abstractmethod
    def tokens(self, meaning: Any) -> list[str]:
        """The tokens of a meaning.

        Raises:
            PartwiseError: for one that cannot be written so.
        """

    @abstractmethod
    def meaning(self, tokens: Sequence[str]) -> Any:
        """The meaning of tokens.

        Raises:
            PartwiseError: if they have none.
        """

    def mask(self, vocabulary: OutputVocabulary, questions: Sequence[Sequence[str]]) -> Mask | None:
        """What may follow an output so that it can still come to have a meaning; None if the form
        cannot say.

        Args:
            questions: the words of each that may be copied.
        """
        return None


class Text(Form):
    """The text of a program or a query, as it is.

    Tokens of queries have blanks between. A quoted name in a program is its words between quotes.

    Args:
        names: how names are spelled, by their words; others are their words with blanks between.
    """

    def __init__(self, domain: Any, names: Mapping[tuple[str, ...], str] | None = None) -> None:
        super().__init__(domain)
        self.names = dict(names or {})
        self.programs = isinstance(domain, Domain)

    @classmethod
    def learn(cls, domain: Any, train: Sequence[Example[Any]]) -> Self:
        """With the names of the training programs as they are spelled."""
        names: dict[tuple[str, ...], str] = {}
        for example in train if isinstance(domain, Domain) else ():
            for part in example.meaning.walk():
                if part.quoted:
                    names.setdefault(split(part.symbol), part.symbol)
        return cls(domain, names)

    def to_json(self) -> list[str]:
        """The names."""
        return list(self.names.values())

    @classmethod
    def from_json(cls, domain: Any, saved: Any) -> Self:
        """See `Form`."""
        return cls(domain, {split(name): name for name in saved})

    def tokens(self, meaning: Any) -> list[str]:
        """See `Form`."""
        text = self.domain.write(meaning)
        return split_program(text) if self.programs else text.split()

    def meaning(self, tokens: Sequence[str]) -> Any:
        """See `Form`."""
        return self.domain.read(
            join_program(tokens, self.names) if self.programs else " ".join(tokens)
        )


def split_program(text: str) -> list[str]:
    """The tokens of a program; those of a name are its words, between quotes."""
    made: list[str] = []
    for match in _TOKEN.finditer(text):
        name = match.group(1)
        made += [match.group()] if name is None else [QUOTE, *split(name), QUOTE]
    return made


def join_program(tokens: Sequence[str], names: Mapping[tuple[str, ...], str]) -> str:
    """The text of tokens.

    Args:
        names: how names are spelled, by their words; others are their words with blanks between.
    """
    made: list[str] = []
    inside: list[str] | None = None
    for token in tokens:
        if token == QUOTE:
            if inside is None:
                inside = []
                continue
            made.append(f"'{names.get(tuple(inside), ' '.join(inside))}'")
            inside = None
        elif inside is not None:
            inside.append(token)
        else:
            made.append(token)
    return " ".join([*made, *(inside or ())])
