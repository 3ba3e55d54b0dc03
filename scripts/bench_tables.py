"""Tables of the documentation that come from the files in benchmarks/results."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from statistics import fmean
from typing import Any

from partwise.training.hub import shipped
from partwise.training.store import CONFIG, WEIGHTS
from partwise_papers.results.interval import mean_ci95
from partwise_papers.tables.ablation import ablation_tables
from partwise_papers.tables.grid import Grid, percent

KINDS = ("no parse", "edges", "attributes", "head", "asked node", "filters")
"""Kinds of errors of a graph parser, as `benchmarks/graph_errors.py` counts them."""
BENCH = Path(__file__).resolve().parent.parent / "benchmarks" / "results"


def of_file(name: str) -> Callable[[Callable[[Any], str]], Callable[[], str]]:
    """Make a function of the content of a benchmark's file a table; it says if there is no file."""

    def table(made: Callable[[Any], str]) -> Callable[[], str]:
        def read() -> str:
            file = BENCH / f"{name}.json"
            if not file.exists():
                return f"There is no `benchmarks/results/{name}.json`.\n"
            return made(json.loads(file.read_text(encoding="utf-8")))

        return read

    return table


@of_file("graph_errors")
def errors(content: Any) -> str:
    """The errors of the graph parser on inner splits."""
    whole = Grid(
        "Inner splits of the training sets of MCWQ, percent",
        ("train of", "exact match", "edges only", "train / held out", *KINDS),
        tuple(
            (
                *(row["split"], percent(row["exact_match"])),
                percent(row["edges_match"]),
                f"{row['train']:,} / {row['held']:,}",
                *(str(row["kinds"].get(kind, 0)) for kind in KINDS),
            )
            for row in content["splits"]
        ),
        (f"{content['about']}. Data of mcwq: {content['data']}.",),
    )
    forms = Grid(
        "Wrong questions, by the rarest form of phrase in them",
        ("train of", "form", "wrong", "of held out", "in train"),
        tuple(
            (
                *(row["split"], f"`{form['form']}`"),
                *(f"{form[count]:,}" for count in ("wrong", "held", "train")),
            )
            for row in content["splits"]
            for form in row["forms"]
        ),
        ("The numbers of a form count the questions that have it.",),
    )
    return f"{whole.markdown()}\n{forms.markdown()}"


@of_file("graph_ablation")
def ablation(content: Any) -> str:
    """The tables of the ablation."""
    return "\n".join(grid.markdown() for grid in ablation_tables(content))


@of_file("graph_speed")
def speed(content: Any) -> str:
    """The tables of sizes and times of graph parsers."""
    growth = [(reading, family) for reading in content["readings"] for family in reading["growth"]]
    first = growth[0][1]["rows"]
    rates = ("preparing_per_second", "training_per_second", "prediction_per_second")
    sizes = Grid(
        "Parameters, and questions per second",
        ("composition", "parameters", "decoders", "preparing", "epoch", "epochs", "parsing"),
        tuple(
            (
                *(r["reading"], f"{r['parameters']:,}", str(r["members"])),
                *(f"{r[rate]:,.0f}" for rate in rates[:2]),
                *(str(r["epochs"]), f"{r[rates[2]]:,.0f}"),
            )
            for r in content["readings"]
        ),
        (
            f"{content['about']}. A decoder with the sizes and labels of the paper has "
            f"{content['paper_parameters']:,} parameters.",
        ),
    )
    times = Grid(
        "Time for one question, as a multiple of the time for the shortest",
        (
            *("composition", "what is coordinated"),
            *(f"{row['coordinated']}" for row in first),
            *("words of the longest", "ms, shortest", "exponent"),
        ),
        tuple(
            (
                *(reading["reading"], family["family"]),
                *(f"{row['ratio']:.1f}" for row in family["rows"]),
                str(family["rows"][-1]["words"]),
                f"{1e3 * family['rows'][0]['seconds']:.1f}",
                f"{family['exponent']:.2f}",
            )
            for reading, family in growth
        ),
        ("Exponent: growth of the time in the number of words, from 4 coordinated things on.",),
    )
    return f"{sizes.markdown()}\n{times.markdown()}"


@of_file("entities")
def entities(content: Any) -> str:
    """The cost of a hundred thousand names."""
    new, small, large = content["new"], content["small"], content["large"]
    figures = (
        ("loading a parser and answering the first question", f"{content['load_seconds']:.1f} s"),
        (f"a question, {small:,} names (median)", f"{content['small_ms']:.1f} ms"),
        (f"a question, {large:,} names (median)", f"{content['large_ms']:.1f} ms"),
        ("ratio", f"{content['ratio']:.2f}"),
        *(
            (
                f"correct answers about new names, {spelling}",
                f"{new[spelling]} of {of}",
            )
            for of in (new["questions"],)
            for spelling in new
            if spelling != "questions"
        ),
    )
    note = f"{content['about']}; encoder {content['encoder']}; commit {content['commit'][:10]}."
    title = f"{large:,} names instead of {small:,}"
    return Grid(title, ("what", "measured"), figures, (note,)).markdown()


