"""The process that holds a `LocalStore`'s graph: run as a script, it answers JSON lines.

It imports nothing of Partwise, so that it starts at once. A line in is ``["ask", query]`` or
``["rows", query, limit, max_bytes]``; a line out is ``["ok", value]``, ``["query", message]`` for
a query that cannot be read, or ``["failed", message]``. The first line out says whether the graph
was loaded.
"""

from __future__ import annotations

import importlib
import json
import sys
from typing import Any

import pyoxigraph as ox

# Not on Windows.
resource: Any = None if sys.platform == "win32" else importlib.import_module("resource")


def main(path: str, max_memory: int) -> None:
    """Load the file, then answer until standard input ends."""
    if resource is not None:
        resource.setrlimit(resource.RLIMIT_AS, (max_memory, max_memory))
    store = ox.Store()
    try:
        store.load(path=path, format=ox.RdfFormat.TURTLE)
    except (OSError, SyntaxError, ValueError) as error:
        _say("failed", str(error))
        return
    if resource is not None:
        # Only the standard streams are left: no file or socket opens, whatever a query says.
        resource.setrlimit(resource.RLIMIT_NOFILE, (3, 3))
    _say("ok", len(store))
    for line in sys.stdin.buffer:
        try:
            _say("ok", _answer(store, *json.loads(line)))
        except SyntaxError as error:
            _say("query", str(error))
        except (OSError, ValueError, TypeError, RuntimeError) as error:
            _say("failed", str(error))


def _answer(store: ox.Store, what: str, query: str, limit: int = 0, max_bytes: int = 0) -> Any:
    result = store.query(query)
    if what == "ask":
        if not isinstance(result, ox.QueryBoolean):
            raise ValueError("this is no ASK query")
        return bool(result)
    if not isinstance(result, ox.QuerySolutions):
        raise ValueError("this is no SELECT query")
    names = [variable.value for variable in result.variables]
    rows: list[dict[str, list[str]]] = []
    size = 0
    while len(rows) < limit and (solution := next(result, None)) is not None:
        rows.append({n: _value(t) for n in names if (t := solution[n]) is not None})
        size += sum(len(text) for value in rows[-1].values() for text in value)
        if size > max_bytes:
            raise ValueError(f"the answer is larger than {max_bytes:,} characters")
    return rows


def _value(term: Any) -> list[str]:
    if isinstance(term, ox.Literal):
        return [term.value, (term.language or "").lower()]
    if isinstance(term, ox.BlankNode):
        return [f"_:{term.value}"]
    return [term.value if isinstance(term, ox.NamedNode) else str(term)]


def _say(kind: str, value: Any) -> None:
    sys.stdout.write(json.dumps([kind, value]) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
