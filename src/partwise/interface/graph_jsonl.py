"""Examples with query graphs as JSON Lines, one on each line::

    {"question": "Did M1 direct M0", "query": "ASK WHERE {...}", "bindings": {"M0": IRI, ...},
     "rules": {"names": ["did", ...], "edges": [[0, 1], ...]}, "official": false}

The query is SPARQL without prefixes. The other fields may be missing, as may "source". Files whose
names end in ``.gz`` are gzipped.
"""

from __future__ import annotations

import gzip
import io
import json
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, Any

from partwise.errors import DataError, QuerySyntaxError
from partwise.interface.data import checked_text, examples_of_lines
from partwise.interface.files import write_whole
from partwise.interface.graph_data import GraphExample, RuleGraph
from partwise.language.query.sparql_read import parse_query
from partwise.language.query.sparql_write import write_query

FORMAT = '{"question": "...", "query": "..."}'
MAX_LINE = 1 << 20
"""Bytes."""
COMPRESSION = 4
"""Of gzip: a fifth larger than at best, in a quarter of the time."""


def to_line(example: GraphExample) -> str:
    """The JSON of an example, without an end of line."""
    fields: dict[str, Any] = {
        "question": example.question,
        "query": write_query(example.graph, "sparql"),
    }
    if example.bindings:
        fields["bindings"] = dict(example.bindings)
    if example.rules is not None:
        fields["rules"] = {"names": example.rules.rules, "edges": example.rules.edges}
    if not example.official:
        fields["official"] = False
    return json.dumps(fields, ensure_ascii=False, separators=(",", ":"))


def write_graph_jsonl(path: str | Path, examples: Iterable[GraphExample]) -> int:
    """Write examples as they come, keeping none; the file is there whole or not at all.

    Returns:
        How many there were.

    Raises:
        DataError: if the file cannot be written.
    """
    file = Path(path)
    count = 0

    def write(partial: Path) -> None:
        nonlocal count
        with partial.open("wb") as raw, _packed(raw, file) as stream:
            for example in examples:
                stream.write(to_line(example).encode() + b"\n")
                count += 1

    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        write_whole(file, write)
    except OSError as error:
        why = error.strerror or str(error)
        raise DataError(f"{file}: cannot be written ({why}); choose another place") from error
    return count


def _packed(raw: IO[bytes], file: Path) -> IO[bytes]:
    if file.suffix != ".gz":
        return raw
    # Neither a time nor a name inside: the same examples give the same bytes.
    packed = gzip.GzipFile("", "wb", COMPRESSION, raw, mtime=0)
    return io.BufferedWriter(packed, 1 << 16)


def read_graph_jsonl(
    path: str | Path, *, skip_bad: bool = False
) -> tuple[list[GraphExample], list[str]]:
    """Read a file; blank lines are passed over.

    Args:
        skip_bad: leave out lines that cannot be read and return a message for each, instead of
            raising at the first.

    Returns:
        The examples, and the messages (none unless `skip_bad`).

    Raises:
        DataError: for a file that is missing, damaged or holds no example, and for a line that
            is not UTF-8, not JSON, lacks a field, or has a query that cannot be read.
    """
    file = Path(path)
    return examples_of_lines(_lines(file), _example, file, file.name, FORMAT, skip_bad)


def _lines(file: Path) -> Iterator[bytes]:
    try:
        with gzip.open(file) if file.suffix == ".gz" else file.open("rb") as stream:
            while line := stream.readline(MAX_LINE):
                if len(line) == MAX_LINE:
                    raise DataError(
                        f"{file}: a line of more than {MAX_LINE} bytes; expected {FORMAT}"
                    )
                yield line
    except FileNotFoundError:
        raise DataError(f"{file}: no such file; expected lines like {FORMAT}") from None
    except (OSError, EOFError, zlib.error) as error:
        raise DataError(f"{file}: cannot be read ({error}); get or make it anew") from error


def _example(raw: bytes, source: str) -> GraphExample:
    try:
        fields = json.loads(raw.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise DataError(
            f"not UTF-8 at byte {error.start + 1} of the line; save the file as UTF-8"
        ) from error
    except (ValueError, RecursionError) as error:
        raise DataError(f"not JSON ({error}); expected {FORMAT}") from error
    if not isinstance(fields, dict):
        raise DataError(f"a JSON {type(fields).__name__}, not an object; expected {FORMAT}")
    question, query = _text(fields, "question"), _text(fields, "query")
    try:
        graph = parse_query(query)
    except QuerySyntaxError as error:
        raise DataError(f"the query cannot be read; mend it: {error}") from error
    official = fields.get("official", True)
    if not isinstance(official, bool):
        raise DataError(f"field 'official' must be true or false, not {official!r:.80}")
    return GraphExample(
        question,
        graph,
        source,
        official,
        _bindings(fields.get("bindings", {})),
        None if fields.get("rules") is None else _rules(fields["rules"]),
    )


def _text(fields: dict[str, Any], name: str) -> str:
    value = fields.get(name)
    if not isinstance(value, str) or not value.strip():
        have = ", ".join(sorted(fields)) or "none"
        raise DataError(
            f"field {name!r} must be a text that is not empty (fields here: {have}); "
            f"expected {FORMAT}"
        )
    return checked_text(value, f"field {name!r}")


def _bindings(found: object) -> tuple[tuple[str, str], ...]:
    if not isinstance(found, dict) or not all(isinstance(value, str) for value in found.values()):
        raise DataError(
            "field 'bindings' must be an object of placeholders and texts, as "
            f'{{"M0": "https://..."}}, not {found!r:.80}'
        )
    return tuple(found.items())


def _rules(found: object) -> RuleGraph:
    if isinstance(found, dict):
        names, edges = found.get("names"), found.get("edges")
        if (
            isinstance(names, list)
            and all(isinstance(name, str) for name in names)
            and isinstance(edges, list)
            and all(_edge(edge, len(names)) for edge in edges)
        ):
            return RuleGraph(tuple(names), tuple((one, other) for one, other in edges))
    raise DataError(
        "field 'rules' must be an object with names and edges between their places, as "
        f'{{"names": ["a", "b"], "edges": [[0, 1]]}}, not {found!r:.80}'
    )


def _edge(edge: object, count: int) -> bool:
    return (
        isinstance(edge, list)
        and len(edge) == 2
        and all(type(place) is int and 0 <= place < count for place in edge)
    )
