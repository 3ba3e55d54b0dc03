"""What is written for a meaning, as tokens, and back."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import cached_property
from typing import Any, ClassVar, Self

from partwise.errors import PartwiseError
from partwise.interface.data import Example
from partwise.language.domain import Domain
from partwise_papers.constrained.programs import ProgramConstraint
from partwise_papers.constrained.tokens import join_program, split_program
from partwise_papers.seq2seq.constraining import ConstraintMask
from partwise_papers.seq2seq.search import Mask
from partwise_papers.seq2seq.vocabulary import OutputVocabulary


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

    def mask(
        self,
        vocabulary: OutputVocabulary,
        questions: Sequence[Sequence[str]],
    ) -> Mask | None:
        """What may follow an output so that it can still come to have a meaning; None if the form
        cannot say.

        Args:
            questions: the words of each that may be copied.
        """
        return None


class Text(Form):
    """The text of a program or a query, as it is; the words of quoted names are tokens."""

    def tokens(self, meaning: Any) -> list[str]:
        """See `Form`."""
        text = self.domain.write(meaning)
        return split_program(text) if isinstance(self.domain, Domain) else text.split()

    def meaning(self, tokens: Sequence[str]) -> Any:
        """See `Form`."""
        programs = isinstance(self.domain, Domain)
        return self.domain.read(join_program(tokens) if programs else " ".join(tokens))

    def mask(
        self,
        vocabulary: OutputVocabulary,
        questions: Sequence[Sequence[str]],
    ) -> Mask | None:
        """See `Form`: what can still become a well-typed program of the domain.

        Raises:
            PartwiseError: for a domain whose meanings are no programs.
        """
        return ConstraintMask(self._constraint, vocabulary, questions)

    @cached_property
    def _constraint(self) -> ProgramConstraint:
        if not isinstance(self.domain, Domain):
            raise PartwiseError(
                f"outputs are constrained to programs alone, and {self.domain.name} has none; "
                "leave out constrained"
            )
        return ProgramConstraint(self.domain)
