"""How much of a language its examples show: predicates, and what is an argument of what."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from partwise.authoring.validation.heads import Dependency, Heads
from partwise.language.domain import Application


def dependencies_of(program: Application) -> Iterator[Dependency]:
    """What is in which argument of what, in a program."""
    for part in program.walk():
        for slot, arg in enumerate(part.args):
            if arg is not None:
                yield part.constant.head, slot, arg.constant.head


def heads_of(program: Application) -> set[str]:
    """The predicates and entity types in a program."""
    return {part.constant.head for part in program.walk()}


def size_of(program: Application) -> int:
    """The number of a program's parts that words name."""
    return sum(not part.constant.type_shift for part in program.walk())


@dataclass(frozen=True)
class Coverage:
    """What programs use of a language.

    Attributes:
        heads: predicates and entity types, with the number of programs that have each.
        dependencies: the same of compositions.
        possible: all compositions that the types allow, and those that are there.
        every: all predicates and entity types.
        sizes: numbers of parts, with the number of programs of each.
    """

    heads: Counter[str]
    dependencies: Counter[Dependency]
    possible: frozenset[Dependency]
    every: frozenset[str]
    sizes: Counter[int]

    @staticmethod
    def of(heads: Heads, programs: Iterable[Application]) -> Coverage:
        """The coverage of some programs."""
        programs = list(programs)
        used = Counter(head for program in programs for head in heads_of(program))
        pairs = Counter(d for program in programs for d in set(dependencies_of(program)))
        possible, every = heads.dependencies | pairs.keys(), frozenset(heads.all) | used.keys()
        return Coverage(used, pairs, possible, every, Counter(map(size_of, programs)))

    def to_json(self) -> dict[str, int]:
        """The counts."""
        return {
            "predicates": sum(name in self.heads for name in self.every),
            "of_predicates": len(self.every),
            "compositions": len(self.dependencies),
            "of_compositions": len(self.possible),
        }

    def __str__(self) -> str:
        n = self.to_json()
        return (
            f"{n['predicates']} of {n['of_predicates']} predicates and kinds of names, "
            f"{n['compositions']} of {n['of_compositions']} compositions"
        )
