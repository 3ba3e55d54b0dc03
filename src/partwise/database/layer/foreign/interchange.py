"""Open Semantic Interchange (since 2026 Apache Ossie), its core specification 0.1 and 0.2.

Read are datasets with their fields, relationships of one column, and metrics; of `ai_context` the
synonyms. Of several dialects the expression in ANSI SQL is taken, else the first one. Custom
extensions are passed over.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from partwise.database.layer.foreign.model import (
    ForeignColumn,
    ForeignLink,
    ForeignMetric,
    ForeignSemantics,
    ForeignTable,
    entries,
    inner,
    text,
)


def read_interchange(tree: Mapping[str, Any], semantics: ForeignSemantics) -> None:
    """Add what a file says."""
    for model in entries(tree, "semantic_model"):
        semantics.tables += [_table(one) for one in entries(model, "datasets")]
        for one in entries(model, "relationships"):
            _link(one, semantics)
        semantics.metrics += [
            ForeignMetric(
                text(one, "name"),
                _expression(one),
                synonyms=_synonyms(one),
                description=text(one, "description"),
            )
            for one in entries(model, "metrics")
        ]


def _table(entry: Mapping[str, Any]) -> ForeignTable:
    key = entry.get("primary_key")
    times = [text(one, "name") for one in entries(entry, "fields") if _is_time(one)]
    return ForeignTable(
        text(entry, "name"),
        text(entry, "source") or text(entry, "name"),
        synonyms=_synonyms(entry),
        description=text(entry, "description"),
        columns=tuple(_column(one) for one in entries(entry, "fields")),
        key=str(key[0]) if isinstance(key, list) and len(key) == 1 else "",
        date=times[0] if len(times) == 1 else "",
    )


def _column(entry: Mapping[str, Any]) -> ForeignColumn:
    return ForeignColumn(
        text(entry, "name"),
        _expression(entry),
        synonyms=_synonyms(entry),
        description=text(entry, "description"),
    )


def _is_time(entry: Mapping[str, Any]) -> bool:
    stated = inner(entry, "dimension").get("is_time")
    return bool(stated) if stated is not None else text(entry, "datatype").startswith("Date")


def _expression(entry: Mapping[str, Any]) -> str:
    dialects = list(entries(inner(entry, "expression"), "dialects"))
    ours = [one for one in dialects if text(one, "dialect") == "ANSI_SQL"]
    return next((text(one, "expression") for one in (*ours, *dialects)), text(entry, "name"))


def _synonyms(entry: Mapping[str, Any]) -> tuple[str, ...]:
    listed = inner(entry, "ai_context").get("synonyms")
    return tuple(str(one) for one in listed) if isinstance(listed, list) else ()


def _link(entry: Mapping[str, Any], semantics: ForeignSemantics) -> None:
    columns = entry.get("from_columns")
    if isinstance(columns, list) and len(columns) == 1:
        link = ForeignLink(text(entry, "from"), str(columns[0]), text(entry, "to"))
        semantics.links.append(link)
    else:
        name = text(entry, "name")
        semantics.left_out.append(f"relationship {name}: it is of several columns")
