"""Time from one date of a row to another: "shipped within 3 days", "returned too late"."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from itertools import pairwise
from typing import NamedTuple

from partwise.database.layer.model import ColumnInfo, SemanticLayer, TableInfo
from partwise.database.reading.frame import Cond, Ref
from partwise.database.spans.text import stem
from partwise.database.units import UNITS
from partwise.execution.relational.program import SECONDS, Span

ELAPSED = "elapsed"
"""The part of a date that is no part of it: the time up to it, from where its row begins."""
SPANS: Mapping[str, Span] = {
    **{code: span for code, unit in UNITS.items() for span in SECONDS if unit.one == span},
}
"""Codes of units -> the spans that they are."""
_BEGINS = (
    "created opened requested reported received ordered order placed booked booking submitted "
    "raised logged issued invoice invoiced listed start started begin began begun loaned loan "
    "borrowed lent out rented checkin departure departed dep sent enrolled hired joined admitted"
)
_DUE = "due required require deadline expected planned scheduled promised target estimated needed"
_DONE = (
    "shipped delivered returned return back completed finished closed solved resolved paid payment "
    "arrived arrival received actual done fulfilled end ended submitted"
)
_GONE = (
    "left leaving leave until to gone quit terminated term termination exit resigned resignation "
    "retired retirement dismissed closed cancelled checkout expiry moved"
)
_ARRIVES, _DEPARTS = "arrival arrive arr checkin", "departure depart dep checkout"
STAYS = frozenset(map(stem, ("booking", "reservation", "stay", "guest", "visit", "rental")))
"""Stems of what tables are called whose rows are stays."""
_FROM, _UP_TO = (
    "start started begin begins from first effective",
    "end ended ends to until last expiry",
)
_LIVES = "birth born birthday dob death died"


class Deadline(NamedTuple):
    """A date that something was due at, and the one when it was done."""

    due: Ref
    done: Ref


def end_of(layer: SemanticLayer, table: str) -> Ref | None:
    """The date that something of a table is done at."""
    done = (one for one in _dates(layer.table(table)) if _called(one, _DONE))
    ends = (Ref(table, one.name) for one in done if not _called(one, _DUE))
    return next((one for one in ends if start_of(layer, one) is not None), None)


def start_of(layer: SemanticLayer, end: Ref) -> Ref | None:
    """The date that the time up to another one of the same row is counted from."""
    last, table = layer.column(*end[:2]), layer.table(end.table)
    if (stay := _stay_of(table)) is not None:
        return Ref(end.table, stay[0]) if end.column == stay[1] else None
    begins = _called(last, _BEGINS) or last.name == table.date
    if _called(last, _LIVES) or (begins and not _called(last, f"{_DONE} {_GONE}")):
        return None
    others = [one for one in _dates(table) if one.name != end.column]
    others = [one for one in others if not _called(one, _DUE) and not _called(one, _LIVES)]
    first = [one for one in others if _called(one, _BEGINS) and not _called(one, _DONE)]
    main = [one for one in others if one.name == table.date]
    # Nothing says that another date comes first but its place in the table.
    before = [one for one in others if [*table.columns].index(one) < [*table.columns].index(last)]
    chosen = [*first, *main, *before]
    return Ref(end.table, chosen[0].name) if chosen else None


def lasting(layer: SemanticLayer) -> Iterator[Ref]:
    """Dates that something ends at, where its beginning is known too."""
    for table in layer.tables:
        if table.private:
            continue
        stay = _stay_of(table)
        for one in _dates(table):
            ref = Ref(table.name, one.name)
            ends = _called(one, f"{_DONE} {_GONE}") and not _called(one, _DUE)
            if (ends or (stay is not None and one.name == stay[1])) and start_of(
                layer, ref
            ) is not None:
                yield ref


def _stay_of(table: TableInfo) -> tuple[str, str] | None:
    """The dates of arrival and departure, where rows are stays and not trips."""
    if not STAYS & {*map(stem, table.label.split())}:
        return None
    first = [one.name for one in _dates(table) if _called(one, _ARRIVES)]
    last = [one.name for one in _dates(table) if _called(one, _DEPARTS)]
    return (first[0], last[0]) if first and last else None


def span_of(table: TableInfo) -> tuple[str, str] | None:
    """The first and the last day of each row of a table, where a row lasts: a campaign, a leave."""
    if table.person:
        return None
    first = [one.name for one in _dates(table) if _called(one, _FROM)]
    last = [one.name for one in _dates(table) if _called(one, _UP_TO)]
    return _stay_of(table) or ((first[0], last[0]) if first and last else None)


def pairs_of(layer: SemanticLayer) -> Iterator[Deadline]:
    """What can be late."""
    for table in layer.tables:
        if table.private:
            continue
        dates = list(_dates(table))
        due = [one for one in dates if _called(one, _DUE)]
        done = [one for one in dates if _called(one, _DONE) and one not in due]
        for one in due[:1]:
            for other in done[:1]:
                yield Deadline(Ref(table.name, one.name), Ref(table.name, other.name))


def late(pair: Deadline, negated: bool) -> Cond:
    """Whether something was done after it was due; negated, in time."""
    return Cond(pair.done, "<=" if negated else ">", pair.due)


def _dates(table: TableInfo) -> Iterable[ColumnInfo]:
    return [one for one in table.columns if one.kind == "date" and not one.private]


def _called(column: ColumnInfo, words: str) -> bool:
    said = column.label.lower().split()
    # "Check in" is "checkin".
    joined = (f"{one}{other}" for one, other in pairwise(said))
    return any(stem(one) in _stems(words) for one in (*said, *joined))


@cache
def _stems(words: str) -> frozenset[str]:
    return frozenset(map(stem, words.split()))
