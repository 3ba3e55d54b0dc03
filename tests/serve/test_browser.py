"""The page in a real browser: asking, hovering, choosing, errors, keyboard, phone, dark."""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from serve_helpers import running

from partwise.graph.parser import GraphParser
from partwise.serve.guard import Limits
from partwise.serve.service import Service
from partwise.span.parser import SpanParser

pytest.importorskip("selenium")
from selenium.webdriver import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait

EMMA = "who wrote emma ?"


class Page:
    def __init__(self, driver: Any, url: str) -> None:
        self.driver, self.url = driver, url

    def open(self, *questions: str) -> None:
        """Load it again, with a conversation in the address."""
        self.driver.get("about:blank")
        self.driver.get(f"{self.url}/#{'&'.join(f'q={quote(asked)}' for asked in questions)}")
        self.until("return document.documentElement.dataset.ready === 'true'")

    def until(self, script: str) -> None:
        WebDriverWait(self.driver, 20, 0.05).until(lambda driver: driver.execute_script(script))

    def run(self, script: str, *arguments: Any) -> Any:
        return self.driver.execute_script(script, *arguments)

    def all(self, selector: str) -> list[Any]:
        found: list[Any] = self.driver.find_elements(By.CSS_SELECTOR, selector)
        return found

    def last(self, selector: str) -> list[Any]:
        """What is in the last question and its answer."""
        return self.all(f".turn:last-child {selector}")

    def click(self, element: Any) -> None:
        """Click it where it is not behind the question's field, and no more moved by a chart."""
        drawn = "[...document.querySelectorAll('.vega')].every(one => one.querySelector('svg'))"
        self.until(f"return {drawn}")
        self.run("arguments[0].scrollIntoView({ block: 'center' })", element)
        element.click()

    def one(self, selector: str) -> Any:
        (found,) = self.all(selector)
        return found

    def ask(self, question: str) -> None:
        """Type a question over what stands there, and ask it."""
        field = self.one("#question")
        field.send_keys(Keys.CONTROL, "a")
        field.send_keys(question, Keys.ENTER)

    def shows(self, text: str, where: str = ".turn:last-child .card") -> None:
        self.until(f"return document.querySelector({where!r})?.innerText.includes({text!r})")

    def findings(self) -> list[Any]:
        """What axe finds wrong with the page as it is."""
        spec = importlib.util.find_spec("axe_playwright_python")
        if spec is None or spec.origin is None:
            pytest.skip("needs axe-playwright-python")
        self.run(Path(spec.origin).with_name("axe.min.js").read_text("utf-8"))
        script = (
            "const done = arguments[0]; axe.run().then(found => done(found.violations.map("
            "one => [one.id, one.nodes.map(node => node.html)])))"
        )
        found: list[Any] = self.driver.execute_async_script(script)
        return found

    def part(self) -> dict[str, str]:
        """What is said of the part that is pointed at."""
        terms, said = self.last(".part dt"), self.last(".part dd")
        return {one.text: other.text for one, other in zip(terms, said, strict=True)}

    @property
    def active(self) -> Any:
        return self.driver.switch_to.active_element

    def press(self, *keys: str) -> None:
        for key in keys:
            ActionChains(self.driver).send_keys(key).perform()

    def step_back(self) -> None:
        """Press Tab with Shift."""
        keys = ActionChains(self.driver).key_down(Keys.SHIFT).send_keys(Keys.TAB)
        keys.key_up(Keys.SHIFT).perform()

    def emulate(self, width: int = 0, colours: str = "light") -> None:
        """A screen of another width (0 for the window's), and the colours that the user likes."""
        size = {"width": width, "height": 640 if width else 0, "deviceScaleFactor": 0}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {**size, "mobile": False})
        scheme = {"name": "prefers-color-scheme", "value": colours}
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [scheme]})


