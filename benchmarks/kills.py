"""Kills training, saving, batches, servers at random moments (SIGKILL); compares what they leave.

    python benchmarks/kills.py [--kills 40] [--only span,graph,save,batch,serve] [--seed 0]

- *span*, *graph*: a small training, killed and continued until it ends; its weights must be those
  of an unbroken run, bit for bit.
- *save*: a process that saves two parsers into one folder by turns; after each kill the folder must
  hold one of the two, whole.
- *batch*: a file of questions, killed and continued until it ends; its output must be that of an
  unbroken run, byte for byte.
- *serve*: a server of two workers that clients ask all the time: a worker, and by turns the server
  itself, is killed. Clients must be told the right answer, or find their connection ended; workers
  must be replaced; the port must be free again, and no file left, when the server was killed.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from kills_serve import kill_serving

SAVING = """
import sys
from partwise import SpanParser
from partwise.span.config import SpanParserConfig
folder = sys.argv[1]
one = SpanParser.from_pretrained("geography")
other = SpanParser.from_pretrained("geography")
other.temperature = 2.0
while True:
    one.save_pretrained(folder)
    other.save_pretrained(folder)
"""


class Victim:
    """A command that is killed at random moments.

    Args:
        longest: seconds within which it is killed; less once it took less.
    """

    def __init__(self, command: Sequence[str], folder: Path, longest: float, seed: int) -> None:
        self.command, self.folder, self.longest = list(command), folder, longest
        self.draw = random.Random(seed)
        self.kills = 0

    def run(self) -> None:
        """Run it to its end."""
        subprocess.run(self.command, cwd=self.folder, check=True, capture_output=True)

    def kill(self) -> bool:
        """Run it, and kill it; False if it ended before."""
        begin = time.perf_counter()
        process = subprocess.Popen(
            self.command,
            cwd=self.folder,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        try:
            process.wait(self.draw.uniform(0.1, 1.0) * self.longest)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            self.kills += 1
            return True
        assert process.returncode == 0, self.command
        self.longest = min(self.longest, time.perf_counter() - begin)
        return False


def digest(file: Path) -> str:
    """The SHA-256 of a file."""
    return hashlib.sha256(file.read_bytes()).hexdigest()


def killed_until_done(
    make: Callable[[str], Sequence[str]], result: str, folder: Path, kills: int, seed: int
) -> tuple[int, int]:
    """Kill and continue runs until they end, as often as it takes.

    Args:
        make: the command that writes into the folder of a name.
        result: the file in it that must be as that of an unbroken run.

    Returns:
        How many kills there were, and how many runs.

    Raises:
        AssertionError: if a result differs.
    """
    begin = time.perf_counter()
    Victim(make("unbroken"), folder, 0, 0).run()
    longest = time.perf_counter() - begin
    expected, done, runs = digest(folder / "unbroken" / result), 0, 0
    while done < kills:
        runs += 1
        name = f"killed-{runs}"
        victim = Victim(make(name), folder, longest, seed + runs)
        # At most six times, as some runs could be killed for ever before their first epoch.
        for _ in range(min(6, kills - done)):
            if (folder / name / result).exists() or not victim.kill():
                break
        if not (folder / name / result).exists():
            victim.run()
        assert digest(folder / name / result) == expected, name
        done, longest = done + victim.kills, victim.longest
    return done, runs


def partwise(*words: str) -> list[str]:
    """A command of the command line."""
    return [sys.executable, "-m", "partwise", *words]


def training(kind: str, folder: Path) -> Callable[[str], Sequence[str]]:
    """The command of a small training."""
    if kind == "span":
        subprocess.run(partwise("new", "library"), cwd=folder, check=True, capture_output=True)
        data = (
            *("--domain", "library", "--train", "library/pairs.jsonl", "--encoder", "bilstm"),
            *("--epochs", "12"),
        )
    else:
        make = partwise("generate", "films", "--out", "films.jsonl", "-n", "120")
        subprocess.run(make, cwd=folder, check=True, capture_output=True)
        data = ("--domain", "films", "--train", "films.jsonl", "--epochs", "6")
    return lambda name: partwise("train", *data, "--out", name)


def batch(folder: Path) -> Callable[[str], Sequence[str]]:
    """The command that answers a file of questions."""
    places = ("texas", "ohio", "utah", "maine", "iowa")
    with (folder / "in.jsonl").open("w") as stream:
        for number in range(600):
            place = places[number % len(places)]
            question = f"what is the capital of {place} ?"
            stream.write(json.dumps({"id": number, "question": question}) + "\n")

    def command(name: str) -> Sequence[str]:
        (folder / name).mkdir(exist_ok=True)
        out = str(Path(name) / "out.jsonl")
        return partwise("ask", "in.jsonl", "--out", out, "--rows", "20")

    return command


def saving(folder: Path, kills: int, seed: int) -> None:
    """Kill a process that saves; the folder must always load.

    Raises:
        AssertionError: if it does not.
    """
    from partwise import SpanParser

    victim = Victim([sys.executable, "-c", SAVING, "model"], folder, 8.0, seed)
    for _ in range(kills):
        assert victim.kill()
        if (folder / "model").exists():
            parser = SpanParser.from_pretrained(str(folder / "model"))
            assert parser("what is the capital of ohio ?").lines
        halves = [one.name for one in folder.iterdir() if one.name != "model"]
        print(f"  beside the folder: {halves}" if halves else "  whole", flush=True)


def main() -> None:
    """Kill what the options name."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--kills", type=int, default=40)
    options.add_argument("--only", default="span,graph,save,batch,serve")
    options.add_argument("--seed", type=int, default=0)
    given = options.parse_args()
    for kind in given.only.split(","):
        with tempfile.TemporaryDirectory() as place:
            folder = Path(place)
            begin = time.perf_counter()
            if kind == "save":
                saving(folder, given.kills, given.seed)
                print(f"save: {given.kills} kills, the folder was always whole", flush=True)
                continue
            if kind == "serve":
                told = kill_serving(folder, given.kills, given.seed)
                print(f"serve: {given.kills} kills; clients were told {told}", flush=True)
                continue
            make = batch(folder) if kind == "batch" else training(kind, folder)
            result = "out.jsonl" if kind == "batch" else "model/model.safetensors"
            done, runs = killed_until_done(make, result, folder, given.kills, given.seed)
            seconds = time.perf_counter() - begin
            print(
                f"{kind}: {done} kills in {runs} runs, all results equal ({seconds:.0f} s)",
                flush=True,
            )


if __name__ == "__main__":
    main()
