"""Layers imported from filled databases."""

from __future__ import annotations

from pathlib import Path

from partwise_papers.spider.data import SpiderSchema
from partwise_papers.spider.filling import fill
from partwise_papers.spider.layers import declared_layer, imported_layer


def test_import_agrees_with_what_is_declared(shop: SpiderSchema, tmp_path: Path) -> None:
    fill(shop, {}, tmp_path / "shop.sqlite", 0)
    imported, declared = imported_layer(tmp_path / "shop.sqlite"), declared_layer(shop)
    assert set(imported.schema.links) == set(declared.schema.links)
    assert {one.name: one.key for one in imported.schema.tables} == {
        one.name: one.key for one in declared.schema.tables
    }
    assert imported.name == "shop"
