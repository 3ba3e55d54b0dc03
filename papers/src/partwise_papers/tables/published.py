"""What others published, and which rows of ours stand beside it.

`published.csv` has the figures in percent, as printed; they are typed there and nowhere else:

- *span*: Table 2 of Herzig and Berant (2021), *Span-based Semantic Parsing for Compositional
  Generalization*; Tables 1 and 3 are `SPLITS`.
- *graph*: on MCWQ in English, the leaderboard of Cui, Aralikatte, Lent and Hershcovich (2022), and
  mBART50* of Wang and Hershcovich (2023), a Transformer over a frozen mBART50, mean of three runs;
  on CFQ, Tables 1 and 2 of Gai, Jain, Zhang, Gonzalez, Song and Stoica (2021), *Grounded Graph
  Decoding Improves Compositional Generalization in Question Answering*.
- *others*: T5 and NQG-T5 of Shaw, Chang, Pasupat and Toutanova (2021), Table 2; T5 on SCAN of
  Furrer et al. (2020); CSL-Aug (Qiu et al. 2022a), fine-tuned T5-Base, prompt tuning and PaLM (Qiu
  et al. 2022b), as Levy, Bogin and Berant (2023) give them in Table 2 with a T5-Large of their own;
  SpanSub and L2S2 of Li, Wei and Lian (2023), Table 1, mean of five runs, whose figures on GeoQuery
  could not be checked and are left out.

`rows.csv` has our rows, `notes.toml` why one is far from what it stands beside.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import NamedTuple

import pandas as pd

TITLE = "Herzig and Berant (2021), Span-based Semantic Parsing for Compositional Generalization"
MAIN = "SpanBasedSP"
MCD = ("mcd1", "mcd2", "mcd3")
"""Splits of MCWQ and CFQ that figures are published of."""
PART = 12_000
"""Training pairs of MCWQ that all systems get, as all pairs take them hours."""
PASSES = 40
"""Passes over the training pairs of MCWQ in a further row, where others have ten."""
OPEN = "not explained yet"
_FOLDER = files(__package__)


class Split(NamedTuple):
    """A split of the span paper: its name here and there, and its line in Table 1.

    Attributes:
        dataset, split: names of ours.
        data_name, name: the paper's.
        sizes: examples in train, dev and test.
        f1: the line in Table 3.
    """

    dataset: str
    split: str
    data_name: str
    name: str
    sizes: tuple[int, int, int]
    f1: float


SPLITS = (
    Split("scan_sp", "simple", "SCAN-SP", "IID", (13383, 3345, 4182), 100.0),
    Split("scan_sp", "right", "SCAN-SP", "Right", (12180, 3045, 4476), 100.0),
    Split("scan_sp", "around_right", "SCAN-SP", "AroundRight", (12180, 3045, 4476), 100.0),
    Split("clevr", "iid", "CLEVR", "IID", (694689, 5000, 149991), 70.6),
    Split("clevr", "closure", "CLEVR", "CLOSURE", (694689, 5000, 25200), 70.6),
    Split("geoquery", "iid", "GeoQuery", "IID", (540, 60, 280), 94.7),
    Split("geoquery", "template", "GeoQuery", "Template", (544, 60, 276), 91.6),
    Split("geoquery", "length", "GeoQuery", "Length", (540, 60, 280), 93.7),
)


class Published(NamedTuple):
    """A row that others published.

    Attributes:
        model: what it is called there.
        source: who published it.
        encoder: what it reads words with, if that is not in its name.
        data: which data, where a table has figures of several.
        figures: percent by split, by our names of the splits.
    """

    model: str
    source: str
    encoder: str
    data: str
    figures: Mapping[str, float]


class Row(NamedTuple):
    """A row of ours.

    Attributes:
        key: what the command line calls it.
        kind: of parser.
        paper: the published row that it stands under.
        datasets: where the row makes sense.
        about: what it is.
        variant: what `partwise reproduce` trains.
        former: a version that had it, of a row that cannot be trained any more.
    """

    key: str
    kind: str
    paper: str
    datasets: tuple[str, ...]
    about: str
    variant: str
    former: str


@cache
def published_rows(paper: str, dataset: str, metric: str) -> list[Published]:
    """The rows with figures of one data set, in the order of the file."""
    table = _read("published.csv")
    chosen = (table.paper == paper) & (table.dataset == dataset) & (table.metric == metric)
    groups = table[chosen].groupby(["model", "source", "encoder", "data"], sort=False)
    return [
        Published(model, source, encoder, data, dict(zip(some.split, some.percent, strict=True)))
        for (model, source, encoder, data), some in groups
    ]


def figures(model: str, dataset: str, split: str) -> tuple[float, float] | None:
    """(dev, test) of a row of the span paper's Table 2 in percent; None for a dash; raises KeyError
    for a row or a split that the paper does not have."""
    if model not in models() or not any((s.dataset, s.split) == (dataset, split) for s in SPLITS):
        raise KeyError((model, dataset, split))
    dev, test = (
        _table2().get((model, dataset, split, m)) for m in ("dev_denotation", "denotation")
    )
    return None if dev is None or test is None else (dev, test)


def models() -> list[str]:
    """The models of the span paper's Table 2, in its order."""
    return list(dict.fromkeys(model for model, *_ in _table2()))


@cache
def _table2() -> dict[tuple[str, str, str, str], float]:
    table = _read("published.csv")
    names = ["model", "dataset", "split", "metric"]
    return dict(table[table.paper == "span"].set_index(names).percent.items())


@cache
def all_rows(dataset: str | None = None) -> tuple[Row, ...]:
    """Our rows, span parsers and graph parsers first; all, or those of a data set."""
    rows = (
        Row(*values)._replace(datasets=tuple(values[3].split()))
        for values in _read("rows.csv").itertuples(index=False, name=None)
    )
    return tuple(row for row in rows if dataset is None or dataset in row.datasets)


def rows_of(kind: str, dataset: str | None = None) -> tuple[Row, ...]:
    """Our rows of a kind of parser."""
    return tuple(row for row in all_rows(dataset) if row.kind == kind)


def note(table: str, row: str) -> str:
    """Why a row differs from the published figure; `OPEN` for nothing."""
    return _notes().get(table, {}).get(row, OPEN)


@cache
def _notes() -> Mapping[str, Mapping[str, str]]:
    return tomllib.loads((_FOLDER / "notes.toml").read_text(encoding="utf-8"))


@cache
def _read(name: str) -> pd.DataFrame:
    with (_FOLDER / name).open(encoding="utf-8") as file:
        return pd.read_csv(file, keep_default_na=False)
