"""A question as a frame: one head and what is said of it."""

from __future__ import annotations

from typing import Any, NamedTuple

from partwise.database.layer.model import SemanticLayer
from partwise.database.reading.links import is_unnamed, link_of


class Ref(NamedTuple):
    """A column of some table; `via` is the link column that leads to it, where one was said; `part`
    is the part of a date, of whatever date is usual if no column was said."""

    table: str
    column: str
    via: tuple[str, str] | None = None
    part: str = ""


NAME = Ref("", "")
"""Whatever names a row of the head."""


class Fig(NamedTuple):
    """A figure: a function of a column or of a part of it, a count of a table's rows, or a
    measure; or a function of how many rows of the table `each` belong to each row."""

    function: str
    table: str
    column: str = ""
    distinct: bool = False
    measure: str = ""
    part: str = ""
    each: str = ""


class Other(NamedTuple):
    """A column or figure of a thing that is named: "longer than Bohemian Rhapsody", "more orders
    than Acme".

    Attributes:
        of: the column or figure; None where it was not said, as in "cost more than Acme's".
        name, text: what the thing is called; `more`: further columns with their values, as of a
            person's name.
    """

    of: Ref | Fig | None
    name: Ref
    text: str
    more: tuple[tuple[str, str], ...] = ()


class Mean(NamedTuple):
    """How many rows of a table belong to a row of another on average."""

    of: str
    per: str


class Cond(NamedTuple):
    """A condition.

    Attributes:
        left: a column, a figure, or a table whose rows there are; None where it was not said.
        op: a sign, ``in`` (a period), ``contains``, ``starts``, ``ends``, ``missing``, ``some``,
            ``linked`` (some row's link column leads here).
        value: what it is compared with: a literal, `Fig`, `Other`, `Mean`, another column of the
            row, or for ``between`` two. A `Fig` without a column is of the column on the left.
        negated: whether it must not hold.
        join: how it goes together with the one before: ``""`` (both must hold, of one row),
            ``or``, ``both`` (both must hold, maybe of two rows), ``same`` (of one column: ``or``
            for a row's own, ``both`` for rows that belong to it).
        more: further columns with their values, as of a person's name.
    """

    left: Ref | Fig | str | None
    op: str
    value: Any = None
    negated: bool = False
    join: str = ""
    more: tuple[tuple[str, str], ...] = ()


class FrameOrder(NamedTuple):
    """What comes first; without a column or figure, whatever is natural."""

    by: Ref | Fig | None
    descending: bool
    all: bool = False


class Frame(NamedTuple):
    """What a question says, as far as it was read.

    Attributes:
        head: the table whose rows are asked for.
        shown, figures, conds, keys, order, limit: what is said of them.
        distinct, yesno, everything: whether that was said.
        agg, way, sign, per, neg, text, sort, join: operations that wait for what they are about.
        attr: a column or figure that waits for a value; num: a number that waits for either; low:
            the first of two values; word: a text that something is to contain.
        unit: what numbers are to be shown in.
        again: the figures of the column before, which may be meant of the next one, too.
        mentioned: tables that were said without a use of their own.
        last: the word behind the last label; near: its table, if it is one; ordering: the same word
            if that label said an order, which may go on: "by town and name".
        each: whether groups were said one by one: "in each country".
        place: which one of the order alone is wanted, as in "second longest"; 0 for the first.
        often: whether `way` is of how often a value is there ("most common").
        then: further orders, for rows that the first leaves equal.
        pair: what two figures make: ``share:part``, ``share:percent``, ``difference:more``,
            ``difference:less``.
        divided: of a share, how many conditions say what it is a share of; -1 if that is not known.
        than: whether the sign was said in several words, as "more than" and other than "until".
        either: whether one of two that are named is asked for, and in which order it comes first.
        mean: a function of the counts that groups, or rows, have: "the average number of".
    """

    head: str = ""
    shown: tuple[Ref, ...] = ()
    figures: tuple[Fig, ...] = ()
    conds: tuple[Cond, ...] = ()
    keys: tuple[Ref | str, ...] = ()
    order: FrameOrder | None = None
    limit: int | None = None
    distinct: bool = False
    yesno: bool = False
    everything: bool = False
    agg: str = ""
    way: str = ""
    sign: str = ""
    per: bool = False
    neg: bool = False
    text: str = ""
    sort: str = ""
    join: str = ""
    missing: str = ""
    attr: Ref | Fig | None = None
    num: Any = None
    low: Any = None
    word: str = ""
    again: str = ""
    unit: str = ""
    mentioned: tuple[str, ...] = ()
    last: int = -1
    near: str = ""
    often: bool = False
    ordering: int = -1
    then: tuple[FrameOrder, ...] = ()
    pair: str = ""
    divided: int = -1
    either: str = ""
    than: bool = False
    mean: str = ""
    place: int = 0
    each: bool = False

    @property
    def ordered(self) -> Ref | Fig | None:
        """What rows or groups are ordered by."""
        return self.order.by if self.order is not None else None


def names_of(layer: SemanticLayer, table: str) -> tuple[Ref, ...]:
    """The columns that name a row of a table: its own, or where ids alone do, those of the row that
    it extends: a gymnast has the name of the person with that id."""
    own = tuple(Ref(table, column) for column in layer.table(table).display)
    if not is_unnamed(layer, table):
        return own
    links = list(layer.schema.leaving(table))
    key = layer.schema.table(table).key
    extended = [one for one in links if one.column == key] or links
    if len({one.target for one in extended}) != 1 or len(extended) > 1:
        return own
    target = layer.table(extended[0].target)
    if target.private or target.name == table or is_unnamed(layer, target.name):
        return own
    return tuple(Ref(target.name, column) for column in target.display)


def linked_names(layer: SemanticLayer, ref: Ref) -> tuple[Ref, ...]:
    """The columns that name the row that a link leads to; none for other columns, and of tables
    that are private."""
    link = link_of(layer.schema, *ref[:2])
    if link is None or layer.table(link.target).private:
        return ()
    return tuple(Ref(link.target, name, ref[:2]) for name in layer.table(link.target).display)


def told_by(layer: SemanticLayer, table: str) -> tuple[Ref, ...]:
    """What tells the rows of a table without a name: all columns, those that link it to named rows
    as the names of these."""
    columns = [Ref(table, one.name) for one in layer.table(table).columns if not one.private]
    return tuple(name for one in columns for name in (linked_names(layer, one) or (one,)))


def own_name(layer: SemanticLayer, table: str) -> list[Ref]:
    """The column of a table that "name" means: one that is called so, or the first of those that
    name a row."""
    own = [
        one.name for one in layer.table(table).columns if one.label == "name" and not one.private
    ]
    return ([Ref(table, one) for one in own] or [*names_of(layer, table)])[:1]


def is_number(layer: SemanticLayer, ref: Ref) -> bool:
    """Whether a column holds numbers, and no part of it is meant."""
    return _whole_kind(layer, ref) == "number"


def is_text(layer: SemanticLayer, ref: Ref) -> bool:
    """Whether a column holds texts."""
    return _whole_kind(layer, ref) == "text"


def _whole_kind(layer: SemanticLayer, ref: Ref) -> str:
    """What a column holds; nothing where no column was said, or a part of one."""
    whole = bool(ref.table) and not ref.part
    return layer.column(ref.table, ref.column).kind if whole else ""
