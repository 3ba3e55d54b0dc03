"""Fuzzed questions through each front end: the command line, the server and the assistant.

Each domain is asked by each of them, in this process and as a stranger would: by `partwise ask` and
`parse` with their options, by requests to the app, by the official client of the protocol. Some
questions are asked by commands in processes of their own. Whatever is no answer, no refusal and no
error in one line is a finding, and so is what takes more than `SECONDS` of processor time, that of
processes behind it included.
"""

from __future__ import annotations

import contextlib
import functools
import io
import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import traceback
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from anyio.from_thread import start_blocking_portal
from mcp import Client
from starlette.testclient import TestClient

from partwise.cli.app import main
from partwise.cli.sources import Load, ParserSource
from partwise.encoders.storage import read_json, write_json
from partwise.interface.prediction import JSON_VERSION
from partwise.interface.registry import load
from partwise.serve.api import create_app
from partwise.serve.assistant import assistant
from partwise.serve.guard import Limits
from partwise.serve.logs import Log
from partwise.serve.service import Service
from partwise_papers.results.recorder import checkout_commit

OUT = Path(__file__).parent / "results" / "fuzz.json"
SECONDS = 2.0
"""Processor time that a question may take."""
TOGETHER = 20
"""Questions of one request for many."""
MANY = 200
"""Questions that are asked once more, many in one request."""
PROCESSES, EACH = 7, 10
"""Commands in processes of their own for each domain, and the questions of each."""
SETS = (("geography", "iid"), ("films", "random"))
STRANGE = (
    *('email "foo@bar.org"', "'", '"', "“", "((((", "\\", "%s %n {} {0}", "../../etc/passwd"),
    *("'; DROP TABLE x; --", "1 OR 1=1", "UNION SELECT * FROM sqlite_master", "SELECT 1;"),
    *('{"question": null}', '"]}', "[" * 50, "null", "<script>alert(1)</script>", "${7*7}"),
    *("\0", "\x07\x1b[31m", "\x7f", "\u202eabc\u202c", "مرحبا بالعالم", "שלום", "日本の首都"),
    *("\U0001f600", "\U0001f468\u200d\U0001f469\u200d\U0001f467", "e\u0301\u0301", "\ufdfa", "ﬃ"),
    *("١٢٣", "１２", "²", "½", "Ⅷ", "-0", "1e999", "NaN", "inf", "0x1F", "1,2.3,4", "99.99.9999"),
    *("9" * 40, "9" * 400, "9" * 5000, "0." + "3" * 400, "year 99999", "31.02.2024", "in 0 days"),
    *("more than -1", "top 0", "top 99999999999", "last 1000000 years", "between 5 and", "per"),
    *("\t", "\r", "\u2028", "\u00a0", "\u200b", "\ufeff", "\udcff", "M0", "M99999", "--json", "-k"),
)
"""What people, and those who attack, type beside words."""

Ask = Callable[[str, random.Random], str]
"""Asks a question and says what came of it, in a word or two. Raises for what must not be."""


def fuzzed(questions: Sequence[str], rng: random.Random) -> str:
    """A question with some changes."""
    words = rng.choice(questions).split()
    for _ in range(rng.choice((1, 1, 2, 3, 6))):
        at, to = rng.randrange(len(words) + 1), rng.randrange(len(words) + 1)
        at, to = min(at, to), max(at, to)
        some = words[at:to]
        match rng.randrange(10):
            case 0:
                words[at:to] = []
            case 1:
                words[at:to] = some * 2
            case 2:
                words[at:to] = rng.sample(some, len(some))
            case 3 | 4:
                words.insert(at, rng.choice(STRANGE))
            case 5:
                words[at:to] = [_misspelt(word, rng) for word in some]
            case 6:
                words[at:at] = rng.choice(questions).split()
            case 7:
                words[at:to] = [rng.choice(('"{}"', "'{}'", '"{}', "({}", "{},")).format(*some[:1])
                                if some else '"']  # fmt: skip
            case 8:
                words[at:to] = [rng.choice((str.upper, str.title, str.swapcase))(" ".join(some))]
            case _:
                words.insert(at, _long(words, rng))
    return rng.choice((" ", " ", " ", "", "  ")).join(words) or "?"


def _misspelt(word: str, rng: random.Random) -> str:
    at = rng.randrange(len(word) + 1)
    new = rng.choice(
        ("", word[at : at + 1] * 2, chr(rng.randrange(32, 0x3000)), word[at : at + 2][::-1])
    )
    return word[:at] + new + word[at + rng.choice((0, 1, 2)) :]


