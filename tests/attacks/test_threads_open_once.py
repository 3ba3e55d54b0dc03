"""Threads that ask a knowledge graph for the first time open one store."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from threading import Barrier
from typing import Any

import pytest

from partwise.execution import sparql
from partwise.execution.sparql import SPARQL, RowStore
from partwise.language.graph_domain import GraphDomain

THREADS = 8


class Store(RowStore):
    """A store that takes a moment to open, and counts how often that was done."""

    opened = 0

    def __init__(self, *_: object) -> None:
        super().__init__()
        type(self).opened += 1
        time.sleep(0.2)

    def ask(self, query: str) -> bool:
        return True

    def rows(self, query: str, limit: int) -> list[Any]:
        return []


@contextmanager
def opening() -> Iterator[Store]:
    yield Store()


def by_sparql() -> Callable[[], object]:
    reader = SPARQL("data.ttl")
    return lambda: (reader.column("SELECT ?a {}"), reader._store)[1]


def by_domain() -> Callable[[], object]:
    domain = GraphDomain("threads", "sparql", open_store=opening)
    return lambda: domain.knowledge


@pytest.mark.parametrize("made", [by_sparql, by_domain])
def test_threads_open_one_store(
    made: Callable[[], Callable[[], object]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Store, "opened", 0)
    monkeypatch.setattr(sparql, "LocalStore", Store)
    ask, start = made(), Barrier(THREADS)

    def first(_: int) -> object:
        start.wait()
        return ask()

    with ThreadPoolExecutor(THREADS) as pool:
        stores = set(pool.map(first, range(THREADS)))
    assert (Store.opened, len(stores)) == (1, 1)
