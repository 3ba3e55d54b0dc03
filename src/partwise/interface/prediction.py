"""What parsers say of questions, and what comes of it when it is run: answers, tables,
explanations, and what a domain says that can be asked about."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Generic, Literal, NamedTuple, Protocol, TypeVar, runtime_checkable

from partwise.errors import DataError, PartwiseError


@dataclass(frozen=True)
class ColumnDescription:
    """A property that things of a kind have.

    Attributes:
        name: as it is stored.
        label: as people call it.
        kind: number, text, date, boolean or id.
        description: a sentence; "" if there is none.
        unit: what its numbers count; None if that is not known.
        values: all its values, where they are few; else none.
        synonyms: what else people call it.
        samples: some of its values, where they are many.
    """

    name: str
    label: str
    kind: str
    description: str = ""
    unit: str | None = None
    values: tuple[str, ...] = ()
    synonyms: tuple[str, ...] = ()
    samples: tuple[str, ...] = ()


@dataclass(frozen=True)
class TableDescription:
    """A kind of things; `links` has the tables that one of its rows leads to, by the column, and
    `left_out` says how many columns are private."""

    name: str
    label: str
    description: str
    columns: tuple[ColumnDescription, ...]
    links: dict[str, str]
    synonyms: tuple[str, ...] = ()
    left_out: int = 0


@dataclass(frozen=True)
class MeasureDescription:
    """A figure that has a name, over the rows of `table`, as it is stored."""

    name: str
    label: str
    table: str
    description: str = ""
    unit: str | None = None
    synonyms: tuple[str, ...] = ()


@dataclass(frozen=True)
class DomainDescription:
    """What can be asked about; nothing private. `left_out`: how many tables are."""

    name: str
    tables: tuple[TableDescription, ...] = ()
    measures: tuple[MeasureDescription, ...] = ()
    examples: tuple[str, ...] = ()
    left_out: int = 0


@dataclass(frozen=True)
class Completion:
    """A name that a text may go on with: `text` in the place of all that stands from `start` on.
    `kind` is table, column, measure or value, and `of` says whose."""

    text: str
    kind: str
    of: str
    start: int


M_contra = TypeVar("M_contra", contravariant=True)
Cell = str | int | float | bool | None
"""A value of a table, as JSON has it; dates are texts such as ``2024-03-01``."""


class Explanation(NamedTuple):
    """A meaning for people: the question as it was understood, in words, and the statement that
    gives the answer."""

    restated: str
    sql: str


# fmt: off
ColumnKind = Literal[
    "integer", "number", "money", "percent", "text", "date", "datetime",
    "month", "quarter", "year", "weekday", "key", "boolean",
]
# fmt: on
"""What a column of an answer holds. Months and quarters are numbers, or texts where they are those
of a year: ``2024-03``, ``2024-Q1``; weekdays are numbered from 0, Sunday; percents are out of
100."""
ColumnRole = Literal["group", "name", "figure", "value"]
"""What a column does: it makes the groups, names a group or a row, is a figure over a group, or
tells something else of a row."""


@dataclass(frozen=True)
class ResultColumn:
    """What a column of an answer holds.

    Attributes:
        unit: what its numbers count, a code as ``ms``; of money that of ISO 4217, as ``USD``. None
            if that is not known.
        sign: that of the unit, for people: ``$``; "" if there is none.
        role: None if that is not known.
        adds: whether it is a count or a sum: a group without rows has 0.
    """

    name: str
    kind: ColumnKind
    unit: str | None = None
    sign: str = ""
    role: ColumnRole | None = None
    adds: bool = False


@dataclass(frozen=True)
class ResultTable:
    """An answer that is a table.

    Attributes:
        columns: what is in each column, for people; no two are called the same.
        truncated: whether there are more rows, which are left out.
        ties: further rows that are equal to the last one in what the rows are ordered by, where
            only the first rows are asked for.
        remarks: what else must be said, as values that are taken as one.
        types: what the columns hold; none if the domain does not say.
        complete: whether these are all groups that there are, and not some that were chosen.
        ordered: whether the order of the rows was asked for.
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    explanation: Explanation
    truncated: bool = False
    ties: tuple[tuple[Cell, ...], ...] = ()
    remarks: tuple[str, ...] = ()
    types: tuple[ResultColumn, ...] = ()
    complete: bool = True
    ordered: bool = False

    @classmethod
    def of_lines(cls, lines: Sequence[str]) -> ResultTable:
        """The table of an answer that is none: one column ``answer``."""
        return cls(("answer",), tuple((line,) for line in lines), Explanation("", ""))

    @property
    def notes(self) -> tuple[str, ...]:
        """What must be said beside the rows."""
        notes = [f"only the first {len(self.rows):,} rows are shown"] if self.truncated else []
        if self.ties:
            shown = ", ".join(spell(row[0]) for row in self.ties)
            notes.append(f"tied with the last row: {shown}")
        return (*notes, *self.remarks)


