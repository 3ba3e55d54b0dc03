"""Tables of questions to databases: how many are answered, and how fast."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bench_tables import of_file

from partwise_papers.results.interval import mean_ci95
from partwise_papers.tables.grid import Grid, percent

FIGURES_OF_PAIRS = (
    "right",
    "probability off",
    "calibration error",
    "calibration error by chance",
)


@of_file("spider_coverage")
def spider(content: Any) -> str:
    """How many of Spider's questions have a program, by verdict and by construct, and why not."""
    whole = content["questions"]
    verdicts = Grid(
        f"Programs of {whole:,} questions; {content['covered']:,} have one "
        f"({100 * content['covered'] / whole:.1f} %)",
        ("best verdict", "questions", "%"),
        tuple(
            (name, f"{count:,}", percent(count / whole))
            for name, count in content["verdicts"].items()
        ),
        ("Compared on five databases with made-up rows.",),
    )
    parts = sorted(content["constructs"].items(), key=lambda one: -one[1]["questions"])
    constructs = Grid(
        "By what their SQL has",
        ("construct", "questions", "with a program, %"),
        tuple(
            (name, f"{of['questions']:,}", percent(of["covered"] / of["questions"]))
            for name, of in parts
        ),
        (),
    )
    missing = Grid(
        "Questions without a program",
        ("why", "questions"),
        tuple((why, str(count)) for why, count in content["missing"].items()),
        (),
    )
    return "\n".join(one.markdown() for one in (verdicts, constructs, missing))


@of_file("database_parser")
def databases(content: Any) -> str:
    """The parser for databases, on databases that it was not trained on."""
    rows = []
    for name, said in content["sets"].items():
        asked, others = said["answerable"], said["unanswerable"]
        drawn = said["interval"]
        shown = [
            _share(asked["right"], drawn.get("right")),
            _share(asked["exact"]),
            _share(asked["right before refusing"], drawn.get("right before refusing")),
            _share(others["refused"]),
            _share(said["calibration error"]),
            _share(said["calibration error by chance"]),
            _share(said["auc"], drawn.get("auc")),
        ]
        counts = f"{asked['questions']} + {others['questions']}"
        rows.append((name, counts, *shown, f"{1000 * said['seconds']['p50']:.0f}"))
    head = (
        *("questions", "answerable + not", "right", "exact rows", "best reading right"),
        *("others refused", "calibration error", "by chance", "AUC", "ms a question"),
    )
    made = content["training"]
    further = made.get("further")
    and_then = f", then `{further['command']}` at {further['commit']}" if further else ""
    note = (
        f"Percent. Seed {content['seeds']['training']}, encoder {content['encoder']['name']}; "
        f"trained by `{made['command']}` at {made['commit'][:7]}{and_then}; measured by "
        f"`{content['command']}` at {content['commit'][:7]}. *Right*: answered, with the right "
        "rows; columns that name things may be more. *Exact rows*: no column more. Spider's rows "
        "are made up; there *right* forgives what [the converter](spider.md) forgives too, "
        "conventions for nulls, ties and repeated rows, and *exact rows* forgives nothing. *Best "
        "reading right*: whether or not it was refused. *By chance*: the mean calibration error of "
        "as many answers whose probabilities are all true. In brackets: 95 % intervals; of Spider, "
        "databases are drawn again with all their questions, else questions."
    )
    table = Grid("The shipped parser for databases", head, tuple(rows), (note,)).markdown()
    return f"{table}\n{_kinds_of_questions(content['sets'])}"


def _share(value: float | None, ends: Sequence[float] | None = None) -> str:
    between = "" if ends is None else f" ({percent(ends[0])} to {percent(ends[1])})"
    return percent(value) + (between if value is not None else "")


def _percent_of(said: dict[str, Any] | None) -> str:
    return "-" if said is None else f"{100 * said['accuracy']:.0f}"


