"""The folder of a saved parser: hashes of its files, its card, and parsers by name."""

from __future__ import annotations

import platform
from pathlib import Path
from typing import Any

import pytest
import torch

from cases import cases, rows
from library import Library, without_manifest
from partwise.domains.geography.domain import Geography
from partwise.encoders.base import make_encoder
from partwise.encoders.storage import read_json, write_json
from partwise.errors import CheckpointError
from partwise.language.text import tokenize
from partwise.span.config import SpanParserConfig
from partwise.span.parser import SpanParser
from partwise.training import store
from partwise.training.store import find_pretrained, model_card
from partwise.training.trainer import computes_bf16

QUESTION = "who wrote emma ?"


@pytest.fixture
def folder(library: SpanParser, tmp_path: Path) -> Path:
    library.save_pretrained(tmp_path / "model", {"note": "mine"})
    return tmp_path / "model"


def test_the_manifest_has_a_hash_of_every_file_that_is_read(folder: Path) -> None:
    files = {file.relative_to(folder).as_posix() for file in folder.rglob("*") if file.is_file()}
    hashed = set(read_json(folder / "manifest.json")["sha256"])
    assert files - hashed == {"manifest.json", "README.md"}
    assert "model.safetensors" in hashed
    assert SpanParser.from_pretrained(folder, Library()).parse([QUESTION])[0].meaning is not None


@pytest.mark.parametrize("name", ["model.safetensors", "encoder/words.json", "config.json"])
def test_a_file_that_was_changed_is_refused(folder: Path, name: str) -> None:
    content = (folder / name).read_bytes()
    (folder / name).write_bytes(content[:-1] + b" ")
    with pytest.raises(CheckpointError, match="is not the file that was saved"):
        SpanParser.from_pretrained(folder, Library())
    (folder / name).unlink()
    with pytest.raises(CheckpointError, match="is missing"):
        SpanParser.from_pretrained(folder, Library())


@pytest.mark.parametrize("name", ["../other", "/etc/passwd"])
def test_a_manifest_reads_no_file_outside(folder: Path, name: str) -> None:
    write_json(folder / "manifest.json", {"format": 2, "sha256": {name: "0"}})
    with pytest.raises(CheckpointError, match="outside of the folder"):
        SpanParser.from_pretrained(folder, Library())


def test_a_folder_of_today_has_a_manifest(folder: Path) -> None:
    (folder / "manifest.json").unlink()
    with pytest.raises(CheckpointError, match=r"manifest\.json is missing.*copy the parser"):
        SpanParser.from_pretrained(folder, Library())


@cases("made")
def test_a_manifest_of_any_content_is_a_typed_error(folder: Path, made: object) -> None:
    write_json(folder / "manifest.json", made)
    with pytest.raises(CheckpointError, match=r"manifest\.json is damaged|is not the file"):
        SpanParser.from_pretrained(folder, Library())


def test_what_others_put_into_the_folder_stays(folder: Path, library: SpanParser) -> None:
    (folder / "notes").mkdir()
    (folder / "notes" / "mine.txt").write_text("a note")
    (folder / "encoder" / "old.json").write_text("{}")
    library.save_pretrained(folder)
    assert (folder / "notes" / "mine.txt").read_text() == "a note"
    assert not (folder / "encoder" / "old.json").exists()
    assert [one.name for one in folder.parent.iterdir()] == ["model"]
    assert SpanParser.from_pretrained(folder, Library()).parse([QUESTION])[0].meaning is not None


def test_a_folder_without_a_manifest_is_read(folder: Path) -> None:
    without_manifest(folder)
    assert SpanParser.from_pretrained(folder, Library()).parse([QUESTION])[0].meaning is not None


