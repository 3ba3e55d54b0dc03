"""Which words may stand for which primitives, learned from training pairs, and training examples
made ready with it.

Variables are numbered in the order in which a question speaks of them. A query's own names follow
from its text, in which nothing of that order is left; in CFQ, for which the paper was written,
variables have numbers in the order of the question.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from statistics import fmean
from typing import Any, NamedTuple, Self

import torch
from torch import Tensor
from torch.nn.functional import binary_cross_entropy_with_logits

from partwise.language.query_graph import ANSWER, ENTITY, QueryGraph, Triple
from partwise.language.text import Words
from partwise_papers.poset.sketch import (
    Filled,
    Primitive,
    Successors,
    fill_steps,
    fillings,
    steps_of,
    successors,
    with_primitives,
)

ROUNDS = 5
"""Of expectation and maximization."""
NOTHING = 1e-6
"""A share below which no word is said to stand for a primitive."""
MORE = 0.1
"""How much likelier than its words a phrase must be, to stand for a primitive beside them."""
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
    general = _general(words)
    for size in range(1, longest + 1):
        for begin in range(len(general) - size + 1):
            yield " ".join(general[begin : begin + size]), begin + (size - 1) / 2


class PhraseTable:
    """Phrases with what they may stand for (`longest`: words of a phrase)."""

    def __init__(self, longest: int, table: Table) -> None:
        self.longest, self.table = longest, table

    @classmethod
    def learn(cls, pairs: Pairs, longest: int, least: float) -> Self:
        """That of training questions (`least`: probability of what is kept)."""
        aligned = _align(pairs)
        seen, counts = Counter[str](), defaultdict[str, Counter[Primitive]](Counter)
        for words, some in pairs:
            said = _phrase_odds(words, some, aligned, longest)
            seen.update(said.keys())
            for phrase, meant in said.items():
                counts[phrase].update(meant)
        table: dict[str, dict[Primitive, float]] = {}
        # Short ones first, as long ones are compared with them.
        for phrase in sorted(counts, key=lambda text: (text.count(" "), text)):
            own = [table.get(part, {}) for part, _ in phrases(phrase.split(" "), longest)]
            kept = {
                primitive: n / seen[phrase]
                for primitive, n in sorted(counts[phrase].items())
                if n / seen[phrase]
                >= max(least, *(part.get(primitive, -1.0) + MORE for part in own))
            }
            if kept:
                table[phrase] = kept
        return cls(longest, table)

    def found(self, words: Sequence[str]) -> dict[Primitive, list[float]]:
        """What the words of a question may stand for, with the places where they do so most."""
        best: dict[Primitive, tuple[float, list[float]]] = {}
        for phrase, place in phrases(words, self.longest):
            for primitive, share in self.table.get(phrase, {}).items():
                most, places = best.get(primitive, (0.0, []))
                if share >= most:
                    best[primitive] = (share, [*places, place] if share == most else [place])
        return {primitive: places for primitive, (_, places) in sorted(best.items())}

    def to_json(self) -> dict[str, Any]:
        """As JSON values."""
        table = {
            phrase: [[*primitive, share] for primitive, share in some.items()]
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


def _general(words: Sequence[str]) -> list[str]:
    """Words with one name for all entities."""
    return [NAME if entity_of(word) else word for word in words]


def _align(pairs: Pairs) -> Table:
    """Word -> primitive -> how likely it is that a primitive that comes from the word is this."""
    found = [(sorted(set(_general(words))), sorted(made)) for words, made in pairs]
    shares: Table = {}
    for _ in range(ROUNDS):
        counts: defaultdict[str, Counter[Primitive]] = defaultdict(Counter)
        for words, made in found:
            for primitive in made:
                for word, share in _sources(words, primitive, shares).items():
                    counts[word][primitive] += share  # type: ignore[assignment]
        shares = {w: {o: n / some.total() for o, n in some.items()} for w, some in counts.items()}
    return shares


def _sources(words: Sequence[str], primitive: Primitive, known: Table) -> dict[str, float]:
    """The words that a primitive may come from, with probabilities (`known`: what was learned
    before; empty for nothing)."""
    shares = {word: known.get(word, {}).get(primitive, 0.0) if known else 1.0 for word in words}
    total = sum(shares.values())
    return {word: share / total for word, share in shares.items() if share > NOTHING * total}


def _phrase_odds(
    words: Sequence[str], made: Iterable[Primitive], aligned: Table, longest: int
) -> dict[str, dict[Primitive, float]]:
    """Each phrase of a question with the primitives of the query, and how likely it is that each
    of these comes from one of its words."""
    general = _general(words)
    of = {primitive: _sources(sorted(set(general)), primitive, aligned) for primitive in made}
    return {
        phrase: {
            primitive: sum(shares.get(word, 0.0) for word in dict.fromkeys(phrase.split(" ")))
            for primitive, shares in of.items()
        }
        for phrase, _ in phrases(general, longest)
    }


Places = Mapping[Primitive, Sequence[float]]
"""Primitive -> where a question's words stand for it."""


