"""The page of a database in a real browser: answers, charts, doubt, questions back, conversations,
completion, what can be asked about, waiting and errors, the API's page."""

from __future__ import annotations

import csv
import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("selenium")
pytest.importorskip("sqlalchemy")
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait
from serve_helpers import running
from shop_helpers import KnowingParser, shop_domain
from test_browser import Page, fresh

from partwise.database.confirmed import FILE, ConfirmedQuestions
from partwise.database.folder import yaml_file
from partwise.database.layer.files import read_layer, write_layer
from partwise.serve.guard import Access, Limits
from partwise.serve.service import Service

HOSTILE = "<img src=x onerror=alert(1)>"
UNSURE = "the customer with the most revenue"


def shop_service(folder: Path) -> Any:
    return Service(KnowingParser(shop_domain(folder)))  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("shop")
    with running(shop_service(folder), Limits(characters=60, rate=0), folder / "log") as url:
        yield url


@pytest.fixture
def page(chromium: Any, shop: str) -> Iterator[Page]:
    yield from fresh(chromium, shop)


@pytest.fixture
def unsure(chromium: Any, tmp_path: Path) -> Iterator[Page]:
    """The page of a shop that asks back, where one may confirm."""
    service = shop_service(tmp_path)
    service.parser.asks_above = 0.0
    service.parser.domain.confirmed = ConfirmedQuestions(tmp_path)
    access = Access(confirms=True)
    with running(service, Limits(rate=0), tmp_path / "log", access=access) as url:
        yield from fresh(chromium, url)


def rows(page: Page) -> list[list[str]]:
    script = (
        "return [...document.querySelectorAll('.turn:last-child .answer tbody tr')]"
        ".map(row => [...row.cells].map(cell => cell.textContent))"
    )
    shown: list[list[str]] = page.run(script)
    return shown


def downloads(page: Page, folder: Path) -> None:
    """Let files be saved to a folder."""
    allowed = {"behavior": "allow", "downloadPath": str(folder)}
    page.driver.execute_cdp_cmd("Browser.setDownloadBehavior", allowed)


def saved(page: Page, file: Path) -> bytes:
    WebDriverWait(page.driver, 20, 0.05).until(lambda _: file.exists() and file.stat().st_size)
    return file.read_bytes()


def tool(page: Page, label: str) -> Any:
    (found,) = [one for one in page.last(".tools .tool") if one.text == label]
    return found


def test_a_table_with_its_restatement_sql_and_words(page: Page) -> None:
    page.ask("revenue by customer")
    page.shows("3 rows")
    assert [one.text for one in page.all(".answer th")] == ["customer name", "revenue"]
    assert sorted(rows(page)) == [["=1+1", "-$3"], ["Ana", "$6"], ["O'Neil", "$6"]]
    assert page.one(".understood").text.startswith("Understood as: ")
    assert not page.one(".sql").is_displayed()
    page.click(page.all("summary")[-1])
    assert page.one(".sql").text.startswith("SELECT")
    assert page.one(".drawing .part-of").text.splitlines() == [
        *("revenue", "first word of revenue by customer")
    ]
    assert [one.text for one in page.all(".drawing .nothing")] == ["by", "customer"]
    assert page.part() == {"Not said": "through sale"}


def test_a_click_on_a_heading_sorts_and_another_turns_it(page: Page) -> None:
    page.ask("revenue by customer")
    page.shows("3 rows")
    revenue, button = page.all(".answer th")[1], page.all(".answer .sort")[1]
    page.click(button)
    assert revenue.get_attribute("aria-sort") == "ascending"
    assert [row[1] for row in rows(page)] == ["-$3", "$6", "$6"]
    page.click(button)
    assert revenue.get_attribute("aria-sort") == "descending"
    assert [row[1] for row in rows(page)] == ["$6", "$6", "-$3"]
    page.ask("customers")
    page.shows("4 rows")
    for _ in range(2):
        # What is missing comes last in either direction.
        page.click(page.last(".answer .sort")[1])
        assert rows(page)[-1] == [HOSTILE, ""]


