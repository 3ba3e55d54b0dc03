"""Training pairs as what word classes are learned from: tokens, and the atoms of queries."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from partwise.graph.grammar.rules import AND, COMMA
from partwise.language.query_graph import ENTITY, QueryGraph

EDGE = "edge"
"""The type of atoms that are edges."""
FEWEST = 5
"""So many uses show something."""
USES = 0.0002
"""A term stands in so large a share of the questions."""
OF_ALL = 0.1
"""So large a share of the questions with the atom that a term gives have the term."""
FOLLOWERS = 4
"""A word that stands before no more different words is a part of terms alone."""
ALIKE = 0.7
"""In this share of its uses a list word stands between entities that the graph treats alike."""
LAST = 0.6
"""A list word that closes this share of its lists is an "and", any other is a comma."""
LIFT = 3.0
"""An atom is so many times as frequent beside a word that has to do with it."""
HAS = 0.25
"""And so large a share of the word's questions has it."""
SURE, LOST = 0.9, 2.0
"""In this share of its questions a word gives an atom; where it does not, the atom is at most so
many times as frequent as in all questions."""
BOUND = 0.98
"""In this share of its uses a word stands before the same other word, if the two are a term."""


class AtomPair(NamedTuple):
    """A question's words, entities as ``M0``, and the atoms of its query."""

    words: tuple[str, ...]
    atoms: frozenset[str]


def atoms(graph: QueryGraph) -> frozenset[str]:
    """The predicates of edges, and the predicates of attributes with their constants."""
    edges = {edge.predicate for edge in graph.edges}
    return frozenset(edges | {f"{one.predicate} {one.object}" for one in graph.attributes})


def is_entity(word: str) -> bool:
    """Whether a word is a placeholder."""
    return ENTITY.fullmatch(word.upper()) is not None


def list_words(questions: Iterable[tuple[Sequence[str], QueryGraph]]) -> dict[str, str]:
    """The words that join what is coordinated, each with the comma or "and" that it stands for.

    They stand between two entities that the graph treats alike.
    """
    alike: Counter[tuple[str, ...]] = Counter()
    total: Counter[tuple[str, ...]] = Counter()
    closing: Counter[str] = Counter()
    every: Counter[str] = Counter()
    for words, graph in questions:
        places = [at for at, word in enumerate(words) if is_entity(word)]
        said: dict[str, set[tuple[bool, str, str]]] = defaultdict(set)
        for s, p, o in graph.edges:
            said[s].add((True, p, o))
            said[o].add((False, p, s))
        gaps = [tuple(words[a + 1 : b]) for a, b in pairwise(places)]
        for number, (at, gap) in enumerate(zip(places, gaps, strict=False)):
            if not 0 < len(gap) <= 2:
                continue
            one, two = said[words[at].upper()], said[words[places[number + 1]].upper()]
            total[gap] += 1
            alike[gap] += bool(one) and one == two
            for word in set(gap):
                every[word] += 1
                closing[word] += not gaps[number + 1 :] or len(gaps[number + 1]) > 2
    joints = [g for g, n in total.items() if n >= FEWEST and alike[g] >= ALIKE * n]
    single = {gap[0] for gap in joints if len(gap) == 1}
    return {w: AND if closing[w] >= LAST * every[w] else COMMA for w in sorted(single)}


class Beside:
    """How often a word stands in questions, and how often with each atom."""

    def __init__(self, pairs: Sequence[AtomPair]) -> None:
        self.pairs = pairs
        self.times: Counter[str] = Counter()
        self.joint: dict[str, Counter[str]] = defaultdict(Counter)
        self.base: Counter[str] = Counter()
        for words, some in pairs:
            self.base.update(some)
            for word in set(words):
                self.times[word] += 1
                self.joint[word].update(some)

    def lift(self, word: str) -> float:
        """The largest lift of an atom beside a word; 0 for rare words."""
        n, total = self.times[word], len(self.pairs)
        some = self.joint[word].items()
        return max((k * total / (n * self.base[a]) for a, k in some if k >= HAS * n), default=0.0)

    def kind(self, word: str) -> str:
        """The type of the atom that a word lifts most: an attribute's predicate, or an edge."""
        n, some = self.times[word], self.joint[word]
        often = sorted(atom for atom, k in some.items() if k >= HAS * n)
        best = max(often, key=lambda atom: some[atom] / self.base[atom], default="")
        return best.partition(" ")[0] if " " in best else EDGE

    def content(self) -> set[str]:
        """The words that have to do with an atom."""
        return {
            word
            for word, n in self.times.items()
            if n >= FEWEST and not is_entity(word) and self.lift(word) >= LIFT
        }


