"""The tables of README and docs: of result files, and of what benchmarks measured.

No figure in the documentation is typed. Tables of benchmarks are templates in `tables.md.jinja`.
"""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, partial
from operator import itemgetter
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from summary import summary

from partwise.training.store import CONFIG, WEIGHTS
from partwise_papers.results.result import Result, load_results, mean_ci95
from partwise_papers.tables.graph import graph_report
from partwise_papers.tables.grid import NOTHING, Grid, percent
from partwise_papers.tables.published import all_rows
from partwise_papers.tables.results import report
from partwise_papers.tables.span import span_report
from partwise_papers.tables.whole import OWN_KINDS, WHOLE, whole_table

ROOT = Path(__file__).resolve().parents[2]
RESULTS, BENCH = ROOT / "papers" / "results", ROOT / "benchmarks" / "results"
PRETRAINED = ROOT / "src" / "partwise" / "domains" / "pretrained"


def tables() -> dict[str, Callable[[], str]]:
    """Name of a table -> what makes it."""
    module: Any = _environment().get_template("tables.md.jinja").module
    files = {file.stem: file for file in BENCH.glob("*.json") if hasattr(module, file.stem)}
    return {
        **{name: partial(_of_benchmark, module, file) for name, file in files.items()},
        **{name: partial(_whole, name) for name in WHOLE},
        "results": _every_result,
        "papers": lambda: span_report(_results()).markdown(),
        "graphs": lambda: graph_report(_results())._replace(preface="").markdown(),
        "graph_ablation": _ablation,
        "hours": _hours,
        "shipped": _shipped,
    }


def readme_tables() -> dict[str, str]:
    """The tables of the README."""
    module: Any = _environment().get_template("tables.md.jinja").module
    content = json.loads((BENCH / "databases_apart.json").read_text(encoding="utf-8"))
    databases = f"{module.databases_in_short(content).strip()}\n"
    return {"databases": databases, "results": summary(RESULTS).markdown()}


def _environment() -> Environment:
    order = {row.key: place for place, row in enumerate(all_rows())}
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=lambda value: NOTHING if value is None else value,
    )
    environment.filters |= {
        "p": _percent,
        "n": lambda value, digits=0: NOTHING if value is None else f"{value:,.{digits}f}",
        "times": _times,
        "mean": _mean,
        "by": _by,
        "commits": _commits,
        "systems": lambda rows: sorted(
            rows, key=lambda row: (row["dataset"], order[row["system"]])
        ),
    }
    return environment


def _percent(share: float | None, ends: Sequence[float] | None = None) -> str:
    """A share in percent, with the ends of its interval."""
    between = f" ({percent(ends[0])} to {percent(ends[1])})" if ends and share is not None else ""
    return percent(share) + between


def _times(ratio: Mapping[str, float | None] | None) -> str:
    """A ratio with half of its interval."""
    if ratio is None or ratio["mean"] is None:
        return NOTHING
    half = ratio["ci95"]
    return f"{ratio['mean']:.2f}" + ("" if half is None else f" ± {half:.2f}")


def _mean(values: Sequence[Any], metric: str | None = None) -> str:
    """Mean of shares in percent and its interval; of rows with a metric, also how many they are."""
    shares = [v if metric is None else v[metric] for v in values]
    shares = [share for share in shares if share is not None]
    if not shares:
        return NOTHING
    mean, half = mean_ci95(shares)
    spread = "" if half is None else f" ± {100 * half:.1f}"
    return f"{100 * mean:.1f}{spread}" + ("" if metric is None else f" ({len(shares)})")


def _by(rows: Iterable[Any], *names: str) -> list[tuple[Any, list[Any]]]:
    """Rows by the values of some fields, in the order of the first ones."""
    groups: dict[Any, list[Any]] = defaultdict(list)
    for row in rows:
        groups[itemgetter(*names)(row)].append(row)
    return list(groups.items())


def _commits(rows: Iterable[Mapping[str, Any]], digits: int = 10) -> str:
    """The commits of several measurements."""
    return ", ".join(dict.fromkeys(str(row["commit"])[:digits] for row in rows))


def _of_benchmark(module: Any, file: Path) -> str:
    content = json.loads(file.read_text(encoding="utf-8"))
    return f"{getattr(module, file.stem)(content).strip()}\n"


def _ablation() -> str:
    sys.path.insert(0, str(BENCH.parent))
    from graph_ablation import ablation_tables

    content = json.loads((BENCH / "graph_ablation.json").read_text(encoding="utf-8"))
    return "\n".join(grid.markdown() for grid in ablation_tables(content))


@cache
def _results() -> list[Result]:
    """All stored results."""
    return load_results(RESULTS)


def _every_result() -> str:
    """The tables of all results, and the commands that made them."""
    lines = [
        f"| {r.setup.dataset} | {r.setup.split} | {r.setup.variant} | {seed} | `{run.command}` "
        f"| {(run.commit or '')[:10]} |\n"
        for r in _results()
        for seed, run in sorted(r.runs.items(), key=lambda item: int(item[0]))
    ]
    head = "| data | split | variant | seed | command | commit |\n|---|---|---|---|---|---|\n"
    return f"{report(_results()).markdown()}\n### Commands\n\n{head}{''.join(lines)}"


def _whole(name: str) -> str:
    """A data set's table with all systems."""
    return "\n".join(grid.markdown() for grid in whole_table(name, _results()))


def _hours() -> str:
    """How long the stored baselines were trained."""
    spent: dict[str, list[float]] = defaultdict(lambda: [0, 0.0, 0.0])
    for result in _results():
        setup = result.setup
        for run in result.runs.values() if setup.system not in OWN_KINDS else ():
            # What is trained on one data set is tested on another by `evaluate`, and maybe again
            # on its own one.
            own = f" runs/{setup.dataset}-{setup.split}-"
            if " train " in run.command or own in run.command:
                row = spent[setup.variant]
                row[0] += 1
                row[2 if "NVIDIA" in run.device else 1] += run.seconds / 3600
    total = [sum(column) for column in zip(*spent.values(), strict=True)]
    rows = tuple(
        (name, f"{count:,}", f"{processor:.1f}", f"{gpu:.1f}")
        for name, (count, processor, gpu) in (*sorted(spent.items()), ("all", total))
    )
    head = ("system", "trainings", "processor hours", "GPU hours")
    about = "One thread each; without the measuring on dev and test."
    return Grid("Hours of training behind the stored rows", head, rows, (about,)).markdown()


def _shipped() -> str:
    """The parsers that come with the package, but for that of databases, which has its own page."""
    rows = []
    for file in sorted(PRETRAINED.glob(f"*/{CONFIG}")):
        training = json.loads(file.read_text(encoding="utf-8"))["training"]
        if "tested" in training:
            weights, test = file.parent / WEIGHTS, training["test"]
            rows.append(
                (
                    *(file.parent.name, training["encoder"]),
                    *(f"{weights.stat().st_size / 2**20:.1f}", f"{test['n']:,}"),
                    *training["tested"],
                    *(percent(test["denotation"]), percent(test["exact_match"])),
                    f"`{training['command']}`",
                )
            )
    head = ("parser", "encoder", "MiB", "test questions", "split", "denotation", "exact match")
    note = "Percent, seed 0. The shipped weights, in half precision, are the ones that were tested."
    return Grid("Shipped parsers, on test", (*head, "by"), tuple(rows), (note,)).markdown()
