"""Parsers by name: folders, those of the package, repositories; nothing is fetched unasked."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from partwise.domains.geography.domain import Geography
from partwise.encoders import make_encoder
from partwise.errors import CheckpointError
from partwise.language.text import tokenize
from partwise.span.config import SpanParserConfig
from partwise.span.parser import SpanParser
from partwise.training import store
from partwise.training.store import find_pretrained

QUESTION = "what is the capital of texas ?"


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    torch.manual_seed(0)
    encoder = make_encoder("bilstm", [tokenize(QUESTION)])
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
    asked = SpanParser.from_pretrained("geography")(QUESTION, k=2)
    assert asked.question == QUESTION
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
    before, after = (one.parse([QUESTION], k=2)[0] for one in (parser, again))
    assert before.meaning == after.meaning
    assert before.probability == pytest.approx(after.probability, abs=0.01)