def _long(words: Sequence[str], rng: random.Random) -> str:
    """A word or words without end: one in ten changes, of each length."""
    unit = rng.choice((*words, *STRANGE, "x", "9", "-a", "a_", "'s ", "ing", "of the "))
    size = rng.choice((30, 100, 300, 900, 4000, 16_000))
    many = (unit or "x") + " " * rng.randrange(2)
    return (many * (size // len(many) + 1))[:size]


def processor_time() -> float:
    """Seconds of this process, of those that it started, and of theirs that have ended."""
    spent = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    ticks = 0
    for file in Path("/proc/self/task").glob("*/children"):
        for child in file.read_text().split():
            with contextlib.suppress(OSError):
                fields = Path(f"/proc/{child}/stat").read_text().rpartition(")")[2].split()
                ticks += int(fields[11]) + int(fields[12])
    return sum(one.ru_utime + one.ru_stime for one in spent) + ticks / os.sysconf("SC_CLK_TCK")


# What a command loads is the same for each of its questions.
Load.__call__ = functools.cache(Load.__call__)  # type: ignore[method-assign]


@contextlib.contextmanager
def command_line(domain: str) -> Iterator[Ask]:
    """`partwise ask` and `parse`, by their main function."""

    def ask(question: str, rng: random.Random) -> str:
        out, err = io.StringIO(), io.StringIO()
        command, version = rng.choice(("ask", "ask", "parse")), rng.choice((0, 1, 2, 2))
        options = [f"--json={version}"] * (version > 0) + ["-k", "3"] * rng.randrange(2)
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = main([command, "--domain", domain, *options, "--", question])
        if code == 2:
            (line,) = err.getvalue().splitlines()
            assert line.startswith("partwise: "), line
            return "error in one line"
        assert "Traceback" not in err.getvalue(), err.getvalue()
        if version:
            (line,) = out.getvalue().splitlines()
            said = json.loads(line, parse_constant=_no_constant)
            assert said["version"] == version, said
            return str(said["outcome" if version > 1 else "status"])
        assert out.getvalue().isprintable() or all(
            one.isprintable() or one in "\n" for one in out.getvalue()
        ), "signs that steer the terminal"
        return f"text, exit code {code}"

    yield ask


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is no JSON")


@contextlib.contextmanager
def server(domain: str) -> Iterator[Ask]:
    """Requests for one question to the app; a few of them are damaged."""
    app = create_app(service_of(domain), Limits(rate=0), Log(io.StringIO()))
    with TestClient(app) as client:

        def ask(question: str, rng: random.Random) -> str:
            path = rng.choice(("/ask", "/ask", "/parse"))
            given = {"question": question, "k": rng.choice((1, 1, 3))}
            body = json.dumps(given, ensure_ascii=rng.random() < 0.5).encode(
                "utf-8", "surrogatepass"
            )
            if rng.random() < 0.05:
                at = rng.randrange(len(body))
                body = body[:at] + rng.randbytes(1) + body[at + 1 :]
            reply = client.post(path, content=body, headers={"Content-Type": "application/json"})
            said = json.loads(reply.content, parse_constant=_no_constant)
            if reply.status_code == 200:
                assert said["version"] == JSON_VERSION, said
                return str(said["outcome"])
            assert 400 <= reply.status_code < 500, said
            return f"status {reply.status_code}"

        ask.client = client  # type: ignore[attr-defined]
        yield ask


def many(ask: Ask, questions: Sequence[str]) -> Iterator[tuple[str, float]]:
    """What comes of questions that are asked together, with the seconds of one of them."""
    client: Any = ask.client  # type: ignore[attr-defined]
    for start in range(0, len(questions), TOGETHER):
        some = [_valid(one)[:500] for one in questions[start : start + TOGETHER]]
        began = processor_time()
        reply = client.post("/batch", json={"questions": some})
        spent = processor_time() - began
        if reply.status_code != 200:
            assert 400 <= reply.status_code < 500, reply.content
            yield f"status {reply.status_code}", spent
            continue
        replies = json.loads(reply.content, parse_constant=_no_constant)["replies"]
        assert [one["question"] for one in replies] == some
        for one in replies:
            yield str(one["outcome"]), spent / len(some)


def _valid(text: str) -> str:
    return text.encode("utf-8", "replace").decode()


@contextlib.contextmanager
def assistant_of(domain: str) -> Iterator[Ask]:
    """Calls of the tools by the official client, over streams in memory."""
    client = Client(assistant(service_of(domain)))
    with start_blocking_portal() as portal, portal.wrap_async_context_manager(client):

        def ask(question: str, rng: random.Random) -> str:
            tool = rng.choice(("ask", "ask", "explain", "schema"))
            given = {"table": question} if tool == "schema" else {"question": question}
            result = portal.call(client.call_tool, tool, given)
            if result.is_error:
                told = "".join(one.text for one in result.content)
                assert "Traceback" not in told, told
                return "error of the caller"
            json.dumps(result.structured_content, allow_nan=False)
            return str(result.structured_content.get("outcome", "a schema"))

        yield ask


FRONTS = {"cli": command_line, "http": server, "mcp": assistant_of}


def service_of(domain: str) -> Service:
    """What answers questions about a domain."""
    return Load(ParserSource(domain=domain), 1)()


def found(front: str, domain: str, question: object, why: str) -> dict[str, object]:
    """A finding, which is printed at once."""
    made = {"front": front, "domain": domain, "question": question, "why": why}
    print(json.dumps(made), flush=True)
    return made


def count(
    front: str, domain: str, questions: Sequence[str], seed: int, findings: list[Any]
) -> dict[str, Any]:
    """Ask questions by a front end; what came of them, and how long they took."""
    rng, told, seconds = random.Random(seed), Counter[str](), list[float]()
    again = 0
    with FRONTS[front](domain) as ask:
        # What the first question waits for is no work of its own.
        service_of(domain).warm_up()
        ask("what is there", rng)

        def timed(question: str) -> tuple[str, float]:
            began = processor_time()
            try:
                said = ask(question, rng)
            except (Exception, SystemExit) as error:
                said = f"finding: {type(error).__name__}"
                why = traceback.format_exc()[-1500:]
                findings.append(found(front, domain, question, why))
            return said, processor_time() - began

        for question in questions:
            state = rng.getstate()
            said, spent = timed(question)
            if spent > SECONDS:
                # Other processes on the machine cost time, too: what is slow is so twice.
                again += 1
                rng.setstate(state)
                spent = min(spent, timed(question)[1])
            if spent > SECONDS:
                findings.append(found(front, domain, question, f"{spent:.1f} seconds"))
            told[said] += 1
            seconds.append(spent)
        together = list(many(ask, questions[:MANY])) if front == "http" else []
    told.update(f"in /batch: {said}" for said, _ in together)
    seconds += [spent for _, spent in together]

    def share(percent: float) -> float:
        return round(float(np.percentile(seconds, percent)), 3)

    return {
        **{"front": front, "domain": domain, "questions": len(questions)},
        "outcomes": dict(sorted(told.items())),
        "asked again": again,
        "seconds": {"median": share(50), "p99": share(99), "most": share(100)},
    }


def commands(
    domain: str, questions: Sequence[str], rng: random.Random, findings: list[Any]
) -> dict[str, Any]:
    """The same by commands in processes of their own."""
    told = Counter[str]()
    for _ in range(PROCESSES):
        # No argument has a NUL in it.
        some = [one for one in rng.sample(questions, EACH) if "\0" not in one] or ["?"]
        command = [sys.executable, "-m", "partwise", "ask", "--domain", domain, "--json"]
        lines = "\n".join(some[:-1]).encode("utf-8", "surrogateescape")
        done = subprocess.run(
            [*command, "-", "--", some[-1]], input=lines, capture_output=True, check=False
        )
        told[f"exit code {done.returncode}"] += 1
        if done.returncode not in (0, 1, 2) or b"Traceback" in done.stderr:
            why = done.stderr.decode("utf-8", "replace")[-1500:]
            findings.append(found("process", domain, some, why))
    return {"commands": PROCESSES, "questions": PROCESSES * EACH, **told}


def measure(size: int, seed: int, folder: Path, only: Sequence[str] = ()) -> int:
    """Ask `size` questions by each front end of each domain, of the database of a folder, too,
    which holds one SQLite file and ``questions.jsonl``. Writes the counts; how many findings there
    are."""
    (file,) = folder.resolve().glob("*.sqlite")
    lines = (folder / "questions.jsonl").read_text("utf-8").splitlines()
    asked = {name[0]: [one.question for one in load(*name).train] for name in SETS}
    asked = {file.stem: [json.loads(line)["question"] for line in lines], **asked}
    findings = list[Any]()
    about = {"command": f"python benchmarks/fuzz.py --fronts {size} --seed {seed}"}
    about |= {"commit": checkout_commit()}
    with tempfile.TemporaryDirectory() as place, contextlib.chdir(place):
        with contextlib.redirect_stdout(io.StringIO()):
            assert main(["new", file.stem, "--from", f"sqlite:///{file}"]) == 0
        for (domain, known), front in product(asked.items(), FRONTS):
            if {front, domain, f"{front}:{domain}"}.isdisjoint(only or FRONTS):
                continue
            rng, before = random.Random(f"{seed} {front} {domain}"), len(findings)
            questions = [fuzzed(known, rng) for _ in range(size)]
            row = count(front, domain, questions, seed, findings)
            if front == "cli":
                row["processes"] = commands(domain, questions, rng, findings)
            write({**row, "findings": len(findings) - before, **about})
    return len(findings)


def write(row: Mapping[str, Any]) -> None:
    """Print a row, and put it in the place of that of the same front end and domain."""
    print(json.dumps(row, ensure_ascii=False), flush=True)
    rows = read_json(OUT)["rows"] if OUT.exists() else []
    known = {(one["front"], one["domain"]): one for one in [*rows, row]}
    write_json(OUT, {"seconds_allowed": SECONDS, "rows": [known[key] for key in sorted(known)]})
