"""Answers: is each seen as a person would see it?

    python benchmarks/charts.py

`benchmarks/data/charts.jsonl` was written before anything was drawn: a question as people type it,
what a person would choose, and at most one other that would do as well. Those with ``later`` were
written when the first 60 had been looked at, and are counted apart. Half of the questions are asked
of the tea shop of ``examples``; the others have their rows beside them. Each chart is checked
by the schema of Vega-Lite and drawn by vl-convert. Written to ``benchmarks/results/charts.json``.
"""

from __future__ import annotations

import json
import runpy
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import vl_convert
from altair import Chart

from partwise.database.domain import DatabaseDomain
from partwise.database.parser import DatabaseParser
from partwise.database.source.connections import connect
from partwise.database.source.importing import import_database
from partwise.database.source.values import ValueIndex
from partwise.drawing.charts import Display, display
from partwise.encoders.storage import write_json
from partwise.interface import answer
from partwise.interface.prediction import Explanation, ResultTable
from partwise.language.wishes import split_wish
from partwise_papers.results.recorder import checkout_commit

HERE = Path(__file__).resolve().parent
SHOP = HERE.parent / "examples" / "database" / "make_shop.py"
OUT = HERE / "results" / "charts.json"


def shop_parser(folder: Path) -> DatabaseParser:
    """The shipped parser over the tea shop, as imported."""
    runpy.run_path(str(SHOP))["make"](str(folder / "shop.db"))
    source = connect(f"sqlite:///{folder / 'shop.db'}")
    layer = import_database(source, "shop")
    domain = DatabaseDomain(layer, source, ValueIndex.build(source, layer))
    return DatabaseParser.from_pretrained("database", domain=domain)


def seen(case: dict[str, Any], parser: DatabaseParser) -> Display | None:
    """How the answer to a question is seen; None if there is none."""
    if "columns" not in case:
        return answer(parser, case["question"]).display()  # type: ignore[no-any-return]
    rows = tuple(map(tuple, case["rows"]))
    table = ResultTable(tuple(case["columns"]), rows, Explanation("", ""))
    return display(table, split_wish(case["question"]).kind)


def problem(chart: dict[str, Any]) -> str:
    """What is wrong with a chart by Vega-Lite's schema, or where it is drawn; "" for nothing."""
    try:
        Chart.from_dict(chart)
        drawn = vl_convert.vegalite_to_svg(chart | {"width": 600})
        return "" if "<path" in drawn else "nothing is drawn"
    except Exception as error:
        return f"{type(error).__name__}: {error}"[:200]


def counted(rows: list[dict[str, Any]]) -> dict[str, int]:
    return {
        "answers": len(rows),
        "right": sum(row["right"] for row in rows),
        "first choice": sum(row["seen"] == row["kind"] for row in rows),
        "charts": sum(row["seen"] not in ("number", "table", "none") for row in rows),
        "charts with a problem": sum("problem" in row for row in rows),
    }


def main() -> None:
    lines = (HERE / "data" / "charts.jsonl").read_text(encoding="utf-8").splitlines()
    cases = [json.loads(line) for line in lines]
    rows = []
    with TemporaryDirectory() as folder:
        parser = shop_parser(Path(folder))
        for case in cases:
            found = seen(case, parser)
            kind = "none" if found is None else found.kind
            wrong = problem(found.chart) if found is not None and found.chart else ""
            row = {
                name: case[name] for name in ("question", "kind", "also", "later") if name in case
            }
            row |= {"seen": kind, "right": kind in (case["kind"], case.get("also"))}
            rows.append(row | ({"problem": wrong} if wrong else {}))
            if not row["right"] or wrong:
                print(rows[-1])
    figures = {
        "first": counted([row for row in rows if "later" not in row]),
        "later": counted([row for row in rows if "later" in row]),
    }
    print(figures)
    write_json(OUT, {"commit": checkout_commit(), **figures, "each": rows})


if __name__ == "__main__":
    main()
