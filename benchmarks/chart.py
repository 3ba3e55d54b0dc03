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
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from functools import partial
from importlib.resources import files
from pathlib import Path

import numpy as np

import baseline_cky
from partwise.algebra.base import Algebra
from partwise.algebra.target import TargetAlgebra
from partwise.algebra.type import TypeAlgebra
from partwise.chart import compiled, readable
from partwise.chart.scores import SpanScores
from partwise.domain import Application
from partwise.domains.geography.domain import Geography
from partwise.errors import PartwiseError
from partwise.program import parse_program
from partwise.tokenizer import tokenize
from partwise.tree import JOIN

LENGTHS = (8, 12, 16, 20, 30)
NAMES = 3
QUESTIONS = files("partwise.domains.geography") / "questions" / "questions.jsonl"


@dataclass(frozen=True, eq=False)
class Case:
    """One sentence to parse."""

    scores: SpanScores
    algebra: Algebra


@dataclass
class Row:
    """Median seconds at one length; baseline fields are None where it was not run."""

    regime: str
    n: int
    sentences: int
    compiled: float
    note: str = ""
    readable: float | None = None
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


@dataclass
class Report:
    """All that is printed."""

    about: str
    rows: list[Row] = field(default_factory=list)
    exponents: dict[str, float] = field(default_factory=dict)


class Sentences:
    """Scores of each regime, drawn with a fixed seed."""

    def __init__(self, types: TypeAlgebra, count: int) -> None:
        self.types, self.count = types, count
        self.rng = np.random.default_rng(0)
        constants = types.domain.constants
        self.predicates = [c for c, constant in enumerate(constants) if not constant.is_entity]
        self.names = [c for c, constant in enumerate(constants) if constant.is_entity]
        self.programs = list(self._programs())

    def _programs(self) -> Iterator[tuple[int, Application]]:
        for line in QUESTIONS.read_text().splitlines():
            example = json.loads(line)
            try:
                program = self.types.check(parse_program(example["program"]))
            except PartwiseError:
                continue
            yield len(tokenize(example["question"])), program

    def program(self, n: int) -> Application:
        """A gold program of a question of n words, or of nearly the longest questions."""
        length = min(n, max(words for words, _ in self.programs) - 3)
        near = [program for words, program in self.programs if abs(words - length) <= 1]
        return near[self.rng.integers(len(near))]

    def noise(self, n: int, program: Application) -> SpanScores:
        """N(0, 1) for all predicates, the program's names, and names up to three."""
        categories = self.types.domain.categories
        named = {categories[p.constant.category] for p in program.walk()} - set(self.predicates)
        while len(named) < NAMES:
            named.add(int(self.rng.choice(self.names)))
        columns = np.array(self.predicates + sorted(named))
        shape = (n + 1, n + 1)
        constants = self.rng.normal(size=(*shape, len(columns)))
        return SpanScores.of(constants, self.rng.normal(size=shape), None, columns)

    def cases(self, n: int) -> dict[str, list[Case]]:
        """Sentences of n words for each regime."""
        golds = [self.gold(n) for _ in range(self.count)]
        return {
            "planted": [self.planted(n) for _ in range(self.count)],
            "random": [Case(gold.scores, self.types) for gold in golds],
            "gold best": golds,
            "gold marginals": golds,
        }

    def gold(self, n: int) -> Case:
        """Noise with the gold program given."""
        program = self.program(n)
        return Case(self.noise(n, program), TargetAlgebra(self.types, program))

    def planted(self, n: int) -> Case:
        """As confident as a trained model: a random tree of a gold program stands out."""
        gold = self.gold(n)
        drawn = compiled.best(gold.scores, gold.algebra)
        if drawn is None:
            return self.planted(n)
        phi = self.rng.normal(8.0, 1.0, (n + 1, n + 1))
        constants = self.rng.normal(size=gold.scores.constants.shape) - phi[..., None]
        join = self.rng.normal(size=phi.shape) - phi
        column = {int(category): x for x, category in enumerate(gold.scores.columns)}
        for span, label in drawn.tree.labels().items():
            if label == JOIN:
                join[span] += 20.0
            else:
                constants[(*span, column[label])] += 20.0
        return Case(SpanScores.of(constants, join, None, gold.scores.columns), self.types)


