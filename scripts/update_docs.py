"""Write the tables of README and docs from result files; with --check only compare.

No figure in the documentation is typed: this script is the one place where they come from.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Mapping
from pathlib import Path

from partwise.evaluation.results import load_results
from partwise_papers.tables.graph import graph_report
from partwise_papers.tables.report import report
from partwise_papers.tables.span_report import span_report
from partwise_papers.tables.summary import summary, summary_plot

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "scripts"))

import bench_tables  # noqa: E402
from bench_tables import BENCH  # noqa: E402

RESULTS, DOCS = ROOT / "papers" / "results", ROOT / "docs"
TABLES = {
    DOCS / "learn" / "quickstart.md": {"shipped": bench_tables.pretrained},
    DOCS / "howto" / "entities.md": {"entities": bench_tables.entities},
    DOCS / "howto" / "confidence.md": {"calibration": bench_tables.calibration},
    DOCS / "howto" / "few.md": {"few": bench_tables.few},
    DOCS / "howto" / "serve.md": {"serving": bench_tables.serving},
}
"""Pages with tables of benchmarks: name of the block -> what fills it."""
BLOCK = r"(<!-- {name}:begin -->\n).*?(<!-- {name}:end -->)"
PAPER_HEAD = """# The paper's tables

Span parsing; for query graphs see [Query graphs](../explanation/graphs.md#results). The tables are
made by `scripts/update_docs.py`; `partwise report --paper span` prints the same.
`partwise reproduce span --row ROW --data DIR` trains one of our rows again; without `--row` it
lists them. The settings of each row are in `papers/src/partwise_papers/recipes/recipes.py`.

"""
HEAD = """# Results

Made by `scripts/update_docs.py` from the files in `papers/results/`, which
`partwise train … --test` wrote; `partwise report` prints the same tables. Settings were chosen on
inner compositional splits of train, and test was looked at once a run. Span parsers keep the
weights of the best epoch on dev, graph parsers those of the best on questions held out of train.
The encoder `minilm` is all-MiniLM-L6-v2 (22.7M parameters, of which those of the word table are not
trained here), `bilstm` and `lstm` are trained from scratch on the questions of train, `distilled`
is a BiLSTM over word vectors of `minilm` (settings of that row were chosen on held-out fifths of
train and dev); none is BERT. The sharp types were shaped with the gold programs of all 880
questions in view, since they are to type them; no predicted test error was. ± is half the 95 %
interval of the mean over seeds (Student's t).

The variants of span parsers: the *objective* (`hard` EM as in the paper, `marginal` likelihood,
`crf`: globally normalised as well, `trees`: the labels of span trees built from the programs), then
the *types* (`paper`: as published, `sharp`: this package's). `names`: of the lexicon only the names
of entities; `projective`: no ternary joins; `recombined`: phrases of training questions in each
other's places; `guided`: the first of up to five programs that the executor has an answer to. All
else is shared: lexicon, tied entities, entity swapping, ternary joins. Seconds are those of
training, with dev after each epoch, on a machine that had other work; *time in charts* is the share
of them that charts took.

The variants of graph parsers: `declared`, by the domain's phrase rules; `latent`, by rules learned
from the training questions; `flat`, the whole question at once; `-recombined`, trained on questions
with other noun phrases in them too; `-paper`, edges alone with the number of variables given, as
Gai and Jain (2021) do; then whatever is not usual. *Edges match* is of the edges alone, *exact
match* of the whole query.

"""


CHART_HEAD = """# Charts, measured

Made by `scripts/update_docs.py` from `benchmarks/results/`, which hold the output of
`python benchmarks/chart.py --json --model … --questions …` and `python benchmarks/share.py --json`.
{about}.

Median times of the compiled chart, geography's algebra, ternary joins on, beside the paper's
Algorithm 1 (untyped K-best, K = 5, ternary) in plain Python on the same scores in the same run.
The baseline is a lean rewrite and not the authors' code. Compare ratios; the machine was shared.

| scores | words | chart, µs | baseline, ms | ratio | note |
|---|---|---|---|---|---|
{rows}

Exponent of growth in the number of words (least squares on logarithms):

| scores, system | exponent |
|---|---|
{growth}

Share of wall time that is spent in charts, %:

| objective | training | prediction |
|---|---|---|
{share}
"""


def results_page() -> str:
    """docs/results.md."""
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
        pattern = re.compile(BLOCK.format(name=name), re.DOTALL)
        text, count = pattern.subn(lambda found, body=body: found[1] + body + found[2], text)
        if count != 1:
            raise ValueError(f"{count} blocks between <!-- {name}:begin --> and its end, not one")
    return text


def table_page(page: Path) -> str:
    """A page of `TABLES` with its tables put in."""
    return filled(_read(page) or "", {name: make() for name, make in TABLES[page].items()})


def chart_page() -> str:
    """docs/charts.md."""
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
        **{page: table_page(page) for page in TABLES},
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
