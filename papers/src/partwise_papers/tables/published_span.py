"""Tables 1 to 3 of Herzig and Berant (2021), and which of our results stand beside their rows.

Figures as printed in *Span-based Semantic Parsing for Compositional Generalization*, ACL 2021:
Table 1 (number of examples), Table 2 (denotation accuracy, %), Table 3 (F1 of trees, %). They are
typed here and nowhere else.
"""

from __future__ import annotations

from dataclasses import dataclass

TITLE = "Herzig and Berant (2021), Span-based Semantic Parsing for Compositional Generalization"
MAIN = "SpanBasedSP"


@dataclass(frozen=True)
class Split:
    """A split of the paper: its name here and there, and its line in Table 1.

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


@dataclass(frozen=True)
class Row:
    """A row of ours in Table 2.

    Attributes:
        key: what the command line calls it.
        paper: the row of the paper that it stands under.
        variants: names of our variants; the first is what `partwise reproduce` trains.
        datasets: where the row makes sense.
        about: what it is.
        kind: of parser.
    """

    key: str
    paper: str
    variants: tuple[str, ...]
    datasets: tuple[str, ...]
    about: str
    kind: str = "span"


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

ALL = ("scan_sp", "clevr", "geoquery")
ROWS = (
    Row("span", MAIN, ("crf-sharp",), ALL, "the parser as it is by default"),
    Row(
        "recombined",
        MAIN,
        ("crf-sharp-recombined",),
        ("clevr",),
        "phrases of training questions in each other's places",
    ),
    Row("paper", MAIN, ("hard-paper",), ("geoquery",), "the paper's objective and types"),
    Row("no-lexicon", "-lexicon", ("crf-sharp-names",), ALL, "phrases of entity names only"),
    Row(
        "projective",
        "-non projective",
        ("crf-sharp-projective",),
        ("geoquery",),
        "joins of two neighbours only",
    ),
    Row(
        "gold-trees",
        "+gold trees",
        ("trees-sharp-names",),
        ALL,
        "trained on annotated trees, with phrases of entity names only (as the paper's)",
    ),
)

ENCODERS = {
    "Seq2Seq": "BiLSTM, GloVe",
    "+ELMo": "BiLSTM, ELMo",
    "BERT2Seq": "BERT-base",
    "Grammar": "BiLSTM, GloVe",
    "BART": "BART-base",
    "End2End": "BERT-base",
}
"""What the paper's baselines read words with; all its other rows have BERT-base."""
PAPER_ENCODER = "BERT-base"

Figures = tuple[tuple[float, float] | None, ...]
"""(dev, test) for each of `SPLITS`; None where the paper has a dash."""
NONE3: Figures = (None, None, None)
TABLE2: dict[str, Figures] = {
    "Seq2Seq": (
        *((100, 99.9), (100, 11.6), (100, 0.0)),
        *((100, 100), (100, 59.5)),
        *((83.3, 78.5), (71.6, 46.0), (86.7, 24.3)),
    ),
    "+ELMo": (
        *((100, 100), (100, 54.9), (100, 41.6)),
        *((100, 100), (100, 64.2)),
        *((83.3, 79.3), (83.3, 50.0), (86.7, 25.7)),
    ),
    "BERT2Seq": (
        *((99.9, 100), (99.9, 77.7), (99.9, 95.3)),
        *((100, 100), (100, 56.4)),
        *((88.3, 81.1), (85.0, 49.6), (90.0, 26.1)),
    ),
    "Grammar": (
        *((100, 100), (100, 0.0), (100, 4.2)),
        *((100, 100), (100, 51.3)),
        *((78.3, 72.1), (76.7, 54.0), (81.7, 24.6)),
    ),
    "BART": (
        *((100, 100), (100, 50.5), (100, 100)),
        *((100, 100), (100, 51.5)),
        *((93.3, 87.1), (86.7, 67.0), (90.0, 19.3)),
    ),
    "End2End": (*NONE3, (99.9, 99.8), (99.9, 63.3), *NONE3),
    MAIN: (
        *((100, 100), (100, 100), (100, 100)),
        *((97.0, 96.7), (98.9, 98.8)),
        *((88.3, 86.1), (93.3, 82.2), (95.0, 63.6)),
    ),
    "-lexicon": (
        *((100, 100), (100, 100), (100, 100)),
        *((99.4, 99.3), (98.5, 88.6)),
        *((88.3, 78.9), (86.7, 65.9), (90.0, 41.4)),
    ),
    "-non projective": (
        *NONE3,
        *(None, None),
        *((85.0, 80.0), (90.0, 80.2), (93.3, 59.3)),
    ),
    "+gold trees": (
        *((100, 100), (100, 100), (100, 100)),
        *((100, 96.8), (100, 96.7)),
        *((91.2, 86.4), (100, 81.8), (96.7, 68.6)),
    ),
}

NOTES = (
    "The paper trains its baselines on the 694,689 questions of CLEVR and its own parser on "
    "10,000 of them; it reports one run.",
)


def figures(model: str, dataset: str, split: str) -> tuple[float, float] | None:
    """(dev, test) of a row of the paper's Table 2 in percent; None for a dash.

    Raises:
        KeyError: for a row or a split that the paper does not have.
    """
    places = {(s.dataset, s.split): place for place, s in enumerate(SPLITS)}
    return TABLE2[model][places[dataset, split]]


def rows_of(dataset: str) -> tuple[Row, ...]:
    """Our rows that make sense for a data set."""
    return tuple(row for row in ROWS if dataset in row.datasets)


def printed_sizes(dataset: str) -> dict[str, tuple[int, int, int]]:
    """Split -> examples in train, dev and test, of the splits of a data set in Table 1."""
    return {split.split: split.sizes for split in SPLITS if split.dataset == dataset}
