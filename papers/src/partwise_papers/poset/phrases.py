"""The phrase table: which words may stand for which primitives, learned from train.

Alignment is IBM model 1 (Brown et al. 1993): each primitive of a query comes from one phrase of its
question. The paper aligns with GIZA++, which begins with the same model.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, Self

from partwise.language.query.graph import ENTITY
from partwise.language.tokenizer import Words
from partwise_papers.poset.sketch import Primitive

ROUNDS = 5
"""Of expectation and maximization."""
NOTHING = 1e-6
"""A share below which no phrase is said to stand for a primitive."""
NAME = "M"
"""What all entities are in phrases."""

Table = Mapping[str, Mapping[Primitive, float]]
"""Phrase -> primitive -> how often, of the questions with the phrase, it stands for it there."""
Pairs = Sequence[tuple[Sequence[str], Collection[Primitive]]]
"""Words of questions with the primitives of their queries."""


def entity_of(word: str) -> str | None:
    """The placeholder that a word of a question is, if it is one."""
    name = word.upper()
    return name if ENTITY.fullmatch(name) else None


def entities(words: Words) -> list[str]:
    """The placeholders of a question, each once."""
    return list(dict.fromkeys(name for word in words.words if (name := entity_of(word))))


def phrases(words: Sequence[str], longest: int) -> Iterator[tuple[str, float]]:
    """All phrases of a question, each with the place of its middle."""
    general = [NAME if entity_of(word) else word for word in words]
    for size in range(1, longest + 1):
        for begin in range(len(general) - size + 1):
            yield " ".join(general[begin : begin + size]), begin + (size - 1) / 2


class PhraseTable:
    """Phrases with what they may stand for.

    Args:
        longest: words of a phrase.
    """

    def __init__(self, longest: int, table: Table) -> None:
        self.longest, self.table = longest, table

    @classmethod
    def learn(cls, pairs: Pairs, longest: int, least: float) -> Self:
        """That of training questions.

        Args:
            least: probability of what is kept.
        """
        found = [(sorted({p for p, _ in phrases(w, longest)}), some) for w, some in pairs]
        seen = Counter(phrase for some, _ in found for phrase in some)
        counts = _align(found, {})
        for _ in range(ROUNDS):
            shares = {
                p: {o: n / some.total() for o, n in some.items()} for p, some in counts.items()
            }
            counts = _align(found, shares)
        kept = {
            phrase: {
                one: n / seen[phrase]
                for one, n in sorted(some.items())
                if n >= least * seen[phrase]
            }
            for phrase, some in sorted(counts.items())
        }
        return cls(longest, {phrase: some for phrase, some in kept.items() if some})

    def found(self, words: Sequence[str]) -> dict[Primitive, list[float]]:
        """What the words of a question may stand for, with the places where they do so most."""
        best: dict[Primitive, tuple[float, list[float]]] = {}
        for phrase, place in phrases(words, self.longest):
            for one, share in self.table.get(phrase, {}).items():
                most, places = best.get(one, (0.0, []))
                if share >= most:
                    best[one] = (share, [*places, place] if share == most else [place])
        return {one: places for one, (_, places) in sorted(best.items())}

    def to_json(self) -> dict[str, Any]:
        """As JSON values."""
        table = {
            phrase: [[*one, share] for one, share in some.items()]
            for phrase, some in self.table.items()
        }
        return {"longest": self.longest, "table": table}

    @classmethod
    def from_json(cls, saved: Any) -> Self:
        """What `to_json` gave."""
        table = {
            str(phrase): {Primitive(str(p), str(c)): float(share) for p, c, share in some}
            for phrase, some in saved["table"].items()
        }
        return cls(int(saved["longest"]), table)


def _align(pairs: Pairs, known: Table) -> dict[str, Counter[Primitive]]:
    """How often each phrase is expected to stand for each primitive.

    Args:
        known: what was learned before, each phrase's shares adding up to 1; empty for nothing.
    """
    counts: defaultdict[str, Counter[Primitive]] = defaultdict(Counter)
    for some, made in pairs:
        for one in made:
            shares = [known.get(p, {}).get(one, 0.0) if known else 1.0 for p in some]
            total = sum(shares)
            for phrase, share in zip(some, shares, strict=True):
                if share > NOTHING * total:
                    counts[phrase][one] += share / total  # type: ignore[assignment]
    return counts
