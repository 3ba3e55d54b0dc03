"""How much of a language its pairs show: predicates, and what stands in what."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from partwise.authoring.validation.finding import Finding
from partwise.authoring.validation.heads import Heads, Link
from partwise.authoring.validation.places import place_of
from partwise.language.domain import Application


def links_of(program: Application) -> Iterator[Link]:
    """What stands in which argument of what, in a program."""
    for part in program.walk():
        for slot, arg in enumerate(part.args):
            if arg is not None:
                yield part.constant.head, slot, arg.constant.head


def size_of(program: Application) -> int:
    """The number of a program's parts that words name."""
    return sum(not part.constant.type_shift for part in program.walk())


@dataclass(frozen=True)
class Coverage:
    """What programs use of a language.

    Attributes:
        heads: predicates and kinds of names, with the number of programs that have each.
        links: the same of compositions.
        possible: all compositions that the types allow, and those that are there.
        every: all predicates and kinds of names.
        sizes: numbers of parts, with the number of programs of each.
    """

    heads: Counter[str]
    links: Counter[Link]
    possible: frozenset[Link]
    every: frozenset[str]
    sizes: Counter[int]

    @staticmethod
    def of(heads: Heads, programs: Iterable[Application]) -> Coverage:
        """The coverage of some programs."""
        used: Counter[str] = Counter()
        links: Counter[Link] = Counter()
        sizes: Counter[int] = Counter()
        for program in programs:
            used.update({part.constant.head for part in program.walk()})
            links.update(set(links_of(program)))
            sizes[size_of(program)] += 1
        possible = heads.links | frozenset(links)
        return Coverage(used, links, possible, frozenset(heads.all) | frozenset(used), sizes)

    def to_json(self) -> dict[str, int]:
        """The counts."""
        return {
            "predicates": sum(name in self.heads for name in self.every),
            "of_predicates": len(self.every),
            "compositions": len(self.links),
            "of_compositions": len(self.possible),
        }

    def __str__(self) -> str:
        n = self.to_json()
        return (
            f"{n['predicates']} of {n['of_predicates']} predicates and kinds of names, "
            f"{n['compositions']} of {n['of_compositions']} compositions"
        )


def unused(heads: Heads, coverage: Coverage) -> Iterator[Finding]:
    """Predicates and kinds of names that can be used and that no pair has."""
    for head in heads.all.values():
        if head.name not in coverage.heads and head.state in heads.used:
            yield Finding(
                "warning",
                "unused-by-pairs",
                head.title,
                "no pair uses it, so that a parser learns nothing of it",
                "`partwise examples` drafts pairs that do",
                place_of(heads.types.domain, head.name),
            )
