"""Whole questions to a database: from the words to the rows, with the shipped parser.

For `database_scale.py`.
"""

from __future__ import annotations

import random
import resource
import sqlite3
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any
from unittest.mock import patch

import psycopg
import torch

from partwise.database.domain import DatabaseDomain
from partwise.database.source.connections import Fetched, QueryLimits, connect
from partwise.database.source.importing import import_database
from partwise.database.source.values import ValueIndex
from partwise.execution.relational.program import Program
from partwise.interface.answering import answer
from partwise.training.store import load_parser

SYLLABLES = [first + second for first in "bdfklmnrstvz" for second in "aeio"]
QUESTIONS = 200
AGAIN = 7
"""Times that a question is asked, in turn with its SQL alone."""
CITIES = 300
TABLES = """
CREATE TABLE customers (customer_id INTEGER PRIMARY KEY, name TEXT, city TEXT, joined DATE);
CREATE TABLE orders (order_id INTEGER PRIMARY KEY, customer_id INTEGER REFERENCES customers,
                     order_date DATE, amount REAL, status TEXT);
"""
FORMS = (
    *("which city is {} in?", "how many orders has {}", "total amount of the orders of {}"),
    *("when did {} join", "orders of {} in 2023", "what is the highest amount of {}?"),
    *("how many open orders does {} have?", "average amount of orders from {} per status"),
    *("show the last three orders of {}", "did {} order anything in 2024"),
)
"""Questions with a name."""


def timed(call: Callable[[], Any]) -> tuple[Any, float]:
    """What a call gives, and its seconds."""
    start = time.perf_counter()
    made = call()
    return made, round(time.perf_counter() - start, 4)


def quantiles(values: Sequence[float]) -> dict[str, float]:
    """The value in the middle, and the one that one in a hundred exceeds."""
    ordered = sorted(values)
    middle, late = len(ordered) // 2, int(0.99 * len(ordered))
    return {"p50": round(ordered[middle], 2), "p99": round(ordered[late], 2)}


def memory() -> int:
    """Resident bytes of this process, files that it has mapped among them."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize()


def names(count: int) -> list[str]:
    """Names of two or three words, all different."""
    chance = random.Random(0)

    def word() -> str:
        return "".join(chance.choices(SYLLABLES, k=chance.randint(2, 4)))

    made: dict[str, None] = {}
    while len(made) < count:
        made[" ".join(word().capitalize() for _ in range(chance.randint(2, 3)))] = None
    return list(made)


def typo(name: str, chance: random.Random) -> str:
    """The name with two letters of its longest word swapped."""
    word = max(name.split(), key=len)
    at = chance.randint(1, len(word) - 2)
    return name.replace(word, word[:at] + word[at + 1] + word[at] + word[at + 2 :])


def write_shop(file: Path, count: int) -> None:
    """A SQLite file with so many customers, and two orders of each; their keys have indexes."""
    states = ("open", "paid", "sent", "returned")
    with closing(sqlite3.connect(file)) as made:
        made.executescript(TABLES)
        customers = (
            (at, name, f"City {at % CITIES}", f"20{10 + at % 12}-0{1 + at % 9}-11")
            for at, name in enumerate(names(count), 1)
        )
        made.executemany("INSERT INTO customers VALUES (?, ?, ?, ?)", customers)
        orders = (
            (
                at,
                1 + at % count,
                f"202{at % 5}-0{1 + at % 9}-11",
                at % 900 / 4,
                states[at % 4],
            )
            for at in range(1, 2 * count + 1)
        )
        made.executemany("INSERT INTO orders VALUES (?, ?, ?, ?, ?)", orders)
        made.execute("CREATE INDEX by_name ON customers (name)")
        made.execute("CREATE INDEX by_customer ON orders (customer_id)")
        made.commit()


def ask_among(folder: Path, count: int) -> dict[str, Any]:
    """Milliseconds of whole questions with a name, half of them with a typo, and the memory."""
    torch.set_num_threads(1)
    chance = random.Random(1)
    source = connect(folder / "shop.db", QueryLimits(seconds=60.0))
    layer = import_database(source, "shop")
    if not (folder / "values").is_dir():
        ValueIndex.build(source, layer).save(folder / "values")
    before = memory()
    index = ValueIndex.load(folder / "values")
    parser, loading = timed(lambda: load_parser("database", DatabaseDomain(layer, source, index)))
    answer(parser, ["how many customers are there?"])
    loaded, reading, whole, named = memory(), [], [], 0
    for at, name in enumerate(chance.sample(names(count), QUESTIONS)):
        typed = name if at % 2 else typo(name, chance)
        question = FORMS[at % len(FORMS)].format(typed)
        said, seconds = timed(lambda one=question: answer(parser, [one], at_least=0.0)[0])
        whole.append(1000 * seconds)
        # The same question again, without its rows: nothing of the words is kept but what is
        # mapped already.
        reading.append(1000 * timed(lambda one=question: parser.parse([one]))[1])
        named += name in (said.text or "")
    source.close()
    return {
        "names": count,
        "index_entries": len(index),
        "questions": QUESTIONS,
        "loading_seconds": loading,
        "ms": quantiles(whole),
        "reading_ms": quantiles(reading),
        "with_the_name": named / QUESTIONS,
        "memory_bytes_before": before,
        "memory_bytes_with_the_parser": loaded,
        "memory_bytes_after_all_questions": memory(),
    }


def _run_for(domain: DatabaseDomain, program: Program) -> str:
    """The SQL that a program runs, with its values."""
    statements = []
    run = domain.source.run

    def noted(statement: Any, limits: QueryLimits | None = None) -> Fetched:
        statements.append(statement)
        return run(statement, limits)

    with patch.object(domain.source, "run", noted):
        domain.run(program)
    (statement,) = statements
    return domain.source.sql(statement)


def beside_sql(
    domain: DatabaseDomain, connection: psycopg.Connection[Any], questions: Sequence[str]
) -> list[dict[str, Any]]:
    """Seconds of questions, and of the SQL that they run by itself, in turn; the least of each.

    Others use the machine, too. Of a top n the SQL that is run also finds the rows that are tied
    with the last one, which the SQL that people are shown leaves out.
    """
    torch.set_num_threads(1)
    parser = load_parser("database", domain)
    answer(parser, ["how many customers are there?"])
    made = []
    for question in questions:
        said = answer(parser, [question], at_least=0.0)[0]
        if said.value is None:
            made.append({"question": question, "answered": False})
            continue
        sql = _run_for(domain, said.prediction.meaning).encode()
        whole, alone = [], []
        for _ in range(AGAIN):
            whole.append(timed(lambda one=question: answer(parser, [one], at_least=0.0))[1])
            alone.append(timed(lambda one=sql: connection.execute(one).fetchall())[1])
        best, plain = min(whole), min(alone)
        made.append(
            {
                "question": question,
                "answered": True,
                "probability": round(said.prediction.probability, 3),
                "sql": sql.decode(),
                "rows": len(said.value.rows),
                "seconds": best,
                "seconds_of_the_sql": plain,
                "ms_more": round(1000 * (best - plain), 1),
            }
        )
    return made
