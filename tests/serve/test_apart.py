"""A service in another process: its replies come here, and it is replaced when it went down."""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from partwise.errors import ExecutionError
from partwise.serve.service import Apart


class Unsendable(Exception):
    """An error that only the process that raised it can have."""

    def __reduce__(self) -> Any:
        raise pickle.PicklingError


class Telling:
    """Tells its process; goes down, or gives an error, when asked to."""

    def warm_up(self) -> None:
        """Nothing to do."""

    def ask(self, questions: Sequence[str], k: int, run: bool) -> list[dict[str, Any]]:
        if "go down" in questions:
            os.kill(os.getpid(), signal.SIGKILL)
        error = {"error": Unsendable("secret")} if "fail" in questions else {}
        return [{"answer": [str(os.getpid())], "k": k, "run": run, **error} for _ in questions]


def load() -> Any:
    return Telling()


def fail() -> Any:
    raise ValueError


@pytest.fixture(scope="module")
def apart() -> Any:
    asked = Apart(load)
    asked.wait()
    yield asked
    asked.close()


def test_another_process_answers(apart: Apart) -> None:
    first, second = apart.ask(["a", "b"], 3, False)
    assert first == second
    assert first["k"] == 3
    assert not first["run"]
    assert int(first["answer"][0]) != os.getpid()


def test_a_process_that_does_not_start_is_told() -> None:
    asked = Apart(fail)
    with pytest.raises(ExecutionError, match="does not start"):
        asked.wait()
    asked.close()


def test_errors_are_told_by_their_text(apart: Apart) -> None:
    (reply,) = apart.ask(["fail"], 1, True)
    assert isinstance(reply["error"], ExecutionError)
    assert str(reply["error"]) == "Unsendable: secret"


def test_a_process_that_goes_down_is_replaced(apart: Apart) -> None:
    with pytest.raises(ExecutionError, match="went down"):
        apart.ask(["go down"], 1, True)
    assert apart.ask(["a"], 1, True)[0]["answer"]


ALONE = """
import sys
sys.path.insert(0, {tests!r})
from test_apart import load
from partwise.serve.service import Apart
if __name__ == "__main__":
    apart = Apart(load)
    print(apart.ask(["a"], 1, True)[0]["answer"][0], flush=True)
    sys.stdin.read()
"""


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
def test_it_ends_with_its_parent(tmp_path: Path) -> None:
    script = tmp_path / "alone.py"
    script.write_text(ALONE.format(tests=str(Path(__file__).parent)))
    pipe = subprocess.PIPE
    with subprocess.Popen([sys.executable, str(script)], stdin=pipe, stdout=pipe) as parent:
        assert parent.stdout is not None
        process = Path(f"/proc/{int(parent.stdout.readline())}")
        parent.kill()
    # Generous: a process that stays is a failure.
    for _ in range(600):
        if not process.exists():
            return
        time.sleep(0.1)
    raise AssertionError("it stays")
