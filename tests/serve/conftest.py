"""Servers to ask, and a browser to ask them with."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest
from serve_helpers import running

from partwise.serve.guard import Limits
from partwise.serve.service import Service

if TYPE_CHECKING:
    from partwise.graph.parser import GraphParser
    from partwise.span.parser import SpanParser

FLAGS = (
    *("headless=new", "no-sandbox", "disable-gpu", "disable-quic", "no-first-run"),
    *("disable-background-networking", "disable-component-update", "disable-sync"),
    "window-size=1000,900",
)
PATTERNS = {
    "Who directed M0": "SELECT DISTINCT ?x0 WHERE { ?x0 a film:Person . M0 film:director ?x0 }",
    "Who edited M0": "SELECT DISTINCT ?x0 WHERE { ?x0 a film:Person . M0 film:editor ?x0 }",
    "Did M0 direct M1": "ASK WHERE { M1 film:director M0 }",
}


@pytest.fixture(scope="session")
def films(tmp_path_factory: pytest.TempPathFactory) -> GraphParser:
    """A graph parser that knows three patterns by heart; not to be changed."""
    from partwise.domains.films.domain import FILMS
    from partwise.graph.config import GraphParserConfig
    from partwise.interface.data import Dataset, Example
    from partwise.language.sparql import parse_query
    from partwise.training.session import train
    from partwise.training.trainer import TrainingConfig

    film = "https://partwise.example/films#"
    named = (("M0", f"{film}Alien"), ("M1", f"{film}Ridley_Scott"))
    pairs = [
        Example(text, parse_query(query), context=named[: text.count("M")])
        for text, query in PATTERNS.items()
    ]
    small = {"dx": 16, "dh": 32, "layers": 1, "dropout": 0.0, "hidden": 64, "constrained": True}
    config = GraphParserConfig(composition="flat", **small)
    training = TrainingConfig(
        batch_size=16, epochs=20, head_rate=5e-3, weight_decay=0.1, held_out=0
    )
    data = Dataset("films", "all", train=pairs * 32, dev=pairs, test=[])
    folder = tmp_path_factory.mktemp("films")
    return train("graph", FILMS, data, config, training, folder=folder, progress=False).parser


@pytest.fixture(scope="session")
def live(library: SpanParser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    log = tmp_path_factory.mktemp("live") / "log"
    service = Service(library)
    with running(service, Limits(characters=60, rate=0), log) as url:
        yield url


@pytest.fixture(scope="session")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """Chromium without a window; without Chromium what needs it is skipped."""
    binary, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if binary is None or driver is None:
        pytest.skip("browser tests need chromium and chromium-driver: apt-get install them")
    webdriver = pytest.importorskip("selenium.webdriver")
    options = webdriver.ChromeOptions()
    options.binary_location = binary
    for flag in (*FLAGS, f"user-data-dir={tmp_path_factory.mktemp('profile')}"):
        options.add_argument(f"--{flag}")
    options.set_capability("goog:loggingPrefs", {"performance": "ALL", "browser": "ALL"})
    os.environ.setdefault("SE_AVOID_STATS", "true")
    found = webdriver.Chrome(options, webdriver.ChromeService(driver))
    yield found
    found.quit()
