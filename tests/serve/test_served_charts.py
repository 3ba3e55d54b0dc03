"""Charts of a database's answers in the API, for assistants, and drawn under the page's policy."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from cli_helpers import run_cli
from serve_helpers import Served, served

from partwise.interface.answering import answer
from partwise.serve.guard import Limits
from partwise.serve.service import Service

pytest.importorskip("sqlalchemy")
from shop_helpers import KnowingParser, shop_domain

GROUPS = "revenue by customer"


@pytest.fixture
def parser(tmp_path: Path) -> Any:
    return KnowingParser(shop_domain(tmp_path))


@pytest.fixture
def api(parser: Any) -> Served:
    return served(Service(parser), Limits(rate=0))


def test_the_api_tells_how_an_answer_is_seen_where_it_is_asked_to(api: Served) -> None:
    reply = api.client.post("/ask", json={"question": GROUPS, "display": True}).json()
    seen = reply["display"]
    assert (seen["kind"], seen["note"]) == ("bar", None)
    assert [tuple(column.values()) for column in seen["columns"]] == [
        ("customer name", "text", None),
        ("revenue", "money", "USD"),
    ]
    assert seen["chart"]["data"]["values"][0] == {"x": "Ana", "y": 6.0}
    assert "($)" in seen["chart"]["encoding"]["y"]["title"]
    assert "display" not in api.client.post("/ask", json={"question": GROUPS}).json()
    refused = api.client.post("/ask", json={"question": "weather", "display": True}).json()
    assert "display" not in refused


def test_a_question_back_has_none_and_what_is_chosen_has(parser: Any) -> None:
    parser.asks_above = 0.0
    api = served(Service(parser), Limits(rate=0))
    sent = {"question": "the customer with the most revenue", "display": True}
    back = api.client.post("/ask", json=sent).json()
    assert (back["outcome"], "display" in back) == ("clarify", False)
    option = back["clarification"]["options"][0]["id"]
    chosen = api.client.post("/clarify", json={**sent, "option": option}).json()
    assert chosen["display"]["kind"] in ("number", "table", "bar")


def test_assistants_get_a_chart_where_they_ask_for_it(parser: Any) -> None:
    pytest.importorskip("mcp")
    from mcp import Client

    from partwise.serve.assistant import assistant

    async def ask(**more: Any) -> Any:
        async with Client(assistant(Service(parser))) as client:
            result = await client.call_tool("ask", {"question": GROUPS, **more})
        return result.structured_content

    assert asyncio.run(ask(chart=True))["display"]["kind"] == "bar"
    assert asyncio.run(ask())["display"] is None


def test_the_terminal_draws_and_writes(
    parser: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from partwise.cli.sources import Load

    monkeypatch.setattr(Load, "__call__", lambda _: Service(parser))
    chart, rows = tmp_path / "a.json", tmp_path / "a.csv"
    shown = run_cli("ask", GROUPS, "--chart", str(chart), "--save", str(rows))
    assert shown.exit_code == 0
    assert "$6.00   █" in shown.stdout
    assert '"bar"' in chart.read_text()
    assert rows.read_text().startswith("customer name,revenue\nAna,6.0\n")
    none = run_cli("ask", "how many customers", "--chart", str(chart))
    assert none.exit_code == 1
    assert "seen as a number: there is no chart" in none.stderr


def test_one_text_has_one_answer(parser: Any) -> None:
    assert answer(parser, GROUPS) == answer(parser, [GROUPS])[0]


SCRIPT = """
const done = arguments[arguments.length - 1];
import("/page/vega.js").then(async ({drawChart}) => {
  const chart = document.createElement("div");
  chart.style.width = "400px";
  document.body.append(chart);
  const {view} = await drawChart(chart, arguments[0]);
  const image = await view.toImageURL("png");
  const elsewhere = {...arguments[0], data: {url: "/about"}};
  const other = await drawChart(document.createElement("div"), elsewhere)
    .then((result) => result.view.data("source_0").length, String);
  const bars = chart.querySelectorAll("path[aria-roledescription=bar]").length;
  done([bars, image.slice(0, 14), other]);
}).catch((error) => done([String(error)]));
"""


def test_a_chart_is_drawn_without_eval_inline_styles_or_the_network(
    parser: Any, live: str, chromium: Any
) -> None:
    spec = answer(parser, GROUPS).display().chart
    # An expression, which Vega would else compile.
    spec["encoding"]["x"]["axis"]["labelExpr"] = "'about ' + datum.value"
    chromium.get(f"{live}/")
    chromium.get_log("browser")
    bars, image, other = chromium.execute_async_script(SCRIPT, spec)
    assert (bars, image, other) == (3, "data:image/png", 0)
    logged = [entry["message"] for entry in chromium.get_log("browser")]
    assert not [text for text in logged if "Content Security" in text or "Refused" in text]