@of_file("typed")
def typed(content: Any) -> str:
    """The shipped parsers on questions as people type them."""
    table = []
    for row in content["rows"]:
        inside, outside = row["inside"], row["elsewhere"]
        right = sum(count for what, count in inside.items() if what.startswith("right"))
        refused = inside.get("right refused", 0)
        cells = f"{right} of {sum(inside.values())}", str(refused)
        wrong = f"{outside.get('wrong refused', 0)} of {sum(outside.values())}"
        error = percent(row["calibration_error"])
        table.append((row["domain"], *cells, wrong, error, f"{row['auc']:.2f}"))
    head = ("parser", "right", "right ones refused", "other subjects refused")
    commit = content["commit"][:10]
    note = f"Calibration error in percent, and AUC, over all of these; commit {commit}."
    title = "Questions as people type them"
    return Grid(title, (*head, "calibration error", "AUC"), tuple(table), (note,)).markdown()


LEXICONS = {"full": "all phrases", "names": "names", "induced": "names, induced"}
"""How the table of few examples names what a parser knows of words."""


@of_file("few")
def few(content: Any) -> str:
    """Accuracy by the number of training examples."""
    rows = content["rows"]
    kinds: dict[tuple[str, str, int], list[dict[str, Any]]] = {}
    for row in sorted(rows, key=lambda r: (r["encoder"], r["lexicon"], r["pairs"])):
        kinds.setdefault((row["encoder"], row["lexicon"], row["pairs"]), []).append(row)
    table = tuple(
        (
            *(encoder, LEXICONS[lexicon], str(pairs)),
            *(_mean(some, metric) for metric in ("denotation", "exact_match")),
            f"{fmean(row['seconds'] for row in some):.0f} s",
        )
        for (encoder, lexicon, pairs), some in kinds.items()
    )
    commits = ", ".join(sorted({str(r["commit"])[:10] for r in rows}))
    note = (
        f"Geography, {rows[0]['test']} test questions of the iid split; mean over seeds in percent "
        f"± 95 % interval (seeds); each seed draws other examples; commit {commits}."
    )
    title = "Test, by the number of training examples"
    head = ("encoder", "lexicon", "examples", "denotation", "exact match", "training")
    return Grid(title, head, table, (note,)).markdown()


def _mean(rows: list[dict[str, Any]], metric: str) -> str:
    if not rows:
        return "–"
    mean, half = mean_ci95([row[metric] for row in rows])
    spread = "" if half is None else f" ± {100 * half:.1f}"
    return f"{100 * mean:.1f}{spread} ({len(rows)})"


@of_file("alone")
def alone(content: Any) -> str:
    """What is learned from pairs alone, for data sets of others."""
    kinds: dict[tuple[str, str, str], list[dict[str, Any]]] = {}
    for row in sorted(content["rows"], key=lambda r: (r["dataset"], r["split"], r["seed"])):
        kinds.setdefault((row["dataset"], row["split"], row["encoder"]), []).append(row)
    table = tuple(
        (
            *(*kind, f"{some[0]['train']:,} / {some[0]['test']:,}"),
            *(_mean(_with(some, metric), metric) for metric in ("exact_match", "denotation")),
            " ".join(percent(row["exact_match"]) for row in some),
            _time(some),
        )
        for kind, some in kinds.items()
    )
    commits = ", ".join(sorted({str(r["commit"])[:10] for r in content["rows"]}))
    note = (
        "Test, mean over seeds in percent ± 95 % interval (seeds). COGS has no denotation: its "
        f"programs do not run. The time is of inference, training and test. Commits {commits}."
    )
    head = ("data set", "split", "encoder", "train / test", "exact match", "denotation")
    title, more = "Learned from pairs alone", ("exact match of each seed", "time")
    whole = Grid(title, (*head, *more), table, (note,)).markdown()
    return whole + "".join(
        _by_kind(kind, some) for kind, some in kinds.items() if some[0]["groups"]
    )


def _by_kind(kind: tuple[str, str, str], rows: list[dict[str, Any]]) -> str:
    """Exact match of each kind of question in which some seed has errors."""
    groups = {g: [row["groups"][g] for row in rows] for g in rows[0]["groups"]}
    table = tuple(
        (group.replace("_", " "), " ".join(percent(one) for one in some))
        for group, some in sorted(groups.items())
        if min(some) < 1
    )
    if not table:
        return ""
    note = f"Exact match of each seed; the other {len(groups) - len(table)} kinds are all at 100.0."
    title = f"{kind[0]} {kind[1]}, by kind of question"
    return "\n" + Grid(title, ("kind", "exact match"), table, (note,)).markdown()


def _time(rows: list[dict[str, Any]]) -> str:
    """The mean of the times; a run that was interrupted has none."""
    timed = _with(rows, "seconds")
    return f"{fmean(row['seconds'] for row in timed):.0f} s" if timed else "–"


def _with(rows: list[dict[str, Any]], metric: str) -> list[dict[str, Any]]:
    return [row for row in rows if row[metric] is not None]


