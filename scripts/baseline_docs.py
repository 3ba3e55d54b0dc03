"""Tables of docs/baselines.md: results of all systems, what they cost, and what goes wrong."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bench_tables import of_file

from partwise_papers.results.files import load_results
from partwise_papers.tables.baselines import BASELINES
from partwise_papers.tables.grid import NOTHING, Grid, percent
from partwise_papers.tables.whole import OWN_KINDS, WHOLE, whole_table

HELD_OUT = {
    "geoquery": "a quarter of GeoQuery's Template split, with other templates",
    "mcwq": "a part of 3,000 pairs of MCWQ, with other compounds",
}
"""What `benchmarks/tuning.py` tests on."""
SYSTEMS = [row.key for row in BASELINES]
RESULTS = Path(__file__).resolve().parent.parent / "papers" / "results"


def whole(table: str) -> Callable[[], str]:
    """What makes a data set's table."""

    def made() -> str:
        return "\n".join(grid.markdown() for grid in whole_table(table, load_results(RESULTS)))

    return made


def costs(content: Any) -> str:
    """What systems cost, as ratios to the first one."""
    rows = tuple(
        (
            *(row["variant"] or row["system"], row["encoder"] or NOTHING),
            f"{row['parameters']:,}" if row["parameters"] else NOTHING,
            *(_times(row["ratios"][name]) for name in ("training", "latency")),
            *(_times(row["ratios"][name]) for name in ("throughput", "memory")),
            percent(row["accuracy"]),
        )
        for row in content["rows"]
    )
    head = ("system", "encoder", "parameters", "training time", "latency", "throughput", "memory")
    title = f"Cost on {content['dataset']} {content['split']}, as multiples of the first row"
    count = content["repetitions"]
    about = f"{content['about']}; ± half of the 95 % interval over {count} repetitions."
    return Grid(title, (*head, "accuracy"), rows, (about,)).markdown()


def _times(ratio: Any) -> str:
    if ratio is None or ratio["mean"] is None:
        return NOTHING
    spread = "" if ratio["ci95"] is None else f" ± {ratio['ci95']:.2f}"
    return f"{ratio['mean']:.2f}{spread}"


@of_file("baseline_errors")
def errors(content: Any) -> str:
    """Shares of wrong meanings by kind, and calibration."""
    kinds = list(dict.fromkeys(kind for row in content["rows"] for kind in row["kinds"]))
    names = ("dataset", "split", "part", "system", "variant", "seed")
    listed = sorted(content["rows"], key=lambda row: [row[name] for name in names])
    rows = tuple(
        (
            *(str(row[name]) for name in names),
            f"{row['wrong']:,} / {row['questions']:,}",
            *(percent(row["kinds"].get(kind)) for kind in kinds),
            *(percent(row[name]) for name in ("exact_match_known", "exact_match_new")),
            percent(row["calibration_error"]),
        )
        for row in listed
    )
    shares = ("exact match, known templates", "exact match, new templates", "ECE")
    head = ("data", *names[1:], "wrong", *kinds, *shares)
    return Grid("Wrong meanings by kind, percent of them", head, rows).markdown()


@of_file("tuning")
def tuning(content: Any) -> str:
    """What other settings bring on a held-out part of train."""
    rows = sorted(
        content["rows"], key=lambda row: (row["dataset"], list(SYSTEMS).index(row["system"]))
    )
    first = {_place(row): row for row in rows if not row["settings"]}
    lines = tuple(
        (
            *_place(row),
            ", ".join(f"{name} {value}" for name, value in row["settings"].items()) or "first",
            *(percent(row[name]) for name in ("denotation", "exact_match")),
            f"{100 * (_judged(row) - _judged(first[_place(row)])):+.1f}",
        )
        for row in rows
    )
    held_out = "; ".join(HELD_OUT[name] for name in dict.fromkeys(row["dataset"] for row in rows))
    about = (
        "Percent; one seed. Trained on the train set without a part that is as new as test is, and "
        f"tested on this part (`benchmarks/tuning.py`): {held_out}. The last column is the "
        "difference to the first settings: in denotation, or in exact match where nothing runs. "
        "Test was not touched. The last epoch is kept, as in the reported runs."
    )
    head = ("data", "system", "settings", "denotation", "exact match", "to the first")
    return Grid("Settings on held-out parts of train", head, lines, (about,)).markdown()


def _place(row: Any) -> tuple[str, str]:
    return row["dataset"], row["system"]


def _judged(row: Any) -> float:
    """What settings are compared by."""
    share = row["exact_match"] if row["denotation"] is None else row["denotation"]
    return float(share)


def hours() -> str:
    """How long the stored baselines were trained."""
    spent: dict[str, list[float]] = defaultdict(lambda: [0, 0.0, 0.0])
    for result in load_results(RESULTS):
        setup = result.setup
        for run in result.runs.values() if setup.system not in OWN_KINDS else ():
            # What is trained on one data set is tested on another by `evaluate`, and maybe again
            # on its own one.
            own = f" runs/{setup.dataset}-{setup.split}-"
            if " train " in run.command or own in run.command:
                row = spent[setup.variant]
                row[0] += 1
                row[2 if "NVIDIA" in run.device else 1] += run.seconds / 3600
    whole = [sum(column) for column in zip(*spent.values(), strict=True)]
    rows = tuple(
        (name, f"{count:,}", f"{processor:.1f}", f"{gpu:.1f}")
        for name, (count, processor, gpu) in (*sorted(spent.items()), ("all", whole))
    )
    head = ("system", "trainings", "processor hours", "GPU hours")
    about = "One thread each; without the measuring on dev and test."
    return Grid("Hours of training behind the stored rows", head, rows, (about,)).markdown()


TABLES = {
    **{table: whole(table) for table in WHOLE},
    **{name: of_file(name)(costs) for name in ("cost", "cost_mcwq", "cost_clevr")},
    "baseline_errors": errors,
    "tuning": tuning,
    "hours": hours,
}
"""Name of a block of docs/baselines.md -> what fills it."""