def _kinds_of_questions(sets: dict[str, Any]) -> str:
    """Accuracy by kind of question, of sets that tell kinds."""
    told = {name: said["kinds"] for name, said in sets.items() if len(said["kinds"]) > 2}
    kinds = list(dict.fromkeys(kind for said in told.values() for kind in said))
    rows = [(kind, *(_percent_of(said.get(kind)) for said in told.values())) for kind in kinds]
    note = "Percent. Of questions that the database cannot answer, refusals are right."
    return Grid("By kind of question", ("kind", *told), tuple(rows), (note,)).markdown()


@of_file("database_spelling")
def spelling(content: Any) -> str:
    """The same parser where names are compared by their spelling alone."""
    rows = []
    for name, said in content["sets"].items():
        asked = said["answerable"]
        if asked["questions"]:
            share = percent(asked["right before refusing"])
            rows.append((name, str(asked["questions"]), share))
    note = f"Percent. Measured by `{content['command']}` at {content['commit'][:7]}."
    head = ("questions", "answerable", "best reading right")
    title = "The same parser without open labels"
    return Grid(title, head, tuple(rows), (note,)).markdown()


@of_file("database_seeds")
def seeds(content: Any) -> str:
    """Parsers that were trained alike but for the seed, on databases that none has seen."""
    runs = content["runs"]
    numbers = [str(one["training"]["seed"]) for one in runs]
    rows = []
    for name in runs[0]["sets"]:
        sets = [one["sets"][name] for one in runs]
        if not sets[0]["answerable"]["questions"]:
            continue
        figures = {
            "right": [one["answerable"]["right"] for one in sets],
            "best reading right": [one["answerable"]["right before refusing"] for one in sets],
            "calibration error": [one["calibration error"] for one in sets],
            "AUC": [one["auc"] for one in sets],
        }
        for title, shares in figures.items():
            values = [100 * one for one in shares]
            rows.append((name, title, *(f"{one:.1f}" for one in values), _mean(values)))
    commits = ", ".join(dict.fromkeys(one["commit"][:7] for one in runs))
    steps = "; ".join(
        f"seed {number}: searched at {made['searched at']}, networks trained at "
        f"{made['networks trained at']}, when to answer fitted at {made['trust fitted at']}"
        for number, made in zip(numbers, (one["training"] for one in runs), strict=True)
    )
    note = (
        f"Percent, of each seed. Encoder {runs[0]['encoder']['name']}; trained by "
        f"`{runs[0]['training']['command']}` and alike; measured by `{runs[0]['command']}` at "
        f"{commits}. Commits of the steps: {steps}."
    )
    head = ("questions", "figure", *(f"seed {one}" for one in numbers), "mean")
    return Grid("New networks, by seed", head, tuple(rows), (note,)).markdown()


@of_file("database_choosing")
def choosing(content: Any) -> str:
    """The shipped parser and the new ones on the questions that a parser is chosen by."""
    runs = content["runs"]
    scratch = [one["training"].get("from_scratch") for one in runs]
    names = [
        f"seed {one['training']['seed']}" if new else "shipped then" if earlier else "shipped"
        for earlier, (one, new) in enumerate(zip(runs, scratch, strict=True))
    ]
    rows = []
    for name in runs[0]["sets"]:
        asked = [one["sets"].get(name, {}).get("answerable", {}) for one in runs]
        shown = (_share(one.get("right before refusing")) for one in asked)
        rows.append((name, f"{asked[0]['questions']:,}", *shown))
    commits = ", ".join(dict.fromkeys(one["commit"][:7] for one in runs))
    note = (
        f"Percent of best readings that are right. Measured by `{runs[0]['command']}` and alike, "
        f"at {commits}. *Shipped then*: what was shipped when the new networks were made."
    )
    head = ("questions", "answerable", *names)
    return Grid("What a parser is chosen by", head, tuple(rows), (note,)).markdown()


def _mean(values: list[float]) -> str:
    mean, half = mean_ci95(values)
    return f"{mean:.1f}" if half is None else f"{mean:.1f} ± {half:.1f}"


