"""Times the compiled chart on geography beside the published K-best search, in one run.

    python benchmarks/chart.py [--json] [--model DIR --questions FILE.jsonl]

Four rows for each sentence length, ternary joins on:
- *trained*: the best tree under a model's scores of real questions, or, without a model,
  *planted*: φ stands 8 over noise N(0, 1) and the spans of one valid tree another 20;
- *random*: the best tree under N(0, 1) for all predicates and three names;
- *gold best*, *gold marginals*: N(0, 1), the best tree of a gold program, and the posterior over
  all its trees.

The baseline (`baseline_cky`) sees the same scores; its runs are few and stop at a cap.
"""

from __future__ import annotations

import argparse
import json
import math
import platform
import statistics
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path

import numpy as np

import baseline_cky
from partwise.chart import compiled, recurrence
from partwise.chart.type_algebra import TypeAlgebra
from partwise.domains.geography.domain import Geography
from sentences import QUESTIONS, Case, Sentences, trained

LENGTHS = (8, 12, 16, 20, 30)


@dataclass
class Row:
    """Median seconds at one length; baseline fields are empty where it was not run."""

    regime: str
    n: int
    sentences: int
    compiled: float
    note: str = ""
    arrays: float | None = None
    baseline: float | None = None
    baseline_chart: float | None = None
    baseline_runs: int = 0
    baseline_capped: int = 0
    baseline_as_good: int = 0
    untreed: int = 0

    @property
    def ratio(self) -> float | None:
        """How many times as long the baseline takes; at least that, if it was capped."""
        return None if self.baseline is None else self.baseline / self.compiled


def seconds(run: Callable[[], object], repetitions: int, at_least: float = 0.05) -> float:
    """Median seconds of a run, after one to warm up."""
    run()
    times: list[float] = []
    while len(times) < repetitions or sum(times) < at_least:
        begin = time.perf_counter()
        run()
        times.append(time.perf_counter() - begin)
    return statistics.median(times)


def timed(regime: str, n: int, cases: list[Case], repetitions: int) -> Row:
    """The compiled chart over all cases: the median of each case's median."""
    chart = compiled.marginals if regime.endswith("marginals") else compiled.best
    each = math.ceil(repetitions / len(cases))
    times = [seconds(partial(chart, case.scores, case.algebra), each) for case in cases]
    row = Row(regime, n, len(cases), statistics.median(times))
    slow = recurrence.marginals if regime.endswith("marginals") else recurrence.best
    runs = (partial(slow, case.scores, case.algebra) for case in cases)
    row.arrays = statistics.median(seconds(run, 3, 0.0) for run in runs)
    if chart is compiled.best:
        row.untreed = sum(compiled.best(case.scores, case.algebra) is None for case in cases)
    return row


def add_baseline(row: Row, cases: list[Case], runs: int, cap: float) -> None:
    """One run of the baseline on each of a few sentences."""
    outcomes = []
    for case in cases[:runs]:
        outcome = baseline_cky.parse(case.scores, case.algebra, cap=cap)
        exact = compiled.best(case.scores, case.algebra)
        row.baseline_as_good += exact is None or outcome.score >= exact.score - 1e-6
        outcomes.append(outcome)
    row.baseline = statistics.median(outcome.seconds for outcome in outcomes)
    row.baseline_chart = statistics.median(outcome.chart_seconds for outcome in outcomes)
    row.baseline_runs = len(outcomes)
    row.baseline_capped = sum(outcome.capped for outcome in outcomes)


def exponents(rows: list[Row]) -> dict[str, float]:
    """The p of seconds ~ n^p by least squares; a baseline's capped lengths are left out."""

    def slope(points: list[tuple[int, float]]) -> float:
        lengths, times = np.log(np.array(points, float)).T
        return float(np.polyfit(lengths, times, 1)[0]) if len(points) > 1 else math.nan

    found: dict[str, float] = {}
    for regime in dict.fromkeys(row.regime for row in rows):
        own = [row for row in rows if row.regime == regime]
        found[f"{regime}, compiled"] = slope([(row.n, row.compiled) for row in own])
        kept = [(row.n, row.baseline) for row in own if row.baseline and not row.baseline_capped]
        if kept:
            lengths = ", ".join(str(n) for n, _ in kept)
            found[f"{regime}, baseline, n = {lengths}"] = slope(kept)
    return found


