"""Six rows and one plot for the README: ours beside the best published figures."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple

from partwise_papers.results.result import load_results
from partwise_papers.tables.grid import Grid
from partwise_papers.tables.published import MAIN, MCD, published_rows

SYSTEMS = (MAIN, "Grammar", "End2End", "Seq2Seq", "+ELMo", "BERT2Seq", "BART")
"""Published systems that are no ablations."""
SEQUENCE_MODELS = ("Seq2Seq", "+ELMo", "BERT2Seq", "BART")


class SummaryRow(NamedTuple):
    """One row.

    Attributes:
        label: of the data.
        metric: what is counted.
        encoder: ours.
        ours: percent, one value a seed, or the mean over splits of each seed.
        published: best published system, and its percentage.
        sequence: best published sequence model, and its percentage.
    """

    label: str
    metric: str
    encoder: str
    ours: Sequence[float]
    published: tuple[str, float]
    sequence: tuple[str, float]


SPAN_ROWS = (
    ("GeoQuery, random", "geoquery", "iid", "crf-sharp-last"),
    ("GeoQuery, new templates", "geoquery", "template", "crf-sharp-last"),
    ("GeoQuery, longer programs", "geoquery", "length", "crf-sharp-last"),
    ("SCAN-SP, around right", "scan_sp", "around_right", "crf-sharp"),
    ("CLOSURE", "clevr", "closure", "crf-sharp-recombined-last"),
)
GRAPH_ROW = ("MCWQ, mean of MCD1–3", "mcwq", "latent")


def summary_rows(results: str | Path) -> list[SummaryRow]:
    """The rows, from a folder of result files."""
    known = {(r.setup.dataset, r.setup.split, r.setup.variant): r for r in load_results(results)}
    rows = [_span_row(known, *row) for row in SPAN_ROWS]
    label, dataset, variant = GRAPH_ROW
    three = [known[dataset, split, variant] for split in MCD]
    seeds = zip(*(result.values("exact_match") for result in three), strict=True)
    rows_there = published_rows("graph", dataset, "exact_match")
    means = {
        row.model: fmean(row.figures[split] for split in MCD)
        for row in rows_there
        if row.data == "MCWQ"
    }
    best = max(means.items(), key=lambda item: item[1])
    encoder = three[0].setup.encoder
    ours = [100 * fmean(values) for values in seeds]
    return [*rows, SummaryRow(label, "exact match", encoder, ours, best, best)]


def _span_row(known: Any, label: str, dataset: str, split: str, variant: str) -> SummaryRow:
    result = known[dataset, split, variant]
    rows = published_rows("span", dataset, "denotation")
    test = {row.model: row.figures[split] for row in rows if split in row.figures}
    best = max((name for name in SYSTEMS if name in test), key=test.__getitem__)
    sequence = max((name for name in SEQUENCE_MODELS if name in test), key=test.__getitem__)
    return SummaryRow(
        label,
        "denotation",
        result.setup.encoder,
        [100 * value for value in result.values("denotation")],
        (best, test[best]),
        (sequence, test[sequence]),
    )


def summary(results: str | Path) -> Grid:
    """The table."""
    from partwise_papers.results.result import mean_ci95

    rows = []
    for row in summary_rows(results):
        mean, half = mean_ci95(row.ours)
        spread = "" if half is None else f" ± {half:.1f}"
        rows.append(
            (
                row.label,
                row.metric,
                f"{mean:.1f}{spread} ({len(row.ours)}, {row.encoder})",
                f"{row.published[1]:.1f} ({row.published[0]})",
                f"{row.sequence[1]:.1f} ({row.sequence[0]})",
            )
        )
    head = ("data", "metric", "Partwise (seeds, encoder)", "best published", "best sequence model")
    notes = (
        "Published: Herzig and Berant (2021), BERT-base; for MCWQ Wang and Hershcovich (2023). "
        "CLOSURE: the training questions were regenerated with the official generator. MCWQ: most "
        "training queries were recovered by rules; dev and test are official.",
    )
    return Grid("Test, percent", head, tuple(rows), notes)


def summary_plot(results: str | Path, file: Path) -> None:
    """The same as bars, drawn into an SVG file; equal results give equal bytes."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    from matplotlib import rcParams

    rcParams["svg.hashsalt"] = "partwise"
    rows = summary_rows(results)[::-1]
    figure, axes = plt.subplots(figsize=(8, 3.6))
    places = range(len(rows))
    series = (
        ("Partwise", [fmean(row.ours) for row in rows], "#0f766e", 0.27),
        ("best published", [row.published[1] for row in rows], "#8fb8b3", 0.0),
        ("best sequence model", [row.sequence[1] for row in rows], "#d6d3d1", -0.27),
    )
    for name, values, color, shift in series:
        axes.barh([p + shift for p in places], values, height=0.25, color=color, label=name)
    axes.set_yticks(list(places), [row.label for row in rows])
    axes.set_xlim(0, 100)
    axes.set_xlabel("accuracy on test, percent")
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(loc="upper center", bbox_to_anchor=(0.4, 1.18), ncols=3, frameon=False)
    figure.tight_layout()
    figure.savefig(file, metadata={"Date": None})
    plt.close(figure)
