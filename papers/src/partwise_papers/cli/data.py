"""``partwise data``: list, show and check data sets, and learn phrase rules from them."""

from __future__ import annotations

import json as jsonlib
from pathlib import Path
from typing import Annotated

from cyclopts import App, Parameter

from partwise.cli.common import DataFolder, Json, Positive, option, warn, write_text

data = App(name="data", help="List, show and check data sets; learn phrase rules.")

Name = Annotated[str, Parameter(help="A data set; see `partwise data list`.")]
Split = Annotated[str | None, option("Which split; the first by default.")]


@data.command(name="list")
def list_(*, json: Json = False) -> None:
    """List the known data sets, their splits, and which come with the package."""
    from partwise.interface.registry import DATASETS

    if json:
        fields = ("name", "domain", "splits", "description", "shipped")
        rows = [{field: getattr(info, field) for field in fields} for info in DATASETS.values()]
        print(jsonlib.dumps(rows))
        return
    for info in DATASETS.values():
        place = "comes with the package" if info.shipped else "needs --data"
        print(f"{info.name}: {info.description}")
        print(f"  splits {', '.join(info.splits)}; domain {info.domain}; {place}")


@data.command()
def show(
    name: Name,
    /,
    *,
    split: Split = None,
    part: Annotated[str, option("train, dev or test.")] = "train",
    n: Annotated[int, option("How many examples.", "-n", validator=Positive)] = 5,
    data: DataFolder = None,
    json: Json = False,
) -> None:
    """Show the first examples of a part: what the questions and programs or queries look like."""
    from partwise.cli.sources import examples_of, find_domain
    from partwise.interface.registry import dataset_info

    info = dataset_info(name, split)
    domain = find_domain(info.domain)
    for example in examples_of(name, split, part, data, domain)[:n]:
        meaning = domain.write(example.meaning)
        if json:
            fields = {"question": example.question, "meaning": meaning, "source": example.source}
            print(jsonlib.dumps(fields, ensure_ascii=False))
        else:
            print(f"{example.question}\n  {meaning}")


@data.command()
def check(
    name: Name,
    /,
    *,
    data: DataFolder = None,
    json: Json = False,
    out: Annotated[Path | None, option("Also write the JSON to this file.")] = None,
) -> int:
    """Check that every line reads, types, is reached by the charts and runs; GeoQuery also whether
    it is as published.

    Of a data set with queries: that they read, are written as they were, and fit the questions.

    Exits with 1 if there is any exception; each is listed with file and line.
    """
    from partwise_papers.validation import check as check_all

    report = check_all(name, data)
    text = jsonlib.dumps(report.to_json(), ensure_ascii=False, indent=1)
    if out is not None:
        write_text(out, text + "\n")
    print(text if json else report.text())
    return 0 if report.ok else 1


@data.command()
def rules(
    name: Name,
    /,
    *,
    split: Split = None,
    n: Annotated[
        int | None, option("Look at this many training questions.", "-n", validator=Positive)
    ] = None,
    data: DataFolder = None,
) -> None:
    """Learn phrase rules from training questions and their queries, and print them.

    As graph parsers learn them; a first draft of rules for a domain of your own.
    """
    from partwise_papers.datasets.phrase_rules import rules_of

    learned, fit, size = rules_of(name, split, data, n)
    for rule in learned:
        print(rule)
    warn(f"{len(learned)} rules; they fit {fit:,} of {size:,} questions")


@data.command()
def spider(
    *,
    fills: Annotated[Path, option("Folder for the databases with made-up rows; made if missing.")],
    data: DataFolder = None,
    seeds: Annotated[int, option("Sets of made-up rows to compare on.", validator=Positive)] = 5,
    programs: Annotated[Path | None, option("Write the programs to this file (JSONL).")] = None,
    json: Json = False,
    out: Annotated[Path | None, option("Also write the counts as JSON to this file.")] = None,
) -> None:
    """Turn Spider's SQL into programs, and count for how many questions that is right.

    A program is right if it gives the rows of the SQL on every set of made-up rows.
    """
    from partwise_papers.spider.coverage import convert_spider

    coverage = convert_spider(data, fills, seeds, programs)
    text = jsonlib.dumps(coverage.to_json(), ensure_ascii=False, indent=1)
    if out is not None:
        write_text(out, text + "\n")
    print(text if json else coverage.text())