def measure(types: TypeAlgebra, options: argparse.Namespace) -> list[Row]:
    """Run everything."""
    rows: list[Row] = []
    sentences = Sentences(types, options.sentences)
    for n in options.lengths:
        cases, note = sentences.cases(n), ""
        if options.model is not None:
            del cases["planted"]
            real, note = trained(options.model, options.questions, n, options.sentences)
            cases = {"trained": real, **cases}
        for regime, some in cases.items():
            if not some:
                continue
            row = timed(regime, n, some, options.repetitions)
            row.note = note if regime == "trained" else ""
            if options.baseline > 0 and not regime.startswith("gold"):
                add_baseline(row, some, options.baseline, options.cap)
            rows.append(row)
    return rows


def _time(value: float | None) -> str:
    if value is None:
        return "-"
    return f"{value * 1e6:.0f} µs" if value < 0.01 else f"{value:.3g} s"


def show(about: str, rows: list[Row]) -> None:
    """The report as text."""
    print(about)
    head = ("scores", "n", "compiled", "arrays", "baseline", "its chart", "ratio", "as good")
    print("{:<15}{:>4}{:>11}{:>11}{:>12}{:>11}{:>10}{:>9}".format(*head))
    for row in sorted(rows, key=lambda row: row.regime):
        mark = "≥" if row.baseline_capped else ""
        cells = (
            *(row.regime, row.n, _time(row.compiled), _time(row.arrays)),
            *(mark + _time(row.baseline), _time(row.baseline_chart)),
            "-" if row.ratio is None else f"{mark}{row.ratio:,.0f}",
            f"{row.baseline_as_good}/{row.baseline_runs}" if row.baseline_runs else "-",
        )
        none = f"no tree: {row.untreed}/{row.sentences}" if row.untreed else ""
        notes = "  ".join(note for note in (row.note, none) if note)
        print("{:<15}{:>4}{:>11}{:>11}{:>12}{:>11}{:>10}{:>9}  {}".format(*cells, notes).rstrip())
    for name, power in exponents(rows).items():
        print(f"time ~ n^{power:.2f}  {name}")
    print("≥: some runs reached the cap; as good: runs whose tree scores as much as the exact one.")


def main() -> None:
    """Read the options, measure, print."""
    parser = argparse.ArgumentParser(description="Time the compiled chart.")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--model", type=Path, help="a trained parser's folder")
    parser.add_argument("--questions", type=Path, default=Path(str(QUESTIONS)), help="JSON lines")
    parser.add_argument("--lengths", type=int, nargs="+", default=LENGTHS)
    for name, value, text in (
        ("--sentences", 7, "sentences of each length"),
        ("--repetitions", 70, "runs of the compiled chart"),
        ("--baseline", 3, "runs of the baseline; 0 for none"),
        ("--cap", 20.0, "seconds for one run of the baseline"),
    ):
        parser.add_argument(name, type=type(value), default=value, help=text)
    options = parser.parse_args()
    types = TypeAlgebra(Geography())
    rules = types.sum_rules
    about = (
        f"{platform.machine()}, {platform.system()}, Python {platform.python_version()}; "
        f"{types.n_states} states, {len(rules.pairs)} pairs, {len(types.triples)} ternary joins"
    )
    rows = measure(types, options)
    if not options.json:
        return show(about, rows)
    listed = [{**asdict(row), "ratio": row.ratio} for row in rows]
    print(json.dumps({"about": about, "rows": listed, "exponents": exponents(rows)}, indent=2))


if __name__ == "__main__":
    main()
