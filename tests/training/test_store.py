"""The folder of a saved parser: hashes of its files, and folders of before there were any."""

from __future__ import annotations

import platform
from pathlib import Path

import pytest
import torch

from library import Library, without_manifest
from partwise.encoders.storage import read_json, write_json
from partwise.errors import CheckpointError
from partwise.span.parser import SpanParser
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


@pytest.mark.parametrize(
    "made", [[], {}, {"sha256": []}, {"sha256": {"config.json": 7}}, {"sha256": {}, "wings": 2}]
)
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


@pytest.mark.parametrize(
    ("machine", "products", "halves", "tiles", "computes"),
    [
        ("x86_64", True, False, False, False),  # AVX-512 alone: imitated
        ("x86_64", True, True, False, True),
        ("AMD64", True, False, True, True),
        ("x86_64", False, False, False, False),
        ("aarch64", True, False, False, True),
        ("aarch64", False, False, False, False),
    ],
)
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