def test_values_are_never_markup(page: Page) -> None:
    page.ask("customers")
    page.shows("4 rows")
    assert [HOSTILE, ""] in rows(page)
    assert not page.all("#turns img")


def test_the_csv_file_has_all_rows_and_no_formula(page: Page, tmp_path: Path) -> None:
    downloads(page, tmp_path)
    page.ask("revenue by customer")
    page.shows("3 rows")
    page.click(tool(page, "Save as CSV"))
    text = saved(page, tmp_path / "answer.csv").decode("utf-8-sig")
    assert sorted(csv.reader(text.splitlines())) == [
        *(["'=1+1", "-3"], ["Ana", "6"], ["O'Neil", "6"], ["customer name", "revenue"])
    ]


def test_the_table_and_the_sql_are_copied(page: Page) -> None:
    page.ask("revenue by customer")
    page.shows("3 rows")
    page.run("navigator.clipboard.writeText = async (text) => { window.copied = text; }")
    page.click(tool(page, "Copy"))
    page.shows("Copied")
    copied = str(page.run("return window.copied")).split("\n")
    assert copied[0] == "customer name\trevenue"
    assert "'=1+1\t-3" in copied
    page.click(page.all("summary")[-1])
    page.click(tool(page, "Copy SQL"))
    page.until("return window.copied.startsWith('SELECT')")


def test_values_are_written_as_people_do_and_a_long_table_is_folded(page: Page) -> None:
    script = """
        const done = arguments[0];
        Promise.all([import("./page/values.js"), import("./page/table.js")]).then(([v, t]) => {
          const type = (type, unit = null, whole = true) => ({ name: "x", type, unit, whole });
          const long = t.table([type("integer")], Array.from({ length: 40 }, (_, i) => [i]), "40");
          document.querySelector("#turns").append(long.element);
          const shown = () => long.element.querySelectorAll("tbody tr").length;
          const few = shown();
          long.element.querySelector(".more").click();
          done([
            v.spelled(1234567, type("integer")), v.spelled(0.00125, type("number")),
            v.spelled(2024, type("year")), v.spelled(12.5, type("percent")),
            v.spelled(1234.5, type("money", "USD", false)), v.spelled(2500, type("number", "g")),
            v.spelled("2024-03-01", type("date")), v.spelled("2024-03", type("month")),
            v.spelled("2024-03-01T10:30:00", type("datetime")), v.spelled(3, type("month")),
            v.spelled("2024-Q1", type("quarter")), v.spelled(0, type("weekday")),
            v.spelled("2024-99", type("month")), v.spelled(true), few, shown(),
          ]);
        });
    """
    assert page.driver.execute_async_script(script) == [
        *("1,234,567", "0.00125", "2024", "12.5 %", "$1,234.50", "2,500 g"),
        *("1 Mar 2024", "Mar 2024", "1 Mar 2024, 10:30", "March", "Q1 2024", "Sunday"),
        *("2024-99", "yes", 10, 40),
    ]


def test_a_chart_is_drawn_and_saved_and_loads_only_then(page: Page, tmp_path: Path) -> None:
    downloads(page, tmp_path)
    page.ask("how many customers")
    page.shows("4", ".one")
    assert page.one(".of").text == "number of customers"
    loaded = "return performance.getEntriesByType('resource').some(e => e.name.endsWith('vega.js'))"
    assert page.run(loaded) is False
    page.ask("revenue by customer")
    page.until("return document.querySelectorAll('.vega svg .mark-rect path').length === 3")
    assert page.run(loaded) is True
    page.click(tool(page, "Save as SVG"))
    assert saved(page, tmp_path / "chart.svg").startswith(b"<svg")
    page.click(tool(page, "Save as PNG"))
    assert saved(page, tmp_path / "chart.png").startswith(b"\x89PNG")
    page.click(page.one("#save"))
    text = saved(page, tmp_path / "conversation.html").decode()
    assert all(part in text for part in ("how many customers", "<svg", "O'Neil", "SELECT"))
    severe = [line for line in page.driver.get_log("browser") if "Security Policy" in str(line)]
    assert json.dumps(severe) == "[]"


