"""What is going on, done, or over: said of a date that is there or missing, or of a yes or no.

"Still open" speaks of a date that something closed on, "unpaid" of one that it was paid on, or of a
column that says whether it was.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from datetime import date, timedelta
from functools import cache
from typing import NamedTuple

from partwise.database.layer.model import ColumnInfo, SemanticLayer, TableInfo
from partwise.database.reading.cues import Key, key_of, lines_of
from partwise.database.reading.durations import ELAPSED, Pair, pairs_of
from partwise.database.reading.filling import Step, add, given
from partwise.database.reading.frame import Cond, Fig, Frame, Ref, is_flag
from partwise.database.reading.label import Label
from partwise.database.reading.links import link_of
from partwise.database.reading.period import Period
from partwise.database.reading.text import Word, stem, stems_of

MOST = 5
"""The most columns that one phrase is taken to speak of."""
_NOT = ("un", "in", "im", "non-", "non", "not-", "dis")
_FREE = ("-free", "less")
_ENDS = frozenset(map(stem, ("expires", "expiry", "expiration", "expired", "exp", "valid")))
_DUE = frozenset(map(stem, ("due", "deadline", "next")))
_NOW = ("", " now", " today", " right now", " as of today", " at the moment", " already")
_LATE = frozenset(
    key_of(one + now)
    for one in ("overdue", "past due", "late", "gone past", "past their date", "past its date")
    for now in _NOW
)
_STOCK = frozenset(map(stem, ("stock", "stocked", "inventory", "hand")))
_STARTS = frozenset(
    map(stem, ("start", "starts", "begin", "release", "departure", "held", "takes"))
)
_AHEAD = frozenset(
    key_of(one)
    for one in (
        *("upcoming", "future", "still to come", "yet to come", "coming up", "still ahead"),
        *("to come out", "still to come out", "in the future", "yet to start", "not started yet"),
        *("have not started yet", "haven't started yet", "still to be played", "still to start"),
    )
)
_DEATH = frozenset(map(stem, ("died", "death", "dead", "deceased")))
_PRICES = frozenset(
    map(stem, ("price", "cost", "fee", "fare", "charge", "toll", "admission", "entry", "entrance"))
)
_FREE_OF_CHARGE = frozenset(
    key_of(one)
    for one in (
        *("free", "for free", "free of charge", "at no charge", "without charge", "no charge"),
        *("cost nothing", "costs nothing", "don't cost anything", "doesn't cost anything"),
        *("dont cost anything", "gratis", "complimentary", "on the house"),
    )
)
_BESIDE = ("a", "at", "count", "current", "hand", "in", "level", "now", "number", "of", "on")
_AMOUNTS = frozenset(map(stem, (*_BESIDE, "pieces", "quantity", "total", "units")))
_HEADS = frozenset(map(key_of, ("headcount", "head count", "staff count", "staff numbers")))
_EXPIRED = frozenset(
    key_of(one)
    for one in (
        *("expired", "has expired", "have expired", "has run out", "lapsed", "past their date"),
        *("past its date", "out of date", "gone off", "past expiry", "past their expiry date"),
        *("already run out", "have run out"),
    )
)
_VALID = frozenset(map(key_of, ("valid", "still valid", "not expired", "not run out", "current")))
_TIMED = _LATE | _EXPIRED | _VALID | _AHEAD


class Stated(NamedTuple):
    """Words that speak of a state.

    Attributes:
        role: ``yes``, ``no``, ``works`` (here), ``due``, or ``heads`` where they are counted.
        near: whether the question speaks of the table.
        conds: what holds of a row.
    """

    start: int
    end: int
    role: str
    ref: Ref
    near: bool
    conds: tuple[Cond, ...]


class _Group(NamedTuple):
    names: frozenset[str]
    yes: frozenset[Key]
    no: frozenset[Key]


class _Cue(NamedTuple):
    role: str
    ref: Ref
    conds: tuple[Cond, ...]


class States:
    """The states that the columns of a database tell."""

    def __init__(self, layer: SemanticLayer) -> None:
        self.layer = layer
        self._said: dict[Key, list[_Cue]] = {}
        self._words: dict[str, list[tuple[Ref, Cond]]] = {}
        for table in layer.tables:
            for column in table.columns:
                if not (table.private or column.private):
                    self._column(table, column)
        self._pairs = list(pairs_of(layer))
        people = {one.name for one in layer.tables if one.person}
        going = self._said.get(key_of("still employed"), [])
        # "Headcount": those who are still there.
        staff = [one for one in going if one.ref.table in people] or going
        self._staff = [one._replace(role="heads") for one in staff]
        self._longest = max(map(len, self._said), default=1)

    def _column(self, table: TableInfo, column: ColumnInfo) -> None:
        ref = Ref(table.name, column.name)
        if column.enumeration and column.kind == "text":
            for value in column.values:
                self._words.setdefault(stem(value.lower()), []).append((ref, Cond(ref, "=", value)))
        if column.kind == "number" and not _PRICES.isdisjoint(stems_of(column.label)):
            for phrase in _FREE_OF_CHARGE:
                cue = _Cue("free", ref, (Cond(ref, "=", 0),))
                self._said.setdefault(phrase, []).append(cue)
        if holds := _holding(self.layer, ref, column):
            self._state(table, column, ref, holds)

    def _state(self, table: TableInfo, column: ColumnInfo, ref: Ref, holds: Cond) -> None:
        """Words for a state that a column tells, and for its opposite."""
        stems = {*stems_of(column.label)}
        for phrase in _opposites(column) if is_flag(self.layer, ref) else ():
            self._said.setdefault(phrase, []).append(_Cue("no", ref, (_denied(holds),)))
        for one in stems:
            self._words.setdefault(one, []).append((ref, holds))
        # A driver whose licence has expired may still be there.
        gone = stems - _ENDS if table.person and column.kind == "date" else stems
        for group in _groups() if column.kind != "id" else ():
            if group.names & gone:
                self._grouped(group, ref, holds)

    def _grouped(self, group: _Group, ref: Ref, holds: Cond) -> None:
        """What a group of words says of a column."""
        # Where something is yet to be decided, there is neither yes nor no.
        open_ = Cond(ref, "missing") if "decid" in group.names else _denied(holds)
        for role, some, cond in (("yes", group.yes, holds), ("no", group.no, open_)):
            for phrase in some:
                # "Does not work in Ulm" says nothing of who has left.
                known = "works" if phrase[0] == "work" else role
                self._said.setdefault(phrase, []).append(_Cue(known, ref, (cond,)))

    def find(self, words: Sequence[Word], today: date, tables: Set[str]) -> Iterator[Stated]:
        """What the words of a question say of states.

        Args:
            tables: those that the question speaks of, whose columns come first.
        """
        found: list[Stated] = []
        for start in range(len(words)):
            for end in range(start + 1, min(len(words), start + self._longest) + 1):
                key = tuple(one.stem for one in words[start:end])
                cues = [*self._said.get(key, ()), *self._timed(key, today)]
                cues += self._staff if key in _HEADS else ()
                if end == start + 1:
                    cues += self._prefixed(words[start], cues)
                # The sort is stable: in the order of the database.
                cues.sort(key=lambda one: one.ref.table not in tables)
                for cue in list(dict.fromkeys(cues))[:MOST]:
                    near = cue.ref.table in tables
                    found.append(Stated(start, end, cue.role, cue.ref, near, cue.conds))
        return (one for one in found if not any(_within(one, other) for other in found))

    def _prefixed(self, word: Word, known: Sequence[_Cue]) -> Iterator[_Cue]:
        """ "Unverified", "non-organic", "nut-free": the opposite of what a column or value says."""
        for base in _bases(word.plain):
            for ref, cond in self._words.get(stem(base), ()):
                if all(one.ref != ref for one in known):
                    yield _Cue("no", ref, (_denied(cond),))

    def _timed(self, key: Key, today: date) -> Iterator[_Cue]:
        """What is overdue or has expired today."""
        if key not in _TIMED:
            return
        now = Period(today, today + timedelta(days=1))
        for table in self.layer.tables:
            for column in table.columns:
                stems = {*stems_of(column.label)} if column.kind == "date" else set()
                ref = Ref(table.name, column.name)
                if key in _AHEAD and (column.name == table.date or _STARTS & stems):
                    yield _Cue("ahead", ref, (Cond(ref, ">", now),))
                elif key in _LATE and _DUE & stems:
                    yield _Cue("due", ref, (Cond(ref, "<", now), *self._undone(ref, key)))
                elif key in _EXPIRED | _VALID and _ENDS & stems:
                    yield _Cue("due", ref, (Cond(ref, ">=" if key in _VALID else "<", now),))

    def _undone(self, due: Ref, key: Key) -> tuple[Cond, ...]:
        done = next((one for one in self._pairs if one == Pair(due, one.done)), None)
        return () if done is None or key not in _LATE else (Cond(done.done, "missing"),)


def state_steps(frame: Frame, label: Label) -> list[Step]:
    """ "Still open", "unpaid", "overdue"; "not" before a single one turns it round."""
    frame = _without_time(frame, label)
    if frame.sign not in {"", "!="} or frame.num is not None or frame.missing:
        return []
    conds, turned = label.value, frame.neg != (frame.sign == "!=")
    if _ended(frame, conds) or (turned and (len(conds) > 1 or label.op in {"works", "heads"})):
        return []
    made = given(frame._replace(neg=False, sign=""))
    for one in conds:
        made = add(made, one._replace(negated=one.negated != turned))
    if label.op == "heads" and label.thing is not None:
        if frame.figures or frame.agg:
            return []
        made = made._replace(figures=(Fig("count", label.thing.table),))
    return [Step(made, f"state_{label.op}")]


def _without_time(frame: Frame, label: Label) -> Frame:
    """A frame without the column that a time of day is of: "whose start time is after 9 pm"."""
    if label.op != "clock" or label.thing is None or not isinstance(frame.attr, Ref):
        return frame
    return frame._replace(attr=None) if frame.attr[:2] == label.thing[1:] else frame


def _ended(frame: Frame, conds: Sequence[Cond]) -> bool:
    """Whether how long something lasted is asked for, as in "how long was Ann with us": she need
    not be here."""
    ended = {one[:2] for one in frame.shown if one.part == ELAPSED}
    return any(isinstance(one.left, Ref) and one.left[:2] in ended for one in conds)


def _opposites(column: ColumnInfo) -> list[Key]:
    """What is said where a flag does not hold: "out of service" of "in service", "part time" of
    "full time"."""
    first, _, rest = column.label.partition(" ")
    said = {"in": (f"out of {rest}", f"not in {rest}"), "full": (f"part {rest}", f"part-{rest}")}
    return [key_of(one) for one in said.get(first, ()) if rest]


def _within(one: Stated, other: Stated) -> bool:
    """Whether more words say more: "still open" is not "still" and "open"."""
    longer = other.end - other.start > one.end - one.start
    inside = other.start <= one.start and one.end <= other.end
    return longer and inside and (other.near or not one.near)


def _holding(layer: SemanticLayer, ref: Ref, column: ColumnInfo) -> Cond | None:
    """What says that a column's state holds."""
    if is_flag(layer, ref):
        return Cond(ref, "flag")
    if column.kind == "date" or (column.kind == "id" and layer.schema.table(ref.table).key):
        linked = link_of(layer.schema, *ref[:2]) is not None
        return Cond(ref, "missing", negated=True) if column.kind == "date" or linked else None
    stems = {*stems_of(column.label)}
    if column.kind == "number" and stems & _DEATH:
        # The year alone may be kept.
        return Cond(ref, "missing", negated=True)
    # "In stock": but no level to order at, and no value of all that is there.
    if column.kind == "number" and stems & _STOCK and stems <= _STOCK | _AMOUNTS:
        return Cond(ref, ">", 0)
    return None


def _denied(cond: Cond) -> Cond:
    return Cond(cond.left, "=", 0) if cond.op == ">" else cond._replace(negated=not cond.negated)


def _bases(word: str) -> Iterator[str]:
    """What a word denies: "paid" of "unpaid", "nut" of "nut-free"."""
    for one in _NOT:
        if word.startswith(one) and len(word) > len(one) + 3:
            yield word[len(one) :].lstrip("-")
    for one in _FREE:
        if word.endswith(one) and len(word) > len(one) + 2:
            yield word[: -len(one)]


@cache
def _groups() -> tuple[_Group, ...]:
    """The lines of ``states.txt``."""
    return tuple(map(_group, lines_of("states.txt")))


def _group(line: str) -> _Group:
    names, _, said = line.partition(": ")
    yes, no = (frozenset(map(key_of, some.split(", "))) for some in said.split(" | "))
    return _Group(frozenset(map(stem, names.split())), yes, no)
