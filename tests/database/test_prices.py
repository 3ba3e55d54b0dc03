"""Prices of words and places: fitted to confirmed questions, kept in a file, and taken back."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from shop_helpers import write_shop

from partwise.database.confirmed import Confirmed
from partwise.database.correcting import fit_to_confirmed, undo_changes, write_changes
from partwise.database.editing import check_domain, new_domain
from partwise.database.folder import open_domain
from partwise.database.inference import DatabaseInference
from partwise.database.prices import FILE, MOST, FolderPrices, Known, fit_prices, log_share
from partwise.errors import DataError

KEYS = st.frozensets(st.tuples(st.sampled_from(["", "bill"]), st.sampled_from(["a", "b.c", "b.d"])))
KNOWN = st.lists(st.tuples(KEYS, st.floats(-20, 20), st.booleans()), min_size=1, max_size=6).map(
    lambda rows: Known(*map(list, zip(*rows, strict=True)))
)


@given(st.lists(KNOWN, max_size=4))
def test_what_is_right_gets_likelier(lists: list[Known]) -> None:
    prices = fit_prices(lists)
    assert all(0 < abs(price) <= MOST for price in prices.values())
    teach = [known for known in lists if 0 < sum(known.right) < len(known.right)]
    gain = sum(log_share(known, prices) - log_share(known, {}) for known in teach)
    # Prices have two or three decimals.
    assert gain >= sum(map(abs, prices.values())) * -0.1
    assert teach or not prices


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    write_shop(tmp_path / "data.db")
    return new_domain("shop", "sqlite:///data.db").folder


BAD = ["", "{", "[]", "[" * 100_000, '{"prices": []}', '{"prices": {"": 1}}'] + [
    f'{{"prices": {{"": {{"sale": {price}}}}}}}'
    for price in ("NaN", "-Infinity", "5.1", "1e999", "true", '"1"', "null", "9" * 400, "9" * 5000)
]


def test_a_file_that_cannot_be_read_is_named_and_not_used(shop: Path) -> None:
    prices = open_domain(shop).prices
    for text in BAD:
        (shop / FILE).write_text('{"prices": {"": {"sale": 1}}}', "utf-8")
        assert prices() == {("", "sale"): 1}
        (shop / FILE).write_text(text, "utf-8")
        assert prices() == {}, text
        with pytest.raises(DataError, match=FILE):
            FolderPrices(shop).read()
    assert [x.where for x in check_domain(shop) if x.kind == "prices"] == [FILE]


def restated(parser: Any, question: str) -> str:
    (said,) = parser.parse([question])
    told: str = parser.domain.explain(said.meaning).restated
    return told


def test_what_the_confirmed_mean_is_meant_by_others(shop: Path) -> None:
    parser: Any = DatabaseInference.from_pretrained("database", open_domain(shop))
    domain, asked = parser.domain, "how large are the sales of Ana"
    for who in ("O'Neil", "=1+1", "Brazil", "Chile", "March", "April"):
        question = f"how large are the sales of {who}"
        found = [x.program for x in parser.search(question).interpretations]
        right = (x for x in found if domain.explain(x).restated.startswith("The revenue of sales"))
        domain.confirmed.add(Confirmed(question, domain.write(next(right)), "ana", "2026-01-31"))
        if who == "=1+1":
            assert not fit_to_confirmed(parser).helps
    fitted = fit_to_confirmed(parser)
    assert fitted.helps
    assert fitted.held_out > fitted.before
    before = restated(parser, asked)
    assert before.startswith("The quantity of sales")
    assert f'"held_out": {fitted.held_out}' in write_changes(shop, (), fitted.text())
    assert restated(parser, asked).startswith("The revenue of sales")
    assert json.loads((shop / FILE).read_text("utf-8"))["fitted"]["questions"] == fitted.questions
    undo_changes(shop)
    assert not (shop / FILE).exists()
    assert restated(parser, asked) == before
    with pytest.raises(DataError, match="nothing was changed"):
        undo_changes(shop)