def test_doubt_is_seen_and_another_meaning_is_chosen_with_its_whole_answer(page: Page) -> None:
    page.ask(UNSURE)
    page.shows("This may not be what you meant", ".doubt")
    page.shows("Tied with the last row", ".card")
    choices = page.all(".others button")
    assert len(choices) == 2
    words = choices[0].find_element("css selector", ".restated").text
    assert "Ana" in choices[0].find_element("css selector", ".meant").text
    page.click(choices[0])
    page.shows("3 rows")
    assert page.one(".understood strong").text == words
    page.ask("is there a customer in peru")
    page.shows("no", ".turn:last-child .one")


def test_a_word_that_was_not_used_is_marked_and_a_refusal_says_what_can_be_asked(
    page: Page,
) -> None:
    page.ask("customers in chile please")
    page.shows("2 rows")
    assert [one.text for one in page.all(".asked mark")] == ["please"]
    page.shows("“please”", ".doubt")
    page.ask("what is the weather")
    page.shows("The shop cannot tell this.")
    assert len(page.last(".answer li a")) == 3
    assert not page.last(".sql")


def test_what_is_asked_back_is_chosen_confirmed_and_linked_to(unsure: Page, tmp_path: Path) -> None:
    page = unsure
    page.ask(UNSURE)
    page.shows("By “the”: ", ".back h3")
    assert page.findings() == []
    choices = page.all(".back button")
    assert choices[-1].text == "None of these"
    page.click(choices[1])
    page.shows("3 rows")
    assert not page.all(".back")
    page.click(tool(page, "✓ That is right"))
    page.shows("confirmed by web", ".note")
    assert UNSURE in (tmp_path / FILE).read_text("utf-8")
    page.driver.refresh()
    page.until("return document.documentElement.dataset.ready === 'true'")
    page.shows("3 rows")


def test_what_a_word_means_is_clicked_in_the_schema(unsure: Page, tmp_path: Path) -> None:
    page, file = unsure, yaml_file(tmp_path)
    write_layer(shop_domain(tmp_path).layer, file, "sqlite:///shop.db")
    page.ask(f"{UNSURE} grumble")
    page.shows("“grumble” means …", ".turn:last-child .tools")
    page.click(tool(page, "“grumble” means …"))
    page.shows("What does “grumble” mean?", "#schema-title")
    assert page.findings() == []
    page.click(page.all("#schema summary")[0])
    page.click(next(one for one in page.all("#schema .name") if one.text == "price"))
    page.until("return document.querySelectorAll('.turn').length === 2")
    named = [
        (table.name, column.name)
        for table in read_layer(file).layer.tables
        for column in table.columns
        if "grumble" in column.synonyms
    ]
    assert [column for _, column in named] == ["price"]


def test_a_conversation_goes_on_is_linked_to_and_undone(page: Page) -> None:
    page.ask("how many customers")
    page.shows("4", ".one")
    page.ask("customers in chile")
    page.shows("2 rows")
    page.ask("how many is that")
    page.shows("This goes on from the last question.")
    assert page.last(".one")[0].text == "2"
    page.run("navigator.clipboard.writeText = async (text) => { window.copied = text; }")
    page.click(tool(page, "Copy link"))
    page.until("return window.copied")
    link = page.run("return window.copied")
    assert link.endswith("#q=customers%20in%20chile&q=how%20many%20is%20that")
    page.driver.get("about:blank")
    page.driver.get(link)
    page.until("return document.querySelectorAll('.turn .one').length === 1")
    assert [one.text for one in page.all(".asked")] == ["customers in chile", "how many is that"]
    page.click(tool(page, "Undo"))
    assert [one.text for one in page.all(".asked")] == ["customers in chile"]
    assert page.one("#question").get_property("value") == "how many is that"
    page.driver.back()
    page.until("return document.querySelectorAll('.turn .one').length === 1")
    page.click(page.one("#anew"))
    assert page.one("#start").is_displayed()