def fresh(driver: Any, url: str) -> Iterator[Page]:
    """A page, loaded again, whose screen is put back afterwards."""
    found = Page(driver, url)
    driver.get_log("performance")
    found.open()
    yield found
    found.emulate()


@pytest.fixture
def page(chromium: Any, live: str) -> Iterator[Page]:
    yield from fresh(chromium, live)


def test_ask_by_typing(page: Page) -> None:
    assert page.one("#start").is_displayed()
    page.ask(EMMA)
    page.shows("austen")
    assert not page.one("#start").is_displayed()
    assert page.one(".program").text == "answer(author(book('emma')))"
    assert page.one(".asked").text == EMMA
    assert page.one("#status").get_property("textContent") == "Answer: austen"
    assert page.one("#status").get_attribute("role") == "status"
    assert EMMA in page.driver.title


def test_a_list_is_a_table_and_an_example_is_a_button(page: Page) -> None:
    first, second, _ = page.all("#examples button")
    assert first.text == EMMA
    second.click()
    page.shows("2 answers")
    rows = [
        [cell.text for cell in row.find_elements(By.CSS_SELECTOR, "td")]
        for row in page.all(".answer tbody tr")
    ]
    assert rows == [["emma"], ["persuasion"]]


def test_hovering_a_part_shows_its_words_program_type_and_score(page: Page) -> None:
    page.open(EMMA)
    root = page.part()
    assert root["Words"] == "wrote emma ?"
    leaf = page.one(".drawing .node.entity")
    ActionChains(page.driver).move_to_element(leaf).perform()
    page.shows("book('emma')", ".part")
    found = page.part()
    assert found["Words"] == "emma"
    assert found["Program"] == "book('emma')"
    assert found["Type"] == "Many[Book]"
    assert float(found["Score"]) != float(root["Score"])
    assert [word.text for word in page.all(".drawing .word.lit")] == ["emma"]
    drawn = [word.text for word in page.all(".drawing .word")]
    assert drawn == ["who", "wrote", "emma", "?"]


def test_parts_of_the_drawing_do_not_overlap_and_lie_inside(page: Page) -> None:
    page.open("when did romola by eliot come out ?")
    boxes = [element.rect for element in page.all(".drawing .word")]
    for left, right in pairwise(boxes):
        assert left["x"] + left["width"] <= right["x"] + 1
    frame = page.one(".drawing svg").rect
    for rect in [element.rect for element in page.all(".drawing .node rect")] + boxes:
        assert frame["x"] <= rect["x"]
        assert rect["x"] + rect["width"] <= frame["x"] + frame["width"]
        assert frame["y"] <= rect["y"]
        assert rect["y"] + rect["height"] <= frame["y"] + frame["height"]


def test_an_alternative_shows_its_own_answer_tree_and_program(page: Page) -> None:
    page.open(EMMA)
    best, *others = page.all(".others button")
    assert best.get_attribute("aria-pressed") == "true"
    assert len(others) == 3
    program = others[0].find_element(By.CSS_SELECTOR, "code").text
    page.click(others[0])
    page.shows(program, ".program")
    assert page.one(".program").text == program != "answer(author(book('emma')))"
    pressed = [button.get_attribute("aria-pressed") for button in page.all(".others button")]
    assert pressed == ["false", "true", "false", "false"]
    assert program == f"answer({page.part()['Program']})"
    assert page.active == page.all(".others button")[1]
    page.click(page.all(".others button")[0])
    page.shows("austen", ".answer")


def test_bad_input_is_told_what_is_wrong(page: Page) -> None:
    page.ask("   ")
    page.shows("Type a question first", "#error")
    assert page.one("#error").get_attribute("role") == "alert"
    assert page.one("#question").get_attribute("aria-invalid") == "true"
    page.ask("who wrote " + "emma " * 20)
    page.shows("at most 60 are read")
    page.ask(EMMA)
    page.shows("austen")
    assert page.one("#error").text == ""
    assert page.one("#question").get_attribute("aria-invalid") == "false"


