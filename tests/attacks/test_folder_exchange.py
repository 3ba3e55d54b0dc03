"""A model folder is replaced whole: no reader sees a mixture, and no kill leaves one."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
import torch

from library import Library
from partwise.errors import CheckpointError
from partwise.interface import files
from partwise.span.parser import SpanParser
from partwise.training import store
from partwise.training.store import load_parser

SAVES = 24
SAVING = """
import sys
sys.path.insert(0, sys.argv[2])
from library import Library
from partwise.span.parser import SpanParser
parser = SpanParser.from_pretrained(sys.argv[1], Library())
print("ready", flush=True)
while True:
    parser.save_pretrained(sys.argv[1])
"""


def two(folder: Path) -> list[SpanParser]:
    """Two parsers, told apart by their temperature, and by a word and each of their weights."""
    parsers = [SpanParser.from_pretrained(folder, Library()) for _ in range(2)]
    for number, parser in enumerate(parsers):
        parser.temperature = number + 1.0
        parser.encoder.vocabulary[-1] = f"word{number}"  # type: ignore[index, operator, union-attr]
        for weights in parser.parameters():
            weights.data.fill_(number)
    return parsers


def check_whole(parser: SpanParser) -> int:
    number = int(parser.temperature) - 1
    assert parser.encoder.vocabulary[-1] == f"word{number}"  # type: ignore[index, union-attr]
    assert all(torch.all(weights == number) for weights in parser.parameters())
    return number


@pytest.mark.parametrize("exchange", [True, False])
def test_readers_see_one_parser_or_the_other(
    library: SpanParser, tmp_path: Path, exchange: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "model"
    library.save_pretrained(folder)
    one, other = two(folder)
    one.save_pretrained(folder)
    if not exchange:
        monkeypatch.setattr("partwise.interface.files.ctypes.CDLL", lambda _: None)
    seen, failed, over = [0, 0], list[BaseException](), threading.Event()

    def read() -> None:
        while not over.is_set():
            try:
                loaded = load_parser(folder, Library(), trainable=True)
                assert isinstance(loaded, SpanParser)
                seen[check_whole(loaded)] += 1
            except BaseException as error:
                failed.append(error)
                return

    readers = [threading.Thread(target=read) for _ in range(2)]
    for reader in readers:
        reader.start()
    for number in range(SAVES if exchange else SAVES // 3):
        (other, one)[number % 2].save_pretrained(folder)
    over.set()
    for reader in readers:
        reader.join(60)
    assert not failed, failed
    assert min(seen) > 0, seen
    assert [place.name for place in tmp_path.iterdir()] == ["model"]


@pytest.mark.parametrize("step", ["_identity", "as_it_stands"])
def test_a_folder_that_is_moved_away_after_it_was_seen_is_waited_for(
    library: SpanParser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    folder, away = tmp_path / "model", tmp_path / ".model.0a.old"
    library.save_pretrained(folder)
    real, threads = getattr(store, step), list[threading.Timer]()

    def first(place: Path) -> object:
        if not threads:
            folder.rename(away)
            threads.append(threading.Timer(0.2, lambda: away.rename(folder)))
            threads[0].start()
        return real(place)

    monkeypatch.setattr(store, step, first)
    assert load_parser(folder, Library()).kind == "span"
    threads[0].join()


def test_a_killed_save_leaves_a_whole_folder(library: SpanParser, tmp_path: Path) -> None:
    folder = tmp_path / "model"
    library.save_pretrained(folder)
    command = [sys.executable, "-c", SAVING, str(folder), str(Path(__file__).parent.parent)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stdout.readline() == b"ready\n"
    for _ in range(3):
        time.sleep(0.05)
        process.send_signal(signal.SIGSTOP)
        load_parser(folder, Library())
        process.send_signal(signal.SIGCONT)
    process.kill()
    process.wait()
    load_parser(folder, Library())
    (tmp_path / ".model.partial").mkdir(exist_ok=True)
    library.save_pretrained(folder)
    assert os.listdir(tmp_path) == ["model"], "what a killed save leaves is removed by the next"


def test_the_old_folder_stands_in_where_a_save_was_killed_between_two_renames(
    library: SpanParser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    library.save_pretrained(tmp_path / "model")
    (tmp_path / "model").rename(tmp_path / ".model.0a.old")
    monkeypatch.setattr(files, "MOMENT", 0.1)
    assert load_parser(tmp_path / "model", Library()).kind == "span"
    library.save_pretrained(tmp_path / "model")
    library.save_pretrained(tmp_path / "model")
    assert os.listdir(tmp_path) == ["model"]


def test_a_file_in_its_place_is_not_replaced(library: SpanParser, tmp_path: Path) -> None:
    (tmp_path / "model").write_text("mine")
    with pytest.raises(CheckpointError, match="cannot write"):
        library.save_pretrained(tmp_path / "model")
    assert (tmp_path / "model").read_text() == "mine"
    assert os.listdir(tmp_path) == ["model"]