def terms(pairs: Sequence[AtomPair], joints: Mapping[str, str]) -> set[tuple[str, str]]:
    """The pairs of neighbours that are one word.

    Together they lose an atom that one of them gives, and give another; or the first never stands
    without the second.
    """
    beside = Beside(pairs)
    content = beside.content() - set(joints)
    together: dict[tuple[str, str], list[int]] = defaultdict(list)
    uses: Counter[str] = Counter()
    for number, (words, _) in enumerate(pairs):
        uses.update(words)
        for one in pairwise(words):
            together[one].append(number)
    after: dict[str, Counter[str]] = defaultdict(Counter)
    for (first, second), numbers in together.items():
        after[first][second] = len(numbers)
    least = max(FEWEST, USES * len(pairs))
    merged = set()
    for pair, numbers in together.items():
        if len(numbers) < least or any(one in joints or is_entity(one) for one in pair):
            continue
        often = BOUND * uses[pair[0]]
        bound = pair[0] in content and len(numbers) >= often
        followed = sum(times for _, times in after[pair[0]].most_common(FOLLOWERS)) >= often
        if bound or _is_term(beside, pair, numbers, content, followed):
            merged.add(pair)
    return merged


def _is_term(
    beside: Beside,
    pair: tuple[str, str],
    numbers: Sequence[int],
    content: Collection[str],
    followed: bool,
) -> bool:
    """Whether two neighbours lose an atom that one of them gives, and give another.

    Args:
        numbers: of the questions that have the pair.
        followed: whether few words stand behind the first one.
    """
    first, second = pair
    lost = {word: _loses(beside, word, pair, numbers) for word in pair}
    other = [] if followed else [first]
    return all(word in content or lost[word] for word in pair) and any(
        lost[word] and _gains(beside, {word, second, *other}, numbers) for word in pair
    )


def _loses(beside: Beside, word: str, pair: tuple[str, str], numbers: Sequence[int]) -> bool:
    """Whether a word gives an atom by itself that it does not give as a part of a pair."""
    pairs = [beside.pairs[number] for number in dict.fromkeys(numbers)]
    apart = beside.times[word] - len(pairs)
    # Where the word also stands alone, it gives its atom anyway.
    only = [one for one in pairs if one.words.count(word) == _count(one.words, pair)]
    if min(apart, len(only)) < FEWEST:
        return False
    total = Counter(atom for one in pairs for atom in one.atoms)
    left = Counter(atom for one in only for atom in one.atoms)
    for atom, times in beside.joint[word].items():
        alone = (times - total[atom]) / apart
        special = alone * len(beside.pairs) >= LIFT * beside.base[atom]
        usual = beside.base[atom] / len(beside.pairs)
        if special and alone >= SURE and left[atom] < min(LOST * usual, SURE / 2) * len(only):
            return True
    return False


def _gains(beside: Beside, parts: Collection[str], numbers: Sequence[int]) -> bool:
    """Whether a pair gives an atom that none of some of its words gives by itself."""
    pairs = [beside.pairs[number] for number in dict.fromkeys(numbers)]
    total = Counter(atom for one in pairs for atom in one.atoms)

    def special(atom: str, times: int, word: str) -> bool:
        share = (beside.times[word] - len(pairs)) / len(pairs)
        return times * share >= LIFT * (beside.joint[word][atom] - times)

    often = (
        (atom, n)
        for atom, n in total.items()
        if n >= max(SURE / 2 * len(pairs), OF_ALL * beside.base[atom])
    )
    return any(all(special(atom, n, word) for word in parts) for atom, n in often)


def _count(words: Sequence[str], pair: tuple[str, str]) -> int:
    return sum(one == pair for one in pairwise(words))


def joined(words: Sequence[str], merged: set[tuple[str, str]]) -> tuple[str, ...]:
    """Words with terms as one, from left to right."""
    line: list[str] = []
    for word in words:
        if line and (line[-1], word) in merged:
            line[-1] = f"{line[-1]} {word}"
        else:
            line.append(word)
    return tuple(line)
