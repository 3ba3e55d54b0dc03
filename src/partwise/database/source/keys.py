"""Which column tells the rows of a table apart, and which columns point to other tables."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import sqlalchemy as sa

from partwise.database.source.connections import Source
from partwise.database.source.lexicon import word_set
from partwise.database.source.names import bare_name, singular, words_of_name
from partwise.database.source.tables import Notes, ReadTable
from partwise.errors import ExecutionError
from partwise.execution.relational.schema import Link
from partwise.execution.relational.sql import table_clause

ENDINGS = ("id", "key", "code", "number", "ref", "uuid", "guid", "fk")
"""Last words of columns that hold keys."""
_GENERAL = frozenset(
    ("id", "key", "code", "name", "number", "uuid", "guid", "title", "date", "year")
)
"""Names of keys that say nothing of their table."""
INCLUDED = 0.98
"""The least share of a link's values that are keys of its target."""
LOOKED_UP = 500
"""The most values of a column that are looked up among keys."""
SELF = word_set("self")
"""Words of columns that may point to the table itself."""
PEOPLE = word_set("people")
"""Words for tables of people."""
ROLES = word_set("roles")
"""Words of columns that point to people."""


_ID = re.compile(r"^.{1,3}(?:id|no|num|nr)$|ssn$")
"""Short names of keys."""


class _Fit(NamedTuple):
    """How well a column's name fits a table: the larger, the better."""

    score: float
    why: str


def key_of(
    table: ReadTable,
    others: Collection[tuple[str, ...]],
    notes: Notes,
    referred: Collection[str] = (),
) -> str | None:
    """The column that tells the rows of a table apart, if a single one does. `others`: the words of
    all tables; a column that is named after another one is a link. `referred`: the columns that
    foreign keys of other tables point to."""
    known = {one.name for one in table.columns}
    declared = [name for name in table.stored.key if name in known]
    if (pointed := _referred(table, declared, referred)) is not None:
        notes.inferred.append(
            f"{pointed} tells the rows of {table.name} apart: foreign keys point to it, and no "
            "value repeats"
        )
        return pointed
    if table.stored.key:
        return declared[0] if len(declared) == len(table.stored.key) == 1 else None
    if unique := [name for name in table.stored.unique if name in known]:
        return min(unique, key=lambda name: not _own_id(name, table, others))
    for one in table.columns[: len(table.columns) if table.sample.rows else 0]:
        named = _own_id(one.name, table, others) or (
            one is table.columns[0] and _first_id(one.name, others)
        )
        if named and not table.sample.repeats(one.name):
            notes.inferred.append(
                f"{one.name} tells the rows of {table.name} apart: it is named so, and no value "
                "repeats"
            )
            return one.name
    return None


def _referred(table: ReadTable, declared: Sequence[str], referred: Collection[str]) -> str | None:
    """The only column that foreign keys point to, where it is no primary key."""
    if len(referred) != 1 or set(referred) & set(declared):
        return None
    (only,) = referred
    if only not in table.meant or not table.sample.rows or table.sample.repeats(only):
        return None
    values = table.values(only)
    return only if values and len(values) == table.sample.rows else None


def referred_columns(tables: Mapping[str, ReadTable]) -> dict[str, set[str]]:
    """Table -> the columns that foreign keys of other tables point to."""
    stored = {name.lower(): name for name in tables}
    made: dict[str, set[str]] = {name: set() for name in tables}
    for table in tables.values():
        for one in table.stored.links:
            target = stored.get(one.target.lower())
            if target is None or target == table.name:
                continue
            primary = tables[target].stored.key
            key = (one.key or (primary[0] if len(primary) == 1 else "")).lower()
            made[target] |= {name for name in tables[target].meant if name.lower() == key}
    return made