def test_names_are_completed_by_keyboard_and_private_ones_never(page: Page) -> None:
    field = page.one("#question")
    field.send_keys("customers in ch")
    page.until("return !document.getElementById('completions').hidden")
    assert field.get_attribute("aria-expanded") == "true"
    assert page.findings() == []
    field.send_keys(Keys.ARROW_DOWN, Keys.ENTER)
    assert field.get_property("value") == "customers in Chile "
    field.send_keys("e")
    page.until("return document.getElementById('completions').hidden")
    field.send_keys(Keys.BACKSPACE, Keys.ENTER)
    page.shows("2 rows")


def test_what_can_be_asked_about_is_shown_and_put_into_the_question(page: Page) -> None:
    page.click(page.one("#open-schema"))
    page.shows("Brazil, Chile", "#schema")
    assert page.findings() == []
    assert "email" not in page.one("#schema").text
    page.shows("1 private column is left out", "#schema")
    page.one("#filter").send_keys("quantity")
    titles = page.all("#schema summary")
    assert [one.is_displayed() for one in titles] == [False, True]
    page.click(next(one for one in page.all("#schema .name") if one.text == "quantity"))
    assert not page.one("#schema").is_displayed()
    assert page.one("#question").get_property("value") == "quantity "
    assert page.active.get_attribute("id") == "question"


def test_waiting_is_seen_and_cancelled_and_a_busy_server_is_said_to_be(
    chromium: Any, tmp_path: Path
) -> None:
    service, go = shop_service(tmp_path), threading.Event()
    asked = service.parser.parse
    service.parser.parse = lambda *given, **more: (go.wait(20), asked(*given, **more))[1]
    try:
        with running(service, Limits(rate=0, waiting=1), tmp_path / "log") as url:
            (page,) = fresh(chromium, url)
            page.ask("customers")
            page.shows("Looking for the answer")
            assert page.findings() == []
            page.one("#question").send_keys(Keys.ESCAPE)
            page.until("return !document.querySelector('.turn')")
            for _ in range(2):
                page.run(
                    "fetch('ask', {method: 'POST', body: '{\"question\": \"customers\"}',"
                    " headers: {'Content-Type': 'application/json'}})"
                )
            page.ask("customers")
            page.shows("Many questions are being asked just now")
            assert page.one(".turn button").text == "Try again"
            go.set()
    finally:
        go.set()


def test_a_server_with_keys_asks_for_one(chromium: Any, tmp_path: Path) -> None:
    access = Access(keys=("secret",))
    with running(shop_service(tmp_path), Limits(), tmp_path / "log", access=access) as url:
        (page,) = fresh(chromium, url)
        page.ask("how many customers")
        page.shows("A key is needed")
        assert page.findings() == []
        page.one("#key").send_keys("secret")
        page.click(page.one(".turn button"))
        page.shows("4", ".one")


@pytest.mark.parametrize("width", [320, 0])
@pytest.mark.parametrize("colours", ["light", "dark"])
def test_axe_finds_nothing_and_a_phone_scrolls_the_table_alone(
    page: Page, width: int, colours: str
) -> None:
    page.emulate(width, colours)
    for question in ("revenue by customer", UNSURE, "how many customers", "what is the weather"):
        page.ask(question)
        page.shows("Copy link")
    page.until("return document.querySelector('.vega svg')")
    page.run("document.querySelectorAll('details').forEach(one => { one.open = true; })")
    assert page.findings() == []
    room = page.run("return document.documentElement.clientWidth")
    assert page.run("return document.documentElement.scrollWidth") <= room


def test_the_api_has_a_page(page: Page) -> None:
    page.driver.get(f"{page.url}/docs")
    page.shows("POST /ask", "main")
    page.shows("Which words gave which part", "#Reply")
    assert page.findings() == []
