"""Which rows a domain's own canonical form leaves well-typed.

A domain may override `Domain.canonical`, as one that writes ``filter(scene())`` as ``scene()``. A
row is tried on an example: where the canonical form is of another type, no program has that row.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from partwise.errors import PartwiseError
from partwise.language.domain import Domain, interpret
from partwise.language.open_types import closed_type, open_type_of
from partwise.language.program import Term
from partwise_papers.constrained.calls import Row, bits
from partwise_papers.constrained.kinds import Kind, Leaves


class Examples:
    """Programs for kinds, as far as rows come to them."""

    def __init__(self, domain: Domain, leaves: Leaves, kinds: Sequence[Kind]) -> None:
        self.domain, self.kinds = domain, kinds
        self._terms: dict[int, Term] = {}
        numbers = {kind: number for number, kind in enumerate(kinds)}
        for head in (None, *leaves.constructors):
            for name, kind in leaves.listed(head):
                self._terms.setdefault(numbers[kind], Term(name, quoted=True))
        for word, kind in leaves.words():
            self._terms.setdefault(numbers[kind], Term(word))

    def wrong(self, rows: Mapping[str, Sequence[Row]]) -> set[tuple[str, Row]]:
        """The rows, by their head, whose canonical form is of another type.

        Those without an example are right as far as one can tell.
        """
        waiting = [(head, row) for head, some in rows.items() for row in some]
        wrong: set[tuple[str, Row]] = set()
        while True:
            left = []
            for head, row in waiting:
                term = self._example(head, row)
                if term is None:
                    left.append((head, row))
                elif self._is_right(term, self.kinds[row.result]):
                    self._terms.setdefault(row.result, term)
                else:
                    wrong.add((head, row))
            if len(left) == len(waiting):
                return wrong
            waiting = left

    def _example(self, head: str, row: Row) -> Term | None:
        args = []
        for item in row.items:
            known = (self._terms[kind] for kind in bits(item.kinds) if kind in self._terms)
            args.append(next(known, None))
        found = tuple(arg for arg in args if arg is not None)
        keywords = tuple(item.keyword for item in row.items if item.keyword)
        return Term(head, found, keywords=keywords) if len(found) == len(args) else None

    def _is_right(self, term: Term, kind: Kind) -> bool:
        if not kind.usable:
            return True
        try:
            program = interpret(self.domain, self.domain.canonical(term))
            return closed_type(open_type_of(program)) == kind.type
        except PartwiseError:
            return False