def declared_links(
    tables: Mapping[str, ReadTable], keys: Mapping[str, str | None], notes: Notes
) -> list[Link]:
    """The foreign keys, from many rows to one."""
    lower = {name.lower(): name for name in tables}
    links = []
    for table in tables.values():
        for one in table.stored.links:
            target = lower.get(one.target.lower())
            if target is None:
                why = f"it points to {one.target}, which cannot be asked about"
                notes.left_out.append(f"the link {table.name}.{one.column}: {why}")
            if target is None or one.column not in table.meant:
                continue
            key = one.key or keys[target] or ""
            if (keys[target] or "").lower() == key.lower():
                links.append(Link(table.name, one.column, target))
            elif keys[table.name] == one.column and key in tables[target].meant:
                links.append(Link(target, key, table.name))
                notes.inferred.append(
                    f"{target}.{key} points to {table.name}: the foreign key is declared the "
                    "other way round, but only that side has single rows"
                )
    return list(dict.fromkeys(links))


def inferred_links(
    source: Source,
    tables: Mapping[str, ReadTable],
    keys: Mapping[str, str | None],
    declared: Sequence[Link],
    notes: Notes,
) -> list[Link]:
    """Columns that are named after another table or its key, and hold its keys."""
    taken = {(link.table, link.column) for link in declared}
    near = _by_words(tables, keys)
    made = []
    for table in tables.values():
        for column in table.meant:
            own = column == keys[table.name]
            if (table.name, column) in taken or not _may_point(table, column, own):
                continue
            for fit, target in _candidates(table, column, near, keys, own):
                values = set(table.values(column)[: 4 * LOOKED_UP])
                share = _included(source, target, keys[target.name] or "", values)
                if share >= INCLUDED:
                    made.append(Link(table.name, column, target.name))
                    notes.inferred.append(
                        f"{table.name}.{column} points to {target.name}: {fit.why}, and its "
                        f"values are {'' if share == 1 else 'nearly all '}keys there"
                    )
                    break
    return _one_way(made, keys)


def _may_point(table: ReadTable, column: str, own: bool) -> bool:
    meant, values = table.meant[column], table.values(column)
    if meant.kind not in ("number", "text") or not values:
        return False
    if any(isinstance(one, float) and not one.is_integer() for one in values):
        return False
    return not (own and table.words == words_of_name(column)[: len(table.words)])


def _by_words(
    tables: Mapping[str, ReadTable], keys: Mapping[str, str | None]
) -> dict[str, dict[str, ReadTable]]:
    """Word -> the tables whose name or key ends with it, or that are of people, by name."""
    made: dict[str, dict[str, ReadTable]] = defaultdict(dict)
    for name, table in tables.items():
        if (key := keys[name]) is None:
            continue
        ends = {*table.words[-1:], *singular(words_of_name(name))[-1:], name}
        # No column is linked for having the name "id", which most tables have.
        if key.lower() not in _GENERAL:
            ends |= {_normal(key), *words_of_name(key)[-1:]}
        if PEOPLE & set(table.words) or has_names(table):
            ends |= ROLES
        for word in ends:
            made[word][name] = table
    return made


def _candidates(
    table: ReadTable,
    column: str,
    near: Mapping[str, Mapping[str, ReadTable]],
    keys: Mapping[str, str | None],
    own: bool,
) -> Iterator[tuple[_Fit, ReadTable]]:
    """Tables that a column may point to, the most likely first."""
    words = words_of_name(column)
    said = {_normal(column), table.name, *words, *singular(words), *singular(words[:-1])}
    targets = {name: one for word in said for name, one in near.get(word, {}).items()}
    fits = []
    for _, target in sorted(targets.items()):
        key = keys[target.name]
        if key is None or (target is table and (own or key == column)):
            continue
        if table.meant[column].kind != target.meant[key].kind:
            continue
        fit = _fit(table, column, target, key)
        if fit is not None and not (own and fit.score < 3):
            fits.append((fit, target))
    yield from sorted(fits, key=lambda one: -one[0].score)