def test_no_parse_and_a_program_that_fails_give_the_reason(page: Page) -> None:
    page.ask("hello there")
    page.shows("No word of the question")
    assert not page.last(".drawing, .others")
    page.ask("when did dracula come out ?")
    page.shows("the year of dracula is lost")
    assert page.last(".drawing")[0].is_displayed()


def test_words_that_were_not_understood_are_marked(page: Page) -> None:
    page.ask("who wrote emma yesterday ?")
    page.shows("Never met in training: “yesterday”", ".doubt")
    assert [mark.text for mark in page.all(".asked mark")] == ["yesterday"]
    assert page.one(".asked").text == "who wrote emma yesterday ?"


def test_what_is_asked_is_never_markup(page: Page) -> None:
    page.ask("<img src=x onerror=alert(1)> emma wrote")
    page.until("return document.title.includes('<img src')")
    page.shows("<img src=x", ".asked")
    assert not page.all("#turns img, #turns script")


def test_the_keyboard_alone_is_enough(page: Page) -> None:
    page.press(Keys.TAB)
    assert page.active.text == "Skip to the question"
    page.press(Keys.ENTER)
    assert page.active.get_attribute("id") == "question"
    page.press(EMMA, Keys.ENTER)
    page.shows("austen")
    # From the field back over the program's button to the tree, which is one stop.
    page.step_back()
    assert page.active.text == "Copy Program"
    page.step_back()
    assert page.active.get_attribute("role") == "treeitem"
    page.press(Keys.HOME)
    root = page.active.get_attribute("aria-label")
    assert root.startswith("“wrote emma ?” means author(book('emma')), type ")
    assert (
        page.run(
            "return getComputedStyle(document.activeElement.querySelector('rect')).strokeWidth"
        )
        == "3px"
    )
    page.press(Keys.ARROW_DOWN, Keys.ARROW_RIGHT)
    assert page.active.get_attribute("aria-label").startswith("“emma” means book('emma')")
    assert page.part()["Words"] == "emma"
    page.press(Keys.ARROW_LEFT)
    assert page.part()["Words"] == "wrote"
    page.press(Keys.ARROW_UP)
    assert page.active.get_attribute("aria-label") == root
    page.one("#question").send_keys(Keys.ARROW_UP)
    assert page.one("#question").get_property("value") == EMMA
    assert page.run("return getComputedStyle(document.activeElement).outlineStyle") == "solid"


@pytest.mark.parametrize("width", [320, 390])
def test_a_phone_scrolls_in_one_direction_only(page: Page, width: int) -> None:
    page.emulate(width)
    for question in ("", EMMA, "which books did austen write ?", "x" * 55, "hello"):
        page.open(question)
        assert page.run("return innerWidth") == width
        # Less the bar for scrolling down.
        room = page.run("return document.documentElement.clientWidth")
        assert page.run("return document.documentElement.scrollWidth") <= room, question
    page.open(EMMA)
    for element in page.all("#question, .primary, .others button, .card"):
        assert element.rect["x"] >= 0
        assert element.rect["x"] + element.rect["width"] <= width


