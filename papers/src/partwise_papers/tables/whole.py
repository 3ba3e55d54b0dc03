"""Each data set's table with all rows: ours, the baselines run here, and what others published."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from string import ascii_lowercase

from partwise_papers.results.result import Result
from partwise_papers.tables.baselines import PART, PASSES, all_rows
from partwise_papers.tables.columns import cell, data_notes
from partwise_papers.tables.graph import over_splits
from partwise_papers.tables.grid import NOTHING, Grid
from partwise_papers.tables.notes import note
from partwise_papers.tables.published_graph import (
    CFQ,
    MCWQ,
    MCWQ_SOURCE,
    MCWQ_SOURCES,
    RANDOM,
    Three,
)
from partwise_papers.tables.published_graph import SPLITS as MCD
from partwise_papers.tables.published_other import (
    GEOQUERY,
    GEOQUERY_NOTE,
    SCAN,
    SCAN_NOTE,
    SCAN_SPLITS,
    Published,
)
from partwise_papers.tables.published_span import (
    ENCODERS,
    NOTES,
    PAPER_ENCODER,
    SPLITS,
    TABLE2,
    Row,
    figures,
)

WHOLE = {"geoquery": "geoquery", "scan": "scan_sp", "clevr": "clevr", "cfq": "mcwq"}
"""Table -> its data set."""
FAR = 5.0
"""Points from the published figure that ask for a note."""
OWN_KINDS = ("span", "graph")
"""The parsers of this project; the others are baselines."""


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
    """The grids of a table.

    Args:
        table: one of `WHOLE`.
    """
    return [_Filled(table, sheet, results).grid() for sheet in sheets(table)]


def sheets(table: str) -> tuple[Sheet, ...]:
    """What is in the grids of a table; the first one has every row."""
    if table == "cfq":
        return (_queries(),)
    first = _span(WHOLE[table])
    if table == "geoquery":
        title, splits = "GeoQuery: exact match on test, percent", first.splits
        other = Sheet(title, "geoquery", "exact_match", splits, GEOQUERY, (GEOQUERY_NOTE,))
    elif table == "scan":
        title = "SCAN: right action sequences on test, percent"
        other = Sheet(title, "scan_sp", "denotation", SCAN_SPLITS, SCAN, (SCAN_NOTE,))
    else:
        return (first,)
    return first, Sheet(**{**vars(other), "empty": False})


CLEVR_NOTE = (
    "Few questions are 9,000 training questions, where the paper has 694,689. Few passes are ten."
)


def _span(dataset: str) -> Sheet:
    splits = {s.split: s.name for s in SPLITS if s.dataset == dataset}
    name = next(s.data_name for s in SPLITS if s.dataset == dataset)
    published = []
    for model in TABLE2:
        pairs = {split: figures(model, dataset, split) for split in splits}
        test = {split: pair[1] for split, pair in pairs.items() if pair is not None}
        encoder = ENCODERS.get(model, PAPER_ENCODER)
        if test:
            published.append(Published(model, "Herzig and Berant 2021", test, encoder))
    notes = (*NOTES, CLEVR_NOTE) if dataset == "clevr" else ()
    title = f"{name}: denotation accuracy on test, percent"
    return Sheet(title, dataset, "denotation", splits, published, notes)


def _queries() -> Sheet:
    published: list[Published] = []
    for model in dict.fromkeys((*CFQ, *MCWQ)):
        if model in MCWQ:
            source = MCWQ_SOURCES.get(model, MCWQ_SOURCE)
            both = {**_mcd(MCWQ[model]), "random": RANDOM[model]}
            published.append(Published(model, source, both, data="MCWQ"))
        if model in CFQ:
            source, three = CFQ[model]
            published.append(Published(model, source, _mcd(three), data="CFQ"))
    notes = (
        "CFQ asks the same kind of questions over Freebase; its figures are no figures of MCWQ. "
        "What is run here is run on MCWQ.",
        f"Few pairs are {PART:,} of 49,709 to 57,189 training pairs; rows transformer-n show that "
        "twice the pairs bring 14 points and more on random. Few passes are ten; row "
        f"transformer-e{PASSES} shows what {PASSES} bring.",
    )
    splits = {**{split: split.upper() for split in MCD}, "random": "random"}
    title = "MCWQ and CFQ: exact match on test, percent"
    return Sheet(title, "mcwq", "exact_match", splits, published, notes, MCD)


def _mcd(three: Three) -> dict[str, float]:
    return dict(zip(MCD, three, strict=True))


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
        lines = []
        for model in dict.fromkeys([*(p.model for p in sheet.published), *(r.paper for r in rows)]):
            lines += [self._theirs(one) for one in sheet.published if one.model == model]
            mine = (self._mine(row) for row in rows if row.paper == model)
            lines += [line for line in mine if line is not None]
        abouts = "; ".join(f"{row.key}: {row.about}" for row in rows)
        more = (f"Rows. {abouts}.",) if sheet.empty else ()
        sources = "; ".join(f"({letter}) {source}" for source, letter in self.letters.items())
        published = (f"Published figures were not run here: {sources}.",) if sources else ()
        notes = (*published, *self.remarks, *sheet.notes, *data_notes(self.used), *more)
        middle = ("mean",) if sheet.mean else ()
        head = ("model", "from", "encoder", *sheet.splits.values(), *middle, "train", "note")
        return Grid(sheet.title, head, tuple(lines), notes)

    def _theirs(self, one: Published) -> tuple[str, ...]:
        values = [one.figures.get(split) for split in self.sheet.splits]
        cells = [NOTHING if value is None else f"{value:.1f}" for value in values]
        if self.sheet.mean:
            cells.append(f"{fmean(one.figures[split] for split in self.sheet.mean):.1f}")
        letter = self.letters.setdefault(one.source, ascii_lowercase[len(self.letters)])
        source = ", ".join(filter(None, (f"published ({letter})", one.data)))
        return (one.model, source, one.encoder or NOTHING, *cells, NOTHING, NOTHING)

    def _mine(self, row: Row) -> tuple[str, ...] | None:
        (variant, *_), dataset = row.variants, self.sheet.dataset
        by_split = {s: self.known.get((row.kind, dataset, s, variant)) for s in self.sheet.splits}
        there = [one for one in by_split.values() if one is not None]
        if not there and not self.sheet.empty:
            return None
        self.used += there
        cells = [cell(one, self.sheet.metric) for one in by_split.values()]
        if self.sheet.mean:
            cells.append(over_splits([by_split[split] for split in self.sheet.mean]))
        source = f"ours, {variant}" if row.kind in OWN_KINDS else "baseline"
        encoder = ", ".join(sorted({one.setup.encoder for one in there} - {"none"})) or NOTHING
        size = _range([one.setup.train_size for one in there])
        return (row.key, source, encoder, *cells, size, self._remark(row, by_split))

    def _remark(self, row: Row, by_split: Mapping[str, Result | None]) -> str:
        """The number of the row's note, if it is far from what it is compared with."""
        metric = self.sheet.metric
        theirs = next((one for one in self.sheet.published if one.model == row.paper), None)
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


def _range(sizes: Sequence[int]) -> str:
    ends = dict.fromkeys((min(sizes), max(sizes))) if sizes else {}
    return " to ".join(f"{size:,}" for size in ends) or NOTHING
