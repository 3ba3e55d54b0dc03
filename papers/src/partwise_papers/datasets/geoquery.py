"""GeoQuery in FunQL: the published split files, their span trees, and the raw corpus behind them.

The folder is laid out as published::

    geoquery/{iid,template,length}/{train,dev,test}.jsonl
    geoquery/{iid,template,length}/{train,dev,test}_trees.jsonl   (for `read_trees`)
    geoquery/geoFunql-en.corpus, split880.{train,test}.ids      (for `rebuild_splits` only)

A line of trees has a `question`, its `program` and `gold_spans`, a list of ``{"span": [first,
last], "type": "state"}``: last token included, "span" for composed spans, ``stateid#'new york'``
for names. Tokens are BERT's word pieces, which the files do not show, so words of several pieces
are found from where spans begin and end.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

from partwise.errors import DataError, ProgramSyntaxError
from partwise.evaluation.splits import by_length, by_template, shuffle_apart, template
from partwise.interface.data import JOIN_LABEL, PARTS, Dataset, Example, Span
from partwise.interface.jsonl import read_bytes, read_jsonl
from partwise.language.domain import Domain
from partwise.language.program import Term, parse_program, quote
from partwise.language.text import tokenize
from partwise.span.annotation import Lexicon, lexicons
from partwise_papers.domains.geoquery import GeoQuery

SPLITS = ("iid", "template", "length")
DEV = 60
CORPUS = "geoFunql-en.corpus"
IDS = "split880.{}.ids"
LAYOUT = "geoquery/{iid,template,length}/{train,dev,test}.jsonl"


def read_geoquery(
    folder: str | Path, split: str, *, domain: Domain | None = None, skip_bad: bool = False
) -> Dataset[Term]:
    """Read one published split; sources are as ``template/train.jsonl:17``; raises DataError for an
    unknown split, a missing folder or file, or a bad line (see `read_jsonl`)."""
    if split not in SPLITS:
        raise DataError(f"geoquery has no split {split!r}; it has {', '.join(SPLITS)}")
    place = Path(folder) / split
    if not place.is_dir():
        raise DataError(f"{place}: no such folder; expected the published files, {LAYOUT}")
    found = {
        part: read_jsonl(
            place / f"{part}.jsonl",
            parse_program if domain is None else lambda t: domain.canonical(parse_program(t)),
            skip_bad=skip_bad,
            label=f"{split}/{part}.jsonl",
        )
        for part in PARTS
    }
    skipped = [message for part in PARTS for message in found[part][1]]
    return Dataset("geoquery", split, found["train"][0], found["dev"][0], found["test"][0], skipped)


def read_corpus(folder: str | Path) -> dict[str, Example[Term]]:
    """The raw corpus by id, in file order; questions are spelt as in the published splits; raises
    DataError for a missing file, an entry without id, question or program, an id that occurs twice,
    or a program that cannot be read."""
    found: dict[str, Example[Term]] = {}
    for line, entry in _entries(Path(folder) / CORPUS):
        where = f"{Path(folder) / CORPUS}:{line}"
        missing = [name for name in ("id", "nl", "mrl") if not entry.get(name)]
        if missing:
            raise DataError(f"{where}: the entry lacks {', '.join(missing)}: lines")
        if entry["id"] in found:
            raise DataError(f"{where}: id {entry['id']} occurs twice")
        try:
            program = parse_program(entry["mrl"])
        except ProgramSyntaxError as error:
            raise DataError(f"{where}: the program cannot be read: {error}") from error
        question = entry["nl"].replace(" 's ", "'s ")
        found[entry["id"]] = Example(question, program, f"{CORPUS}:{line}", entry["id"])
    return found


def rebuild_splits(folder: str | Path) -> dict[str, Dataset[Term]]:
    """The three splits, made again from the raw corpus and the two id files; raises DataError as
    `read_corpus`; also for an id that the corpus lacks.

    All nine lists come out exactly as published, in the published order (checked on the real
    files). The pool is the 600 train ids, then the 280 test ids, each in file order, and every
    shuffle is ``random.Random(seed).shuffle``:

    - iid: the train ids, shuffled with seed 0; the last 60 are dev.
    - template: templates in the order in which the pool first shows them, shuffled with seed 10,
      taken whole until there are at least 600 examples (604); those shuffled with seed 0; the
      last 60 are dev.
    - length: the pool sorted by `length_as_published` (stable); the first 600 shuffled
      with seed 0; the last 60 are dev.
    """
    corpus = read_corpus(folder)
    train, test = (
        _read_list(Path(folder) / IDS.format(part), corpus) for part in ("train", "test")
    )
    pool = train + test
    entries = (entry for _, entry in _entries(Path(folder) / CORPUS))
    lengths = {entry["id"]: length_as_published(entry["mrl"]) for entry in entries}
    halves = {
        "iid": (train, test),
        "template": by_template(pool, lambda e: template(e.meaning), len(test), 10),
        "length": by_length(pool, lambda e: lengths[str(e.id)], len(test)),
    }
    return {
        split: Dataset("geoquery", split, *shuffle_apart(known, DEV, 0), new)
        for split, (known, new) in halves.items()
    }


def length_as_published(text: str) -> int:
    """Number of blank-separated tokens of a raw program once blanks surround its brackets.

    Of the raw text, not of the term: it writes commas in three ways, and that counts.
    """
    return len(text.replace("(", " ( ").replace(")", " ) ").split())


def _entries(file: Path) -> Iterator[tuple[int, dict[str, str]]]:
    """The entries of the corpus with the line each begins on."""
    start, entry = 0, dict[str, str]()
    for number, line in enumerate([*_lines(file), ""], start=1):
        if not line.strip():
            if entry:
                yield start, entry
            entry = {}
            continue
        start = start if entry else number
        key, colon, value = line.partition(":")
        if colon and key in ("id", "nl", "mrl"):
            entry[key] = value.strip()
        else:
            entry.setdefault("", "")


def _read_list(file: Path, corpus: dict[str, Example[Term]]) -> list[Example[Term]]:
    names = [(number, line.strip()) for number, line in enumerate(_lines(file), 1)]
    for number, name in names:
        if name and name not in corpus:
            raise DataError(f"{file}:{number}: {CORPUS} has no id {name}")
    return [corpus[name] for _, name in names if name]


def _lines(file: Path) -> Sequence[str]:
    data = read_bytes(file, f"the raw corpus of GeoQuery ({CORPUS}, {IDS.format('{train,test}')})")
    try:
        return data.decode("utf-8").split("\n")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise DataError(f"{file}:{line}: not UTF-8; get the file again") from error


FIELD = "gold_spans"
TREES = f'{{"{FIELD}": [{{"span": [0, 3], "type": "span"}}, ...]}} with its question and program'
MAX_ALIGNMENTS = 20_000


def read_trees(
    folder: str | Path, split: str, part: str, *, domain: Domain | None = None
) -> list[Example[Term]]:
    """The examples of a part that have a published tree, with it.

    Spans are as published, over our words; not all are trees of their program (see
    `partwise_papers.trees.metrics.mismatch`).

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
    lines = read_bytes(file, TREES).removeprefix(b"\xef\xbb\xbf").split(b"\n")
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
            raise DataError(f"field {FIELD!r} must be a list that is not empty; expected {TREES}")
        pieces = _mend([self._span(entry) for entry in given])
        words = tokenize(question).words
        return _align(pieces, words, self.lexicon)

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


def _mend(spans: Sequence[Span]) -> list[Span]:
    """Spans with the constant of a one-constant tree cut to its place.

    The published files let it end a token late, so that it covers what the join over it covers.
    """
    joins = {(start, end) for start, end, category in spans if category == JOIN_LABEL}
    return [
        (s, e - 1, c) if c != JOIN_LABEL and (s, e) in joins and e - s > 1 else (s, e, c)
        for s, e, c in spans
    ]


def _align(spans: Sequence[Span], words: Sequence[str], lexicon: Lexicon) -> tuple[Span, ...]:
    """Spans over pieces as spans over words; constants should stand on their phrases; raises
    DataError if no way, or more than one, to cut the words into pieces does as well."""
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
