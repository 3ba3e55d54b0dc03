"""BoundedDomain: programs of a domain run in a process of their own, with limits."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Hashable, Set
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from operator import attrgetter
from typing import Any

from partwise.errors import DomainError, ExecutionError, PartwiseError, is_private
from partwise.execution.process import WORKER, Process
from partwise.execution.worker import resource, short
from partwise.language.domain import Domain
from partwise.language.program import Term
from partwise.language.values import Some

LOAD_TIMEOUT = 120.0
"""Seconds for making the domain."""
AT_ONCE = 2
"""Processes of a domain at most: while one is busy, another answers."""
MOST_LINES, MOST_CHARACTERS = 100_000, 10_000_000
"""Of an answer."""


@dataclass(frozen=True)
class Shown:
    """What a program gave, without the value itself, which stays in the other process: lines for
    people, and as text what answers are compared by. Sets, sequences and numbers are equal if they
    were; other values are if their texts are."""

    lines: tuple[str, ...]
    denotation: str


class BoundedDomain:
    """A domain whose programs run in a process of its own, which is ended at a limit; the next
    program starts another. In all else it is the domain that is given, and many threads may share
    it. What a program gives is a `Shown`: values may be of any class, and only texts come back. A
    context is the text that `read_context` of the domain reads. What methods print is lost.
    `place`: ``MODULE:NAME`` of what the process imports, maybe from the current folder, in place of
    the domain's class; `timeout`: seconds for a program; `max_memory`: bytes of address space,
    beside what the domain takes when it is made, where the system says how much that is."""

    def __init__(
        self,
        domain: Domain,
        place: str | None = None,
        timeout: float = 10.0,
        max_memory: int = 2 << 30,
    ) -> None:
        self.domain, self.timeout = domain, timeout
        made = type(domain)
        name = place or f"{made.__module__}:{made.__qualname__}"
        here = None if place is None else os.getcwd()
        given = (sys.path, name, here, max_memory)
        command = (str(WORKER), "program", json.dumps(given), "0")
        self._process = Process(command, LOAD_TIMEOUT, name, DomainError, AT_ONCE, what="program")

    def __getattr__(self, name: str) -> Any:
        if name == "domain":
            # Not yet there, as in a copy that is being made.
            raise AttributeError(name)
        return getattr(self.domain, name)

    def begin(self) -> None:
        """Start the process, and do not wait for it; else the first program does."""
        self._process.begin()

    def close(self) -> None:
        self._process.close()

    def run(self, program: Term, context: str | None = None) -> Shown:
        """Run a program. Raises DomainError if the domain cannot be made in the process, and
        ExecutionError if the program fails, takes too long or gives too much."""
        text = self.domain.write(program)
        try:
            kind, value = self._process.call(self.timeout, text, context)
        except ExecutionError as error:
            error.for_asker = True
            self.begin()
            raise
        if kind == "ok" and "failure" not in value:
            return Shown(tuple(value["lines"]), value["denotation"])
        failed = ExecutionError(value["failure"] if kind == "ok" else value)
        failed.for_asker = kind == "ok" and not value["private"]
        raise failed

    def about(self, context: str | None) -> Domain:
        return self.domain.about(None if context is None else self.domain.read_context(context))

    def read_context(self, text: str) -> str:
        """The text itself, which is read where programs run. Raises PartwiseError if it cannot be
        read."""
        self.domain.read_context(text)
        return text

    def show(self, value: Shown) -> list[str]:
        return list(value.lines)

    def denotation(self, value: Shown) -> Hashable:
        return value.denotation

    def is_empty(self, value: Shown) -> bool:
        return not value.lines


def open_domain(place: str, here: str | None, max_memory: int) -> tuple[int, Callable[..., Any]]:
    """In the process itself: the domain's number of categories, and what runs a program."""
    domain = _make_domain(place, here)
    # What every program needs is there before the first one.
    size = len(domain.categories)
    context_of = lru_cache(maxsize=8)(domain.read_context)

    def reply(text: str, context: str | None) -> dict[str, Any]:
        try:
            about = None if context is None else context_of(context)
            value = domain.run(domain.read(text), about)
            lines, denotation = domain.show(value), _text(domain.denotation(value))
        except MemoryError:
            raise
        except Exception as error:
            if isinstance(error.__cause__, MemoryError):
                # Too little may be left for the next program.
                raise MemoryError from error
            private = not isinstance(error, PartwiseError) or is_private(error)
            return {"failure": short(str(error) or type(error).__name__), "private": private}
        size = sum(map(len, lines))
        if len(lines) > MOST_LINES or size > MOST_CHARACTERS:
            much = f"{len(lines):,} lines and {size:,} characters"
            return {"failure": f"the answer is too large, with {much}; narrow it", "private": False}
        return {"lines": lines, "denotation": denotation}

    _limit_memory(max_memory)
    return size, reply


def _make_domain(place: str, here: str | None) -> Domain:
    module, _, name = place.partition(":")
    if here is not None:
        sys.path.insert(0, here)
    made = attrgetter(name)(import_module(module))
    domain: Domain = made() if callable(made) else made
    if here is not None:
        sys.path.remove(here)
    return domain


def _text(value: object) -> str:
    """The same text for values that are equal, where their classes are known."""
    if isinstance(value, Set | Some):
        return f"{{{', '.join(sorted(map(_text, value)))}}}"
    if isinstance(value, tuple | list):
        return f"({', '.join(map(_text, value))})"
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return str(int(value)) if isinstance(value, bool) else repr(value)


def _limit_memory(max_memory: int) -> None:
    """Allow so much more memory than there is now; databases that a domain starts, as much."""
    with suppress(OSError, AttributeError):
        with open("/proc/self/statm", encoding="ascii") as file:
            now = int(file.read().split()[0]) * resource.getpagesize()
        hard = resource.getrlimit(resource.RLIMIT_AS)[1]
        resource.setrlimit(resource.RLIMIT_AS, (now + max_memory, hard))