def in_question_order(graph: QueryGraph, words: Sequence[str], found: Places) -> QueryGraph:
    """The graph with its variables numbered by where they stand in the question.

    What is asked for stays the first. A variable stands in the middle of the words for its
    attributes, or where it has none, of the words for its edges.
    """
    names = {name: place for place, word in enumerate(words) if (name := entity_of(word))}
    placed = [(*pair, _place(*pair, found, names)) for pair in with_primitives(graph)]

    def place_of(variable: str) -> tuple[bool, float, str]:
        first = variable == ANSWER and graph.head == "select"
        own = [(primitive.constant, place) for ends, primitive, place in placed if variable in ends]
        attributes = [place for constant, place in own if constant]
        known = [place for place in attributes or [two[1] for two in own] if place is not None]
        return not first, fmean(known) if known else float(len(words)), variable

    order = sorted(graph.variables, key=place_of)
    return graph.rename({old: f"?x{number}" for number, old in enumerate(order)})


def _place(
    triple: Triple, primitive: Primitive, found: Places, names: Mapping[str, int]
) -> float | None:
    """Where the words for a triple stand; those nearest to its entity, if it has one."""
    places = found.get(primitive, ())
    if not places:
        return None
    near = [names[end] for end in (triple.subject, triple.object) if end in names]
    return min(places, key=lambda one: abs(one - near[0])) if near else fmean(places)


class Item(NamedTuple):
    """A question with its query.

    Attributes:
        graph: the query, with variables in the question's order.
        poset: of its sketch.
        proposed: what the words may stand for, and what the query says, with the words' places.
        size: how many filled steps are judged.
    """

    words: Words
    graph: QueryGraph
    poset: Successors
    proposed: Mapping[Primitive, Sequence[float]]
    size: int

    @classmethod
    def of(cls, words: Words, meaning: QueryGraph, table: PhraseTable) -> Self:
        """That of an example."""
        found = table.found(words.words)
        graph = in_question_order(meaning, words.words, found)
        poset = successors(graph.head, steps_of(graph))
        proposed = {**{primitive: [] for _, primitive in with_primitives(graph)}, **found}
        item = cls(words, graph, poset, proposed, 0)
        return item._replace(size=len(item.candidates()))

    def candidates(self) -> list[Filled]:
        """The filled steps, right or wrong."""
        return fillings(steps_of(self.graph), self.proposed, entities(self.words))

    def judged(self, candidates: Sequence[Filled], which: Tensor, whether: Tensor) -> Tensor:
        """Minus the log-likelihood of the primitives and the filled steps.

        Args:
            candidates: as `candidates` gives them.
            which: ``[primitives]``, log odds of what is proposed.
            whether: ``[filled steps]``, log odds of the candidates.
        """
        primitives, steps = (
            {primitive for _, primitive in with_primitives(self.graph)},
            fill_steps(self.graph),
        )
        odds = torch.cat([which, whether])
        right = [
            *(p in primitives for p in self.proposed),
            *(candidate in steps for candidate in candidates),
        ]
        target = torch.tensor(right, dtype=odds.dtype, device=odds.device)
        return binary_cross_entropy_with_logits(odds, target, reduction="sum")
