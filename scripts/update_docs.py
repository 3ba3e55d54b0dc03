"""Write the tables of README and docs from result files; with --check only compare.

No figure in the documentation is typed: this script is the one place where they come from.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Mapping
from pathlib import Path

from partwise_papers.results.files import load_results
from partwise_papers.tables.graph import graph_report
from partwise_papers.tables.report import report
from partwise_papers.tables.span_report import span_report
from partwise_papers.tables.summary import summary, summary_plot

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "scripts"))

import baseline_docs  # noqa: E402
import bench_tables  # noqa: E402
import cli_docs  # noqa: E402
import database_tables  # noqa: E402
import layer_docs  # noqa: E402
from bench_tables import BENCH  # noqa: E402

RESULTS, DOCS = ROOT / "papers" / "results", ROOT / "docs"
TABLES = {
    DOCS / "baselines.md": baseline_docs.TABLES,
    DOCS / "learn" / "quickstart.md": {"shipped": bench_tables.pretrained},
    DOCS / "howto" / "entities.md": {"entities": bench_tables.entities},
    DOCS / "howto" / "confidence.md": {
        "calibration": bench_tables.calibration,
        "typed": bench_tables.typed,
    },
    DOCS / "howto" / "few.md": {"few": bench_tables.few},
    DOCS / "howto" / "learn.md": {"alone": bench_tables.alone},
    DOCS / "howto" / "serve.md": {"serving": bench_tables.serving},
    DOCS / "reference" / "databases.md": {
        "databases": database_tables.databases,
        "spelling": database_tables.spelling,
        "choosing": database_tables.choosing,
        "seeds": database_tables.seeds,
        "edited": database_tables.edited,
        "pairs": database_tables.pairs,
        "pairs-of-chinook": database_tables.pairs_of_chinook,
        "scale": database_tables.scale,
    },
    DOCS / "reference" / "spider.md": {"spider": database_tables.spider},
}
"""Pages with tables of benchmarks: name of the block -> what fills it."""
REFERENCE = {
    DOCS / "reference" / "cli.md": {"commands": cli_docs.commands},
    DOCS / "reference" / "configuration.md": {"settings": cli_docs.configuration},
    DOCS / "reference" / "layer.md": {"keys": layer_docs.keys},
}
"""Pages that are made from the code, in the same form."""
BLOCK = r"(<!-- {name}:begin -->\n).*?(<!-- {name}:end -->)"
PAPER_HEAD = """# Tables of the papers