@cases("machine, products, halves, tiles, computes")
def test_bf16_is_no_imitation(
    machine: str,
    products: bool,
    halves: bool,
    tiles: bool,
    computes: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(platform, "machine", lambda: machine)
    monkeypatch.setattr(torch.ops.mkldnn, "_is_mkldnn_bf16_supported", lambda: products)
    monkeypatch.setattr(torch.cpu, "_is_avx512_bf16_supported", lambda: halves)
    monkeypatch.setattr(torch.cpu, "_is_amx_tile_supported", lambda: tiles)
    assert computes_bf16("cpu") is computes


TRUST = {"before": 0.07, "after": 0.045, "at_90": 0.969}
CONFIG: dict[str, Any] = dict(rows(globals(), "CONFIG"))


def test_a_card_shows_use_figures_and_training() -> None:
    card = model_card(CONFIG, "who wrote emma?")
    assert card.startswith("---\nlibrary_name: partwise\n")
    assert "# A Partwise span parser for `library`" in card
    assert "print(*answer(parser, ['who wrote emma?']))" in card
    assert "| dev | 50.0 % | 25.0 % | 8 |" in card
    assert "| test | – | 100.0 % | 4 |" in card
    assert "Calibration error on test: 4.5 % (7.0 % before" in card
    assert "| best epoch | 3 |" in card
    assert "| settings | epochs=3, seed=0 |" in card
    assert "{" not in card


def test_a_card_without_facts_claims_nothing() -> None:
    card = model_card({**CONFIG, "kind": "graph", "training": {}}, "...")
    assert "load_parser" in card
    assert "##" not in card


CAPITAL = "what is the capital of texas ?"


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    torch.manual_seed(0)
    encoder = make_encoder("bilstm", [tokenize(CAPITAL)])
    parser = SpanParser(Geography(), SpanParserConfig(encoder="bilstm", hidden=16), encoder).eval()
    folder = tmp_path_factory.mktemp("parsers") / "geography"
    parser.save_pretrained(folder)
    return folder


@pytest.fixture
def fetched(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What would have been fetched."""
    asked: list[str] = []

    def snapshot_download(name: str, allow_patterns: list[str]) -> str:
        assert not any(pattern.endswith(".py") or pattern == "*" for pattern in allow_patterns)
        asked.append(name)
        raise OSError("no network here\nand more")

    monkeypatch.setattr("huggingface_hub.snapshot_download", snapshot_download)
    return asked


def test_a_folder_and_the_folder_of_its_run(saved: Path, tmp_path: Path) -> None:
    assert find_pretrained(saved) == saved
    (tmp_path / "model").symlink_to(saved)
    assert find_pretrained(str(tmp_path)) == tmp_path / "model"


def test_a_name_of_the_package(
    saved: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(store, "files", lambda package: saved.parent)
    monkeypatch.chdir(tmp_path)
    assert find_pretrained("geography") == saved
    asked = SpanParser.from_pretrained("geography")(CAPITAL, k=2)
    assert asked.question == CAPITAL
    assert asked.prediction.meaning is not None


def test_a_repository_is_fetched_where_it_is_asked_for(fetched: list[str]) -> None:
    for name in ("somebody/questions", "hf:somebody/questions", Path("hf:somebody/questions")):
        with pytest.raises(CheckpointError, match=r"as a repository \(no network here\)"):
            find_pretrained(name)
    assert fetched == ["somebody/questions"] * 3


def test_a_path_that_is_misspelt_reaches_for_no_network(fetched: list[str]) -> None:
    for name in (Path("runs/goegraphy"), "goegraphy", "a/b/c"):
        with pytest.raises(CheckpointError, match="there is no saved parser"):
            find_pretrained(name)
    assert fetched == []


def test_half_precision_is_half_as_large_and_reads_alike(saved: Path, tmp_path: Path) -> None:
    parser = SpanParser.from_pretrained(saved)
    parser.save_pretrained(tmp_path / "half", half=True)
    sizes = [(place / "model.safetensors").stat().st_size for place in (saved, tmp_path / "half")]
    assert sizes[1] < 0.55 * sizes[0]
    again = SpanParser.from_pretrained(tmp_path / "half")
    assert {value.dtype for value in again.state_dict().values()} == {torch.float32}
    before, after = (one.parse([CAPITAL], k=2)[0] for one in (parser, again))
    assert before.meaning == after.meaning
    assert before.probability == pytest.approx(after.probability, abs=0.01)
