"""What the costliest questions take: python benchmarks/costly.py [--random 10000] [--minutes 5].

For each shipped parser, on one core:
- *random*: questions of random words of its whole vocabulary, of every legal length;
- *search*: the costliest questions of the search so far, changed at random (words and phrases
  repeated, moved, replaced, coordinated) and kept where they take more work; it begins with each
  phrase over and over, as long as is allowed.

A question is asked for `--k` interpretations, and is answered, has no meaning, or is refused as
too costly. CPU seconds are those of its parse; the least of three where it took over a second, as
other programs disturb them. The work is what its budget counted, and is the same everywhere. With
`--json` the results go to benchmarks/results/costly.json. The exit status is 1 if a question took
over two seconds, or one of the shipped data sets is too costly.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import torch

from partwise import GraphParser, SpanParser
from partwise.chart import warm_up
from partwise.interface.budget import TOO_COSTLY, Budget, Work
from partwise.interface.registry import load
from partwise_papers.films.generate import generate

MOST = 2.0
"""CPU seconds that a question may take."""
RESULTS = Path(__file__).parent / "results" / "costly.json"


@dataclass
class Row:
    """What some questions took.

    Attributes:
        seconds: CPU time of the costliest.
        work: the most that a budget counted, in millions of joins.
        memory: peak of the process so far, in MB.
        costliest: the text of the slowest question.
    """

    parser: str
    what: str
    questions: int = 0
    answered: int = 0
    too_costly: int = 0
    seconds: float = 0.0
    mean_seconds: float = 0.0
    work: float = 0.0
    memory: float = 0.0
    costliest: str = field(default="", repr=False)


class Counted(Budget):
    """A budget that remembers the work on the latest question."""

    latest: Work

    def start(self) -> Work:
        """As `Budget.start`."""
        work = super().start()
        object.__setattr__(self, "latest", work)
        return work


class Asker:
    """Asks a parser questions one by one, and notes what they take."""

    def __init__(self, parser: Any, k: int) -> None:
        self.parser, self.k = parser, k
        parser.budget = self.budget = Counted()

    def seconds(self, question: str) -> float:
        """CPU time of one parse."""
        if self.parser.kind == "span":
            # What is remembered of the question is not for free the first time.
            self.parser.labels._kept.cache_clear()
        begin = time.process_time()
        self.prediction = self.parser.parse([question], self.k)[0]
        return time.process_time() - begin

    def __call__(self, row: Row, question: str) -> float:
        """The work on a question, in millions of joins."""
        self.budget.start()
        taken = self.seconds(question)
        if taken > MOST / 2:
            taken = min(taken, self.seconds(question), self.seconds(question))
        said, work = self.prediction, float(self.budget.latest.joins[0]) / 1e6
        row.questions += 1
        row.answered += said.meaning is not None
        row.too_costly += (said.reason or "").startswith(TOO_COSTLY)
        row.mean_seconds += (taken - row.mean_seconds) / row.questions
        row.work = max(row.work, work)
        row.memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        if taken > row.seconds:
            row.seconds, row.costliest = taken, question
        return work


def phrases_of(parser: Any) -> list[str]:
    """The vocabulary: words and phrases."""
    domain = parser.domain
    if parser.kind == "graph":
        names = list(domain.knowledge.names(10_000))
        listed = [phrase for some in domain.words.values() for phrase in some]
        rules = [word for rule in domain.phrases for word in rule.split() if word.isalpha()]
        joints = [",", "and", ", and", "'s", "?", *(f"M{number}" for number in range(10))]
        return list(dict.fromkeys([*listed, *rules, *joints, *names, *domain.examples]))
    constants = domain.constants
    listed = [phrase for one in constants for phrase in one.phrases]
    names = [str(one.name) for one in constants if not one.phrases]
    return list(dict.fromkeys([*listed, *names, *domain.examples]))


def legal(parser: Any, words: list[str]) -> str:
    """The words up to the length that is allowed."""
    return " ".join(" ".join(words).split()[: parser.config.max_words])


def changed(question: str, phrases: list[str], rng: random.Random) -> list[str]:
    """A question with one thing about it otherwise."""
    words = question.split()
    a, b = sorted(rng.randrange(len(words) + 1) for _ in range(2))
    part, other = words[a:b], rng.choice(phrases).split()
    return rng.choice(
        [
            words[:a] + other * rng.randint(1, 8) + words[b:],
            words[:b] + part * rng.randint(1, 6) + words[b:],
            words[:a] + [word for each in part for word in (each, *other)] + words[b:],
            (words[:a] or other) + [",", "and"] + words[a:],
            words[:a] + words[b:] + part,
            (part or other) * 40,
        ]
    )


def seeds(parser: Any) -> list[list[str]]:
    """Long questions that phrase rules fit: random words hardly ever are one."""

    def several(items: list[str], count: int) -> str:
        chosen = [items[number % len(items)] for number in range(count)]
        return f"{' , '.join(chosen[:-1])} , and {chosen[-1]}"

    names, words = [f"M{number}" for number in range(60)], parser.domain.words
    known = {name: list(phrases) for name, phrases in words.items()}
    verbs, past, roles = known["verb"], known["past"], known["role"]
    adjectives = " ".join(known["adjective"])
    return [
        ["Did", several(names[:25], 25), several(verbs, 6), several(names[25:], 25)],
        ["Was M0", " ".join(f"'s {roles[0]}" for _ in range(50)), "M1"],
        ["Was M0 a", adjectives, several(roles, len(roles)), "of", several(names[1:], 15)],
        ["Who", several(past, 20), several(names, 30)],
        ["Who", several(["directed a film"], 28)],
        ["Who directed a film whose", adjectives, several(roles, 15), several(past, 10), "M1"],
        *([one.question] for one in generate(40, 11)),
    ]


def search(
    asker: Asker, row: Row, phrases: list[str], rng: random.Random, minutes: float
) -> Iterator[str]:
    """Look for the costliest questions."""
    parser, end = asker.parser, time.monotonic() + 60 * minutes
    first = [[phrase] * parser.config.max_words for phrase in phrases]
    first += seeds(parser) if parser.kind == "graph" else []
    pool: list[tuple[float, str]] = []
    while time.monotonic() < end:
        words = first.pop() if first else changed(rng.choice(pool)[1], phrases, rng)
        question = legal(parser, words)
        if not question or any(question == known for _, known in pool):
            continue
        pool.append((asker(row, question), question))
        # The costliest ones, and some others by chance.
        pool = sorted(pool, reverse=True)[:24] + ([rng.choice(pool)] if len(pool) > 24 else [])
        yield question


def shipped(parser: Any) -> list[str]:
    """Questions that must be answered."""
    if parser.kind == "graph":
        return [example.question for example in generate(200, 7)]
    data = load("geography", "iid")
    return [one.question for part in (data.train, data.dev, data.test) for one in part]


def measure(parser: Any, options: argparse.Namespace) -> Iterator[Row]:
    """All rows of one parser."""
    rng, phrases = random.Random(options.seed), phrases_of(parser)
    asker = Asker(parser, options.k)
    for question in parser.domain.examples:
        asker(Row("", ""), question)
    row = Row(parser.kind, "shipped")
    for question in shipped(parser):
        asker(row, question)
    yield row
    row, most = Row(parser.kind, "random"), parser.config.max_words
    end = time.monotonic() + 60 * options.minutes_random
    while row.questions < options.random and time.monotonic() < end:
        asker(row, legal(parser, rng.choices(phrases, k=rng.randint(1, most))))
    yield row
    row = Row(parser.kind, "search")
    for _ in search(asker, row, phrases, rng, options.minutes):
        pass
    yield row


def main() -> int:
    """Measure, print, and keep the results."""
    form = argparse.RawTextHelpFormatter
    read = argparse.ArgumentParser(description=__doc__, formatter_class=form)
    add: Callable[..., Any] = read.add_argument
    add("--random", type=int, default=10_000, help="random questions for each parser")
    add("--minutes-random", type=float, default=120.0, help="at most for them")
    add("--minutes", type=float, default=5.0, help="of the search, for each parser")
    add("--k", type=int, default=3, help="interpretations")
    add("--seed", type=int, default=7)
    add("--parser", choices=("span", "graph"), help="only this one")
    add("--json", action="store_true", help=f"write {RESULTS.name}")
    options = read.parse_args()
    torch.set_num_threads(1)
    warm_up()
    kinds: list[tuple[Any, str]] = [(SpanParser, "geography"), (GraphParser, "films")]
    rows = []
    for kind, name in kinds:
        if options.parser in (None, kind.kind):
            for row in measure(kind.from_pretrained(name), options):
                rows.append(row)
                print(row, flush=True)
                print(f"  {row.costliest[:200]}", flush=True)
    if options.json:
        facts = {"k": options.k, "seed": options.seed, "budget": Budget().joins}
        values = {**facts, "rows": [asdict(row) for row in rows]}
        RESULTS.write_text(json.dumps(values, indent=2) + "\n")
    shipped_rows = [row for row in rows if row.what == "shipped"]
    wrong = any(r.seconds > MOST for r in rows) or any(r.too_costly for r in shipped_rows)
    return int(wrong)


if __name__ == "__main__":
    sys.exit(main())
