"""Examples that cannot be read, do not type, contradict each other, or give another answer."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from partwise.authoring.validation.heads import Heads
from partwise.authoring.validation.places import place_of_error, shown
from partwise.errors import DataError, PartwiseError, UnknownConstantError
from partwise.interface.data import Example
from partwise.interface.domain import Issue
from partwise.interface.jsonl import fields_of, line_reader, read_bytes
from partwise.language.constants import Application
from partwise.language.domain import Domain
from partwise.language.program import Term, parse_program
from partwise.language.text import tokenize

Typed = tuple[Example[Term], Application]
"""An example whose program types, and the program."""
LINE = 'a line holds {"question": "...", "program": "..."}'
SHOWN = 5
"""Lines of an answer in a message."""
MAX_NAMES = 5_000
"""Names that an unknown one is compared with."""


def read_examples(file: Path) -> tuple[list[Example[Term]], list[Issue]]:
    """The examples of a file; lines that cannot be read are issues.

    An example's `source` is its place for people, its `answer` the lines that the file gives.

    Raises:
        DataError: if the file cannot be opened.
    """
    data = read_bytes(file, f"a UTF-8 text file; {LINE}").removeprefix(b"\xef\xbb\xbf")
    read = line_reader(parse_program)
    examples: list[Example[Term]] = []
    issues: list[Issue] = []
    for number, line in enumerate(data.split(b"\n"), start=1):
        where = f"{shown(str(file))}:{number}"
        try:
            if line.strip():
                examples.append(replace(read(line, where), answer=_answer(fields_of(line))))
        except DataError as error:
            issues.append(Issue("error", "unreadable-pair", "pair", str(error), LINE, where))
    if not examples and not issues:
        what, why = "file of pairs", "holds no examples"
        issues.append(Issue("error", "unreadable-pair", what, why, LINE, shown(str(file))))
    return examples, issues


def _answer(fields: dict[str, Any]) -> tuple[str, ...] | None:
    given = fields.get("answer")
    if isinstance(given, list):
        return tuple(map(str, given))
    return None if given is None else (str(given),)


def typed_examples(
    heads: Heads, examples: Sequence[Example[Term]]
) -> tuple[list[Typed], list[Issue]]:
    """The examples that type, with their programs, and an issue for each of the others."""
    typed: list[Typed] = []
    issues: list[Issue] = []
    for example in examples:
        try:
            typed.append((example, heads.types.check(example.meaning)))
        except PartwiseError as error:
            what, advice = f"program {example.meaning}", _advice(heads, example.meaning, error)
            where = example.source
            issues.append(Issue("error", "untyped-pair", what, str(error), advice, where))
    return typed, issues


def _advice(heads: Heads, program: Term, error: PartwiseError) -> str:
    root = heads.domain.root_name
    if root is not None and (program.symbol != root or len(program.args or ()) != 1):
        try:
            heads.types.check(heads.domain.wrap(program))
        except PartwiseError:
            return f"write {root}(...)"
        return f"write {root}({program})"
    if isinstance(error, UnknownConstantError):
        hints = dict.fromkeys(_unknown(heads, program))
        return "; ".join(hints) or "see the names and predicates of the domain"
    return "change the program, or the type hints of the predicate that it names"


def _unknown(heads: Heads, program: Term) -> Iterator[str]:
    """A hint for each name in a program that the domain does not have."""
    domain = heads.domain
    known = {domain.root_name, *heads.all, *(constant.head for constant in domain.type_shifts)}
    for term in program.walk():
        if term.quoted or term.args is None:
            continue
        if term.symbol not in known and not term.symbol.isidentifier():
            yield f"{term.symbol!r} is not known: declare it as @predicate(name={term.symbol!r})"
        elif term.symbol not in known:
            yield from _nearest(term.symbol, list(heads.all), "is not known")
        elif term.args and term.args[0].quoted:
            name = term.args[0].symbol
            if domain.vocabulary.find(term.symbol, name) is None:
                types = (one for one in domain.vocabulary.types if one.head == term.symbol)
                names = [name for one in types for name in one.names[:MAX_NAMES]]
                yield from _nearest(name, names, f"is no name of {term.symbol}")


def _nearest(name: str, known: Sequence[str], what: str) -> Iterator[str]:
    folded = {other.lower(): other for other in known}
    close = difflib.get_close_matches(name.lower(), list(folded), 1, 0.6)
    if close:
        yield f"{name!r} {what}: did you mean {folded[close[0]]!r}?"
    elif known:
        few = ", ".join(sorted(known)[:8])
        yield f"{name!r} {what}; there are {few}{', ...' if len(known) > 8 else ''}"


def contradictions(domain: Domain, typed: Sequence[Typed]) -> Iterator[Issue]:
    """The same question with another program, and examples that are there twice."""
    first: dict[tuple[str, ...], Example[Term]] = {}
    for example, _ in typed:
        earlier = first.setdefault(tokenize(example.question).words, example)
        if earlier is example:
            continue
        what = f"question {example.question!r}"
        mine, theirs = (domain.canonical(one.meaning) for one in (example, earlier))
        if mine != theirs:
            why = f"has another program than at {earlier.source}: {mine}, not {theirs}"
            advice = "a question means one thing: correct the one that is wrong"
            yield Issue("error", "contradiction", what, why, advice, example.source)
        else:
            why = f"is at {earlier.source} already, with the same program"
            yield Issue("note", "repeated-pair", what, why, "", example.source)


def run_example(domain: Domain, example: Example[Term]) -> Iterator[Issue]:
    """What is wrong with the answer of an example's program, if anything."""
    what, where = f"program {example.meaning}", example.source
    try:
        value = domain.run(example.meaning, example.context)
        lines = domain.show(value)
        hash(domain.denotation(value))
    except Exception as error:
        why, at = f"fails to run: {error}", place_of_error(error)
        advice = f"see {at}" if at else "fix the method that it names"
        if not isinstance(error, PartwiseError):
            why = f"its answer cannot be shown or compared: {type(error).__name__}: {error}"
            advice = "let the domain's denotation give something hashable, as a frozenset"
        yield Issue("error", "failing-pair", what, why, advice, where)
        return
    answer = example.answer
    if isinstance(answer, tuple) and sorted(answer) != sorted(lines):
        why = f"gives {_few(lines)}; the pair says {_few(answer)}"
        yield Issue("error", "other-answer", what, why, "correct the one or the other", where)
    elif domain.is_empty(value) and answer is None:
        advice = 'fix the program or its method; if it is meant, give the pair "answer": []'
        yield Issue("warning", "empty-answer", what, "gives an empty answer", advice, where)


def _few(lines: Sequence[object]) -> str:
    few = ", ".join(sorted(map(str, lines))[:SHOWN])
    return (f"{few}, ... ({len(lines)})" if len(lines) > SHOWN else few) or "nothing"
