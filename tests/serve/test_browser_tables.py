"""The page's tables in a real browser: sorting, copying, downloading, SQL, words, doubt."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("selenium")
pytest.importorskip("sqlalchemy")
from selenium.webdriver.support.ui import WebDriverWait
from serve_helpers import running
from shop_helpers import KnowingParser, shop_domain
from test_browser import Page, fresh

from partwise.serve.guard import Limits
from partwise.serve.service import Service

HOSTILE = "<img src=x onerror=alert(1)>"


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("shop")
    service: Any = Service(KnowingParser(shop_domain(folder)))  # type: ignore[arg-type]
    with running(service, Limits(characters=60, rate=0), folder / "log") as url:
        yield url


@pytest.fixture
def page(chromium: Any, shop: str) -> Iterator[Page]:
    yield from fresh(chromium, shop)


def rows(page: Page) -> list[list[str]]:
    script = (
        "return [...document.querySelectorAll('#answer tbody tr')]"
        ".map(row => [...row.cells].map(cell => cell.textContent))"
    )
    shown: list[list[str]] = page.run(script)
    return shown


def test_a_table_with_its_restatement_sql_and_words(page: Page) -> None:
    page.ask("revenue by customer")
    page.shows("3 rows")
    assert [one.text for one in page.all("#answer th")] == ["customer name", "revenue"]
    assert sorted(rows(page)) == [["=1+1", "-3"], ["Ana", "6"], ["O'Neil", "6"]]
    assert page.one("#understood").text.startswith("Understood as: ")
    assert page.one("#sql").text.startswith("SELECT")
    assert page.one("#drawing .part-of").text.splitlines() == [
        *("revenue", "first word of revenue by customer")
    ]
    assert [one.text for one in page.all("#drawing .nothing")] == ["by", "customer"]
    assert page.part() == {"Not said": "through sale"}


def test_a_click_on_a_heading_sorts_and_another_turns_it(page: Page) -> None:
    page.ask("revenue by customer")
    page.shows("3 rows")
    revenue = page.all("#answer th")[1]
    page.all("#answer .sort")[1].click()
    assert revenue.get_attribute("aria-sort") == "ascending"
    assert [row[1] for row in rows(page)] == ["-3", "6", "6"]
    page.all("#answer .sort")[1].click()
    assert revenue.get_attribute("aria-sort") == "descending"
    assert [row[1] for row in rows(page)] == ["6", "6", "-3"]


def test_what_is_missing_comes_last_in_either_direction(page: Page) -> None:
    page.ask("customers")
    page.shows("4 rows")
    for _ in range(2):
        page.all("#answer .sort")[1].click()
        assert rows(page)[-1] == [HOSTILE, ""]


def test_values_are_never_markup(page: Page) -> None:
    page.ask("customers")
    page.shows("4 rows")
    assert [HOSTILE, ""] in rows(page)
    assert not page.all("#result img")


def test_the_csv_file_has_all_rows_and_no_formula(page: Page, tmp_path: Path) -> None:
    allowed = {"behavior": "allow", "downloadPath": str(tmp_path)}
    page.driver.execute_cdp_cmd("Browser.setDownloadBehavior", allowed)
    page.ask("revenue by customer")
    page.shows("3 rows")
    page.all("#answer .sort")[0].click()
    page.all("#answer .tool")[1].click()
    file = tmp_path / "answer.csv"
    WebDriverWait(page.driver, 20, 0.05).until(lambda _: file.exists())
    text = file.read_bytes().decode("utf-8-sig")
    assert sorted(csv.reader(text.splitlines())) == [
        *(["'=1+1", "-3"], ["Ana", "6"], ["O'Neil", "6"], ["customer name", "revenue"])
    ]


def test_the_table_and_the_sql_are_copied(page: Page) -> None:
    granted = {"origin": page.url, "permissions": ["clipboardReadWrite"]}
    page.driver.execute_cdp_cmd("Browser.grantPermissions", granted)
    page.ask("revenue by customer")
    page.shows("3 rows")
    page.run("navigator.clipboard.writeText = async (text) => { window.copied = text; }")
    page.all("#answer .tool")[0].click()
    page.shows("Copied")
    copied = str(page.run("return window.copied")).split("\n")
    assert copied[0] == "customer name\trevenue"
    assert "'=1+1\t-3" in copied
    page.one("#sql-tools .tool").click()
    page.until("return window.copied.startsWith('SELECT')")


def test_doubt_is_said_and_other_readings_are_offered_in_words(page: Page) -> None:
    page.ask("the customer with the most revenue")
    page.shows("Doubtful", "#notes")
    page.shows("Tied with the last row", "#notes")
    readings = page.all("#readings button")
    assert len(readings) == 3
    words = [one.find_element("css selector", ".restated").text for one in readings]
    assert words[0] == page.one("#understood strong").text
    readings[1].click()
    page.shows("3 rows")
    assert page.one("#understood strong").text == words[1]


def test_a_single_value_and_a_truth_value_are_texts(page: Page) -> None:
    page.ask("how many customers")
    page.shows("4")
    assert not page.all("#answer table")
    page.ask("is there a customer in peru")
    page.shows("no")


def test_a_word_that_was_not_used_is_marked_and_a_refusal_says_what_can_be_asked(
    page: Page,
) -> None:
    page.ask("customers in chile please")
    page.shows("2 rows")
    assert [one.text for one in page.all("#asked mark")] == ["please"]
    page.ask("what is the weather")
    page.shows("The shop cannot tell this.")
    assert len(page.all("#answer li a")) == 3
    assert not page.one("#sql").is_displayed()


def test_a_phone_scrolls_the_table_alone_and_all_has_a_name(page: Page) -> None:
    page.emulate(320)
    page.ask("customers")
    page.shows("4 rows")
    room = page.run("return document.documentElement.clientWidth")
    assert page.run("return document.documentElement.scrollWidth") <= room
    reached = page.all("a[href], button, input, [tabindex]")
    assert [one.tag_name for one in reached if one.is_displayed() and not one.accessible_name] == []
    severe = [line for line in page.driver.get_log("browser") if "Security Policy" in str(line)]
    assert json.dumps(severe) == "[]"


def test_a_click_answers_what_is_asked_back(chromium: Any, tmp_path: Path) -> None:
    service: Any = Service(KnowingParser(shop_domain(tmp_path)))  # type: ignore[arg-type]
    service.parser.asks_above = 0.0
    with running(service, Limits(rate=0), tmp_path / "log") as url:
        (page,) = fresh(chromium, url)
        page.ask("the customer with the most revenue")
        page.shows("Ana")
        assert page.one("#back-title").text.startswith("By “the”: ")
        choices = page.all("#back button")
        assert choices[-1].text == "None of these"
        choices[1].click()
        page.shows("3 rows")
        assert not page.one("#back").is_displayed()
