"""The well-typed programs of a domain as a grammar in GBNF, as llama.cpp takes it, or its queries.

Each kind of part is a nonterminal, and so are each set of kinds that an argument may have and each
place in the arguments of a call. The grammar takes what `ProgramConstraint` allows, and more: the
depth of programs has no limit, what stands around a match of a pattern (as a word border) is left
out, and nodes of queries may be of any kinds."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable, Iterator
from typing import Any

from partwise.errors import DomainError
from partwise.language.constants import EntityType
from partwise.language.domain import Domain
from partwise.language.graph_domain import GraphDomain
from partwise.language.program import quote
from partwise.language.query_graph import ENTITY
from partwise.language.sparql import heads
from partwise_papers.constrained.grammar import Place, Rows, TypeGrammar, bits

_parser: Any = vars(re)["_parser"]
_CATEGORIES = {"DIGIT": "0-9", "WORD": "0-9A-Za-z_", "SPACE": " "}
_OPEN = 4294967295
"""What `re` has for no upper bound of a repetition."""


def quote_terminal(text: str) -> str:
    """A text as a terminal of GBNF."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + escaped.replace("\n", "\\n").replace("\t", "\\t").replace("\r", "\\r") + '"'


def pattern_text(pattern: re.Pattern[str]) -> str | None:
    """The right-hand side for a pattern; None for one that uses what GBNF lacks."""
    try:
        return _sequence(_parser.parse(pattern.pattern))
    except KeyError:
        return None


def _sequence(nodes: Iterable[tuple[Any, Any]]) -> str:
    return " ".join(filter(None, (_node(str(name), value) for name, value in nodes))) or '""'


def _node(name: str, value: Any) -> str:
    match name:
        case "LITERAL":
            return quote_terminal(chr(value))
        case "NOT_LITERAL":
            return f"[^{_character(value)}]"
        case "ANY":
            return "[^\\n]"
        case "IN":
            return _class(value)
        case "BRANCH":
            return f"({' | '.join(map(_sequence, value[1]))})"
        case "SUBPATTERN":
            return f"({_sequence(value[3])})"
        case "MAX_REPEAT" | "MIN_REPEAT" | "POSSESSIVE_REPEAT":
            low, high, part = value
            return f"({_sequence(part)}){{{low},{'' if int(high) >= _OPEN else int(high)}}}"
        case "AT" | "ASSERT" | "ASSERT_NOT":
            return ""
    raise KeyError(name)


def _class(members: Iterable[tuple[Any, Any]]) -> str:
    """A set of characters."""
    shown = ""
    for name, value in members:
        match str(name):
            case "NEGATE":
                shown += "^"
            case "LITERAL":
                shown += _character(value)
            case "RANGE":
                shown += f"{_character(value[0])}-{_character(value[1])}"
            case _:
                shown += _CATEGORIES[str(value).removeprefix("CATEGORY_")]
    return f"[{shown}]"


def _character(code: int) -> str:
    """A character within a set."""
    if chr(code).isalnum():
        return chr(code)
    return f"\\x{code:02X}" if code < 256 else f"\\U{code:08X}"


VARIABLES = 10
"""How many variables a query may have."""
_BODIES = {
    "cfq": 'clause (" . " clause)* " }"',
    "wikidata": 'triple (" . " triple)* (" . " filter)* " }"',
    "sparql": '(triple " . ")+ (filter " . ")* "}"',
}
"""Dialect -> what follows the head and a blank."""


def query_rules(domain: GraphDomain) -> Iterator[tuple[str, str]]:
    """The nonterminals with their right-hand sides, for queries on one line; ``root`` is the first;
    raises DomainError for a domain that declares no predicates."""
    relations = dict.fromkeys(relation.predicate for relation in domain.relations)
    attributes: dict[str, dict[str, None]] = {}
    for attribute in domain.attributes:
        attributes.setdefault(attribute.predicate, {})[attribute.constant] = None
    # A relation is followed by a node, and each other predicate by one of its constants.
    rests = ['relation " " node'] if relations else []
    for name, constants in attributes.items():
        rests.append(f"{quote_terminal(f'{name} ')} ({_one_of(constants)})")
    if not rests:
        raise DomainError(f"{domain.name} declares no relations or attributes, so has no queries")
    yield "root", f"({_one_of(f'{head} ' for head in heads(domain.dialect).values())}) body"
    yield "body", _BODIES[domain.dialect]
    if domain.dialect == "cfq":
        yield "clause", "triple | filter"
    yield "triple", f'node " " ({" | ".join(rests)})'
    yield "filter", '"FILTER ( " node " != " node " )"'
    variables = _one_of(f"?x{number}" for number in range(VARIABLES))
    yield "node", f"{variables} | {pattern_text(ENTITY)}"
    if relations:
        yield "relation", _one_of(relations)


def _one_of(texts: Iterable[str]) -> str:
    return " | ".join(map(quote_terminal, texts))


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
                self._leaf(self.grammar.find(kind), quote_terminal(quote(name)))
        for word, kind in self.leaves.words():
            self._leaf(self.grammar.find(kind), quote_terminal(word))
        for entity_type in self.types:
            if entity_type.pattern is not None:
                self._write_pattern(entity_type)

    def _write_pattern(self, entity_type: EntityType) -> None:
        assert entity_type.pattern is not None
        shown = f"({pattern_text(entity_type.pattern) or ANY_NAME})"
        for kind in self.leaves.of_pattern(entity_type):
            shown = shown if entity_type.blank.bare else f'"\'" {shown} "\'"'
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
                yield f"{quote_terminal(head + '(')} {self._rest(head, call, place, True)}"

    def _rest(self, head: str, call: Rows, place: Place, is_first: bool) -> str:
        """What may follow the bracket or an argument of a call."""
        slug = re.sub(r"[^a-z0-9]+", "-", head.lower()).strip("-") or "call"
        key = ("rest", head, place, is_first)
        return self._name(key, slug, lambda: self._of_rest(head, call, place, is_first))

    def _of_rest(self, head: str, call: Rows, place: Place, is_first: bool) -> Iterator[str]:
        if call.result(place) is not None:
            yield '")"'
        for keyword, kinds in call.items(place, self._within).items():
            before = "" if is_first else ", "
            before += f"{keyword}=" if keyword else ""
            after: dict[Place, int] = {}
            for kind in bits(kinds):
                pushed = call.push(place, keyword, kind)
                after[pushed] = after.get(pushed, 0) | 1 << kind
            for pushed, some in after.items():
                rest = self._rest(head, call, pushed, False)
                yield f"{quote_terminal(before) + ' ' if before else ''}{self._set(some)} {rest}"