@of_file("edited_layer")
def edited(content: Any) -> str:
    """The parser for databases before and after edits of a layer."""
    rows = []
    for name, said in content["sets"].items():
        asked, others = said["answerable"], said["unanswerable"]
        shares = [said["accuracy"], asked["right"], said["wrong and sure"], others["refused"]]
        rows.append((name, *(percent(one) for one in shares)))
    made = content["training"]
    questions = content["sets"]["imported"]["questions"]
    note = (
        f"Percent of {questions} questions; *sure*: with a probability of 0.8 or more. "
        f"`benchmarks/data/{content['edits']}` has {content['lines']} lines. Trained by "
        f"`{made['command']}` at {made['commit'][:7]}; measured by `benchmarks/edited_layer.py` at "
        f"{content['commit'][:7]}."
    )
    head = ("layer", "right", "right of the answerable", "wrong and sure", "others refused")
    return Grid(f"{content['database']}, edited", head, tuple(rows), (note,)).markdown()


def _pairs(content: Any) -> str:
    """What pairs of a user bring."""
    said, counted = content["figures"], content["counted"]
    head = ("questions", "counted", "right", "off", "calibration error", "by chance")
    parts = (("pairs", "the pairs themselves"), ("others", "all others"))
    rows = [
        (
            f"{about}, {when}",
            f"{counted[f'{part}, {when}: right']:,}",
            *(_share(said.get(f"{part}, {when}: {figure}")) for figure in FIGURES_OF_PAIRS),
        )
        for part, about in parts
        for when in ("before", "after")
    ]
    usable, databases = said["usable pairs"], content["databases"]
    of = f"each of {len(databases)} databases" if databases[1:] else databases[0]
    note = (
        f"Percent, of {content['draws']} draws of {content['pairs']} questions of {of}; on the "
        f"average {usable:.1f} of these were pairs, as the others have no reading that is right. "
        "*Off*: how far the mean probability is from the share that is right. Each figure is the "
        "mean over draws and databases; *by chance* is the calibration error of as many answers "
        "whose probabilities are all true. Training took "
        f"{said['seconds of training']:.0f} seconds on average. Measured by "
        f"`benchmarks/database_pairs.py` at {content['commit'][:7]}."
    )
    return Grid("Trained further with pairs", head, tuple(rows), (note,)).markdown()


pairs = of_file("database_pairs")(_pairs)
pairs_of_chinook = of_file("database_pairs_chinook")(_pairs)


@of_file("database_scale")
def scale(content: Any) -> str:
    """Whole questions among many names, and beside the SQL alone on many rows."""
    load, server = content["load_before"], content["postgresql"]
    among = Grid(
        "Whole questions with a name, from the words to the rows",
        ("names indexed", "p50, ms", "p99, ms", "reading alone, p50", "memory, MB"),
        tuple(
            (
                *(f"{row['names']:,}", f"{row['ms']['p50']:.0f}", f"{row['ms']['p99']:.0f}"),
                f"{row['reading_ms']['p50']:.0f}",
                f"{row['memory_bytes_after_all_questions'] / 1e6:,.0f}",
            )
            for row in content["whole_questions"]
        ),
        (
            "SQLite, one thread, half of the names misspelt. The memory is that of the process, "
            f"with Python, PyTorch and the parser; load before: {load['whole_questions']}.",
        ),
    )
    beside = Grid(
        f"Questions to PostgreSQL with {server['rows']:,} rows",
        ("question", "with the answer, s", "the SQL alone, s", "more, ms"),
        tuple(
            (
                *(row["question"], f"{row['seconds']:.2f}", f"{row['seconds_of_the_sql']:.2f}"),
                f"{row['ms_more']:.0f}",
            )
            for row in server["questions"]
            if row["answered"]
        ),
        (
            f"Import {server['import_seconds']:.0f} s, index of {server['index_entries']:,} names "
            f"{server['index_seconds']:.0f} s. Times are {server['taken']}. Server, "
            f"questions and other work share {content['processors']} processors; load before: "
            f"{load['postgresql']}. Made by `benchmarks/database_scale.py`.",
        ),
    )
    return f"{among.markdown()}\n{beside.markdown()}"
