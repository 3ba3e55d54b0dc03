"""What a domain does, whatever its meanings are, and what a check of one says."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol, TypeVar, runtime_checkable

M = TypeVar("M")


@runtime_checkable
class AnyDomain(Protocol[M]):
    """A language of meanings that can be run.

    Attributes:
        name: in commands, files and messages.
        parser: name of the parser that is trained for it where nothing else is asked for.
        examples: questions to begin with.
        runnable: whether meanings can be run, as where a knowledge graph comes with the domain.
    """

    @property
    def name(self) -> str: ...

    @property
    def parser(self) -> str: ...

    @property
    def examples(self) -> Sequence[str]: ...

    @property
    def runnable(self) -> bool: ...

    def read(self, text: str) -> M:
        """A meaning from its text. Raises PartwiseError if it cannot be read; says where."""
        ...

    def write(self, meaning: M, context: Any = None) -> str:
        """The text that `read` reads, with what placeholders stand for in their place if a context
        is given."""
        ...

    def canonical(self, meaning: M) -> M:
        """The meaning that stands for all that are the same; equal ones are an exact match."""
        ...

    def run(self, meaning: M, context: Any = None) -> Any:
        """The value of a meaning; `context` is what the question is about, or what placeholders
        stand for. Raises PartwiseError if it fails to run."""
        ...

    def denotation(self, value: Any) -> Hashable:
        """What values are compared by."""
        ...

    def show(self, value: Any) -> Sequence[str]:
        """A value for people, one line a thing."""
        ...

    def partial_matches(self, gold: M, predicted: M) -> Mapping[str, bool]:
        """Which parts of a meaning are right, by name, in the order in which a wrong meaning is
        said to be first wrong; may be empty."""
        ...

    def question_group(self, meaning: M) -> str:
        """What kind of question has this meaning, where examples do not say; "" for none."""
        ...

    def is_empty(self, value: Any) -> bool:
        """Whether a value says nothing."""
        ...

    def read_context(self, text: str) -> Any:
        """What a user says that all questions are about. Raises PartwiseError if the domain takes
        none, or the text cannot be read."""
        ...


Severity = Literal["error", "warning", "note"]


@dataclass(frozen=True)
class Issue:
    """One thing that is wrong or worth knowing.

    Attributes:
        severity: ``error``: something cannot work; ``warning``: it likely does not do what is
            meant; ``note``: worth knowing.
        kind: which check, as ``unusable-predicate``; the same word for the same check.
        what: what it is about, as ``predicate author``, in a few words.
        why: the reason.
        suggestion: what to do; "" if that is plain.
        where: ``file:line``, or "" where there is no line.
    """

    severity: Severity
    kind: str
    what: str
    why: str
    suggestion: str = ""
    where: str = ""

    def __str__(self) -> str:
        place = f"{self.where}: " if self.where else ""
        advice = f"; {self.suggestion}" if self.suggestion else ""
        return f"{place}{self.severity}: {self.what}: {self.why}{advice}"
