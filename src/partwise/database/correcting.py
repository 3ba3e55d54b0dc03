"""What a person corrects: confirmed questions, asked again after changes, and words that are names.

Asking again leaves the confirmed meanings aside: it tells what the parser finds by itself.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence
from copy import copy
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal, NamedTuple

from ruamel.yaml.comments import CommentedMap, CommentedSeq

from partwise.database.cache import Cache
from partwise.database.confirmed import Confirmed, today_text
from partwise.database.domain import DatabaseDomain, used
from partwise.database.folder import MODULE, layer_file
from partwise.database.layer.files import dump, load, read_layer
from partwise.database.layer.model import SemanticLayer
from partwise.database.spans.text import function_words
from partwise.errors import ChoiceError, DataError, PartwiseError
from partwise.execution.relational.program import Program
from partwise.interface.answering import READ, answered, chosen, interpretations
from partwise.interface.files import write_whole

BEFORE = ".before"
"""The ending of a layer's file as it was before its last synonym."""
TRIED = 40
"""Synonyms that are tried."""


# --- confirmed questions -------------------------------------------------------------------------


def confirm(
    parser: Any, question: str, who: str, program: str = "", option: str | int | None = None
) -> Confirmed:
    """Write down what a question means: a program, an option of a question back (its id, or the
    number of an interpretation as `ask` shows them, from 1), or else what it is taken to mean.

    Raises:
        ChoiceError: if there is no such option, or the program has a day that is not asked for.
        DataError: if there is no folder where it can be written.
        PartwiseError: if the program cannot be read, uses what is private, or does not run.
    """
    domain = database_of(parser)
    (prediction,) = parser.parse([question], READ)
    if program:
        meaning = domain.read(program)
    elif isinstance(option, str):
        meaning = _meant(chosen(prediction, domain, option).prediction.meaning)
    else:
        found = interpretations(prediction, domain)
        if option is not None and not 1 <= option <= len(found):
            raise ChoiceError(f"there is no interpretation {option}; there are {len(found)}")
        meaning = _meant(found[(option or 1) - 1].prediction.meaning if found else None)
    domain.run(meaning)
    alone = _same(domain, prediction.meaning, meaning)
    entry = Confirmed(question, domain.write(meaning), who, today_text(), alone)
    entry.meaning(domain)
    assert domain.confirmed is not None
    domain.confirmed.add(entry)
    return entry


def database_of(parser: Any) -> DatabaseDomain:
    """The database of a parser. Raises DataError if it has no folder to write to."""
    domain = parser.domain
    if not isinstance(domain, DatabaseDomain) or domain.confirmed is None:
        raise DataError(f"{domain.name} is no folder of a database: make one with partwise new")
    return domain


def _meant(meaning: Program | None) -> Program:
    if meaning is None:
        raise ChoiceError("it has no interpretation: say what it means by a program")
    return meaning


def _same(domain: DatabaseDomain, some: Program | None, other: Program) -> bool:
    """Whether programs say the same, or have one answer."""
    if some is None:
        return False
    if domain.canonical(some) == domain.canonical(other):
        return True
    try:
        return domain.denotation(domain.run(some)) == domain.denotation(domain.run(other))
    except PartwiseError:
        return False


class AskedAgain(NamedTuple):
    """A confirmed question, asked again.

    Attributes:
        status: ``same``: the parser finds it by itself; ``kept``: it never did, and the file says
            it; ``changed``: it did and no longer does; ``lost``: it cannot be answered.
        now: what the parser takes it to mean by itself, in words.
        why: it cannot be answered.
    """

    question: str
    program: str
    status: Literal["same", "kept", "changed", "lost"]
    now: str | None = None
    why: str | None = None


def ask_again(parser: Any) -> Iterator[AskedAgain]:
    """All confirmed questions of a parser's database, asked again."""
    domain = database_of(parser)
    assert domain.confirmed is not None
    for number, entry in domain.confirmed.lines():
        if isinstance(entry, str):
            yield AskedAgain(f"line {number}", "", "lost", why=entry)
            continue
        about = (entry.question, entry.program)
        try:
            meaning = entry.meaning(domain)
            domain.run(meaning)
        except PartwiseError as error:
            yield AskedAgain(*about, "lost", why=str(error))
            continue
        best = _best(parser, entry.question)
        if _same(domain, best, meaning):
            yield AskedAgain(*about, "same")
        else:
            now = None if best is None else domain.explain(best).restated
            yield AskedAgain(*about, "changed" if entry.alone else "kept", now)


def _best(parser: Any, question: str) -> Program | None:
    """What the parser answers by itself."""
    (prediction,) = parser.parse([question], READ)
    meaning: Program | None = answered(prediction, parser.domain).prediction.meaning
    return meaning


# --- synonyms ------------------------------------------------------------------------------------


class Synonym(NamedTuple):
    """A word for a table, a column or a measure (`place`: ``customer``, ``customer.country``)."""

    word: str
    place: str


def write_synonyms(folder: Path, synonyms: Sequence[Synonym]) -> str:
    """Write synonyms into the file of a layer. Returns what changed, as a diff.

    Raises:
        DataError: if there is no such place, or the file cannot be changed.
    """
    file = _yaml(folder)
    before, tree = file.read_text("utf-8"), load(file)
    for word, place in synonyms:
        _add(tree, word, place)
    after = dump(tree)
    write_whole(file, lambda part: part.write_text(after, "utf-8"))
    try:
        read_layer(file)
    except DataError:
        write_whole(file, lambda part: part.write_text(before, "utf-8"))
        raise
    file.with_name(file.name + BEFORE).write_text(before, "utf-8")
    return _diff(before, after, file.name)


