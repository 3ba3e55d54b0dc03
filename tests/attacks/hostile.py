"""A domain whose methods do what a question must not be able to make them do."""

from __future__ import annotations

import ctypes
import itertools
import os
import sys
import time
from typing import Any

from partwise.execution.database import Database
from partwise.language.domain import Domain, predicate

FOREVER = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"


class Number:
    """A sort."""


class Hostile(Domain):
    name = "hostile"

    def __init__(self, *needed: object) -> None:
        self.needed = needed

    @predicate("seven")
    def seven(self) -> Number:
        return 7  # type: ignore[return-value]

    @predicate("again")
    def endless(self) -> Number:
        while True:
            pass

    @predicate("slow")
    def stuck_in_c(self) -> Number:
        return sum(itertools.repeat(1))  # type: ignore[return-value]

    @predicate("subsets")
    def subsets(self) -> Number:
        things = range(40)
        sizes = (itertools.combinations(things, n) for n in range(41))
        return set(itertools.chain.from_iterable(sizes))  # type: ignore[return-value]

    @predicate("range")
    def numbers(self) -> Number:
        return list(range(10**9))  # type: ignore[return-value]

    @predicate("lines")
    def many(self) -> Number:
        return range(200_000)  # type: ignore[return-value]

    @predicate("long")
    def long(self) -> Number:
        return "x" * 20_000_000  # type: ignore[return-value]

    @predicate("deep")
    def deep(self) -> Number:
        return self.deep()

    @predicate("crash")
    def crash(self) -> Number:
        return ctypes.string_at(0)  # type: ignore[return-value]

    @predicate("talk")
    def talk(self) -> Number:
        print('["ok", 8]', flush=True)
        os.write(1, b'["ok", 9]\n')
        os.system("echo '[\"ok\", 10]'")
        return sys.stdin.read() or "nothing"  # type: ignore[return-value]

    @predicate("leave")
    def leave(self) -> Number:
        os._exit(0)

    @predicate("end")
    def end(self) -> Number:
        sys.exit("done")

    @predicate("shout")
    def shout(self) -> Number:
        raise ValueError("x" * 10_000_000)

    @predicate("own error")
    def odd(self) -> Number:
        class OddError(Exception):
            def __str__(self) -> str:
                raise RuntimeError

        raise OddError

    @predicate("query")
    def query(self) -> Number:
        db = Database(os.environ["HOSTILE_TABLES"], timeout=5.0)
        return db.rows(FOREVER)  # type: ignore[return-value]

    @predicate("sleep")
    def sleep(self) -> Number:
        time.sleep(3600)
        return 0  # type: ignore[return-value]

    def show(self, value: Any) -> list[str]:
        return [str(one) for one in value] if isinstance(value, range) else [str(value)]
