"""The words of a language as a parser reads them: classes, list words, affixes, pieces.

In many languages what is a word in English is bound to the word beside it. Then each word stands in
two or more forms, of which the training questions show only some: an affix that many words take,
and that also occur without it, is read as a word. In a script without blanks, characters that are
bound, or stand together far more often than by chance, are merged.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property, lru_cache
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any, get_args

from partwise.encoders.storage import read_json
from partwise.errors import CheckpointError
from partwise.graph.grammar.phrases import AND, COMMA
from partwise.language.graph_domain import GraphDomain, Relation
from partwise.language.query_graph import Head
from partwise.language.text import Words, tokenize

TAKERS = 10
"""So often a word must be seen, and so many words must take an affix."""
SHARE = 0.15
"""So many of all words take an affix. Endings of verbs alone, as "-ed", are taken by fewer: they
stay parts of their words."""
LONGEST_AFFIX = 3
"""Characters of the longest affix."""
DEEPEST = 4
"""Affixes of one word; without a bound a long made-up word takes endless work."""
SHORTEST = 2
"""Characters of the shortest word that takes one."""


@dataclass(frozen=True)
class Affixes:
    """Affixes that are read as words, and the words that may take them."""

    prefixes: tuple[str, ...] = ()
    suffixes: tuple[str, ...] = ()
    stems: tuple[str, ...] = ()

    @cached_property
    def _stems(self) -> frozenset[str]:
        return frozenset(self.stems)

    def parts(self, word: str, most: int = DEEPEST) -> tuple[str, ...]:
        """A word as at most so many prefixes and suffixes, and what is left, if it takes them."""
        for prefix in self.prefixes if most else ():
            rest = word.removeprefix(prefix)
            if rest != word and (parts := self._whole(rest, most - 1)):
                return (prefix, *parts)
        for suffix in self.suffixes if most else ():
            rest = word.removesuffix(suffix)
            if rest != word and (parts := self._whole(rest, most - 1)):
                return (*parts, suffix)
        return (word,)

    def split(self, words: Words) -> Words:
        """The words with affixes apart. A hyphen after a prefix belongs to it, as in "ו-M1"."""
        texts: list[str] = []
        offsets: list[tuple[int, int]] = []
        for word, (start, end) in zip(words.words, words.offsets, strict=True):
            if word == "-" and texts and texts[-1] in self.prefixes and offsets[-1][1] == start:
                offsets[-1] = (offsets[-1][0], end)
                continue
            parts = self.parts(word)
            ends = accumulate(map(len, parts), initial=start)
            texts += parts
            offsets += pairwise(ends) if len(parts) > 1 else [(start, end)]
        return Words(words.text, tuple(texts), tuple(offsets))

    def _whole(self, rest: str, most: int) -> tuple[str, ...]:
        """The parts of what is left of a word; none if it is no word."""
        parts = self.parts(rest, most)
        return parts if len(parts) > 1 or rest in self._stems else ()


def learn_affixes(lines: Sequence[Sequence[str]]) -> Affixes:
    """The affixes of the words of training questions."""
    times = Counter(word for line in lines for word in line if word.isalpha() or not word.isascii())
    words = {word for word, n in times.items() if n >= TAKERS and len(word) >= SHORTEST}
    prefixes = _common(words, str.startswith, lambda word, size: (word[:size], word[size:]))
    # "and paint" and "and painted" are no second reason for "-ed".
    bare = {word for word in words if len(Affixes(prefixes, (), tuple(words)).parts(word)) == 1}
    suffixes = _common(bare, str.endswith, lambda word, size: (word[-size:], word[:-size]))
    return Affixes(prefixes, suffixes, tuple(sorted(words))) if prefixes or suffixes else Affixes()


def _common(
    words: set[str], bears: Callable[[str, str], bool], cut: Callable[[str, int], tuple[str, str]]
) -> tuple[str, ...]:
    """The affixes that many words take, the longest first. `cut` gives an affix of so many
    characters, and the rest of the word."""
    taken: dict[str, set[str]] = defaultdict(set)
    for word in words:
        for size in range(1, min(LONGEST_AFFIX, len(word) - SHORTEST) + 1):
            affix, rest = cut(word, size)
            if rest in words:
                taken[affix].add(rest)
    common = [
        affix
        for affix, stems in taken.items()
        if len(stems) >= max(TAKERS, SHARE * sum(not bears(word, affix) for word in words))
    ]
    return tuple(sorted(common, key=lambda affix: (-len(affix), affix)))


BLANKS = 0.04
"""A language with fewer blanks between two letters, a letter, writes none between words."""
BOUND = 0.3
"""So large is the geometric mean of the shares of their uses in which two neighbours stand beside
each other, if they are a word."""
PART, WHOLE = 0.9, 0.03
"""Or so large the one share and the other: a part that stands in this word alone."""
SEEN = 10
"""So often a word must be seen."""
LONGEST = 8
"""Characters of the longest word."""
_PLACEHOLDER = re.compile(r"[Mm]\d+(?!\d)")
_BETWEEN = re.compile(r"(?<=[^\W\d_]) +(?=[^\W\d_])")
_LETTER = re.compile(r"[^\W\d_]")


def words_of(question: str, pieces: Collection[str]) -> Words:
    """The words of a question; if there are pieces, the longest of them at each place. Placeholders
    of entities are words of their own, though letters (of a case, say) follow."""
    known, longest = _index(tuple(pieces))
    texts: list[str] = []
    offsets: list[tuple[int, int]] = []
    for start, end in _runs(question):
        whole = _PLACEHOLDER.fullmatch(question, start, end) is not None
        at = start
        while at < end:
            sizes = range(min(longest, end - at), 1, -1)
            size = next((n for n in sizes if question[at : at + n].lower() in known), 1)
            size = end - at if whole or not pieces else size
            texts.append(question[at : at + size].lower().replace("’", "'"))
            offsets.append((at, at + size))
            at += size
    return Words(question, tuple(texts), tuple(offsets))


@lru_cache(maxsize=4)
def _index(pieces: tuple[str, ...]) -> tuple[frozenset[str], int]:
    """The pieces to look up, and the length of the longest."""
    return frozenset(pieces), max(map(len, pieces), default=1)


def _runs(question: str) -> Iterable[tuple[int, int]]:
    """Placeholders, runs of letters or digits, and single marks."""
    for start, end in tokenize(question).offsets:
        at = start
        for match in _PLACEHOLDER.finditer(question, start, end):
            if match.start() > at:
                yield at, match.start()
            yield match.span()
            at = match.end()
        if at < end:
            yield at, end


def learn_pieces(questions: Sequence[str]) -> tuple[str, ...]:
    """The words of a script without blanks; none for a language that writes blanks."""
    plain = [_PLACEHOLDER.sub(".", question) for question in questions]
    letters = sum(len(_LETTER.findall(text)) for text in plain)
    if sum(len(_BETWEEN.findall(text)) for text in plain) >= BLANKS * letters:
        return ()
    runs: Counter[tuple[str, ...]] = Counter()
    for question in questions:
        for start, end in _runs(question):
            if _PLACEHOLDER.fullmatch(question, start, end) is None:
                runs[tuple(question[start:end].lower())] += 1
    while merged := _merges(runs):
        again: Counter[tuple[str, ...]] = Counter()
        for run, times in runs.items():
            again[_merge(run, merged)] += times
        if again == runs:
            break
        runs = again
    return tuple(sorted({piece for run in runs for piece in run if len(piece) > 1}))


def _merges(runs: Counter[tuple[str, ...]]) -> set[tuple[str, str]]:
    """The pairs of neighbours to merge now, the likeliest of overlapping ones."""
    single: Counter[str] = Counter()
    pairs: Counter[tuple[str, str]] = Counter()
    for run, times in runs.items():
        for piece in run:
            single[piece] += times
        for pair in pairwise(run):
            pairs[pair] += times
    good: dict[tuple[str, str], float] = {}
    for (a, b), times in pairs.items():
        if times < SEEN or len(a) + len(b) > LONGEST:
            continue
        shares = sorted((times / single[a], times / single[b]))
        together = math.sqrt(shares[0] * shares[1])
        if together >= BOUND or (shares[1] >= PART and shares[0] >= WHOLE):
            good[a, b] = together
    # Of pairs that share a piece, the one that is bound most is merged first.
    kept: set[tuple[str, str]] = set()
    taken: set[str] = set()
    for a, b in sorted(good, key=lambda pair: (-good[pair], pair)):
        if a not in taken and b not in taken:
            kept.add((a, b))
            taken |= {a, b}
    return kept


def _merge(run: tuple[str, ...], merged: set[tuple[str, str]]) -> tuple[str, ...]:
    line: list[str] = []
    at = 0
    while at < len(run):
        size = 2 if run[at : at + 2] in merged else 1
        line.append("".join(run[at : at + size]))
        at += size
    return tuple(line)


Cue = tuple[str, str, Head]
"""Where a word stands (``first``, ``last``, ``has``; ``any`` for all questions), the word, and the
head of the queries of such questions. In a script without blanks a character may be the word."""


@dataclass(frozen=True)
class WordClasses:
    """What training pairs say of the words of a language.

    Attributes:
        words: word class -> its words and terms; a word may be in several classes.
        joints: words of lists -> the comma or "and" that they are read as.
        cues: what tells the head of a query; the first that fits decides.
        differ: predicates whose ends must differ.
        pieces: words of a script without blanks.
        affixes: of words in other scripts, that are words of their own.
    """

    words: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    joints: Mapping[str, str] = field(default_factory=dict)
    cues: tuple[Cue, ...] = ()
    differ: tuple[str, ...] = ()
    pieces: tuple[str, ...] = ()
    affixes: Affixes = field(default_factory=Affixes)

    @property
    def unspaced(self) -> bool:
        """Whether the script writes no blanks between words."""
        return bool(self.pieces)

    def read(self, question: str) -> Words:
        """The words of a question, those of lists as the phrase rules have them."""
        words = self._plain(question)
        return replace(words, words=tuple(self.joints.get(word, word) for word in words.words))

    def _plain(self, question: str) -> Words:
        return self.affixes.split(words_of(question, self.pieces))

    def head(self, question: str) -> Head:
        """What the query of a question gives."""
        cues = cues_of(self._plain(question).words, self.unspaced)
        fits = (head for where, word, head in self.cues if where == "any" or (where, word) in cues)
        return next(fits, "select")

    def apply(self, domain: GraphDomain) -> GraphDomain:
        """The domain with these words and filters, and nothing that it declares of language."""
        relations = tuple(Relation(predicate, differ=True) for predicate in self.differ)
        return replace(
            domain, words=dict(self.words), phrases=(), relations=relations, attributes=()
        )

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)

    @staticmethod
    def from_dict(values: Mapping[str, Any]) -> WordClasses:
        """Read the output of `to_dict`; a `ValueError` for what is none."""
        joints = {str(word): str(joint) for word, joint in values["joints"].items()}
        cues = [(str(where), str(word), head) for where, word, head in values["cues"]]
        if not set(joints.values()) <= {COMMA, AND}:
            raise ValueError(f"list words are read as {COMMA!r} or {AND!r}")
        if not {head for *_, head in cues} <= set(get_args(Head)):
            raise ValueError("a cue's head is ask or select")
        return WordClasses(
            {str(name): tuple(map(str, some)) for name, some in values["words"].items()},
            joints,
            tuple(cues),
            tuple(map(str, values["differ"])),
            tuple(map(str, values["pieces"])),
            # Files of earlier versions have none.
            Affixes(**{k: tuple(map(str, v)) for k, v in values.get("affixes", {}).items()}),
        )


def read_word_classes(file: Path) -> WordClasses:
    """The word classes of a saved parser, or corrected ones; a `PartwiseError` for other files."""
    values = read_json(file)
    try:
        return WordClasses.from_dict(values)
    except (LookupError, TypeError, ValueError, AttributeError) as error:
        raise CheckpointError(
            f"{file} is damaged ({type(error).__name__}: {error}); copy, correct or learn it again"
        ) from error


def cues_of(words: Sequence[str], unspaced: bool = False) -> frozenset[tuple[str, str]]:
    """What may tell the head of a question: its words, and those at its ends. In a script without
    blanks characters too: "which" may be merged with the noun after it."""
    if not words:
        return frozenset()
    ends = {("first", words[0]), ("last", words[-1])}
    parts = "".join(words) if unspaced else ()
    return frozenset(ends | {("has", word) for word in (*words, *parts)})
