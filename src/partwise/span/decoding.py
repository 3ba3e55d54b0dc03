"""From the scores of a question's spans to the best programs, with trees and probabilities.

A `SpanDerivation` says which words gave which part of a program, `unused` which gave nothing, and
`parts` which constants a program has, to compare a wrong one with the gold one.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import islice
from types import ModuleType
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from partwise.chart import charts
from partwise.chart.algebra import Algebra
from partwise.chart.scores import ScoredTree, SpanScores, SpanTree
from partwise.chart.semantics import MeaningNode, TreeDerivation, program, program_of, read_tree
from partwise.chart.target_algebra import TargetAlgebra
from partwise.chart.type_algebra import TypeAlgebra
from partwise.errors import PartwiseError, TooCostlyError
from partwise.interface.budget import Work
from partwise.interface.prediction import PhraseDifference, Prediction
from partwise.language.constants import Application
from partwise.language.domain import Domain
from partwise.language.program import Term
from partwise.language.text import FUNCTION_WORDS, Words, only_punctuation
from partwise.span.config import SpanParserConfig
from partwise.span.labels import LEXICON_SCALE, Prepared

Place = tuple[int, int]

_TEXT = """
's can could give list many me much name please show tell there us will would
"""
_EMPTY = FUNCTION_WORDS | frozenset(_TEXT.split())
"""Words that ask or hold sentences together."""


@dataclass(frozen=True)
class SpanDerivation(TreeDerivation):
    """A span tree over the words of a question, with its meaning. `tree`: the spans with the
    numbers of their categories."""

    tree: SpanTree = field(kw_only=True)

    def leaves(self) -> Iterator[MeaningNode]:
        """The nodes that name constants."""
        return (node for node in self.node.walk() if not node.children)

    def differences(self, other: SpanDerivation) -> list[PhraseDifference]:
        """The phrases that another derivation of the question takes otherwise, from left to right.
        Where the spans of the two overlap without being the same, the phrase is all of them
        together. Derivations may also differ only in how their parts are put together; then there
        are none."""
        mine, theirs = (
            {(leaf.start, leaf.end): leaf.label for leaf in derivation.leaves()}
            for derivation in (self, other)
        )
        odd = {at for at in mine.keys() | theirs.keys() if mine.get(at) != theirs.get(at)}
        return [
            PhraseDifference(self.words.span(*place), _within(mine, place), _within(theirs, place))
            for place in _join(odd)
        ]


def unused(
    words: Words, derivation: SpanDerivation | None, mentions: NDArray[np.bool_] | None = None
) -> tuple[int, ...]:
    """The words that gave nothing to the program, by their numbers in the question. That is words
    under no constant of the tree (all words if there is none), without punctuation and without
    those that only ask or hold sentences together. Either they were not understood, or they were
    not needed. A name that is taken for a predicate gave nothing, too. `mentions`: for each word,
    whether it is part of a name and of no other phrase."""
    leaves = () if derivation is None else derivation.leaves()
    used = {
        place
        for leaf in leaves
        for place in range(leaf.start, leaf.end)
        if leaf.kind == "entity" or mentions is None or not mentions[place]
    }
    return tuple(
        place
        for place, word in enumerate(words.words)
        if place not in used and word not in _EMPTY and not only_punctuation(word)
    )


def _join(places: set[Place]) -> list[Place]:
    """The places, those that overlap taken together."""
    joined: list[Place] = []
    for start, end in sorted(places):
        if joined and start < joined[-1][1]:
            joined[-1] = joined[-1][0], max(end, joined[-1][1])
        else:
            joined.append((start, end))
    return joined


def _within(named: Mapping[Place, str], place: Place) -> tuple[str, ...]:
    start, end = place
    inside = sorted(at for at in named if start <= at[0] and at[1] <= end)
    return tuple(named[at] for at in inside)


Parts = list[tuple[str, int]]
"""The constants of a program in reading order, each with the place in the list of the constant
that takes it as an argument, -1 for none."""


def parts(domain: Domain, program: Term) -> Parts | None:
    """The constants of a program and who takes them; None if the domain cannot read it. What no
    word names (`Constant.type_shift`) is left out: its arguments belong to whoever takes it."""
    listed: Parts = []

    def collect(application: Application, parent: int) -> None:
        if not application.constant.type_shift:
            listed.append((application.constant.category, parent))
            parent = len(listed) - 1
        for arg in application.args:
            if arg is not None:
                collect(arg, parent)

    try:
        collect(domain.interpret(program), -1)
    except PartwiseError:
        return None
    return listed


ALTERNATIVE_TREES = 64
"""How many trees are listed at most to find alternatives with other programs."""

SURPRISE = 4.0
"""What a unit of `Domain.surprise` takes off the score of a tree; chosen on inner splits."""
PROGRAM, GOLD = 1_000, 6_000
"""How many joins take as long as spelling a program, and as listing the trees that spell it, by
the square of the number of words."""


class Logits(NamedTuple):
    """What the networks say of a question.

    Attributes:
        labels: ``[spans, outputs]``.
        answers: ``[answers]``, scores of what it asks for, as in `SpanScores`.
    """

    labels: NDArray[np.floating]
    answers: NDArray[np.float64]


class Ranked(NamedTuple):
    """A tree in its place among the best.

    Attributes:
        surprise: of its program, see `Domain.surprise`.
        listed: score and surprise of each tree that was ranked, if programs surprise.
    """

    derivation: ScoredTree
    surprise: float = 0.0
    listed: Sequence[tuple[float, float]] = ()

    def probability(self, share: float, total: float, temperature: float) -> float:
        """The probability of the program, once that of surprising ones is lessened. `share`: of its
        trees, whatever surprises; `total`: the log-partition at this temperature."""
        kept = 1.0
        for score, surprise in self.listed:
            lost = 1 - math.exp(-SURPRISE * surprise / temperature)
            kept -= math.exp(min(0.0, score / temperature - total)) * lost
        own = share * math.exp(-SURPRISE * self.surprise / temperature)
        return min(1.0, own / max(kept, own, 1e-300)) if self.listed else share


@dataclass(frozen=True, eq=False)
class SpanConfidence:
    """The best program of a question, and what its probability follows from.

    Attributes:
        scores: of the question's spans.
        gold: the algebra whose trees spell the program.
        types: the algebra of all trees.
        ranked: its best tree.
        charts: as of the `Decoder`.
    """

    meaning: Term
    scores: SpanScores
    gold: Algebra
    types: Algebra
    ranked: Ranked
    charts: ModuleType

    def at(self, temperature: float) -> float:
        """The probability of the program: of all its trees, among all well-typed trees."""
        scores = self.scores.tempered(temperature)
        total: float = self.charts.log_partition(scores, self.types)
        own = self.charts.log_partition(scores, self.gold)
        return self.ranked.probability(_share(own, total), total, temperature)


@dataclass(frozen=True, eq=False)
class Decoder:
    """Finds the best well-typed programs of questions. `algebra`: which trees there are; `charts`:
    what fills them, see `partwise.chart.charts`."""

    types: TypeAlgebra
    algebra: Algebra
    config: SpanParserConfig
    charts: ModuleType = field(default_factory=charts)

    def best(
        self, question: Prepared, logits: Logits, work: Work | None = None
    ) -> tuple[SpanScores, Ranked | None]:
        """The best tree, and the scores it is the best by."""
        for scores in self._scores(question, logits):
            if self._has_surprise:
                best = next(self._trees(scores, work), None)
            else:
                tree = self.charts.best(scores, self.algebra, work)
                best = None if tree is None else Ranked(tree)
            if best is not None:
                break
        return scores, best

    @property
    def _has_surprise(self) -> bool:
        return type(self.types.domain).surprise is not Domain.surprise

    def _trees(self, scores: SpanScores, work: Work | None) -> Iterator[Ranked]:
        """The best trees, those of surprising programs later."""
        listed = islice(self.charts.trees(scores, self.algebra, work), ALTERNATIVE_TREES)
        if not self._has_surprise:
            yield from map(Ranked, listed)
            return
        surprise = self.types.domain.surprise
        programs = [
            (candidate, surprise(program(candidate.tree, self.types))) for candidate in listed
        ]
        all_ = [(candidate.score, surprising) for candidate, surprising in programs]
        programs.sort(key=lambda pair: SURPRISE * pair[1] - pair[0].score)
        yield from (Ranked(*pair, all_) for pair in programs)

    def _scores(self, question: Prepared, logits: Logits) -> Iterator[SpanScores]:
        """The scores to find the best tree by; the next ones if these allow none. Phrases of the
        lexicon count for more than training made of them. If names must be used and no tree can,
        the best tree may leave some out."""
        named = logits.labels.copy()
        rows, outputs = question.matches[:, 0], question.matches[:, 1]
        named[rows, outputs] += LEXICON_SCALE * self.config.decode_lexicon_weight
        for keep in (True, False) if self.config.required_mentions else (False,):
            yield replace(question.span_scores(named, keep), root=logits.answers)

    def gold(self, meaning: Term) -> Algebra:
        """The algebra whose trees spell a program. Raises PartwiseError if the program does not
        type."""
        whole = TargetAlgebra(self.types, self.types.check(meaning))
        return whole if self.config.ternary else whole.without_ternary()

    def confidence(self, question: Prepared, logits: Logits) -> SpanConfidence | None:
        """The best program with its confidence; None if there is none."""
        scores, best = self.best(question, logits)
        if best is None:
            return None
        spelled = program(best.derivation.tree, self.types)
        return SpanConfidence(spelled, scores, self.gold(spelled), self.algebra, best, self.charts)

    def predict(
        self,
        question: Prepared,
        logits: Logits,
        k: int,
        temperature: float,
        work: Work,
    ) -> Prediction[Term]:
        """The best program, with ``k - 1`` alternatives; fewer if listing them costs too much. `k`:
        with 0 the best program alone, without its probability. Raises TooCostlyError if the work
        that is left is not enough for the best program."""
        if not k:
            scores, best = self.best(question, logits, work)
            if best is not None:
                node = read_tree(best.derivation.tree, self.types)
                return self._prediction(question, best.derivation, node, scores, math.nan)
        for scores in self._scores(question, logits) if k else ():
            listed = self._list(question, scores, temperature, work)
            first = next(listed, None)
            if first is not None:
                others: list[Prediction[Term]] = []
                with suppress(TooCostlyError):
                    others += islice(listed, k - 1)
                return replace(first, alternatives=tuple(others))
        return nothing(question.words, "no well-typed program fits the question")

    def _list(
        self, question: Prepared, scores: SpanScores, temperature: float, work: Work
    ) -> Iterator[Prediction[Term]]:
        """The best programs; as many trees spell one, each with that of its best tree."""
        tempered, seen = scores.tempered(temperature), set[Term]()
        for number, ranked in enumerate(self._trees(scores, work)):
            derivation = ranked.derivation
            if number == 0:
                total = self.charts.log_partition(tempered, self.algebra, work)
            work.spend(PROGRAM * question.n**2)
            node = read_tree(derivation.tree, self.types)
            spelled = program_of(node, self.types)
            if spelled not in seen:
                seen.add(spelled)
                work.spend(GOLD * question.n**2)
                own = self.charts.log_partition(tempered, self.gold(spelled), work)
                share = _share(own, total)
                share = ranked.probability(share, total, temperature)
                yield self._prediction(question, derivation, node, scores, share)

    def _prediction(
        self,
        question: Prepared,
        best: ScoredTree,
        node: MeaningNode,
        scores: SpanScores,
        probability: float,
    ) -> Prediction[Term]:
        tree = SpanDerivation(node, question.words, scores.of_nodes(best.tree), tree=best.tree)
        vocabulary = self.types.domain.vocabulary
        corrections = (
            (question.words.span(node.start, node.end), str(vocabulary[node.label].name))
            for node in best.tree.walk()
            if not node.children and (node.start, node.end, node.label) in question.guesses
        )
        return Prediction(
            question.words.text,
            words_as_typed(question.words),
            program_of(node, self.types),
            probability,
            best.score,
            tree,
            unused=unused(question.words, tree, question.mentions),
            corrections=tuple(corrections),
        )


def _share(own: float, total: float) -> float:
    return math.exp(min(0.0, own - total))


def nothing(words: Words, reason: str) -> Prediction[Term]:
    return Prediction(words.text, words_as_typed(words), unused=unused(words, None), reason=reason)


def words_as_typed(words: Words) -> tuple[str, ...]:
    return tuple(words.span(place, place + 1) for place in range(len(words)))