def _fit(table: ReadTable, column: str, target: ReadTable, key: str) -> _Fit | None:
    words = words_of_name(column)
    stem = singular(words[:-1]) if len(words) > 1 and words[-1] in ENDINGS else ()
    names = {target.words, singular(words_of_name(bare_name(target.name)))}
    if target is not table and (named := _by_name(column, key, stem, names)) is not None:
        return named
    if stem and (longest := _longest_end(stem, names)):
        return _Fit(3.0 + 0.1 * longest, "its name ends with that of the table")
    last = words_of_name(key)
    if words[-len(last) :] == last and not set(last) <= _GENERAL:
        return _Fit(2.5, "its name ends with that of the key there")
    longest = 0 if target is table else _longest_end(singular(words), names)
    if longest and all(isinstance(one, int) for one in table.values(column)):
        return _Fit(2.0 + 0.1 * longest, "its name ends with that of the table")
    return _by_role(table, words, stem, target)


def _by_name(
    column: str, key: str, stem: tuple[str, ...], names: Collection[tuple[str, ...]]
) -> _Fit | None:
    """How a column is called after a key or a table; None for other names. `stem`: the words of the
    column before "id" and the like. `names`: those of the table."""
    words = words_of_name(column)
    if words and _normal(column) == _normal(key) and key.lower() not in _GENERAL:
        return _Fit(5.0 if stem in names else 4.0, "it has the name of the key there")
    if stem in names:
        return _Fit(4.5, "it is named after that table")
    return _Fit(3.5, "it is named after that table") if singular(words) in names else None


def _longest_end(words: tuple[str, ...], names: Collection[tuple[str, ...]]) -> int:
    """The number of words of the longest of some names that other words end with."""
    return max((len(name) for name in names if words[-len(name) :] == name), default=0)


def _by_role(
    table: ReadTable, words: tuple[str, ...], stem: tuple[str, ...], target: ReadTable
) -> _Fit | None:
    """A column that is named after what the other row does, as `manager_id`."""
    said = set(stem or words)
    if target is table and said & SELF:
        return _Fit(2.0, f"{' '.join(stem or words)} is said of rows of the same table")
    people = bool(PEOPLE & set(target.words)) or has_names(target)
    if people and said & ROLES:
        return _Fit(1.5, f"{' '.join(stem or words)} is said of people")
    return None


def has_names(table: ReadTable) -> bool:
    """Whether a table has first and last names."""
    words = set(table.column_words.values())
    return ("last", "name") in words and bool(words & {("first", "name"), ("given", "name")})


def _included(source: Source, target: ReadTable, key: str, values: set[Any]) -> float:
    """The share of some values that are keys of a table; none where that cannot be read."""
    some = sorted(values, key=str)[:LOOKED_UP]
    if not some:
        return 0.0
    if target.sample.complete:
        return len(set(target.values(key)) & set(some)) / len(some)
    column: sa.ColumnClause[Any] = sa.column(key)
    which = sa.select(column).select_from(table_clause(target.name)).where(column.in_(some))
    try:
        return len(set(source.run(which.distinct()).rows)) / len(some)
    except ExecutionError:
        return 0.0


def _one_way(links: Sequence[Link], keys: Mapping[str, str | None]) -> list[Link]:
    """Of two keys that point to each other, the link of the table that was read later."""
    made: list[Link] = []
    for link in links:
        back = any(one.table == link.target and one.target == link.table for one in made)
        if not (back and keys[link.table] == link.column):
            made.append(link)
    return made


def _normal(name: str) -> str:
    """A name without case and separators."""
    return re.sub(r"[\W_]+", "", name.lower())


def _own_id(name: str, table: ReadTable, others: Collection[tuple[str, ...]]) -> bool:
    """Whether a column is called an id, or the id of the table or of the end of its name."""
    words = words_of_name(name)
    if len(words) == 1 and words[0] in word_set("keys"):
        return True
    stem = singular(words[:-1])
    if not stem or words[-1] not in ENDINGS:
        return False
    whole = stem in (table.words, singular(words_of_name(bare_name(table.name))))
    return whole or (stem not in others and stem == table.words[-len(stem) :])


def _first_id(name: str, others: Collection[tuple[str, ...]]) -> bool:
    """Whether a first column is called an id of something that is no table."""
    words = words_of_name(name)
    if words[-1:] and words[-1] in ENDINGS:
        return singular(words[:-1]) not in others
    return len(words) == 1 and _ID.search(words[0]) is not None
