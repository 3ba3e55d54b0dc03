"""One shared parser asked from many threads: python benchmarks/threads.py [--threads 16].

Each shipped parser answers different questions one after the other in one thread, and then all of
them again, dealt out to many threads. Every reply, with its alternatives, must be the same, the
probabilities to the last bit. Prints one line a parser, and the questions that differ; the exit
status is 1 if any does.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import chain, islice
from typing import Any

import torch

from partwise import GraphParser, SpanParser
from partwise.domains.films.domain import FILMS
from partwise.interface.registry import load
from partwise_papers.films.generate import questions

SEED = 7


def geography() -> Iterator[str]:
    """The shipped questions, then the same in other words."""
    data = load("geography", "wide")
    known = [example.question for part in (data.train, data.dev, data.test) for example in part]
    return chain(known, (f"please tell me {question}" for question in known))


def films() -> Iterator[str]:
    """Questions without end, with names."""
    for example in questions(SEED):
        names = FILMS.knowledge.labels(iri for _, iri in example.context or ())
        bound = {placeholder: names[iri] for placeholder, iri in example.context or ()}
        yield " ".join(bound.get(word, word) for word in example.question.split())


def compare(parser: Any, asked: Sequence[str], threads: int) -> list[str]:
    """The questions whose reply differs from the one that a single thread gives."""

    def reply(question: str) -> str:
        return repr(parser(question, k=3).to_json())

    begin = time.perf_counter()
    serial = [reply(question) for question in asked]
    middle = time.perf_counter()
    with ThreadPoolExecutor(threads) as pool:
        shared = list(pool.map(reply, asked))
    end = time.perf_counter()
    pairs = zip(asked, serial, shared, strict=True)
    differ = [question for question, one, other in pairs if one != other]
    print(
        f"{parser.kind}: {len(asked):,} questions; {len(asked) / (middle - begin):.1f} a second "
        f"in one thread, {len(asked) / (end - middle):.1f} in {threads}; {len(differ)} differ"
    )
    return differ


def main() -> None:
    """Compare both shipped parsers."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--threads", type=int, default=16)
    options.add_argument("--questions", type=int, default=2000, help="of each parser")
    given = options.parse_args()
    torch.set_num_threads(1)
    # Threads take turns far more often than they would, so that they meet in every place.
    sys.setswitchinterval(1e-5)
    differ: list[str] = []
    for parser, asked in (
        (SpanParser.from_pretrained("geography"), geography()),
        (GraphParser.from_pretrained("films"), films()),
    ):
        differ += compare(parser, list(islice(asked, given.questions)), given.threads)
    print(*differ[:20], sep="\n")
    raise SystemExit(1 if differ else 0)


if __name__ == "__main__":
    main()