@runtime_checkable
class ExplainingDomain(Protocol[M_contra]):
    """A domain that says a meaning in words; a `Domain` may be one, too. `readings` is how many
    interpretations are offered where nobody asks for a number."""

    @property
    def readings(self) -> int: ...

    def explain(self, meaning: M_contra) -> Explanation:
        """The meaning in words and as a statement. Raises PartwiseError if it cannot be run on this
        domain."""
        ...

    def describe(self) -> DomainDescription:
        """What can be asked about."""
        ...


def spell(value: Cell) -> str:
    """A value as people read it: ``0.25``, ``yes``; nothing for a missing one."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.6f}".rstrip("0").rstrip(".") if abs(value) < 1e15 else repr(value)
    return str(value)


def _of_one_type(values: Sequence[Cell]) -> list[Cell]:
    kinds = {type(value) for value in values if value is not None}
    if kinds == {int, float}:
        return [None if value is None else float(value) for value in values]
    if len(kinds) > 1:
        return [None if value is None else str(value) for value in values]
    return list(values)


def library(name: str, extra: str) -> Any:
    """A package of an extra. Raises DataError, which names the extra, if it is not installed."""
    from importlib import import_module

    try:
        return import_module(name)
    except ImportError as error:
        raise DataError(f"{name} is not installed: pip install 'partwise[{extra}]'") from error


def _drawing(module: str) -> Any:
    """A module of `partwise.drawing`, which stands above this one: nothing of it is loaded until
    something is drawn."""
    from importlib import import_module

    return import_module(f"partwise.drawing.{module}")


M = TypeVar("M")
Status = Literal["answered", "doubtful", "refused"]
"""What came of a question: an answer, one that may well be wrong, or none."""
Outcome = Literal["answered", "doubtful", "refused", "clarify"]
"""The same, and that it is asked back which meaning is wanted."""
JSON_VERSION = 2
"""Of `Answer.to_json`; a field that goes or means something else makes another version."""
FEW = 3
"""Rows of an alternative, from version 2 on; those of a refusal have none."""
EXACT = 1 << 53
"""The largest whole number that every reader of JSON takes as it is written."""


@dataclass(frozen=True)
class Option:
    """One of the meanings that a question back offers.

    Attributes:
        id: that it is chosen by.
        text: what it says where the others say something else.
        preview: the beginning of its answer.
        restated: all of it in words; None where the domain says nothing in words.
        program: the meaning, as the domain writes it.
    """

    id: str
    text: str
    preview: str
    restated: str | None
    program: str


@dataclass(frozen=True)
class Clarification:
    """A question back, where another interpretation may well be meant and has another answer.

    Attributes:
        options: two to four, the most probable first; none of them may be meant.
        gain: by how much an answer to it makes it likelier that the right answer is given.
        none: what is chosen where none of the options is meant.
    """

    question: str
    options: tuple[Option, ...]
    gain: float
    none: str

    def to_json(self) -> dict[str, Any]:
        """As JSON values, without the gain."""
        options = [dict(vars(option)) for option in self.options]
        return {"question": self.question, "options": options, "none": self.none}


@dataclass(frozen=True)
class PhraseDifference:
    """Words, as they were typed, that an alternative takes in another way than the best
    interpretation: what they give to this one, `mine`, and to the alternative, `other`."""

    words: str
    mine: tuple[str, ...]
    other: tuple[str, ...]


class Derivation(Protocol):
    """How words gave a meaning: a tree or a graph. `partwise.drawing` draws the known kinds."""

    def to_json(self) -> dict[str, Any]:
        """As JSON values."""
        ...

    def differences(self, other: Any) -> Sequence[PhraseDifference]:
        """Where another derivation of the same question takes words in another way."""
        ...


@dataclass(frozen=True)
class Prediction(Generic[M]):
    """What a parser says of a question: a meaning, or none and the reason.

    Attributes:
        question: as it was typed.
        words: as the parser sees them.
        meaning: None if there is none that can be trusted; `reason` says why.
        probability: of the meaning, from 0 to 1; not a number where it was not asked for.
        score: of the derivation, before it becomes a probability.
        derivation: which words gave which part; None if the parser does not say.
        alternatives: other meanings, the most probable first.
        unused: numbers of the words that gave nothing to the meaning.
        unknown: words that the parser has never met, as they were typed.
        corrections: names that are misspelt, as ``(words, name)``.
        ambiguous: words that name several things, with these; the first one is taken.
        context: what the meaning runs on where the question itself says so (placeholders and
            what they stand for).
        reason: why there is no meaning.
        error: what came of reading the question, if that failed.
        doubtful: whether the meaning may well be wrong.
        suggestions: questions that can be asked, where there is no meaning.
        open: whether it may be asked back what is meant, though there is no meaning.
        verified: who said that this is what the question means; "" where nobody did.
        goes_on: whether the meaning takes something of the question before.
        wish: how the answer is to be drawn, if the question says so, as `language.wishes` has it.
    """

    question: str
    words: tuple[str, ...] = ()
    meaning: M | None = None
    probability: float = 0.0
    score: float = -math.inf
    derivation: Derivation | None = None
    alternatives: tuple[Prediction[M], ...] = ()
    unused: tuple[int, ...] = ()
    unknown: tuple[str, ...] = ()
    corrections: tuple[tuple[str, str], ...] = ()
    ambiguous: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    context: Any = None
    reason: str | None = None
    error: PartwiseError | None = None
    doubtful: bool = False
    suggestions: tuple[str, ...] = ()
    open: bool = False
    verified: str = ""
    goes_on: bool = False
    wish: str = ""

    @property
    def status(self) -> Status:
        """Whether there is a meaning, and one that is likely."""
        if self.meaning is None:
            return "refused"
        return "doubtful" if self.doubtful else "answered"

    def at_least(self, probability: float | None, why: str = "") -> Prediction[M]:
        """The same if it has the probability that is asked for (None for any); else no meaning,
        with all meanings as alternatives, and `why` it is improbable, if that is known."""
        if self.meaning is None or probability is None or self.probability >= probability:
            return self
        reason = f"{why}; " if why else ""
        reason += (
            f"the best interpretation has a probability of {100 * self.probability:.0f} %, and at "
            f"least {100 * probability:.0f} % is asked for"
        )
        return self.refused(reason)

    def refused(self, reason: str) -> Prediction[M]:
        """The same without a meaning, with all meanings as alternatives."""
        best = replace(self, alternatives=())
        return replace(
            self,
            meaning=None,
            probability=0.0,
            score=-math.inf,
            derivation=None,
            alternatives=(best, *self.alternatives),
            reason=reason,
        )


class Turn(NamedTuple):
    """A question and what it was taken to mean, which the next question may go on from. Whoever
    asks keeps it: the parser remembers nothing."""

    question: str
    meaning: Any


@dataclass(frozen=True)
class Answer(Generic[M]):
    """A question with its answer.

    Attributes:
        prediction: what the parser says of the question.
        text: the meaning as text: a program or a query.
        lines: for people, one line a thing; empty if there is none.
        value: what the domain gave.
        reason: why there is no answer.
        error: what came of running the meaning, if that failed.
        alternatives: other interpretations with other answers, the most probable first.
        differences: where this alternative takes words in another way than the best one.
        explanation: the meaning in words, from a domain that gives them.
        clarification: what is asked back, where it is not sure which interpretation is meant.
    """

    prediction: Prediction[M]
    text: str | None = None
    lines: tuple[str, ...] = ()
    value: Any = None
    reason: str | None = None
    error: PartwiseError | None = None
    alternatives: tuple[Answer[M], ...] = ()
    differences: tuple[PhraseDifference, ...] = ()
    explanation: Explanation | None = None
    clarification: Clarification | None = None

    @property
    def question(self) -> str:
        """As it was typed."""
        return self.prediction.question

    @property
    def status(self) -> Status:
        """That of the prediction; refused, too, for a meaning that fails to run. Doubtful, too, for
        an empty answer: people rarely ask for what does not exist."""
        if self.reason is not None:
            return "refused"
        nothing = self.value is not None and not self.lines
        return "doubtful" if nothing else self.prediction.status

    @property
    def turn(self) -> Turn | None:
        """What the next question may go on from; None without a meaning."""
        meaning = self.prediction.meaning
        return None if meaning is None else Turn(self.question, meaning)

    @property
    def ignored(self) -> tuple[str, ...]:
        """The words that gave nothing to the meaning."""
        return tuple(self.prediction.words[number] for number in self.prediction.unused)

    @property
    def table(self) -> ResultTable | None:
        """The answer, if it is a table."""
        return self.value if isinstance(self.value, ResultTable) else None

    def __str__(self) -> str:
        """The answer, or why there is none."""
        return "; ".join(self.lines) if self.reason is None else f"no answer: {self.reason}"

    def to_pandas(self) -> Any:
        """The answer as a `pandas.DataFrame`; of one column ``answer`` if it is no table. Raises
        DataError if pandas is not installed."""
        return library("pandas", "pandas").DataFrame(self.to_columns())

    def to_polars(self) -> Any:
        """The same as a `polars.DataFrame`; raises DataError if polars is not installed."""
        return library("polars", "polars").DataFrame(self.to_columns())

    def to_arrow(self) -> Any:
        """The same as a `pyarrow.Table`; raises DataError if pyarrow is not installed."""
        return library("pyarrow", "batch").table(self.to_columns())

    def to_columns(self) -> dict[str, list[Cell]]:
        """The values by column; texts, if a column has values of several types. Raises DataError
        if there is no answer, with the reason."""
        if self.reason is not None:
            raise DataError(f"{self}")
        if self.table is None:
            return {"answer": list(self.lines)}
        names, rows = self.table.columns, self.table.rows
        values = zip(*rows, strict=True) if rows else ((),) * len(names)
        return dict(zip(names, map(_of_one_type, values), strict=True))

    def display(self) -> Any:
        """How the answer is best seen, a `partwise.drawing.charts.Display`; None if there is
        none."""
        if self.reason is not None or self.value is None:
            return None
        table = self.table or ResultTable.of_lines(self.lines)
        return _drawing("charts").display(table, self.prediction.wish)

    def chart(self) -> dict[str, Any]:
        """The answer's chart, a Vega-Lite specification with its data, which notebooks draw. Raises
        DataError if it is better seen as a number or a table: the question may ask for a chart."""
        return _drawing("saving").made_chart(self.display())  # type: ignore[no-any-return]

    def save_chart(self, file: str | Path) -> None:
        """Write the chart as .png, .svg, .html or .json. Raises DataError as `chart`, and if the
        extra ``charts`` is missing, which only .json does without."""
        _drawing("saving").save_chart(self.chart(), Path(file))

    def save(self, file: str | Path) -> None:
        """Write the rows as .csv or .parquet. Raises DataError if there is no answer."""
        _drawing("saving").save_table(self, Path(file))

    def _repr_html_(self) -> str:
        return _drawing("saving").html_of(self, self.display())  # type: ignore[no-any-return]

    def to_json(
        self, ran: bool = True, version: int = JSON_VERSION, display: bool = False
    ) -> dict[str, Any]:
        """As JSON values, with the alternatives; docs/reference/json.md describes them. ``answer``
        is there if meanings were run, and null without an answer. `display`: whether it is said
        how the answer is best seen, with its chart."""
        old = version < JSON_VERSION
        rows = None if old else FEW if self.reason is None else 0
        values = {
            "version": version,
            "question": self.question,
            "words": list(self.prediction.words),
            **self._one(ran),
            **({} if old else self._asked_back()),
            "suggestions": list(self.prediction.suggestions),
            "alternatives": [other._one(ran, rows) for other in self.alternatives],
        }
        seen = self.display() if display and ran and self.clarification is None else None
        values |= {} if seen is None else {"display": seen.to_json()}
        return readable_json(values, None if old else EXACT)  # type: ignore[no-any-return]

    def _asked_back(self) -> dict[str, Any]:
        back, verified = self.clarification, self.prediction.verified or None
        if back is None:
            return {"clarification": None, "verified": verified}
        return {"outcome": "clarify", "clarification": back.to_json(), "verified": verified}

    def _one(self, ran: bool, rows: int | None = None) -> dict[str, Any]:
        said = self.prediction
        values: dict[str, Any] = {
            "meaning": self.text,
            "program": self.text,
            "probability": said.probability,
            "score": said.score,
            "status": self.status,
            "outcome": self.status,
            "restated": None if self.explanation is None else self.explanation.restated,
            "sql": None if self.explanation is None else self.explanation.sql,
        }
        if ran:
            values |= self._answer(rows)
        return {
            **values,
            "ignored": list(self.ignored),
            "derivation": None if said.derivation is None else said.derivation.to_json(),
            "unused": list(said.unused),
            "unknown": list(said.unknown),
            "corrections": [list(pair) for pair in said.corrections],
            "ambiguous": {name: list(things) for name, things in said.ambiguous.items()},
            "differences": [
                {"words": d.words, "mine": list(d.mine), "other": list(d.other)}
                for d in self.differences
            ],
            "reason": self.reason,
            "goes_on": said.goes_on,
        }

    def _answer(self, rows: int | None) -> dict[str, Any]:
        table = self.table
        if self.reason is not None or table is None or rows == 0:
            none = self.reason is not None or rows == 0
            answer = None if none else list(self.lines[:rows])
            cut = answer is not None and len(answer) < len(self.lines)
            return {"answer": answer, "columns": None, "truncated": cut, "notes": []}
        if rows is not None and len(table.rows) > rows:
            table = replace(table, rows=table.rows[:rows], truncated=True, ties=())
        return {
            "answer": [list(row) for row in table.rows],
            "columns": list(table.columns),
            "truncated": table.truncated,
            "notes": list(table.notes),
        }


def readable_json(value: Any, exact: int | None = None) -> Any:
    """JSON values that every reader takes: null for what is no finite number, and texts for whole
    numbers above `exact`."""
    if isinstance(value, dict):
        return {name: readable_json(part, exact) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [readable_json(part, exact) for part in value]
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return str(value) if exact and isinstance(value, int) and abs(value) > exact else value
