"""The well-typed programs of a domain as a grammar in GBNF, as llama.cpp takes it; its queries, if
it is one of query graphs, are in `graph_gbnf`.

Each kind of part is a nonterminal, and so are each set of kinds that an argument may have and each
place in the arguments of a call. The grammar takes what `ProgramConstraint` allows, and more in two
ways: the depth of programs and the number of parts of a conjunction have no limit, and patterns
are as `patterns` writes them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterator

from partwise.language.constants import EntityType
from partwise.language.domain import Domain
from partwise.language.graph_domain import GraphDomain
from partwise.language.program import quote
from partwise_papers.constrained.calls import Call, Parts, bits
from partwise_papers.constrained.grammar import TypeGrammar
from partwise_papers.constrained.graph_gbnf import query_rules
from partwise_papers.constrained.patterns import pattern_text, quoted

ANY_NAME = "[^'()\\n]+"
"""What stands for a pattern that GBNF cannot say."""


def to_gbnf(domain: object) -> str | None:
    """The grammar of a domain's programs, spaced as `Domain.write` spaces them, or of its queries,
    on one line; its root is ``root``.

    None for a domain of anything else.

    Raises:
        DomainError: for a domain with ever larger types, or without any program or predicate.
    """
    if isinstance(domain, GraphDomain):
        rules = query_rules(domain)
    elif isinstance(domain, Domain):
        rules = _Writer(domain).rules()
    else:
        return None
    return "".join(f"{name} ::= {rule}\n" for name, rule in rules)


class _Writer:
    """Writes the rules that are asked for, then those that these need."""

    def __init__(self, domain: Domain) -> None:
        self.grammar = TypeGrammar(domain)
        self.leaves = self.grammar.leaves
        self.types = domain.vocabulary.types
        self._within = self.grammar.reach[-1]
        self._names: dict[Hashable, str] = {}
        self._waiting: list[tuple[str, Callable[[], Iterator[str]]]] = []
        self._leaves: dict[int, list[str]] = {}
        self._read_leaves()

    def rules(self) -> Iterator[tuple[str, str]]:
        """The nonterminals with their right-hand sides; the first one is the root."""
        yield "root", self._set(self.grammar.start)
        while self._waiting:
            name, alternatives = self._waiting.pop()
            yield name, " | ".join(dict.fromkeys(alternatives()))

    def _read_leaves(self) -> None:
        for head in (None, *self.leaves.constructors):
            for name, kind in self.leaves.listed(head):
                self._leaf(self.grammar.find(kind), quoted(quote(name)))
        for word, kind in self.leaves.words():
            self._leaf(self.grammar.find(kind), quoted(word))
        for one in self.types:
            if one.pattern is not None:
                self._patterned(one)

    def _patterned(self, one: EntityType) -> None:
        assert one.pattern is not None
        shown = f"({pattern_text(one.pattern) or ANY_NAME})"
        for kind in self.leaves.of_pattern(one):
            shown = shown if one.blank.bare else f'"\'" {shown} "\'"'
            self._leaf(self.grammar.find(kind), shown)

    def _leaf(self, kind: int | None, shown: str) -> None:
        if kind is not None:
            self._leaves.setdefault(kind, []).append(shown)

    def _name(self, key: Hashable, name: str, alternatives: Callable[[], Iterator[str]]) -> str:
        """The nonterminal for a key, whose rule will be written."""
        if key not in self._names:
            self._names[key] = f"{name}-{len(self._names)}"
            self._waiting.append((self._names[key], alternatives))
        return self._names[key]

    def _set(self, kinds: int) -> str:
        """Whatever has one of some kinds."""
        kinds &= self._within
        if kinds & (kinds - 1) == 0:
            return self._kind(kinds.bit_length() - 1)
        return self._name(("set", kinds), "one-of", lambda: map(self._kind, bits(kinds)))

    def _kind(self, kind: int) -> str:
        shown = self.grammar.kinds[kind]
        words = str(shown.type) if shown.type else "whole" if shown.whole else "name"
        slug = re.sub(r"[^a-z0-9]+", "-", words.lower()).strip("-") or "kind"
        return self._name(("kind", kind), slug, lambda: self._of_kind(kind))

    def _of_kind(self, kind: int) -> Iterator[str]:
        yield from self._leaves.get(kind, ())
        for head, call in self.grammar.calls.items():
            place = call.open(1 << kind, self._within)
            if place is not None:
                yield f"{quoted(head + '(')} {self._rest(head, call, place, True)}"

    def _rest(self, head: str, call: Call, place: Hashable, is_first: bool) -> str:
        """What may follow the bracket or an argument of a call."""
        if isinstance(call, Parts):
            place = call.shortened(place)
        slug = re.sub(r"[^a-z0-9]+", "-", head.lower()).strip("-") or "call"
        key = ("rest", head, place, is_first)
        return self._name(key, slug, lambda: self._of_rest(head, call, place, is_first))

    def _of_rest(self, head: str, call: Call, place: Hashable, is_first: bool) -> Iterator[str]:
        if call.result(place) is not None:
            yield '")"'
        for keyword, kinds in call.items(place, self._within).items():
            before = "" if is_first else ", "
            before += f"{keyword}=" if keyword else ""
            after: dict[Hashable, int] = {}
            for kind in bits(kinds):
                pushed = call.push(place, keyword, kind)
                after[pushed] = after.get(pushed, 0) | 1 << kind
            for pushed, some in after.items():
                rest = self._rest(head, call, pushed, False)
                yield f"{quoted(before) + ' ' if before else ''}{self._set(some)} {rest}"
