"""Imports a PostgreSQL server of many rows, and asks questions of it and among many names.

    PYTHONPATH=. python benchmarks/database_scale.py [--rows 10000000] [--parts NAME ...]

A server of its own is started in a folder that goes afterwards. Writes
``benchmarks/results/database_scale.json``: seconds of import and of the index of values; seconds of
questions, and of the same SQL through psycopg with the server's own settings; milliseconds of whole
questions among 15,000 and 1,000,000 names, and to find the values alone in a question of 15 words,
each with the memory of a process of its own.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psycopg
from tests.attacks.postgres_server import server

from partwise.database.domain import DatabaseDomain
from partwise.database.source.connections import QueryLimits, connect
from partwise.database.source.importing import import_database
from partwise.database.source.values import Collected, ValueIndex
from whole_questions import (
    AGAIN,
    ask_among,
    beside_sql,
    memory,
    names,
    quantiles,
    timed,
    typo,
    write_shop,
)

RESULT = Path(__file__).parent / "results" / "database_scale.json"
NAMES = (15_000, 1_000_000)
QUESTIONS = 300
ASKED_OF_ROWS = (
    *("how many orders are there?", "total quantity by status", "how many returned orders"),
    *("how many orders were placed in 2023", "average unit price of orders per status"),
    *("the five customers with the most orders", "how many customers joined in 2019"),
    *(
        "total quantity of orders per year",
        "orders of customers in City 17 in 2021",
        "total quantity of Product 5",
    ),
)
"""Questions to the server."""
ASKED = "how many orders from customers called were placed in the last month by region"
TABLES = """
CREATE TABLE customers (customer_id integer PRIMARY KEY, first_name text, last_name text,
                        city text, joined date);
CREATE TABLE products (product_id integer PRIMARY KEY, product_name text, unit_price numeric(8, 2));
CREATE TABLE orders (order_id integer PRIMARY KEY, customer_id integer REFERENCES customers,
                     product_id integer REFERENCES products, order_date date, quantity integer,
                     unit_price numeric(8, 2), status text)
"""


def fill(connection: psycopg.Connection[Any], rows: int) -> None:
    """Tables with `rows` orders, a hundredth as many customers, and 1,000 products."""
    customers = max(rows // 100, 100)
    for one in TABLES.split(";"):
        connection.execute(one.encode())
    connection.execute(
        f"INSERT INTO customers SELECT i, 'First' || i % 5000, 'Last' || i, 'City ' || i % 300, "
        f"date '2015-01-01' + i % 3000 FROM generate_series(1, {customers}) AS s(i)".encode()
    )
    connection.execute(
        b"INSERT INTO products SELECT i, 'Product ' || i, 1 + i % 90 "
        b"FROM generate_series(1, 1000) AS s(i)"
    )
    connection.execute(
        f"INSERT INTO orders SELECT i, 1 + i % {customers}, 1 + i % 1000, "
        "date '2020-01-01' + i % 2000, 1 + i % 5, 1 + i % 90, "
        "(ARRAY['open', 'paid', 'sent', 'returned'])[1 + i % 4] "
        f"FROM generate_series(1, {rows}) AS s(i)".encode()
    )
    connection.execute(b"ANALYZE")


def imported(rows: int) -> dict[str, Any]:
    """Seconds of an import and of what follows it."""
    with server() as (place, _), psycopg.connect(place, autocommit=True) as connection:
        made = timed(lambda: fill(connection, rows))[1]
        source = connect(place, QueryLimits(seconds=60.0))
        layer, import_seconds = timed(lambda: import_database(source, "shop"))
        index, index_seconds = timed(lambda: ValueIndex.build(source, layer))
        asked = beside_sql(DatabaseDomain(layer, source, index), connection, ASKED_OF_ROWS)
        source.close()
    return {
        "rows": rows,
        "filling_seconds": made,
        "import_seconds": import_seconds,
        "index_seconds": index_seconds,
        "index_entries": len(index),
        "links": len(layer.schema.links),
        "taken": f"the least of {AGAIN} of each",
        "questions": asked,
    }


def found(count: int) -> dict[str, Any]:
    """Milliseconds to find values among so many names, in a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        collected = Collected()
        collected.builder.add(("customers", "name"), names(count))
        _, building = timed(lambda: ValueIndex.of(collected).save(folder))
        size = sum(one.stat().st_size for one in Path(folder).iterdir())
        command = [sys.executable, __file__, "--look-up", folder, "--names", str(count)]
        made = subprocess.run(command, check=True, capture_output=True, text=True)
    told: dict[str, Any] = json.loads(made.stdout)
    return {"names": count, "building_seconds": building, "bytes_on_disk": size, **told}


def look_up(folder: str, count: int) -> dict[str, Any]:
    """Milliseconds of questions with a name, half of them with a typo."""
    chance = random.Random(1)
    before = memory()
    index, loading = timed(lambda: ValueIndex.load(folder))
    loaded = memory()
    milliseconds, processor, right, asked = [], [], 0, ASKED.split()
    for name in chance.sample(names(count), QUESTIONS):
        typed = name if chance.random() < 0.5 else typo(name, chance)
        words = [*asked[:5], *typed.split(), *asked[5:]][:15]
        begin = time.process_time()
        matches, seconds = timed(lambda words=words: index.find(words))
        milliseconds.append(1000 * seconds)
        processor.append(1000 * (time.process_time() - begin))
        right += any(one.text == name for one in matches)
    return {
        "loading_seconds": loading,
        "ms": quantiles(milliseconds),
        "processor_ms": quantiles(processor),
        "found": right / QUESTIONS,
        "memory_bytes_of_loading": loaded - before,
        "memory_bytes_after_all_questions": memory(),
        "memory_bytes_before": before,
    }


def whole(count: int) -> dict[str, Any]:
    """Milliseconds of whole questions among so many names, in a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        write_shop(Path(folder) / "shop.db", count)
        command = [sys.executable, __file__, "--ask", folder, "--names", str(count)]
        # The index is made by a process before, whose memory does not count.
        for _ in range(2):
            made = subprocess.run(command, check=True, capture_output=True, text=True)
    told: dict[str, Any] = json.loads(made.stdout)
    return told


PARTS: dict[str, Callable[[int], Any]] = {
    "postgresql": imported,
    "whole_questions": lambda _: [whole(count) for count in NAMES],
    "values": lambda _: [found(count) for count in NAMES],
}


def main() -> None:
    """Measure, and write the result."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--parts", nargs="+", choices=list(PARTS), default=list(PARTS))
    parser.add_argument("--look-up", help=argparse.SUPPRESS)
    parser.add_argument("--ask", help=argparse.SUPPRESS)
    parser.add_argument("--names", type=int, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.look_up:
        print(json.dumps(look_up(given.look_up, given.names)))
        return
    if given.ask:
        print(json.dumps(ask_among(Path(given.ask), given.names)))
        return
    made = json.loads(RESULT.read_text("utf-8")) if RESULT.is_file() else {}
    made |= {
        "machine": f"{platform.system()} {platform.machine()}, Python {platform.python_version()}",
        "processors": os.cpu_count(),
    }
    for name in given.parts:
        before = os.getloadavg()[0]
        made[name] = PARTS[name](given.rows)
        made.setdefault("load_before", {})[name] = round(before, 1)
    RESULT.write_text(json.dumps(made, indent=2) + "\n", "utf-8")
    print(json.dumps(made, indent=2))


if __name__ == "__main__":
    main()
