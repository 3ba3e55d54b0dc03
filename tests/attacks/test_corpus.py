"""Inputs that once broke a reader: today each is read, or refused with a clear error."""

from __future__ import annotations

import contextlib
import signal
from pathlib import Path

import pytest

from fuzz_targets import CORPUS, TARGETS, Target
from partwise.errors import PartwiseError

INPUTS = sorted(file for file in CORPUS.rglob("*") if file.is_file())
HANGS = 60
"""Seconds of processor time, far above what any input takes on any machine; then the process
ends."""


@pytest.fixture(scope="module")
def targets() -> dict[str, Target]:
    return {}


@pytest.mark.parametrize("file", INPUTS, ids=lambda file: f"{file.parent.name}-{file.name[:16]}")
def test_no_input_of_the_corpus_breaks_its_reader(file: Path, targets: dict[str, Target]) -> None:
    name = file.parent.name
    if name not in targets:
        targets[name] = TARGETS[name]()
    signal.setitimer(signal.ITIMER_PROF, HANGS)
    try:
        with contextlib.suppress(PartwiseError):
            targets[name].run(file.read_bytes())
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