def pretrained() -> str:
    """The parsers that are shipped."""
    rows = []
    for name, folder in shipped().items():
        config = json.loads((folder / CONFIG).read_text(encoding="utf-8"))
        training = config["training"]
        if "tested" not in training:
            # The parser for databases has a page of its own.
            continue
        (split,) = training["tested"]
        rows.append(
            (
                *(name, training["encoder"], f"{(folder / WEIGHTS).stat().st_size / 2**20:.1f}"),
                *(f"{training['test']['n']:,}", split),
                percent(training["test"]["denotation"]),
                percent(training["test"]["exact_match"]),
                f"`{training['command']}`",
            )
        )
    head = (
        "parser",
        "encoder",
        "MiB",
        "test questions",
        "split",
        "denotation",
        "exact match",
        "by",
    )
    note = "Percent, seed 0. The shipped weights, in half precision, are the ones that were tested."
    return Grid("Shipped parsers, on test", head, tuple(rows), (note,)).markdown()


@of_file("calibration")
def calibration(content: Any) -> str:
    """How well probabilities are calibrated."""
    names = ("before", "after", "accuracy", "at_90")
    rows = tuple(
        (
            *(row["dataset"], row["split"], row["encoder"], f"{row['temperature']:.2f}"),
            *(percent(row[name]) for name in names),
            *(f"{row['threshold']:.2f}", str(row["questions"])),
        )
        for row in content["rows"]
    )
    head = ("data", "split", "encoder", "temperature", "error before", "error after")
    commits = ", ".join(sorted({str(row["commit"])[:10] for row in content["rows"]}))
    note = (
        "Test, in percent. Error: calibration error of the probability that the program is the "
        "gold program, at temperature 1 and at the fitted temperature. Accuracy: denotation, "
        "over all questions and over the nine tenths with the highest probabilities; the threshold "
        f"is the lowest of these probabilities. One seed each; commit {commits}."
    )
    tail = ("accuracy", "at 90 % coverage", "threshold", "questions")
    return Grid("Calibration", (*head, *tail), rows, (note,)).markdown()


@of_file("serve")
def serving(content: Any) -> str:
    """Latency and memory of the server."""
    machine = content["machine"]
    note = (
        f"/ask with {content['questions']} different questions in turn, to the parser "
        f"`{content['model']}`; {machine['processors']} processors, load {machine['load']} at the "
        f"end, Python {machine['python']}; clients and server on one machine; commit "
        f"{content['commit'][:10]}."
    )
    latency = Grid(
        "Latency",
        ("clients", "requests", "p50, ms", "p99, ms", "requests per second"),
        tuple(
            tuple(
                f"{row[name]:,}"
                for name in ("clients", "requests", "p50_ms", "p99_ms", "requests_per_second")
            )
            for row in content["latency"]
        ),
        (note,),
    )
    memory = Grid(
        "Memory",
        ("requests", *(f"{row['requests']:,}" for row in content["memory"])),
        (("resident, MB", *(f"{row['resident_mb']:,.0f}" for row in content["memory"])),),
    )
    return "\n".join((latency.markdown(), memory.markdown(), _workers(), _attack()))


@of_file("workers")
def _workers(content: Any) -> str:
    """Questions a second of one worker and of several."""
    figures = (
        "questions_per_second",
        "questions_per_processor_second",
        "processors_of_server",
        "processors_of_clients",
    )
    rows = tuple(
        (str(workers), *(f"{content[name][figure]:,.2f}" for figure in figures))
        for workers, name in ((1, "one"), (content["workers"], "several"))
    )
    note = (
        f"Several workers answer {content['ratio']:.2f} times as many questions a second as one, "
        f"and {content['ratio_per_processor']:.2f} times as many in a second of processor time: "
        f"medians of {content['rounds']} rounds by turns, {content['clients']} clients; "
        f"{_machine(content)}; commit {content['commit'][:10]}."
    )
    head = ("questions/s", "questions/s of processor time", "processors", "those of the clients")
    return Grid("Workers", ("workers", *head), rows, (note,)).markdown()


@of_file("attack")
def _attack(content: Any) -> str:
    """Honest clients alone, and beside attackers."""
    rows = []
    for phase in content["phases"]:
        honest = dict(phase["honest"])
        told = [honest.pop("200", 0), honest.pop("503", 0), sum(honest.values())]
        times = (f"{phase[name]:,.0f}" for name in ("p50_ms", "p99_ms", "peak_mb"))
        rows.append((str(phase["attackers"]), *(f"{count:,}" for count in told), *times))
    note = (
        f"100 honest clients for {content['seconds']:.0f} s, {content['workers']} worker(s); "
        f"{_machine(content)}, the clients on the same; commit {content['commit'][:10]}."
    )
    head = ("answered", "503", "other errors", "p50, ms", "p99, ms", "peak memory, MB")
    return Grid("Under attack", ("attackers", *head), tuple(rows), (note,)).markdown()


def _machine(content: Any) -> str:
    machine = content["machine"]
    return f"{machine['processors']} processors, load {machine['load']} at the end"
