"""Pairs whose program does not type, with the nearest known names."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence

from partwise.authoring.validation.finding import Finding
from partwise.authoring.validation.heads import Heads
from partwise.authoring.validation.pairs import Pair
from partwise.chart.algebra.type import TypeAlgebra
from partwise.errors import PartwiseError, UnknownConstantError
from partwise.language.domain import Application
from partwise.language.program import Term
from partwise.language.tokenizer import tokenize

MAX_NAMES = 5_000
"""Names that an unknown one is compared with."""


def type_pairs(
    heads: Heads, pairs: Sequence[Pair]
) -> tuple[list[tuple[Pair, Application]], list[Finding]]:
    """The pairs that type, with their programs read, and a finding for each of the others."""
    types = heads.types
    good: list[tuple[Pair, Application]] = []
    findings: list[Finding] = []
    for pair in pairs:
        try:
            good.append((pair, types.check(pair.example.meaning)))
        except PartwiseError as error:
            advice = _advice(heads, pair.example.meaning, error)
            what = f"program {pair.example.meaning}"
            findings.append(Finding("error", "untyped-pair", what, str(error), advice, pair.where))
    return good, findings


def _advice(heads: Heads, program: Term, error: PartwiseError) -> str:
    domain = heads.types.domain
    root = domain.root_name
    if root is not None and (program.symbol != root or len(program.args or ()) != 1):
        return f"write {root}({program})" if _types(heads.types, program) else f"write {root}(...)"
    if isinstance(error, UnknownConstantError):
        hints = list(dict.fromkeys(_unknown(heads, program)))
        return "; ".join(hints) or "see the names and predicates of the domain"
    return "change the program, or the hints of the predicate that it names"


def _types(types: TypeAlgebra, inner: Term) -> bool:
    try:
        types.check(types.domain.wrap(inner))
    except PartwiseError:
        return False
    return True


def _unknown(heads: Heads, program: Term) -> Iterator[str]:
    """A hint for each name in a program that the domain lacks."""
    domain = heads.types.domain
    for term in program.walk():
        if term.symbol == domain.root_name or term.quoted or term.args is None:
            continue
        if term.symbol not in heads.all and term.symbol not in {c.head for c in domain.type_shifts}:
            yield from _near(term.symbol, list(heads.all), "is not known")
            continue
        name = term.args[0].symbol if term.args and term.args[0].quoted else None
        if name is not None and domain.vocabulary.find(term.symbol, name) is None:
            types = (one for one in domain.vocabulary.types if one.head == term.symbol)
            known = [name for one in types for name in one.names[:MAX_NAMES]]
            yield from _near(name, known, f"is no name of {term.symbol}")


def _near(name: str, known: Sequence[str], what: str) -> Iterator[str]:
    folded = {other.lower(): other for other in known}
    close = difflib.get_close_matches(name.lower(), list(folded), 1, 0.6)
    if close:
        yield f"{name!r} {what}: did you mean {folded[close[0]]!r}?"
    elif known:
        few = ", ".join(sorted(known)[:8])
        yield f"{name!r} {what}; there are {few}{', ...' if len(known) > 8 else ''}"


def contradictions(heads: Heads, pairs: Sequence[tuple[Pair, Application]]) -> Iterator[Finding]:
    """The same question with another program, and pairs that stand twice."""
    domain = heads.types.domain
    first: dict[tuple[str, ...], Pair] = {}
    for pair, _ in pairs:
        earlier = first.setdefault(tokenize(pair.example.question).words, pair)
        if earlier is pair:
            continue
        what = f"question {pair.example.question!r}"
        mine, theirs = (domain.canonical(p.example.meaning) for p in (pair, earlier))
        if mine != theirs:
            why = f"has another program than at {earlier.where}: {mine}, not {theirs}"
            advice = "a question means one thing: mend the one that is wrong"
            yield Finding("error", "contradiction", what, why, advice, pair.where)
        else:
            why = f"stands at {earlier.where} already, with the same program"
            yield Finding("note", "repeated-pair", what, why, "", pair.where)