This page is about span parsing; [Query graphs](../explanation/graphs.md#results) has the tables of
the graph parser. `scripts/update_docs.py` makes it, and `partwise report --paper span` prints the
same. `partwise reproduce span --row ROW --data DIR` trains one of our rows again; without `--row`,
it lists the rows. The settings of each row are in `papers/src/partwise_papers/recipes/recipes.py`.

"""
HEAD = """# Results

`scripts/update_docs.py` makes this page from the files in `papers/results/`, which
`partwise train … --test` wrote. `partwise report` prints the same tables.

- **Selection.** Settings were chosen on inner compositional splits of the training set. The test
  set was used once in each run. Span parsers keep the weights of the best epoch on dev. Graph
  parsers keep those of the best epoch on questions held out of the training set.
- **Encoders.** `minilm` is all-MiniLM-L6-v2 (22.7M parameters; its word embeddings are not trained
  here). `bilstm` and `lstm` are trained from scratch on the training questions. `distilled` is a
  BiLSTM over word vectors of `minilm`; the settings of its row were chosen on held-out fifths of
  train and dev. None of them is BERT.
- **Types.** The sharp types were designed with the gold programs of all 880 questions of GeoQuery
  in view, because they have to type them. No predicted test error was looked at.
- **±** is half of the 95 % interval of the mean over seeds (Student's t).
- **Seconds** are those of training, including the evaluation on dev after each epoch, on a machine
  that was shared. *Time in charts* is the share of them that the charts took.

A variant of a span parser is named after two things:

- the *objective*: `hard` (hard EM, as in the paper), `marginal` (marginal likelihood), `crf` (also
  globally normalised) or `trees` (labels of span trees built from the programs);
- the *types*: `paper` (as published) or `sharp` (those of this package).

Further words in the name: `names`: the lexicon has only the names of entities. `projective`: no
ternary joins. `recombined`: phrases of training questions replace each other. `guided`:
execution-guided decoding, which takes the first of up to five programs with an answer. All variants
share the lexicon, one output for each entity type, entity augmentation and ternary joins, unless
their name says otherwise.

A variant of a graph parser is `declared` (phrase rules of the domain), `latent` (phrase rules
learned from the training questions) or `flat` (the whole question at once). `-recombined`: trained
also on questions with other noun phrases. `-undeclared`: word classes are learned, not declared.
`-long`: five epochs in place of two. `-paper`: only edges, with the number of variables given, as
in Gai et al. (2021). Anything else in a name is a setting that differs from the default.
*Edges match* is about the edges alone, *exact match* about the whole query.

"""


CHART_HEAD = """# Speed of the charts

`scripts/update_docs.py` makes this page from `benchmarks/results/`, which hold the output of
`python benchmarks/chart.py --json --model … --questions …` and `python benchmarks/share.py --json`.
{about}.

The first table has median times of the compiled chart with the algebra of geography and ternary
joins. The baseline is Algorithm 1 of the paper (untyped K-best, K = 5, ternary) in plain Python, on
the same scores in the same run. It was written for this comparison and is not the authors' code.
The machine was shared, so compare ratios.

| scores | words | chart, µs | baseline, ms | ratio | note |
|---|---|---|---|---|---|
{rows}

Exponent of the growth in the number of words (least squares on logarithms):

| scores, system | exponent |
|---|---|
{growth}

Share of the wall time spent in charts, %:

| objective | training | prediction |
|---|---|---|
{share}
"""


def results_page() -> str:
    """docs/reference/results.md."""
    results = load_results(RESULTS)
    commands = "\n".join(
        f"| {r.setup.dataset} | {r.setup.split} | {r.setup.variant} | {seed} | `{run.command}` "
        f"| {(run.commit or '')[:10]} |"
        for r in results
        for seed, run in sorted(r.runs.items(), key=lambda item: int(item[0]))
    )
    table = "| data | split | variant | seed | command | commit |\n|---|---|---|---|---|---|\n"
    return f"{HEAD}{report(results).markdown()}\n### Commands\n\n{table}{commands}\n"


def paper_page() -> str:
    """docs/reference/papers.md."""
    return PAPER_HEAD + span_report(load_results(RESULTS)).markdown()


def readme(text: str) -> str:
    """README with its six rows put in."""
    return filled(text, {"results": summary(RESULTS).markdown()})


def graph_page(text: str) -> str:
    """docs/explanation/graphs.md with its tables put in."""
    results = graph_report(load_results(RESULTS))._replace(preface="").markdown()
    return filled(
        text,
        {
            "graphs": results,
            "errors": bench_tables.errors(),
            "ablation": bench_tables.ablation(),
            "speed": bench_tables.speed(),
        },
    )


def filled(text: str, blocks: Mapping[str, str]) -> str:
    """A text with something between the marks of each block.

    Raises:
        ValueError: if a mark is missing.
    """
    for name, body in blocks.items():
        matches = list(re.finditer(BLOCK.format(name=name), text, re.DOTALL))
        if len(matches) != 1:
            raise ValueError(f"{len(matches)} blocks of <!-- {name}:begin -->, expected one")
        text = text[: matches[0].end(1)] + body + text[matches[0].start(2) :]
    return text


def table_page(page: Path) -> str:
    """A page of `TABLES` or `REFERENCE` with its blocks put in."""
    blocks = {**TABLES, **REFERENCE}[page]
    return filled(_read(page) or "", {name: make() for name, make in blocks.items()})


def chart_page() -> str:
    """docs/explanation/charts.md."""
    data = json.loads((BENCH / "chart.json").read_text(encoding="utf-8"))
    shares = json.loads((BENCH / "share.json").read_text(encoding="utf-8"))
    rows = "\n".join(
        f"| {row['regime']} | {row['n']} | {1e6 * row['compiled']:,.0f} "
        f"| {_number(row['baseline'], 1e3)} | {_number(row['ratio'], 1)} | {row['note']} |"
        for row in data["rows"]
    )
    growth = "\n".join(
        f"| {name} | {_number(value, 1, 2)} |" for name, value in data["exponents"].items()
    )
    share = "\n".join(
        f"| {row['objective']} | {100 * row['training']:.1f} | {100 * row['prediction']:.1f} |"
        for row in shares
    )
    return CHART_HEAD.format(about=data["about"], rows=rows, growth=growth, share=share)


def _number(value: float | None, unit: float, digits: int = 1) -> str:
    return "–" if value is None else f"{value * unit:,.{digits}f}"


def main() -> int:
    """Write the pages, or with --check say which are out of date."""
    graphs = DOCS / "explanation" / "graphs.md"
    pages = {
        DOCS / "reference" / "results.md": results_page(),
        DOCS / "reference" / "papers.md": paper_page(),
        DOCS / "explanation" / "charts.md": chart_page(),
        graphs: graph_page(_read(graphs) or ""),
        **{page: table_page(page) for page in (*TABLES, *REFERENCE)},
        ROOT / "README.md": readme(_read(ROOT / "README.md") or ""),
    }
    stale = [path for path, text in pages.items() if _read(path) != text]
    if "--check" in sys.argv:
        for path in stale:
            print(f"{path.relative_to(ROOT)} is out of date: run scripts/update_docs.py")
        return 1 if stale else 0
    for path in stale:
        path.write_text(pages[path], encoding="utf-8")
    summary_plot(RESULTS, DOCS / "pictures" / "results.svg")
    return 0


def _read(path: Path) -> str | None:
    return path.read_text(encoding="utf-8") if path.exists() else None


if __name__ == "__main__":
    raise SystemExit(main())
