"""The commands of the papers: data, generate, train --test, evaluate --save, and reproduce."""

from __future__ import annotations

import gzip
import json
import shlex
import shutil
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from cli_helpers import Files

from library import without_manifest
from partwise.cli import evaluate as evaluating
from partwise.cli.evaluate import command_to_record, further_metrics
from partwise.evaluation.metrics import Evaluation
from partwise.interface.data import Dataset
from partwise.interface.jsonl import read_jsonl
from partwise.interface.registry import load
from partwise.language.sparql import parse_query
from partwise.span.parser import SpanParser
from partwise_papers.films.generate import generate
from partwise_papers.recipes import reproduce
from partwise_papers.recipes.recipes import all_recipes, is_run_of
from partwise_papers.recipes.reproduce import find_stored_results, steps
from partwise_papers.results.recorder import setup_of
from partwise_papers.results.result import Run, Setup, add_seed, load_results
from partwise_papers.validation import CheckReport, Failure, Finding

# `partwise data` and `partwise report`.


def test_data_list_show_and_check(cli: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PARTWISE_DATA", raising=False)
    assert "geoquery" in cli("data", "list").stdout
    names = [info["name"] for info in json.loads(cli("data", "list", "--json").stdout)]
    assert {"geography", "geoquery", "mcwq"} <= set(names)
    shown = cli("data", "show", "geography", "--part", "dev", "-n", "3", "--json").stdout
    assert [json.loads(line)["source"] for line in shown.splitlines()] == [
        f"iid.dev.jsonl:{line}" for line in (1, 2, 3)
    ]
    assert cli("data", "show", "geography", "-n", "2").stdout.count("answer(") == 2
    assert cli("data", "show", "geography", "--split", "x").exit_code == 2
    result = cli("data", "check", "geoquery")
    assert result.exit_code == 2
    assert "--data" in result.stderr


@pytest.mark.parametrize("ok", [True, False])
def test_data_check_exits_by_what_it_finds(
    cli: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, ok: bool
) -> None:
    finding = Finding("programs that run")
    finding.add("iid", 3, [] if ok else [Failure("x.jsonl:2", "q", "p", "why not")])
    report = CheckReport("geography", {"iid": {"train": 3}}, [finding])
    monkeypatch.setattr("partwise_papers.validation.check", lambda name, data: report)
    result = cli("data", "check", "geography", "--json", "--out", str(tmp_path / "check.json"))
    assert result.exit_code == (0 if ok else 1)
    assert json.loads(result.stdout)["ok"] is ok
    assert json.loads((tmp_path / "check.json").read_text())["ok"] is ok
    text = cli("data", "check", "geography").stdout
    assert ("x.jsonl:2" in text) is not ok


def test_report(cli: Any, tmp_path: Path, setup: Setup, run: Run) -> None:
    results = str(tmp_path / "results")
    add_seed(results, setup, 0, run)
    assert "system: span" in cli("report", "--results", results, "--markdown").stdout
    assert json.loads(cli("report", "--results", results, "--json").stdout)[0]["system"] == "span"
    assert "every seed" in cli("report", "--results", results).stdout
    assert cli("report", "--results", str(tmp_path)).exit_code == 2


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Files in Spider's form: 40 databases with one table each, and two questions over one."""
    columns = [
        {"column": "Id", "name": "id", "type": "number", "primary_key": True},
        {"column": "Name", "name": "name", "type": "text"},
        {"column": "Age", "name": "age", "type": "number"},
    ]
    table = {"table": "Singer", "name": "singers", "columns": columns}
    schemas = [{"db": f"db{one}", "tables": [table], "foreign_keys": []} for one in range(40)]
    said = [
        ("How many singers are there?", "SELECT count(*) FROM Singer"),
        ("Names and count", "SELECT count(*), Name FROM Singer"),
    ]
    questions = [
        {"id": str(number), "db": "db0", "question": question, "sql": sql}
        for number, (question, sql) in enumerate(said)
    ]
    place = tmp_path / "spider"
    place.mkdir()
    with gzip.open(place / "schemas.json.gz", "wt") as file:
        json.dump(schemas, file)
    with gzip.open(place / "train.jsonl.gz", "wt") as file:
        file.write("\n".join(map(json.dumps, questions)))
    return tmp_path


def test_spider_counts_and_writes(cli: Any, folder: Path, tmp_path: Path) -> None:
    files = ["--fills", str(tmp_path / "fills"), "--programs", str(tmp_path / "programs.jsonl")]
    result = cli("data", "spider", "--data", str(folder), "--seeds", "2", *files, "--json")
    counts = json.loads(result.stdout)
    assert (counts["questions"], counts["covered"]) == (2, 1)
    lines = (tmp_path / "programs.jsonl").read_text().splitlines()
    assert [json.loads(one)["program"] for one in lines] == [
        "(Figure (Rows Singer) (Aggregate count))"
    ]


def test_spider_needs_its_files(cli: Any, tmp_path: Path) -> None:
    result = cli("data", "spider", "--data", str(tmp_path), "--fills", str(tmp_path))
    assert result.exit_code == 2
    assert "train.jsonl.gz" in result.stderr


# ``partwise generate``.


def test_generate_writes_the_questions(cli: Callable[..., Any], tmp_path: Path) -> None:
    file = tmp_path / "made" / "questions.jsonl.gz"
    result = cli("generate", "films", "--n", "120", "--seed", "5", "--out", str(file))
    assert result.exit_code == 0, result.output
    assert f"120 questions written to {file}" in result.output
    found, _ = read_jsonl(file, parse_query)
    expected = generate(120, 5)
    assert [(e.question, e.meaning, e.rules, e.context) for e in found] == [
        (e.question, e.meaning, e.rules, e.context) for e in expected
    ]


def test_errors_say_what_to_do(cli: Callable[..., Any], tmp_path: Path) -> None:
    unknown = cli("generate", "songs", "--out", str(tmp_path / "a.jsonl"))
    assert unknown.exit_code == 2
    assert "no generator 'songs'; there are films" in unknown.output
    folder = cli("generate", "films", "--out", str(tmp_path))
    assert folder.exit_code == 2
    assert "is a folder; name a file" in folder.output
    (tmp_path / "file").write_text("")
    nowhere = cli("generate", "films", "--n", "3", "--out", str(tmp_path / "file" / "a.jsonl"))
    assert nowhere.exit_code == 2
    assert "cannot be written" in nowhere.output
    assert cli("generate", "films", "--n", "0", "--out", str(tmp_path / "a")).exit_code == 2


# What `train --test` and `evaluate --save` write into result files.


def saved(trained: Files, cli: Any, folder: Path, *more: str) -> Any:
    """Evaluate the tiny parser on data that come with the package."""
    arguments = [str(trained.run), "geography", "--split", "compositional", "--save"]
    return cli("evaluate", *arguments, "--results", str(folder), *more)


def test_training_notes_figures_on_dev_and_the_time_in_charts(trained: Files) -> None:
    (result,) = load_results(trained.run.parent / "results")
    history = json.loads((trained.run / "history.json").read_text())
    metrics = result.runs[0].metrics
    assert metrics["dev_denotation"] == history["dev"]["denotation"]
    assert metrics["dev_exact_match"] == history["dev"]["exact_match"]
    assert 0 < metrics["tree_f1"] <= metrics["tree_f1_equivalent"] <= 1
    assert metrics["chart_share"] == history["chart_share"]
    assert (result.setup.dev_size, result.setup.data) == (12, None)


def test_a_saved_parser_knows_the_setup_of_its_run(trained: Files) -> None:
    (result,) = load_results(trained.run.parent / "results")
    config = json.loads((trained.run / "model" / "config.json").read_text())
    data = Dataset("train", "own", [], [], load("geography", "iid").test[:12])
    assert setup_of(Evaluation(config, data), result.setup.parameters) == result.setup
    assert config["training"]["command"] == result.runs[0].command


def test_save_adds_a_result_of_another_data_set(trained: Files, cli: Any, tmp_path: Path) -> None:
    done = saved(trained, cli, tmp_path)
    assert done.exit_code == 0, done.output
    (run,) = load_results(trained.run.parent / "results")
    (result,) = load_results(tmp_path)
    assert (result.setup.dataset, result.setup.split) == ("geography", "compositional")
    assert (result.setup.variant, result.setup.encoder) == (run.setup.variant, "bilstm")
    assert (result.setup.train_size, result.setup.test_size) == (40, 190)
    assert result.setup.settings == run.setup.settings
    assert result.setup.parameters == run.setup.parameters
    name = f"runs/train-own-{run.setup.variant}-0"
    command = f"partwise evaluate {name} geography --split compositional --save"
    assert result.runs[0].command == command
    assert result.runs[0].seconds == pytest.approx(run.runs[0].seconds)
    # Dev is of the questions that it was trained for, not of these.
    trees = {"tree_f1", "tree_f1_equivalent"}
    assert set(result.runs[0].metrics) == {"exact_match", "denotation", *trees}
    assert f"{100 * result.runs[0].metrics['denotation']:.2f} %" in done.stdout


def test_execution_guided_is_a_variant_of_its_own(
    trained: Files, cli: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Listing ten programs a question takes an untrained parser long.
    monkeypatch.setattr(evaluating, "guided", lambda _p, _d, asked, *_: [None] * len(asked))
    done = saved(trained, cli, tmp_path, "--execution-guided", "--json")
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["n"] == 190
    (result,) = load_results(tmp_path)
    assert result.setup.variant.endswith("-guided")
    assert result.setup.settings["readings"] == 10
    assert "first of 10 programs" in result.setup.protocol
    assert result.runs[0].metrics == {"exact_match": 0.0, "denotation": 0.0}


def test_results_of_other_setups_are_refused_before_the_work(
    trained: Files, cli: Any, tmp_path: Path
) -> None:
    assert saved(trained, cli, tmp_path).exit_code == 0
    (file,) = tmp_path.iterdir()
    content = json.loads(file.read_text())
    file.write_text(json.dumps({**content, "train_size": 41}))
    done = saved(trained, cli, tmp_path)
    assert done.exit_code == 2
    assert "was made with another train_size" in done.stderr
    assert "exact match" not in done.stdout


def test_figures_without_a_place_are_refused(trained: Files, cli: Any, tmp_path: Path) -> None:
    results = ("--save", "--results", str(tmp_path / "results"))
    done = cli("evaluate", str(trained.run), "geography", "--part", "dev", *results)
    assert done.exit_code == 2
    assert "--save is for the test part" in done.stderr
    assert cli("evaluate", str(trained.run), str(trained.dev), *results).exit_code == 2
    model = tmp_path / "model"
    shutil.copytree(trained.run / "model", model)
    config = json.loads((without_manifest(model) / "config.json").read_text())
    del config["training"]["variant"]
    (model / "config.json").write_text(json.dumps(config))
    done = cli("evaluate", str(model), "geography", *results)
    assert done.exit_code == 2
    assert "does not say its variant" in done.stderr
    assert not (tmp_path / "results").exists()


def test_trees_where_they_can_be_had(
    trained: Files, cli: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ("evaluate", str(trained.run), str(trained.test), "--trees")
    assert "tree F1" in cli(*arguments).stdout
    assert 0 < json.loads(cli(*arguments, "--json").stdout)["tree_f1"] <= 1
    done = cli(*arguments, "--part", "dev")
    assert done.exit_code == 2
    assert "--trees is for the test part" in done.stderr
    # A folder without the published trees does not cost the other figures.
    (tmp_path / "geoquery").mkdir()
    tested = load("geography", "iid").test[:2]
    parser = SpanParser.from_pretrained(trained.run)
    assert further_metrics(parser, Dataset("geoquery", "iid", [], [], tested), tmp_path) == {}
    assert "no tree_f1: " in capsys.readouterr().err


# `partwise reproduce` and `partwise report --paper`; nothing is trained.


ROOT = Path(__file__).parents[3]
ROW = ("reproduce", "span", "--row", "paper", "--split", "length", "--seed", "1")
CLOSURE = ("reproduce", "span", "--row", "span", "--split", "closure", "--seed", "0")


@dataclass
class Machine:
    """Stands for the processes: notes what they were asked, and writes results as they would."""

    denotation: float = 0.6
    code: int = 0
    asked: list[list[str]] = field(default_factory=list)

    def __call__(self, words: Sequence[str], check: bool) -> subprocess.CompletedProcess[str]:
        """Run a command."""
        assert list(words[1:3]) == ["-m", "partwise"]
        given = list(words[3:])
        self.asked.append(given)
        if self.code == 0:
            self._write(given)
        return subprocess.CompletedProcess(list(words), self.code)

    def _write(self, given: list[str]) -> None:
        places = given.index("--results")
        told, more = (
            given[:places],
            dict(zip(given[places::2], given[places + 1 :: 2], strict=True)),
        )
        if told[0] == "train":
            (Path(more["--out"]) / "model").mkdir(parents=True)
        else:
            assert (Path(told[1]) / "model").is_dir()
            told[1] = f"runs/{Path(told[1]).name}"
        step = next(s for s in steps(all_recipes()) if list(s.words) == told)
        store(
            Path(more["--results"]), step.file, step.seed, command_to_record(told), self.denotation
        )


def store(folder: Path, file: str, seed: int, command: str, denotation: float) -> None:
    """A result of one seed."""
    system, dataset, split, variant = file.removesuffix(".json").split("-", 3)
    setup = Setup(system, dataset, split, variant, "dev", "minilm", 1, 5, 6)
    metrics = {"exact_match": 0.5, "denotation": denotation, "chart_share": 0.1}
    add_seed(folder, setup, seed, Run(metrics, 1.0, "cpu", command, None))


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch) -> Machine:
    """No process is started."""
    made = Machine()
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setattr(reproduce.subprocess, "run", made)
    return made


@pytest.fixture
def places(tmp_path: Path) -> tuple[str, ...]:
    """Where to write, and what to compare with."""
    return ("--out", str(tmp_path / "new"), "--results", str(tmp_path / "stored"))


def test_every_recipe_is_a_command_in_the_form_that_results_record() -> None:
    every = steps(all_recipes())
    assert len(every) > 150
    for step in every:
        told = shlex.split(command_to_record(step.words))
        # Only the order of the options may differ.
        assert sorted(told) == sorted(["partwise", *step.words])
        assert command_to_record(told[1:]) == shlex.join(told)


def test_stored_results_were_made_by_the_recipes() -> None:
    stored = {
        result.setup.file_name: result for result in load_results(ROOT / "papers" / "results")
    }
    compared = 0
    for recipe in all_recipes():
        runs = stored[recipe.file_name].runs if recipe.file_name in stored else {}
        for seed, run in runs.items():
            assert is_run_of(command_to_record(recipe.steps(seed)[-1].words), run.command)
            compared += 1
    assert compared


def test_a_run_may_say_the_precision_that_its_recipe_leaves_open() -> None:
    recipe = "partwise train geoquery --threads 1 --precision auto"
    fast = "partwise train geoquery --threads 1 --precision bf16"
    assert is_run_of(recipe, fast)
    assert is_run_of(recipe, "partwise train geoquery --threads 1")
    assert not is_run_of(fast, recipe)
    assert not is_run_of(recipe, f"{fast} --epochs 1")


def test_a_run_may_say_its_device() -> None:
    recipe = "partwise train mcwq --threads 1 --train-size 12000"
    assert is_run_of(recipe, "partwise train mcwq --threads 1 --device cuda --train-size 12000")
    assert not is_run_of(recipe, "partwise train mcwq --threads 1 --device cuda")


def test_what_was_trained_may_be_evaluated_again() -> None:
    recipe = "partwise train mcwq --parser poset --split mcd2 --seed 0 --test --variant poset"
    run = "partwise evaluate runs/mcwq-mcd2-poset-0 mcwq --split mcd2 --save --threads 1"
    assert is_run_of(f"{recipe} --threads 1 --train-size 12000", run)
    assert not is_run_of(f"{recipe} --threads 1", run.replace("--split mcd2", "--split mcd3"))
    assert not is_run_of(f"{recipe} --threads 1", run.replace("poset-0", "poset-1"))
    assert not is_run_of("partwise train mcwq --split mcd2", "")


def test_rows_are_listed(cli: Any, machine: Machine) -> None:
    text = cli("reproduce", "span").stdout
    for name in ("no-lexicon", "projective", "gold-trees", "crf-sharp-names", "geoquery"):
        assert name in text
    assert "scan_sp" not in cli("reproduce", "span", "--table", "closure").stdout
    assert not machine.asked


def test_dry_run_prints_the_commands(cli: Any, machine: Machine) -> None:
    lines = cli(*CLOSURE, "--dry-run").stdout.splitlines()
    assert lines[0].startswith("partwise train clevr --split iid --seed 0 --test")
    assert lines[1].startswith("partwise evaluate runs/clevr-iid-crf-sharp-0 clevr --split closure")
    both = cli("reproduce", "span", "--row", "span", "--dataset", "clevr", "--dry-run").stdout
    # What several cells share is run once.
    assert len(both.splitlines()) == len(set(both.splitlines()))
    assert not machine.asked


def test_runs_compares_and_says_so(
    cli: Any, machine: Machine, places: tuple[str, ...], tmp_path: Path
) -> None:
    result = cli(*ROW, *places, "--data", "there")
    assert result.exit_code == 0
    (asked,) = machine.asked
    assert asked[:6] == ["train", "geoquery", "--split", "length", "--seed", "1"]
    assert asked[-2:] == ["--data", "there"]
    assert "nothing stored" in result.stdout
    assert "[1/1] partwise train geoquery" in result.stdout


@pytest.mark.parametrize(("stored", "code", "word"), [(0.6, 0, "yes"), (0.7, 1, "no")])
def test_the_same_value_or_another(
    cli: Any,
    machine: Machine,
    places: tuple[str, ...],
    tmp_path: Path,
    stored: float,
    code: int,
    word: str,
) -> None:
    store(tmp_path / "stored", "span-geoquery-length-hard-paper.json", 1, "another", stored)
    result = cli(*ROW, *places)
    assert result.exit_code == code
    line = next(line for line in result.stdout.splitlines() if " 60.00 " in line)
    assert f" {100 * stored:.2f} " in line
    assert f" {word} " in line
    assert "chart_share" not in result.stdout
    assert "made by another command: another" in result.stdout


def test_evaluation_follows_the_training_and_what_is_whole_is_kept(
    cli: Any, machine: Machine, places: tuple[str, ...], tmp_path: Path
) -> None:
    assert cli(*CLOSURE, *places).exit_code == 0
    assert [asked[0] for asked in machine.asked] == ["train", "evaluate"]
    assert machine.asked[1][1] == str(tmp_path / "new" / "clevr-iid-crf-sharp-0")
    again = cli(*CLOSURE, *places)
    assert again.exit_code == 0
    assert len(machine.asked) == 2
    assert again.stdout.count("(is there:") == 2


def test_a_command_that_fails_stops_the_rest(
    cli: Any, machine: Machine, places: tuple[str, ...]
) -> None:
    machine.code = 2
    result = cli(*CLOSURE, *places)
    assert result.exit_code == 2
    assert "failed with exit code 2" in result.stderr
    assert len(machine.asked) == 1


def test_a_table_with_all_rows(cli: Any, machine: Machine, tmp_path: Path) -> None:
    store(tmp_path, "seq2seq-geoquery-iid-seq2seq.json", 0, "x", 0.7)
    text = cli("reproduce", "--table", "geoquery", "--results", str(tmp_path)).stdout
    first = text[: text.index("exact match on test")].splitlines()
    lines = {line.split("│")[1].strip(): line for line in first if "│" in line}
    assert " 70.0 (1) " in lines["seq2seq"]
    assert "published (a)" in lines["Seq2Seq"]
    assert "not run here: (a) Herzig and Berant 2021" in text
    assert "70.0" not in lines["bert2seq"]
    assert "1. seq2seq: IID -8.5 points from Seq2Seq" in text
    result = cli("reproduce", "--table", "cfq", "--results", str(tmp_path / "none"))
    assert result.exit_code == 0
    assert "there is no folder" in result.stderr
    assert "mBART50*" in result.stdout
    assert not machine.asked


def test_a_baseline_is_run_by_the_same_command(
    cli: Any, machine: Machine, places: tuple[str, ...], tmp_path: Path
) -> None:
    store(tmp_path / "stored", "seq2seq-geoquery-iid-bert2seq.json", 0, "another", 0.6)
    row = ("reproduce", "--table", "geoquery", "--row", "bert2seq", "--split", "iid")
    result = cli(*row, "--seed", "0", *places)
    assert result.exit_code == 0
    (asked,) = machine.asked
    wanted = "train geoquery --parser seq2seq --system bert2seq --split iid --seed 0 --test"
    assert " ".join(asked).startswith(f"{wanted} --variant bert2seq --threads 1")
    assert " yes " in result.stdout
    shown = cli("reproduce", "--table", "cfq", "--row", "latent-n12000", "--dry-run").stdout
    assert "--composition latent --train-size 12000" in shown.splitlines()[0]


def test_errors_in_use(cli: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    for given in ((), ("--table", "2"), ("span", "--table", "cfq")):
        result = cli("reproduce", *given)
        assert result.exit_code == 2
        assert "--table" in result.stderr
    assert "seq2seq" in cli("reproduce", "--table", "clevr", "--row", "best").stderr
    result = cli("reproduce", "span", "--row", "best")
    assert result.exit_code == 2
    assert "the rows are span, recombined, paper, no-lexicon" in result.stderr
    assert cli("reproduce", "span", "--row", "projective", "--dataset", "clevr").exit_code == 2
    assert cli("reproduce", "another").exit_code == 2
    monkeypatch.delenv("PARTWISE_DATA", raising=False)
    result = cli("reproduce", "span", "--table", "1")
    assert result.exit_code == 2
    assert "--data" in result.stderr


@pytest.fixture
def geoquery(tmp_path: Path) -> Path:
    """A folder with one of the paper's splits, of three questions."""
    folder = tmp_path / "data" / "geoquery" / "iid"
    folder.mkdir(parents=True)
    for number, part in enumerate(("train", "dev", "test"), 1):
        line = json.dumps({"question": "ohio ?", "program": "answer ( stateid ( 'ohio' ) )"})
        (folder / f"{part}.jsonl").write_text(f"{line}\n" * number)
    return tmp_path / "data"


def test_sizes_are_counted(cli: Callable[..., Any], geoquery: Path, tmp_path: Path) -> None:
    text = cli("reproduce", "span", "--table", "1", "--data", str(geoquery)).stdout
    assert "694,689" in text
    store(tmp_path / "stored", "span-geoquery-iid-crf-sharp.json", 0, "x", 0.9)
    given = ("--results", str(tmp_path / "stored"), "--paper", "span")
    text = cli("report", *given, "--markdown", "--data", str(geoquery)).stdout
    assert "| GeoQuery | IID | 540 | 60 | 280 | 1 | 2 | 3 |" in text
    found = json.loads(cli("report", *given, "--json", "--data", str(geoquery)).stdout)
    (counted,) = [split["counted"] for split in found["splits"] if split["counted"]]
    assert counted == {"train": 1, "dev": 2, "test": 3}


def test_report_of_the_paper(cli: Any, tmp_path: Path) -> None:
    store(tmp_path, "span-geoquery-iid-crf-sharp.json", 0, "x", 0.9)
    given = ("report", "--results", str(tmp_path))
    assert "Table 3" in cli(*given, "--paper", "span").stdout
    assert "| crf-sharp | ours, minilm | – | 90.0 (1) |" in (
        cli(*given, "--paper", "span", "--markdown").stdout
    )
    result = cli(*given, "--data", str(tmp_path))
    assert result.exit_code == 2
    assert "--data is for --paper" in result.stderr


def test_a_checkout_shows_its_stored_results(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert find_stored_results() == ROOT / "papers" / "results"
    (tmp_path / "results").mkdir()
    assert find_stored_results() == Path("results")
