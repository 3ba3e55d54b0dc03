"""Each data set's table with all rows: ours, the baselines run here, and what others published."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean
from string import ascii_lowercase

from partwise_papers.results.result import Result
from partwise_papers.tables.graph import over_splits
from partwise_papers.tables.grid import NOTHING, Grid
from partwise_papers.tables.published import (
    MCD,
    PART,
    PASSES,
    SPLITS,
    Published,
    Row,
    all_rows,
    note,
    published_rows,
)
from partwise_papers.tables.results import cell, data_notes
from partwise_papers.tables.span import NOTES

WHOLE = {"geoquery": "geoquery", "scan": "scan_sp", "clevr": "clevr", "cfq": "mcwq"}
"""Table -> its data set."""
FAR = 5.0
"""Points from the published figure that ask for a note."""
OWN_KINDS = ("span", "graph")
"""The parsers of this project; the others are baselines."""
GEOQUERY_NOTE = (
    "Shaw et al., Qiu et al. and Levy et al. use splits of their own (in template and length, 440 "
    "questions to train on and 440 to test), with placeholders for names."
)
SCAN_SPLITS = {"addjump": "Jump", "around_right": "AroundRight", "length": "Length"}
SCAN_SPLITS |= {name: name.upper() for name in MCD}
"""Split of ours -> its name in publications."""
SCAN_NOTE = (
    "Published models write the action sequence itself. Ours write a program of SCAN's grammar, "
    "which gives it."
)
CLEVR_NOTE = (
    "Few questions are 9,000 training questions, where the paper has 694,689. Few passes are ten."
)
MCWQ_NOTES = (
    "CFQ asks the same kind of questions over Freebase; its figures are no figures of MCWQ. "
    "What is run here is run on MCWQ.",
    f"Few pairs are {PART:,} of 49,709 to 57,189 training pairs; rows transformer-n show that "
    "twice the pairs bring 14 points and more on random. Few passes are ten; row "
    f"transformer-e{PASSES} shows what {PASSES} bring.",
)


@dataclass(frozen=True)
class Sheet:
    """What is in a table.

    Attributes:
        metric: of test.
        splits: our name of a split -> its head.
        mean: the splits that a column has the mean of.
        empty: whether rows of ours without any result stand there, too.
    """

    title: str
    dataset: str
    metric: str
    splits: Mapping[str, str]
    published: Sequence[Published]
    notes: tuple[str, ...] = ()
    mean: tuple[str, ...] = ()
    empty: bool = True


def whole_table(table: str, results: Sequence[Result]) -> list[Grid]:
    """The grids of a table, one of `WHOLE`."""
    return [_Filled(table, sheet, results).grid() for sheet in sheets(table)]


def sheets(table: str) -> tuple[Sheet, ...]:
    """What is in the grids of a table; the first one has every row."""
    dataset = WHOLE[table]
    if table == "cfq":
        title = "MCWQ and CFQ: exact match on test, percent"
        rows = published_rows("graph", dataset, "exact_match")
        splits = {**{split: split.upper() for split in MCD}, "random": "random"}
        return (Sheet(title, dataset, "exact_match", splits, rows, MCWQ_NOTES, MCD),)
    splits = {s.split: s.name for s in SPLITS if s.dataset == dataset}
    name = next(s.data_name for s in SPLITS if s.dataset == dataset)
    title = f"{name}: denotation accuracy on test, percent"
    notes: tuple[str, ...] = (*NOTES, CLEVR_NOTE) if table == "clevr" else ()
    rows = published_rows("span", dataset, "denotation")
    first = Sheet(title, dataset, "denotation", splits, rows, notes)
    if table == "clevr":
        return (first,)
    if table == "geoquery":
        title, metric, notes = "GeoQuery: exact match", "exact_match", (GEOQUERY_NOTE,)
    else:
        title, metric, notes = "SCAN: right action sequences", "denotation", (SCAN_NOTE,)
        splits = SCAN_SPLITS
    rows = published_rows("others", dataset, metric)
    title = f"{title} on test, percent"
    return first, replace(
        first, title=title, metric=metric, splits=splits, published=rows, notes=notes, empty=False
    )


class _Filled:
    """A sheet with our results put in."""

    def __init__(self, table: str, sheet: Sheet, results: Sequence[Result]) -> None:
        self.table, self.sheet = table, sheet
        self.known = {
            (s.system, s.dataset, s.split, s.variant): r for r in results for s in (r.setup,)
        }
        self.used: list[Result] = []
        self.remarks: list[str] = []
        self.letters: dict[str, str] = {}
        """Source of published figures -> what stands for it in the rows."""

    def grid(self) -> Grid:
        """The table: below each published row, those of ours that stand for it."""
        sheet, rows = self.sheet, all_rows(self.sheet.dataset)
        # Of figures on several data, those on the data of our rows come first.
        published = sorted(sheet.published, key=lambda row: row.data != "MCWQ")
        lines = []
        for model in dict.fromkeys([*(p.model for p in sheet.published), *(r.paper for r in rows)]):
            lines += [self._theirs(row) for row in published if row.model == model]
            mine = (self._mine(row) for row in rows if row.paper == model)
            lines += [line for line in mine if line is not None]
        abouts = "; ".join(f"{row.key}: {row.about}" for row in rows)
        more = (f"Rows. {abouts}.",) if sheet.empty else ()
        sources = "; ".join(f"({letter}) {source}" for source, letter in self.letters.items())
        where = (f"Published figures were not run here: {sources}.",) if sources else ()
        notes = (*where, *self.remarks, *sheet.notes, *data_notes(self.used), *more)
        middle = ("mean",) if sheet.mean else ()
        head = ("model", "from", "encoder", *sheet.splits.values(), *middle, "train", "note")
        return Grid(sheet.title, head, tuple(lines), notes)

    def _theirs(self, row: Published) -> tuple[str, ...]:
        values = [row.figures.get(split) for split in self.sheet.splits]
        cells = [NOTHING if value is None else f"{value:.1f}" for value in values]
        if self.sheet.mean:
            cells.append(f"{fmean(row.figures[split] for split in self.sheet.mean):.1f}")
        letter = self.letters.setdefault(row.source, ascii_lowercase[len(self.letters)])
        source = ", ".join(filter(None, (f"published ({letter})", row.data)))
        return (row.model, source, row.encoder or NOTHING, *cells, NOTHING, NOTHING)

    def _mine(self, row: Row) -> tuple[str, ...] | None:
        by_split = {
            split: self.known.get((row.kind, self.sheet.dataset, split, row.variant))
            for split in self.sheet.splits
        }
        there = [result for result in by_split.values() if result is not None]
        if not there and not self.sheet.empty:
            return None
        self.used += there
        cells = [cell(result, self.sheet.metric) for result in by_split.values()]
        if self.sheet.mean:
            cells.append(over_splits([by_split[split] for split in self.sheet.mean]))
        ours = f"ours of {row.former}" if row.former else "ours"
        source = f"{ours}, {row.variant}" if row.kind in OWN_KINDS else "baseline"
        encoder = (
            ", ".join(sorted({result.setup.encoder for result in there} - {"none"})) or NOTHING
        )
        sizes = [result.setup.train_size for result in there]
        ends = dict.fromkeys((min(sizes), max(sizes))) if sizes else {}
        size = " to ".join(f"{size:,}" for size in ends) or NOTHING
        return (row.key, source, encoder, *cells, size, self._remark(row, by_split))

    def _remark(self, row: Row, by_split: Mapping[str, Result | None]) -> str:
        """The number of the row's note, if it is far from what it is compared with."""
        metric = self.sheet.metric
        same = [other for other in self.sheet.published if other.model == row.paper]
        theirs = min(same, key=lambda other: other.data != "MCWQ", default=None)
        far = [
            f"{self.sheet.splits[split]} {difference:+.1f}"
            for split, result in by_split.items()
            if theirs is not None and split in theirs.figures
            if result is not None and result.seeds(metric)
            if abs(difference := 100 * result.mean_ci95(metric)[0] - theirs.figures[split]) > FAR
        ]
        if theirs is None or not far:
            return NOTHING
        number = len(self.remarks) + 1
        where = ", ".join(filter(None, (theirs.data, theirs.source)))
        against = f"{', '.join(far)} points from {theirs.model} ({where})"
        self.remarks.append(f"{number}. {row.key}: {against}: {note(self.table, row.key)}.")
        return str(number)