def name_word(parser: Any, word: str, place: str) -> None:
    """Write down what a word means, as `write_synonyms`, of what is not private."""
    domain = database_of(parser)
    described = domain.describe()
    places = {measure.name for measure in described.measures}
    for table in described.tables:
        places |= {table.name, *(f"{table.name}.{column.name}" for column in table.columns)}
    if place not in places:
        raise ChoiceError(f"there is no {place}")
    assert domain.confirmed is not None
    write_synonyms(domain.confirmed.file.parent, [Synonym(word, place)])


def undo_synonyms(folder: Path) -> str:
    """Take back what `write_synonyms` wrote last. Returns what changed, as a diff; raises DataError
    if there is nothing to take back."""
    file = _yaml(folder)
    kept = file.with_name(file.name + BEFORE)
    if not kept.is_file():
        raise DataError(f"nothing was changed in {file} that could be taken back")
    before = file.read_text("utf-8")
    kept.replace(file)
    return _diff(before, file.read_text("utf-8"), file.name)


def _yaml(folder: Path) -> Path:
    file = layer_file(folder)
    if file.name == MODULE:
        raise DataError(f"{file} is not rewritten; convert it to YAML first: partwise convert")
    return file


def _diff(before: str, after: str, name: str) -> str:
    lines = difflib.unified_diff(before.splitlines(), after.splitlines(), name, name, "", "", 1, "")
    return "\n".join(lines)


def _add(tree: CommentedMap, word: str, place: str) -> None:
    table, _, column = place.partition(".")
    tables = tree["tables"]
    owner, key = (tables, table) if not column else (tables.get(table, {}).get("columns"), column)
    if key not in (owner or ()):
        measures = (entry.get("measures") or {} for entry in tables.values())
        owner, key = next((some for some in measures if place in some), None), place
    if owner is None:
        raise DataError(f"there is no {place}: name TABLE, TABLE.COLUMN or a measure as stored")
    if not isinstance(owner[key], CommentedMap):
        short = "formula" if key == place and owner is not tables else "kind"
        owner[key] = CommentedMap({short: owner[key]})
        owner[key].fa.set_flow_style()
    known = owner[key].get("synonyms") or []
    every = [*(known if isinstance(known, list) else [known]), word]
    made = CommentedSeq(dict.fromkeys(every))
    made.fa.set_flow_style()
    if "synonyms" in owner[key]:
        owner[key]["synonyms"] = made
    else:
        owner[key].insert(1, "synonyms", made)


def propose_synonyms(parser: Any) -> list[Synonym]:
    """Words of confirmed questions that the parser passes over, and what they may name: with these
    it finds more of the questions by itself, and loses none."""
    domain, made = database_of(parser), list[Synonym]()
    assert domain.confirmed is not None
    entries = [x for _, x in domain.confirmed.lines() if isinstance(x, Confirmed)]
    parser = _with(parser, ())
    right, tried = _found(parser, entries), 0
    for entry in entries:
        for synonym in _candidates(parser, entry) if entry.question not in right else ():
            tried += 1
            with_it = _with(parser, [*made, synonym])
            if tried > TRIED or entry.question in right or not _found(with_it, [entry]):
                continue
            now = _found(with_it, entries)
            if right < now:
                made, right = [*made, synonym], now
    return made


def _found(parser: Any, entries: Sequence[Confirmed]) -> set[str]:
    """The questions whose meaning the parser finds by itself."""
    domain, found = parser.domain, set[str]()
    for entry in entries:
        try:
            meaning = entry.meaning(domain)
        except PartwiseError:
            continue
        if _same(domain, _best(parser, entry.question), meaning):
            found.add(entry.question)
    return found


def _candidates(parser: Any, entry: Confirmed) -> Iterator[Synonym]:
    """Words of a question, those that were passed over first, for what its program uses."""
    domain = parser.domain
    try:
        meaning = entry.meaning(domain)
    except PartwiseError:
        return
    (prediction,) = parser.parse([entry.question], 1)
    small, schema = function_words(), domain.layer.schema
    best = () if prediction.meaning is None else used(prediction.meaning, "", schema)
    missing = [place for place in dict.fromkeys(used(meaning, "", schema)) if place not in {*best}]
    passed = [prediction.words[number] for number in prediction.unused]
    others = [x for x in prediction.words if x not in passed and x.lower() not in small]
    for word in (*passed, *others):
        for table, column in missing:
            if word.isalpha():
                yield Synonym(word.lower(), table if column is None else f"{table}.{column}")


def _with(parser: Any, synonyms: Sequence[Synonym]) -> Any:
    """The parser, for its database with further names."""
    made, domain = copy(parser), copy(parser.domain)
    # What is tried does not take the place of what is kept on disk, and encodes new names alone.
    known = getattr(parser, "encoded", None)
    domain.cache, made.encoded = Cache(), {} if known is None else known
    for word, place in synonyms:
        domain.layer = _named(domain.layer, word, *place.partition(".")[::2])
    made.domain = domain
    made.__dict__.pop("names", None)
    return made


def _named(layer: SemanticLayer, word: str, table: str, column: str) -> SemanticLayer:
    info = layer.table(table)
    if column:
        columns = tuple(
            replace(x, synonyms=(*x.synonyms, word)) if x.name == column else x
            for x in info.columns
        )
        changed = replace(info, columns=columns)
    else:
        changed = replace(info, synonyms=(*info.synonyms, word))
    return replace(layer, tables=tuple(changed if x is info else x for x in layer.tables))
