"""What a person corrects: confirmed questions, asked again after changes, words that are names, and
prices that the confirmed questions teach.

Asking again leaves the confirmed meanings aside: it tells what the parser finds by itself.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping, Sequence
from copy import copy
from dataclasses import replace
from pathlib import Path
from statistics import fmean
from typing import Any, Literal, NamedTuple

from ruamel.yaml.comments import CommentedMap, CommentedSeq

from partwise.database.cache import Cache
from partwise.database.confirmed import Confirmed, today_text
from partwise.database.domain import DatabaseDomain, used
from partwise.database.folder import MODULE, layer_file
from partwise.database.inference import DatabaseInference, Parses
from partwise.database.judging import right_of
from partwise.database.layer.files import dump, load, read_layer
from partwise.database.layer.model import SemanticLayer
from partwise.database.prices import (
    FILE,
    Known,
    Prices,
    fit_prices,
    keys_of,
    log_share,
    priced,
    text_of,
)
from partwise.database.spans.text import function_words
from partwise.errors import ChoiceError, DataError, PartwiseError, TooCostlyError
from partwise.execution.relational.program import Program
from partwise.interface.answering import READ, answered, chosen, interpretations
from partwise.interface.data import Example
from partwise.interface.files import write_whole
from partwise.language.wishes import split_wish

BEFORE = ".before"
"""The ending of a file as it was before its last change; empty where there was none."""
TRIED = 40
"""Synonyms that are tried."""
FEWEST = 5
"""Confirmed questions that prices are fitted on, at least."""


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


def write_changes(folder: Path, synonyms: Sequence[Synonym], prices: str = "") -> str:
    """Write synonyms into the file of a layer, and beside it the text of prices, if there are any.
    Returns what changed, as a diff.

    Raises:
        DataError: if there is no such place, or the file cannot be changed.
    """
    after, layer = {folder / FILE: prices} if prices else {}, layer_file(folder)
    if synonyms:
        if layer.name == MODULE:
            raise DataError(f"{layer} is not rewritten; convert it to YAML first: partwise convert")
        tree = load(layer)
        for word, place in synonyms:
            _add(tree, word, place)
        after[layer] = dump(tree)
    before = {file: _text(file) for file in after}
    try:
        diff = _replace(after)
        read_layer(layer) if synonyms else None
    except DataError:
        _replace(before)
        raise
    for kept in (folder / FILE, layer):
        kept.with_name(kept.name + BEFORE).unlink(missing_ok=True)
    for file, text in before.items():
        file.with_name(file.name + BEFORE).write_text(text, "utf-8")
    return diff


def undo_changes(folder: Path) -> str:
    """Take back what `write_changes` wrote last. Returns what changed, as a diff; raises DataError
    if there is nothing to take back."""
    kept = {x: x.with_name(x.name + BEFORE) for x in (layer_file(folder), folder / FILE)}
    before = {file: _text(old) for file, old in kept.items() if old.is_file()}
    if not before:
        raise DataError(f"nothing was changed in {folder} that could be taken back")
    diff = _replace(before)
    for old in kept.values():
        old.unlink(missing_ok=True)
    return diff


def _text(file: Path) -> str:
    return file.read_text("utf-8") if file.is_file() else ""


def _replace(texts: Mapping[Path, str]) -> str:
    """Give files other texts, and take away those that get none. Returns what changed."""
    diffs = []
    for file, text in texts.items():
        diffs.append(_diff(_text(file), text, file.name))
        if text:
            write_whole(file, lambda part, text=text: part.write_text(text, "utf-8"))  # type: ignore[misc]
        else:
            file.unlink(missing_ok=True)
    return "\n".join(diffs)


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
    parser, made = with_changes(parser), list[Synonym]()
    entries = _entries(parser)
    right, tried = _found(parser, entries), 0
    for entry in entries:
        for synonym in _candidates(parser, entry) if entry.question not in right else ():
            tried += 1
            with_it = with_changes(parser, [*made, synonym])
            if tried > TRIED or entry.question in right or not _found(with_it, [entry]):
                continue
            now = _found(with_it, entries)
            if right < now:
                made, right = [*made, synonym], now
    return made


def _entries(parser: Any) -> list[Confirmed]:
    known = database_of(parser).confirmed
    assert known is not None
    return [x for _, x in known.lines() if isinstance(x, Confirmed)]


def _found(parser: Any, entries: Sequence[Confirmed]) -> set[str]:
    """The questions whose meaning the parser finds by itself."""
    meant = ((entry.question, _meaning(parser.domain, entry)) for entry in entries)
    return {
        question
        for question, meaning in meant
        if meaning is not None and _same(parser.domain, _best(parser, question), meaning)
    }


def _meaning(domain: DatabaseDomain, entry: Confirmed) -> Program | None:
    """What was confirmed; None if it can no longer be used."""
    try:
        return entry.meaning(domain)
    except PartwiseError:
        return None


def _candidates(parser: Any, entry: Confirmed) -> Iterator[Synonym]:
    """Words of a question, those that were passed over first, for what its program uses."""
    domain, meaning = parser.domain, _meaning(parser.domain, entry)
    if meaning is None:
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


def with_changes(
    parser: Any, synonyms: Sequence[Synonym] = (), prices: Prices | None = None
) -> Any:
    """The parser, for its database with further names, and with other prices if any are given."""
    made, domain = copy(parser), copy(parser.domain)
    # What is tried does not take the place of what is kept on disk.
    known = getattr(parser, "encoded", None)
    domain.cache, made.encoded = Cache(), {} if known is None else known
    domain.prices = parser.domain.prices if prices is None else lambda: prices
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


# --- prices --------------------------------------------------------------------------------------


class FittedPrices(NamedTuple):
    """Prices, and how many of the confirmed questions are found by them.

    Attributes:
        questions: that a right interpretation was found of.
        before, held_out: of these, for how many it is the best one without prices, and with those
            that were fitted on all others.
        likelier: by how much the logarithm of the probability of what was held out rose on average.
        helps: whether more are found when held out, and none is lost.
    """

    prices: Prices
    questions: int = 0
    before: int = 0
    held_out: int = 0
    likelier: float = 0.0
    helps: bool = False

    def __str__(self) -> str:
        """What they bring."""
        if self.questions < FEWEST:
            return (
                f"need {FEWEST} confirmed questions that can be found; there are {self.questions}"
            )
        found = (
            f"{self.held_out} of {self.questions} are found when held out, {self.before} without"
        )
        return found if self.helps else f"would not help: {found}"

    def text(self) -> str:
        """Of their file."""
        fitted = {"when": today_text(), **self._asdict()}
        del fitted["prices"], fitted["helps"]
        return text_of(self.prices, fitted)


def fit_to_confirmed(parser: Any, synonyms: Sequence[Synonym] = ()) -> FittedPrices:
    """Prices that let more of the confirmed questions be found when each is left out of those that
    they are fitted on, and that lose none of them. `synonyms`: that are written as well."""
    plain, entries = with_changes(parser, synonyms, {}), _entries(parser)
    lists = [x for x in (_Listed.of(plain, x) for x in entries) if x is not None]
    if len(lists) < FEWEST:
        return FittedPrices({}, len(lists))
    without = [fit_prices([x.known for x in lists if x is not one]) for one in lists]
    both = list(zip(lists, without, strict=True))
    likelier = fmean(log_share(x.known, some) - log_share(x.known, {}) for x, some in both)
    made = FittedPrices(
        fit_prices([x.known for x in lists]),
        len(lists),
        sum(x.is_found(plain, {}) for x in lists),
        sum(x.is_found(plain, some) for x, some in both),
        round(likelier, 4),
    )
    if made.held_out <= made.before:
        return made
    priced_parser = with_changes(plain, prices=made.prices)
    return made._replace(helps=_found(plain, entries) <= _found(priced_parser, entries))


class _Listed(NamedTuple):
    """A confirmed question as it was parsed without prices.

    Attributes:
        right: of each of its programs, whether it says what was confirmed.
    """

    question: str
    parses: Parses
    right: Mapping[Program, bool]
    known: Known

    @classmethod
    def of(cls, parser: Any, entry: Confirmed) -> _Listed | None:
        """None if it is no parser that has prices, or finds no interpretation that is right."""
        domain, meaning = parser.domain, _meaning(parser.domain, entry)
        if meaning is None or not isinstance(parser, DatabaseInference):
            return None
        question, schema = split_wish(entry.question).question, domain.layer.schema
        try:
            parses = parser.read(question, work=parser.budget.start())
        except TooCostlyError:
            return None
        programs = [x.program for x in parses.interpretations]
        is_right = right_of(domain, Example(question, meaning))
        right = {program: is_right(program) for program in programs}
        keys = [keys_of(program, parses.asked, schema) for program in programs]
        known = Known(keys, parses.whole, list(right.values()))
        return cls(question, parses, right, known) if any(known.right) else None

    def is_found(self, parser: DatabaseInference, prices: Prices) -> bool:
        """Whether the best interpretation by some prices is right."""
        layer, (_, parses, right, _) = parser.domain.layer, self  # type: ignore[attr-defined]
        some = priced(parses.interpretations, parses.asked, prices, layer.schema)
        parses = parses._replace(interpretations=some, odds=())
        return right[parser.rerank(self.question, parses, layer).interpretations[0].program]