def _luminance(colour: str) -> float:
    parts = [float(part) / 255 for part in colour[colour.index("(") + 1 : -1].split(",")[:3]]
    red, green, blue = (p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.parametrize(("colours", "dark"), [("light", False), ("dark", True)])
def test_colours_follow_the_user_and_can_be_read(page: Page, colours: str, dark: bool) -> None:
    page.emulate(colours=colours)
    page.open("who wrote emma yesterday ?")

    def style(selector: str, name: str) -> float:
        script = "return getComputedStyle(document.querySelector(arguments[0]))[arguments[1]]"
        return _luminance(page.run(script, selector, name))

    assert (style("body", "backgroundColor") < 0.2) == dark
    pairs = [
        (style("body", "color"), style("body", "backgroundColor")),
        (style(".hint", "color"), style(".card", "backgroundColor")),
        (style(".primary", "color"), style(".primary", "backgroundColor")),
        (style("mark", "color"), style("mark", "backgroundColor")),
        (style("footer a", "color"), style("body", "backgroundColor")),
        (style(".node.entity text", "fill"), style(".node.entity rect", "fill")),
        (style(".node.predicate text", "fill"), style(".node.predicate rect", "fill")),
        (style(".word.phi", "fill"), style(".card", "backgroundColor")),
    ]
    for one, other in pairs:
        assert (max(one, other) + 0.05) / (min(one, other) + 0.05) >= 4.5


def test_nothing_is_asked_of_any_other_host_and_nothing_is_refused(page: Page) -> None:
    page.open(EMMA)
    page.click(page.all(".others button")[1])
    lines = [json.loads(line["message"])["message"] for line in page.driver.get_log("performance")]
    urls = {
        line["params"]["request"]["url"]
        for line in lines
        if line["method"] == "Network.requestWillBeSent"
    }
    assert f"{page.url}/ask" in urls
    assert f"{page.url}/page/tree.js" in urls
    assert [url for url in urls if not url.startswith(f"{page.url}/")] == []
    severe = [line for line in page.driver.get_log("browser") if "Security Policy" in str(line)]
    assert severe == []


@pytest.mark.parametrize("questions", [(), (EMMA, "novels by eliot"), ("hello there",)])
def test_axe_finds_nothing(page: Page, questions: Sequence[str]) -> None:
    page.open(*questions)
    assert page.findings() == []
    assert page.run("return document.documentElement.lang") == "en"
    assert page.one("#question").accessible_name == "Your question"
    levels = {node.get_attribute("aria-level") for node in page.last("[role=treeitem]")}
    assert levels <= {"1", "2"}


def test_back_asks_the_question_before(page: Page) -> None:
    page.ask(EMMA)
    page.shows("austen")
    page.ask("novels by eliot")
    page.shows("romola")
    page.driver.back()
    page.until("return document.querySelectorAll('.turn').length === 1")
    page.shows("austen")
    page.driver.back()
    page.until("return !document.getElementById('start').hidden")


def test_a_server_that_is_gone_is_said_to_be(
    chromium: Any, library: SpanParser, tmp_path: Path
) -> None:
    with running(Service(library), Limits(), tmp_path / "log") as url:
        page = Page(chromium, url)
        page.open()
    page.ask(EMMA)
    page.shows("cannot be reached")
    assert page.one(".turn button").text == "Try again"


def test_an_edge_of_a_graph_shows_the_words_that_it_rests_on(
    chromium: Any, films: GraphParser, tmp_path: Path
) -> None:
    with running(Service(films), Limits(), tmp_path / "log") as url:
        page = Page(chromium, url)
        page.open()
        page.ask("Who directed Alien?")
        page.shows("Ridley Scott")
        assert "SELECT DISTINCT" in page.one(".program").text
        assert not page.all(".others")
        disc = page.one(".drawing .item.edge .disc")
        ActionChains(page.driver).move_to_element(disc).perform()
        page.shows("Alien director ?x0", ".part")
        assert "%" in page.part()["Words"]
        weights = [
            page.run("return arguments[0].style.getPropertyValue('--weight')", word)
            for word in page.all(".grounding span")
        ]
        assert len(weights) == 3
        assert max(int(weight.rstrip("%")) for weight in weights) > 0
        attribute = page.one(".drawing .item.attribute")
        assert "Person" in attribute.accessible_name
        page.run("document.querySelector('.drawing [tabindex=\"0\"]').focus()")
        page.press(Keys.HOME, Keys.ARROW_RIGHT)
        assert page.active.get_attribute("role") == "listitem"
        page.ask("Who directed Zzyzx?")
        page.shows("Nothing in the knowledge graph is called")
        assert [mark.text for mark in page.last(".asked mark")] == ["Zzyzx"]