def trained(model: Path, questions: Path, n: int, count: int) -> tuple[list[SpanScores], str]:
    """A model's scores of real questions of about n words; pairs of questions if none is long."""
    from partwise.parsers.span import SpanParser

    parser = SpanParser.load(model)
    texts = [json.loads(line)["question"] for line in questions.read_text().splitlines()]
    near = [text for text in texts if abs(len(tokenize(text)) - n) <= 1]
    note = ""
    if not near:
        pairs = (f"{one} and {two}" for one in texts for two in texts if one < two)
        found = (text for text in pairs if abs(len(tokenize(text)) - n) <= 1)
        near, note = [text for text, _ in zip(found, range(50 * count), strict=False)], "lengthened"
    step = max(1, len(near) // count)
    return [parser.scores(text) for text in near[::step][:count]], note


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
    if chart is compiled.best:
        row.untreed = sum(compiled.best(case.scores, case.algebra) is None for case in cases)
        if n == LENGTHS[0]:
            slow = (partial(readable.kbest, case.scores, case.algebra, 1) for case in cases[:3])
            row.readable = statistics.median(seconds(run, 3, 0.0) for run in slow)
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


def exponent(points: list[tuple[int, float]]) -> float:
    """The p of seconds ~ n^p, by least squares over logarithms."""
    if len(points) < 2:
        return math.nan
    lengths, times = np.log(np.array(points, float)).T
    return float(np.polyfit(lengths, times, 1)[0])


def add_exponents(report: Report) -> None:
    """Growth of each regime; a baseline's capped lengths say nothing about it."""
    for regime in dict.fromkeys(row.regime for row in report.rows):
        rows = [row for row in report.rows if row.regime == regime]
        report.exponents[f"{regime}, compiled"] = exponent([(r.n, r.compiled) for r in rows])
        kept = [(r.n, r.baseline) for r in rows if r.baseline and not r.baseline_capped]
        if kept:
            lengths = ", ".join(str(n) for n, _ in kept)
            report.exponents[f"{regime}, baseline, n = {lengths}"] = exponent(kept)


def measure(options: argparse.Namespace) -> Report:
    """Run everything."""
    types = TypeAlgebra(Geography())
    report = Report(
        f"{platform.machine()}, {platform.system()}, Python {platform.python_version()}; "
        f"{types.n_states} states, {len(types.pairs)} pairs, {len(types.triples)} ternary joins"
    )
    sentences = Sentences(types, options.sentences)
    for n in options.lengths:
        cases, note = sentences.cases(n), ""
        if options.model is not None:
            scores, note = trained(options.model, options.questions, n, options.sentences)
            del cases["planted"]
            cases = {"trained": [Case(one, types) for one in scores], **cases}
        for regime, some in cases.items():
            if not some:
                continue
            row = timed(regime, n, some, options.repetitions)
            row.note = note if regime == "trained" else ""
            if options.baseline > 0 and not regime.startswith("gold"):
                add_baseline(row, some, options.baseline, options.cap)
            report.rows.append(row)
            print(f"{regime}, n = {n}: {_time(row.compiled)}", file=sys.stderr)
    add_exponents(report)
    return report


def _time(value: float | None) -> str:
    if value is None:
        return "-"
    return f"{value * 1e6:.0f} µs" if value < 0.01 else f"{value:.3g} s"


def show(report: Report) -> None:
    """The report as text."""
    print(report.about)
    head = ("scores", "n", "compiled", "readable", "baseline", "its chart", "ratio", "as good")
    print("{:<15}{:>4}{:>11}{:>11}{:>12}{:>11}{:>10}{:>9}".format(*head))
    for row in sorted(report.rows, key=lambda row: row.regime):
        mark = "≥" if row.baseline_capped else ""
        cells = (
            *(row.regime, row.n, _time(row.compiled), _time(row.readable)),
            *(mark + _time(row.baseline), _time(row.baseline_chart)),
            "-" if row.ratio is None else f"{mark}{row.ratio:,.0f}",
            f"{row.baseline_as_good}/{row.baseline_runs}" if row.baseline_runs else "-",
        )
        none = f"no tree: {row.untreed}/{row.sentences}" if row.untreed else ""
        notes = "  ".join(note for note in (row.note, none) if note)
        print("{:<15}{:>4}{:>11}{:>11}{:>12}{:>11}{:>10}{:>9}  {}".format(*cells, notes).rstrip())
    for name, power in report.exponents.items():
        print(f"time ~ n^{power:.2f}  {name}")
    print("≥: some runs reached the cap; as good: runs whose tree scores as much as the exact one.")


def main() -> None:
    """Read the options, measure, print."""
    parser = argparse.ArgumentParser(description="Time the compiled chart.")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--model", type=Path, help="a trained parser's folder")
    parser.add_argument("--questions", type=Path, default=Path(str(QUESTIONS)), help="JSON lines")
    parser.add_argument("--lengths", type=int, nargs="+", default=LENGTHS)
    parser.add_argument("--sentences", type=int, default=7, help="sentences of each length")
    parser.add_argument("--repetitions", type=int, default=70, help="runs of the compiled chart")
    parser.add_argument("--baseline", type=int, default=3, help="runs of the baseline; 0 for none")
    parser.add_argument("--cap", type=float, default=20.0, help="seconds for one baseline run")
    options = parser.parse_args()
    report = measure(options)
    if options.json:
        rows = [{**asdict(row), "ratio": row.ratio} for row in report.rows]
        print(json.dumps({**asdict(report), "rows": rows}, indent=2))
    else:
        show(report)


if __name__ == "__main__":
    main()
