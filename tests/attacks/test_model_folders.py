"""Model folders of strangers: refused with a clear error before anything is built, or answered."""

from __future__ import annotations

import json
import os
import resource
import shutil
import signal
import struct
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from cases import cases
from hostile_folders import Hostile
from library import Library, without_manifest
from partwise.encoders.pretrained import PretrainedEncoder
from partwise.errors import CheckpointError, PartwiseError
from partwise.span.parser import SpanParser
from partwise.training.store import load_parser

CASES = 120
HANGS = 20
"""Seconds of processor time, far above what any case takes; then the process ends."""
WEIGHTS, TOKENIZER = "model.safetensors", "encoder/tokenizer.json"
pytestmark = pytest.mark.filterwarnings("ignore:dropout option adds dropout")


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Hostile:
    return Hostile(tmp_path_factory.mktemp("hostile"))


@pytest.fixture
def folder(hostile: Hostile, tmp_path: Path) -> Path:
    """A parser with a transformer, of before there was a manifest."""
    shutil.copytree(hostile.place / "transformer", tmp_path / "model")
    return without_manifest(tmp_path / "model")


@pytest.fixture(autouse=True)
def end_what_hangs() -> Iterator[None]:
    timers = {signal.ITIMER_PROF: HANGS, signal.ITIMER_REAL: 20 * HANGS}
    for timer, seconds in timers.items():
        signal.setitimer(timer, seconds)
    yield
    for timer in timers:
        signal.setitimer(timer, 0)


def change(file: Path, **entries: Any) -> None:
    content = json.loads(file.read_text())
    file.write_text(json.dumps({**content, **entries}))


def test_each_hostile_folder_is_refused_or_answers(hostile: Hostile) -> None:
    refused = 0
    for number in range(CASES):
        try:
            hostile(f"test {number}")
        except PartwiseError:
            refused += 1
    assert CASES / 4 < refused < CASES


def test_a_pipe_in_place_of_weights_is_not_waited_for(folder: Path) -> None:
    (folder / "model.safetensors").unlink()
    os.mkfifo(folder / "model.safetensors")
    with pytest.raises(CheckpointError, match="is not a file"):
        load_parser(folder, Library())


@cases("entries, message")
def test_a_transformer_of_a_stranger_is_not_built(
    folder: Path, entries: dict[str, Any], message: str
) -> None:
    change(folder / "encoder" / "config.json", **entries)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises(CheckpointError, match=message):
        load_parser(folder, Library(), trainable=True)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 2**18, "kilobytes"


BOMB = {"type": "Replace", "pattern": {"String": "a"}, "content": "aaaaaaaa"}


@cases("entries, message")
def test_a_tokenizer_of_a_stranger_takes_no_time(
    folder: Path, entries: dict[str, Any], message: str
) -> None:
    change(folder / "encoder" / "tokenizer.json", **entries)
    with pytest.raises(CheckpointError, match=message):
        load_parser(folder, Library(), trainable=True)


def sparse(file: Path) -> None:
    os.truncate(file, 2**41)


def long_list(file: Path) -> None:
    file.write_bytes(struct.pack("<Q", 2**27) + b" " * 100)
    os.truncate(file, 2**28)


def other_type(file: Path) -> None:
    data = file.read_bytes().replace(b'"F32"', b'"C64"', 1)
    file.write_bytes(data)


def endless(file: Path) -> None:
    file.unlink()
    file.symlink_to("/dev/zero")


@pytest.mark.parametrize(
    ("name", "harm"),
    [
        *((WEIGHTS, harm) for harm in (sparse, long_list, other_type, endless)),
        *((name, harm) for name in ("config.json", TOKENIZER) for harm in (sparse, endless)),
    ],
)
def test_files_are_bounded(folder: Path, name: str, harm: Callable[[Path], None]) -> None:
    harm(folder / name)
    with pytest.raises(CheckpointError, match=name):
        load_parser(folder, Library(), trainable=True)


def test_no_file_but_those_of_safetensors_gives_weights(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def load(*_: object, **__: object) -> None:
        raise AssertionError("a pickle is read")

    monkeypatch.setattr("torch.load", load)
    for name in ("pytorch_model.bin", "model.pt", "model.pkl", "encoder/pytorch_model.bin"):
        (folder / name).write_bytes(b"cos\nsystem\n(S'true'\ntR.")
    assert load_parser(folder, Library(), trainable=True).parse(["who wrote emma ?"])
    (folder / WEIGHTS).unlink()
    with pytest.raises(CheckpointError, match=r"model\.safetensors is missing"):
        load_parser(folder, Library(), trainable=True)


@cases("entries, message")
def test_entries_of_a_stranger_are_checked(
    folder: Path, entries: dict[str, Any], message: str
) -> None:
    change(folder / "config.json", **entries)
    with pytest.raises(CheckpointError, match=message):
        load_parser(folder, Library(), trainable=True)


def test_no_transformer_is_trained_that_could_not_be_loaded(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text('{"model_type": "mamba", "num_hidden_layers": 1000000}')
    with pytest.raises(
        PartwiseError, match=r"cannot load the encoder .* 'mamba', which is no encoder"
    ):
        PretrainedEncoder(str(tmp_path))


def test_settings_of_a_stranger_name_no_code_that_loading_runs(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "evil.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')\nclass A: pass\n")
    monkeypatch.syspath_prepend(tmp_path)
    settings = json.loads((folder / "config.json").read_text())["parser"]
    change(folder / "config.json", parser={**settings, "objective": "evil:A"})
    assert SpanParser.from_pretrained(folder, Library()).parse(["who wrote emma ?"])
    assert not (tmp_path / "ran").exists()
