"""A small invented database in Spider's form, and the real files where they are."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from partwise_papers.spider.data import SpiderColumn, SpiderSchema, SpiderTable

ROOT = Path(__file__).parents[3]
REAL = Path(os.environ.get("PARTWISE_DATA", ROOT.parent / "shared" / "data")) / "spider"


def _column(name: str, kind: str = "text", key: bool = False) -> SpiderColumn:
    return SpiderColumn(name, name.replace("_", " ").lower(), kind, key)


@pytest.fixture
def shop() -> SpiderSchema:
    """Shops, their staff, and what is sold; one foreign key is declared the wrong way round."""
    shops = SpiderTable(
        "Shops",
        "shops",
        (
            _column("Shop_ID", "number", True),
            _column("Name"),
            _column("City"),
            _column("Opened", "time"),
        ),
    )
    staff = SpiderTable(
        "Staff",
        "staff",
        (
            _column("Staff_ID", "number", True),
            _column("First_Name"),
            _column("Last_Name"),
            _column("Age", "number"),
            _column("Shop_ID", "number"),
        ),
    )
    sales = SpiderTable(
        "Sales",
        "sales",
        (_column("Staff_ID", "number"), _column("Item"), _column("Price", "number")),
    )
    keys = (("Shops", "Shop_ID", "Staff", "Shop_ID"), ("Sales", "Staff_ID", "Staff", "Staff_ID"))
    return SpiderSchema("shop", (shops, staff, sales), keys)


@pytest.fixture
def real() -> Path:
    """The folder of the real files; the test is skipped where they are not."""
    if not (REAL / "train.jsonl.gz").is_file():
        pytest.skip("Spider's files are not here")
    return REAL
