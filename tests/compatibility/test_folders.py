"""Model folders of every released version load, and answer as the version that wrote them."""

from __future__ import annotations

import json
from importlib import import_module
from pathlib import Path

import pytest

from cases import cases
from partwise.training.store import load_parser

FOLDERS = sorted((Path(__file__).parent / "folders").iterdir())
MOST = 1 << 20
"""Bytes of a folder."""


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
@pytest.mark.filterwarnings("ignore:dropout option adds dropout")
def test_a_folder_of_a_released_version_answers_as_then(folder: Path) -> None:
    parser = load_parser(folder)
    expected = json.loads((folder / "expected.json").read_text(encoding="utf-8"))
    predictions = parser.parse([one["question"] for one in expected])
    for prediction, one in zip(predictions, expected, strict=True):
        meaning = parser.domain.canonical(parser.domain.read(one["meaning"]))
        assert parser.domain.canonical(prediction.meaning) == meaning
        assert prediction.probability == pytest.approx(one["probability"], rel=1e-4)


def test_folders_are_small_and_of_both_kinds() -> None:
    for folder in FOLDERS:
        assert sum(file.stat().st_size for file in folder.rglob("*") if file.is_file()) <= MOST
    kinds = {tuple(folder.name.split("-")) for folder in FOLDERS}
    for version in {version for _, version in kinds}:
        assert {kind for kind, of in kinds if of == version} == {"span", "graph"}


@cases("module, names")
def test_domains_that_learn_wrote_find_what_they_import(
    module: str, names: tuple[str, ...]
) -> None:
    found = import_module(f"partwise.language.{module}")
    assert found.__all__ == list(names)
