"""A semantic layer made of a source: what is declared, and what its names and values let infer.

Each inference is noted with its reason. Nothing is written to the source.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from partwise.database.layer.formulas import Formula, write_formula
from partwise.database.layer.model import ColumnInfo, Measure, SemanticLayer, TableInfo
from partwise.database.source.catalogue import meanings_in, names_in, read_catalogue
from partwise.database.source.connections import Source
from partwise.database.source.keys import (
    ENDINGS,
    declared_links,
    has_names,
    inferred_links,
    key_of,
    referred_columns,
)
from partwise.database.source.lexicon import Sort, names_of, synonyms_for
from partwise.database.source.names import (
    is_short_of,
    other_words,
    table_names,
    table_words,
    words_of_name,
)
from partwise.database.source.revenue import Surroundings, measures, sorted_measures
from partwise.database.source.roles import (
    DATES,
    TableKeys,
    called,
    default_date,
    display,
    enumeration,
    is_bridge,
    is_person,
    meant_by,
    private,
    unit,
    value_names,
)
from partwise.database.source.tables import (
    FEW,
    SAMPLE,
    Notes,
    ReadTable,
    distinct_values,
    read_table,
)
from partwise.errors import DomainError, ExecutionError
from partwise.execution.relational.schema import Column, Link, Schema, Table

SECONDS_IN_ALL = 600.0
"""Then no further table is read, and what is left out is named."""
EXAMPLES = 5
"""Values that are kept of a text that is no enumeration."""
LONGEST_EXAMPLE = 60
MOST_REASONS = 20
"""Reasons in a message that nothing can be read."""
MOST_NAMED = 1000
"""The most values of a column among which signs with usual names are looked for."""


@dataclass(frozen=True)
class Imported:
    """A schema, and what of it was inferred.

    Attributes:
        tables: what was read of them, by name.
        notes: a sentence for each inference, with its reason.
        left_out: tables and columns that cannot be asked about, with the reason.
    """

    schema: Schema
    tables: Mapping[str, ReadTable]
    notes: tuple[str, ...]
    left_out: tuple[str, ...]


def read_schema(source: Source, sample: int = SAMPLE) -> Imported:
    """The tables and views of a source. `sample`: how many rows of each table are looked at. Raises
    DomainError if it has no table that can be read."""
    notes = Notes()
    stored = read_catalogue(source)
    words = table_words([one.name for one in stored])
    # Views come last: they are what may be slow.
    last = sorted(stored, key=lambda table: table.view)
    read = {one.name: read_table(source, one, words, notes, sample) for one in last}
    tables = {name: one for name in sorted(read) if (one := read[name]) is not None}
    if not tables:
        why = "".join(f"; {one}" for one in notes.left_out[:MOST_REASONS])
        raise DomainError(f"there is no table to ask about in {source.name}{why}")
    names = {table.words for table in tables.values()}
    referred = referred_columns(tables)
    keys = {name: key_of(one, names, notes, referred[name]) for name, one in tables.items()}
    links = declared_links(tables, keys, notes)
    links += inferred_links(source, tables, keys, links, notes)
    tables = _as_linked(tables, links)
    links = _ordered(links, tables)
    schema = Schema(tuple(_table(one, keys, links) for one in tables.values()), tuple(links))
    return Imported(schema, tables, tuple(notes.inferred), tuple(notes.left_out))


def import_database(source: Source, name: str, sample: int = SAMPLE) -> SemanticLayer:
    """A semantic layer of all that a source holds. `name`: of the domain. `sample`: how many rows
    of each table are looked at. Raises DomainError if it has no table that can be read."""
    bounded = source.within(SECONDS_IN_ALL)
    imported = read_schema(bounded, sample)
    notes = Notes(
        [*source.notes, *imported.notes], [f"left out: {one}" for one in imported.left_out]
    )
    read = imported.tables.values()
    synonyms = synonyms_for(
        (" ".join(one.words) for one in read),
        (meant_by(one, name) for one in read for name in one.meant),
    )
    maker = _Maker(bounded, imported, synonyms, notes)
    tables = [maker.table(one) for one in read]
    made = _unique(sorted_measures([one for table in read for one in maker.measures(table)]))
    first = {one.table: one.name for one in reversed(made)}
    notes.inferred += [
        f"{one.label} is a measure of {one.table}, by the names of its columns: "
        + write_formula(Formula(one.function, one.of, None, False), imported.schema, one.table)
        for one in made
    ]
    notes.inferred += _synonym_notes(synonyms)
    return SemanticLayer(
        name,
        imported.schema,
        tuple(replace(one, measure=first.get(one.name)) for one in tables),
        tuple(made),
        _link_names(imported.schema.links, imported.tables),
        (*notes.inferred, *notes.left_out),
    )


class _Maker:
    """Makes tables for people."""

    def __init__(
        self,
        source: Source,
        imported: Imported,
        synonyms: Mapping[Sort, Mapping[str, tuple[str, ...]]],
        notes: Notes,
    ) -> None:
        self.source, self.schema = source, imported.schema
        self.synonyms, self.notes = synonyms, notes
        self._links: dict[str, dict[str, tuple[str, ...]]] = defaultdict(dict)
        for one in imported.schema.links:
            before = self._links[one.table].get(one.column, ())
            self._links[one.table][one.column] = (*before, one.target)
        tables = imported.tables.values()
        self._placed = {one.name: (one, self.places(one)) for one in tables}

    def places(self, table: ReadTable) -> TableKeys:
        """Its key and links."""
        return TableKeys(self.schema.table(table.name).key, self._links[table.name])

    def table(self, table: ReadTable) -> TableInfo:
        """A table with its columns, without a measure."""
        places = self.places(table)
        enumerations = self._enumerations(table, places)
        shown, why = display(table, places, enumerations)
        if shown and shown != (places.key,):
            verb = "names" if len(shown) == 1 else "name"
            self._note(f"{' and '.join(shown)} {verb} a row of {table.name}: {why}")
        date = default_date(table, places)
        if date is not None:
            self._note(f"{date} says when a row of {table.name} happened, by its name")
        bridge, person = is_bridge(table, places), is_person(table)
        if bridge:
            self._note(f"{table.name} only links others: it has nothing else of its own")
        label = " ".join(table.words)
        synonyms = self.synonyms["tables"].get(label, ())
        if table.called and (other := " ".join(table.called)) not in synonyms:
            synonyms = (other, *synonyms)
            self._note(f"a row of {table.name} is also called {other}, as its key is")
        if (whole := self._whole(table.words)) and whole not in synonyms:
            synonyms = (whole, *synonyms)
            self._note(f"a row of {table.name} is also called {whole}, which it is the head of")
        label, others = called(label, table_names(table.name), has_names(table))
        return TableInfo(
            table.name,
            label,
            tuple(
                self._column(table, one.name, one.comment, enumerations) for one in table.columns
            ),
            (*synonyms, *(one for one in others if one not in (label, *synonyms))),
            table.stored.comment,
            display=shown,
            date=date,
            bridge=bridge,
            person=person,
        )

    def _whole(self, words: tuple[str, ...]) -> str:
        """What a header is the header of, where no other table has this name: an order."""
        others = {table.words for table, _ in self._placed.values()}
        whole = words[:-1] if words[-1:] in names_of("heads") else ()
        return "" if whole in others else " ".join(whole)

    def measures(self, table: ReadTable) -> list[Measure]:
        """The figures of a table."""
        comments = {one.name: one.comment for one in table.columns}
        units = {name: unit(words, comments[name]) for name, words in table.column_words.items()}
        return measures(Surroundings(table, self.places(table), units, self._placed))

    def _column(
        self, table: ReadTable, name: str, comment: str, enumerations: Mapping[str, tuple[str, ...]]
    ) -> ColumnInfo:
        words = table.column_words[name]
        kind = self.schema.column(table.name, name).kind
        hidden = private(table, name)
        if hidden:
            self._note(f"{table.name}.{name} is private: it is named like a secret")
        values = enumerations.get(name, _examples(table, name))
        texts = table.values(name) if kind == "text" else ()
        seen = tuple(sorted({str(one) for one in texts}))[:MOST_NAMED]
        usual = meant_by(table, name)
        dated = kind == "date" and not DATES.keys().isdisjoint(words)
        label = usual if dated else " ".join(words)
        measured = unit(words, comment) if kind == "number" else None
        stored = enumerations.get(name, seen)
        signs = meanings_in(comment, stored)
        for one, said in value_names(words, stored).items():
            signs[one] = tuple(dict.fromkeys((*signs.get(one, ()), *said)))
        return ColumnInfo(
            name,
            label,
            kind,
            self._column_names(table, name, words, (label, usual), comment),
            comment,
            measured,
            hidden,
            () if hidden else values,
            name in enumerations,
            {} if hidden else signs,
        )

    def _column_names(
        self,
        table: ReadTable,
        name: str,
        words: tuple[str, ...],
        labels: tuple[str, str],
        comment: str,
    ) -> tuple[str, ...]:
        """What a column is called besides its label. `labels`: its label, and that of the list of
        synonyms."""
        label, usual = labels
        leads = [self._placed[one][0].words for one in self._links[table.name].get(name, ())]
        # A key that is written out as what it leads to stands for nothing else.
        others = () if words[:-1] in leads else other_words(name)
        names = (
            *(() if unit((), comment) else names_in(comment, label)),
            # "Paid date" says no more than "paid on".
            *((usual,) if usual.split()[:-1] != label.split()[:-1] else ()),
            *self.synonyms["columns"].get(usual, ()),
            *(" ".join(one) for one in others if " ".join(one) != label),
        )
        return tuple(dict.fromkeys(names))

    def _enumerations(self, table: ReadTable, places: TableKeys) -> dict[str, tuple[str, ...]]:
        """Column -> all its values, for those that have few."""
        made = {}
        for name in table.meant:
            if enumeration(table, name, places) and (values := self._all(table, name)):
                made[name] = values
                self._note(f"{table.name}.{name} has only {len(values)} different values")
        return made

    def _all(self, table: ReadTable, column: str) -> tuple[str, ...]:
        values: Sequence[object] | None = table.values(column)
        if not table.sample.complete:
            try:
                values = distinct_values(self.source, table.name, column, FEW)
            except ExecutionError:
                self._note(f"{table.name}.{column}: its values are those of a sample")
        return tuple(sorted({str(one) for one in values or ()}))

    def _note(self, text: str) -> None:
        self.notes.inferred.append(text)


def _table(table: ReadTable, keys: Mapping[str, str | None], links: Sequence[Link]) -> Table:
    """A table with its key and links as ids."""
    ids = {link.column for link in links if link.table == table.name} | {keys[table.name]}
    columns = (
        Column(name, "id") if name in ids else Column(name, meant.kind, meant.texts, meant.format)
        for name, meant in table.meant.items()
    )
    return Table(table.name, tuple(columns), keys[table.name])


def _examples(table: ReadTable, column: str) -> tuple[str, ...]:
    if table.meant[column].kind != "text":
        return ()
    texts = dict.fromkeys(str(one) for one in table.values(column))
    return tuple([one for one in texts if len(one) <= LONGEST_EXAMPLE][:EXAMPLES])


def _unique(some: Sequence[Measure]) -> list[Measure]:
    """The same with names that are identifiers and occur once."""
    made: dict[str, Measure] = {}
    for one in some:
        name = _identifier(one.name)
        name = name if name not in made else _identifier(f"{one.table.lower()}_{one.name}")
        while name in made:
            name += "_"
        made[name] = replace(one, name=name)
    return list(made.values())


def _identifier(name: str) -> str:
    """A name with "_" for what no identifier has."""
    made = "".join(one if f"_{one}".isidentifier() else "_" for one in name)
    return made if made.isidentifier() else f"_{made}"


def _ordered(links: Sequence[Link], tables: Mapping[str, ReadTable]) -> list[Link]:
    """Links in the order of their columns, those that are named after their target first. Sources
    list them in any order. The employee of a request is who hands it in, not who decides."""
    said, places = _link_names(links, tables), list(tables)
    columns = {name: [one.name for one in table.columns] for name, table in tables.items()}

    def place(link: Link) -> tuple[int, bool, int]:
        order = columns[link.table]
        at = order.index(link.column) if link.column in order else len(order)
        return places.index(link.table), link in said, at

    return sorted(links, key=place)


def _as_linked(tables: Mapping[str, ReadTable], links: Sequence[Link]) -> dict[str, ReadTable]:
    """Tables whose links are written out as what they lead to: ``sup_id`` of products is that of a
    supplier, and not of a supervisor."""
    made = dict(tables)
    for link in links:
        words = tables[link.target].words
        if link.table != link.target and is_short_of(link.column, words):
            before = made[link.table]
            ending = before.column_words[link.column][-1]
            named = {**before.column_words, link.column: (*words, ending)}
            if len(set(named.values())) == len(named):
                made[link.table] = replace(before, column_words=named)
    return made


def _link_names(
    links: Sequence[Link], tables: Mapping[str, ReadTable]
) -> dict[Link, tuple[str, ...]]:
    """What links are called that are not named after their target."""
    made: dict[Link, tuple[str, ...]] = {}
    for link in links:
        words, target = words_of_name(link.column), tables[link.target].words
        stem = words[:-1] if len(words) > 1 and words[-1] in ENDINGS else words
        if tables[link.table].column_words[link.column][:-1] == target:
            continue
        if stem and stem != target and words != (tables[link.table].words):
            made[link] = (" ".join(stem),)
    return made


def _synonym_notes(synonyms: Mapping[Sort, Mapping[str, tuple[str, ...]]]) -> list[str]:
    return [
        f"{sort} called {label} are also called {', '.join(others)}, as is usual"
        for sort, some in synonyms.items()
        for label, others in some.items()
    ]
