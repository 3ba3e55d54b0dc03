"""The published span trees of GeoQuery: files beside those of the splits.

``geoquery/{iid,template,length}/{train,dev,test}_trees.jsonl`` have a `question`, its `program`
and `gold_spans`, a list of ``{"span": [first, last], "type": "state"}``: last token included,
"span" for composed spans, ``stateid#'new york'`` for names. Tokens are BERT's word pieces, which
the files do not show, so words of several pieces are found from where spans begin and end.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

from partwise.errors import DataError
from partwise.interface.data import JOIN_LABEL, PARTS, Example, Span
from partwise.interface.jsonl import read_bytes, read_jsonl
from partwise.language.domain import Domain
from partwise.language.program import Term, parse_program, quote
from partwise.language.text import tokenize
from partwise.span.annotation import Lexicon, lexicons
from partwise_papers.datasets.geoquery import SPLITS
from partwise_papers.domains.geoquery import GeoQuery

FIELD = "gold_spans"
LAYOUT = f'{{"{FIELD}": [{{"span": [0, 3], "type": "span"}}, ...]}} with its question and program'
MAX_ALIGNMENTS = 20_000


def read_trees(
    folder: str | Path, split: str, part: str, *, domain: Domain | None = None
) -> list[Example[Term]]:
    """The examples of a part that have a published tree, with it.

    Spans are as published, over our words; not all are trees of their program (see
    `partwise_papers.trees.annotated.mismatch`).

    Args:
        domain: whose categories the spans get and whose spelling the programs; GeoQuery's by
            default.

    Raises:
        DataError: for an unknown split or part, a missing file, a bad line (see `read_jsonl`), a
            label that is no category, or spans that fit the words in no way or in several.
    """
    if split not in SPLITS or part not in PARTS:
        raise DataError(
            f"geoquery has no trees of {split}/{part}; there are those of {'/'.join(SPLITS)} and "
            f"{'/'.join(PARTS)}"
        )
    file = Path(folder) / split / f"{part}_trees.jsonl"
    domain = GeoQuery() if domain is None else domain
    examples, _ = read_jsonl(
        file, lambda text: domain.canonical(parse_program(text)), label=f"{split}/{file.name}"
    )
    lines = read_bytes(file, LAYOUT).removeprefix(b"\xef\xbb\xbf").split(b"\n")
    reader = _Reader(domain)
    found = []
    for example in examples:
        number = int(example.source.rpartition(":")[2])
        try:
            spans = reader.spans(example.question, json.loads(lines[number - 1]))
        except DataError as error:
            raise DataError(f"{file}:{number}: {error}") from error
        found.append(replace(example, spans=spans))
    return found


class _Reader:
    """Reads the spans of one line."""

    def __init__(self, domain: Domain) -> None:
        named = (c for c in domain.constants if c.is_entity)
        self.names = {f"{c.head}#{quote(str(c.name))}": c.category for c in named}
        self.names |= {c.category: c.category for c in domain.constants if not c.is_entity}
        self.names["span"] = JOIN_LABEL
        self.lexicon: Lexicon = lexicons(domain)[-1]

    def spans(self, question: str, fields: Mapping[str, Any]) -> tuple[Span, ...]:
        given = fields.get(FIELD)
        if not isinstance(given, list) or not given:
            raise DataError(f"field {FIELD!r} must be a list that is not empty; expected {LAYOUT}")
        pieces = _mended([self._span(entry) for entry in given])
        words = tokenize(question).words
        return _aligned(pieces, words, self.lexicon)

    def _span(self, entry: Any) -> Span:
        try:
            (first, last), label = entry["span"], entry["type"]
            if not 0 <= int(first) <= int(last):
                raise ValueError
            return int(first), int(last) + 1, self.names[label]
        except (TypeError, ValueError, KeyError) as error:
            raise DataError(
                f"no span {entry!r:.80}: expected [first, last] and a type, which is 'span' or a "
                "category"
            ) from error


def _mended(spans: Sequence[Span]) -> list[Span]:
    """Spans with the constant of a one-constant tree cut to its place.

    The published files let it end a token late, so that it covers what the join over it covers.
    """
    joins = {(start, end) for start, end, category in spans if category == JOIN_LABEL}
    return [
        (s, e - 1, c) if c != JOIN_LABEL and (s, e) in joins and e - s > 1 else (s, e, c)
        for s, e, c in spans
    ]


def _aligned(spans: Sequence[Span], words: Sequence[str], lexicon: Lexicon) -> tuple[Span, ...]:
    """Spans over pieces as spans over words; constants should stand on their phrases.

    Raises:
        DataError: if no way, or more than one, to cut the words into pieces does as well.
    """
    edges = sorted({edge for start, end, _ in spans for edge in (start, end)})
    ways = list(islice(_cuts(words, edges[-1], set(edges)), MAX_ALIGNMENTS + 1))
    scored: dict[tuple[Span, ...], int] = {}
    for starts in ways[:MAX_ALIGNMENTS]:
        place = {piece: word for word, piece in enumerate(starts)}
        found = tuple((place[start], place[end], category) for start, end, category in spans)
        scored[found] = sum(
            category != JOIN_LABEL and tuple(words[start:end]) in lexicon[category]
            for start, end, category in found
        )
    top = [found for found, score in scored.items() if score == max(scored.values())]
    if len(top) != 1 or len(ways) > MAX_ALIGNMENTS:
        many = "no way" if not top else "more than one way"
        raise DataError(
            f"the spans are over {edges[-1]} tokens, and there is {many} to fit them to the "
            f"{len(words)} words of {' '.join(words)!r}"
        )
    return top[0]


def _cuts(words: Sequence[str], pieces: int, edges: set[int]) -> Iterator[tuple[int, ...]]:
    """All ways to cut words into so many pieces with every edge between two words.

    Each is the piece at which each word begins, and the end.
    """
    stack: list[tuple[int, ...]] = [(0,)]
    while stack:
        starts = stack.pop()
        done, here = len(starts) - 1, starts[-1]
        if done == len(words):
            if here == pieces:
                yield starts
            continue
        rest = len(words) - done - 1
        longest = min(here + len(words[done]), pieces - rest)
        for end in range(here + 1, longest + 1):
            stack.append((*starts, end))
            if end in edges:
                break
