"""Word classes of a language, learned from its training pairs.

Words that have to do with the atoms of queries are clustered by what stands beside them.
"""

from __future__ import annotations

import itertools
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from itertools import pairwise
from operator import itemgetter
from typing import NamedTuple

from partwise.graph.classes.words import (
    Affixes,
    Cue,
    WordClasses,
    cues_of,
    learn_affixes,
    learn_pieces,
    words_of,
)
from partwise.graph.grammar.phrases import AND, COMMA
from partwise.language.query_graph import ENTITY, Head, QueryGraph

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
    return frozenset(
        edges | {f"{attribute.predicate} {attribute.object}" for attribute in graph.attributes}
    )


def is_entity(word: str) -> bool:
    """Whether a word is a placeholder."""
    return ENTITY.fullmatch(word.upper()) is not None


def list_words(questions: Iterable[tuple[Sequence[str], QueryGraph]]) -> dict[str, str]:
    """The words that join what is coordinated, each with the comma or "and" that it stands for.
    They stand between two entities that the graph treats alike."""
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
    """The pairs of neighbours that are one word. Together they lose an atom that one of them gives,
    and give another; or the first never stands without the second."""
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
        if len(numbers) < least or any(word in joints or is_entity(word) for word in pair):
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
    """Whether two neighbours lose an atom that one gives in these questions, and give another."""
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
    only = [
        example for example in pairs if example.words.count(word) == _count(example.words, pair)
    ]
    if min(apart, len(only)) < FEWEST:
        return False
    total = Counter(atom for example in pairs for atom in example.atoms)
    left = Counter(atom for example in only for atom in example.atoms)
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
    total = Counter(atom for example in pairs for atom in example.atoms)

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


def join_terms(words: Sequence[str], merged: set[tuple[str, str]]) -> tuple[str, ...]:
    line: list[str] = []
    for word in words:
        if line and (line[-1], word) in merged:
            line[-1] = f"{line[-1]} {word}"
        else:
            line.append(word)
    return tuple(line)


BORDER, THING = "^", "M"
SIMILAR = 0.63
"""Clusters whose contexts overlap less stay apart."""
SECOND, EXCLUSIVE = 0.07, 0.93
"""A word is of a second class too if this share of its uses lies in contexts that are so nearly
exclusive to that class."""
MANY = 0.67
"""Contexts in which so large a share of a class's words stand less are not the class's."""
LIKE = 0.4
"""A word that would be alone joins the cluster in whose contexts it so often stands."""
AKIN = 0.2
"""Words whose contexts overlap less are not coordinated."""
COORDINATED, LISTED = 0.5, 0.03
"""So many words of a cluster have so large a share of their partners in lists in one other
cluster, if both are one class; and so large a share of their uses are such lists."""
MOSTLY, SOMETIMES = 0.8, 0.2
"""Shares of questions in which one of two function words may stand for the other, and that for
the first."""
Context = tuple[str, str]
Alike = Callable[[str, str], bool]
"""Whether two words may be coordinated."""
Uses = dict[str, Counter[Context]]
"""Word -> what stands before and after it, with counts."""


def collapse_lists(words: Iterable[str], joints: Mapping[str, str]) -> list[str]:
    """Words with lists of entities as one entity."""
    line: list[str] = []
    for word in words:
        name = THING if is_entity(word) else word
        at = len(line)
        while at and line[at - 1] in joints:
            at -= 1
        if name == THING and at > 0 and line[at - 1] == THING:
            del line[at:]
        else:
            line.append(name)
    return line


class Contexts:
    """The uses of content words, and which of them are coordinated."""

    def __init__(
        self,
        questions: Iterable[Sequence[str]],
        joints: Mapping[str, str],
        content: Collection[str],
        alike: Alike = lambda one, two: False,
    ) -> None:
        self.joints, self.alike = joints, alike
        # Many questions differ in their entities alone.
        self.lines = lines = Counter(
            tuple(collapse_lists(question, joints)) for question in questions
        )
        self.content = content
        self.places: list[tuple[str, str, str, str, int]] = []
        self.lists: dict[str, Counter[str]] = defaultdict(Counter)
        for line, times in lines.items():
            for run in self._runs(line):
                if line[run[0]] not in content:
                    continue
                before, further = [*line[: run[0]][:-3:-1], BORDER, BORDER][:2]
                after = line[run[-1] + 1] if run[-1] + 1 < len(line) else BORDER
                for at in run:
                    self.places.append((line[at], further, before, after, times))
                for one, two in itertools.permutations({line[at] for at in run}, 2):
                    self.lists[one][two] += times

    def _runs(self, line: Sequence[str]) -> Iterable[list[int]]:
        """The places of words, those of coordinated content words together."""
        at, content = 0, self.content
        while at < len(line):
            run = [at]
            end = at + 1
            while line[at] in content:
                skip = end
                while skip < len(line) and line[skip] in self.joints:
                    skip += 1
                if skip == end or skip >= len(line) or line[skip] not in content:
                    break
                # "wrote a film and directed M0": these two are not coordinated.
                if not self.alike(line[at], line[skip]):
                    break
                run.append(skip)
                end = skip + 1
            yield run
            at = end

    def patterns(self, names: Mapping[str, str]) -> Counter[tuple[str, ...]]:
        """The questions, the first of each list in the place of it, as classes."""
        made: Counter[tuple[str, ...]] = Counter()
        for line, times in self.lines.items():
            made[tuple(names.get(line[run[0]], line[run[0]]) for run in self._runs(line))] += times
        return made

    def uses(self, names: Mapping[str, str], beyond: bool = False) -> Uses:
        """The contexts of content words; if `beyond`, with what stands before an entity there."""
        made: Uses = defaultdict(Counter)
        for word, further, before, after, times in self.places:
            left, right = names.get(before, before), names.get(after, after)
            # Beside a list word stands the rest of a longer list.
            if left not in self.joints and right not in self.joints:
                # "Did M0 star" and "that M0 starred" differ in what stands before the entity.
                more = f"{names.get(further, further)} " if beyond and left == THING else ""
                made[word][more + left, right] += times
        return made


def alike_in(uses: Uses) -> Alike:
    """Whether two words are used enough alike to be coordinated."""
    words = sorted(uses)
    akin = {p for p in itertools.combinations(words, 2) if overlap(uses[p[0]], uses[p[1]]) >= AKIN}
    return lambda one, two: one == two or (min(one, two), max(one, two)) in akin


Side = Callable[[Context], Hashable]
SIDES: tuple[Side, ...] = (itemgetter(0), itemgetter(1), itemgetter(0, 1))


def overlap(one: Counter[Context], two: Counter[Context]) -> float:
    """What two distributions share: of what stands before, after, and on both sides."""
    total = 0.0
    for side in SIDES:
        a, b = _shares(one, side), _shares(two, side)
        total += sum(min(share, b.get(key, 0.0)) for key, share in a.items())
    return total / len(SIDES)


def _shares(some: Counter[Context], side: Side) -> dict[Hashable, float]:
    times: Counter[Hashable] = Counter()
    for context, n in some.items():
        times[side(context)] += n
    return {key: n / some.total() for key, n in times.items()}


def clusters(uses: Uses) -> list[list[str]]:
    """Words with like contexts, by average linkage."""
    words = sorted(uses)
    pairs = itertools.combinations(words, 2)
    close = {pair: overlap(uses[pair[0]], uses[pair[1]]) for pair in pairs}
    groups = [[word] for word in words]

    def linkage(one: int, two: int) -> float:
        some = [close[min(a, b), max(a, b)] for a in groups[one] for b in groups[two]]
        return sum(some) / len(some)

    while len(groups) > 1:
        every = itertools.combinations(range(len(groups)), 2)
        best, one, two = max((linkage(*pair), *pair) for pair in every)
        if best < SIMILAR:
            break
        groups[one] += groups.pop(two)
    return [sorted(group) for group in groups]


def place_singles(uses: Uses, groups: Sequence[Sequence[str]]) -> list[list[str]]:
    """Clusters, words that are alone put in the one in whose contexts they mostly stand. A rare
    word may be used in few of the contexts of its class, so overlaps say little of it."""
    made = [list(group) for group in groups if len(group) > 1]
    rates: list[dict[Context, float]] = [defaultdict(float) for _ in made]
    for rate, group in zip(rates, made, strict=True):
        for word in group:
            for context, times in uses[word].items():
                rate[context] += times / uses[word].total() / len(group)
    for word in sorted(word for group in groups if len(group) == 1 for word in group):
        shares = [0.0] * len(rates)
        for context, times in uses[word].items():
            some = [rate.get(context, 0.0) for rate in rates]
            for number, weight in enumerate(some):
                shares[number] += times * weight / sum(some) if weight else 0.0
        most = max(shares, default=0.0)
        if most >= LIKE * uses[word].total():
            made[shares.index(most)].append(word)
        else:
            made.append([word])
    return [sorted(group) for group in made]


def join_coordinated(
    groups: Sequence[Sequence[str]], lists: Mapping[str, Counter[str]], uses: Uses
) -> list[list[str]]:
    """Clusters, those joined whose words are mostly coordinated with words of another."""
    merged = sorted((list(group) for group in groups), key=lambda group: (len(group), group))
    for cluster in list(merged):
        first = {word: number for number, group in enumerate(merged) for word in group}
        votes: Counter[int] = Counter()
        for word in cluster:
            partners: Counter[int] = Counter()
            for other, times in lists.get(word, {}).items():
                partners[first[other]] += times
            if partners:
                number, most = max(partners.items(), key=lambda item: (item[1], -item[0]))
                often = most >= LISTED * uses[word].total()
                votes[number] += often and most >= COORDINATED * partners.total()
        for number, times in votes.items():
            if merged[number] is not cluster and times >= COORDINATED * len(cluster):
                merged[number] += cluster
                merged = [group for group in merged if group is not cluster]
                break
    return [sorted(group) for group in merged]


def with_second_classes(uses: Uses, groups: Sequence[Sequence[str]]) -> list[list[str]]:
    """The clusters, and in each the words of others that are used like its own. What is usual in a
    class is what many of its words do, lest a few words that are of two classes make the contexts
    of the second ones of the first."""
    first = {word: number for number, group in enumerate(groups) for word in group}
    usual = [_usual([uses[word] for word in group], 0.5) for group in groups]
    often = [_usual([uses[word] for word in group], MANY) for group in groups]
    added = [list(group) for group in groups]
    for word, some in sorted(uses.items()):
        for name, times in _by_class(some, usual, often).items():
            if name != first[word] and times >= max(FEWEST, SECOND * some.total()):
                added[name].append(word)
    return [sorted(group) for group in added]


def _by_class(
    some: Counter[Context],
    usual: Sequence[Mapping[Context, float]],
    often: Sequence[Mapping[Context, float]],
) -> Counter[int]:
    """How often a word is used as those of each class alone are."""
    share: Counter[int] = Counter()
    for context, times in some.items():
        rates = [rate.get(context, 0.0) for rate in usual]
        most, name = max(zip(rates, itertools.count(), strict=False))
        rest = sum(r.get(context, 0.0) for n, r in enumerate(often) if n != name)
        if most and most >= EXCLUSIVE * (most + rest):
            share[name] += times
    return share


def _usual(group: Sequence[Counter[Context]], at: float) -> dict[Context, float]:
    """How large a share of its uses a context has, for a word of this rank (0 to 1) of some."""
    contexts = set().union(*group) if len(group) > 1 else set()
    place = round(at * (len(group) - 1))
    return {c: sorted(some[c] / some.total() for some in group)[place] for c in contexts}


def drop_needless(groups: Sequence[Sequence[str]]) -> list[list[str]]:
    """The classes without those whose words others have, and without words alone."""
    kept = [list(group) for group in groups if len(group) > 1]
    for group in sorted(kept, key=lambda some: (len(some), some)):
        others = {word for other in kept if other is not group for word in other}
        if others.issuperset(group):
            kept = [other for other in kept if other is not group]
    return kept


def interchangeable(lines: Mapping[tuple[str, ...], int], words: Collection[str]) -> list[set[str]]:
    """Function words of which one may stand wherever the other does."""
    having: dict[str, list[tuple[str, ...]]] = defaultdict(list)
    for line in lines:
        for word in set(line) & set(words):
            having[word].append(line)

    def share(one: str, two: str) -> float:
        kept = total = 0
        for line in having[one]:
            total += lines[line]
            kept += lines[line] * (tuple(two if w == one else w for w in line) in lines)
        return kept / total

    groups: list[set[str]] = []
    for one, two in itertools.combinations(sorted(having), 2):
        shares = sorted((share(one, two), share(two, one)))
        if shares[0] >= SOMETIMES and shares[1] >= MOSTLY:
            touched = [group for group in groups if group & {one, two}]
            groups = [group for group in groups if not group & {one, two}]
            groups.append({one, two}.union(*touched))
    return groups


ROUNDS = 4
"""Words of the longest term, less one; and rounds of clustering."""
SURE_CUE, COVERED, WRONG = 0.98, 0.001, 10
"""A cue tells the head in this share of its questions; one that tells that of fewer is left out;
and so many questions that it tells weigh as much as one that it tells wrongly."""


def learn_word_classes(
    questions: Sequence[str], graphs: Sequence[QueryGraph], by_atoms: bool = False
) -> WordClasses:
    """Word classes, terms, list words, cues and pieces, from training questions alone. `by_atoms`:
    whether words are of one class that have to do with atoms of one type, whatever their contexts.
    It is coarser, and surer where translations vary."""
    pieces = learn_pieces(questions)
    plain = [words_of(question, pieces) for question in questions]
    affixes = Affixes() if pieces else learn_affixes([words.words for words in plain])
    lines = [affixes.split(words).words for words in plain]
    joints = list_words(zip(lines, graphs, strict=True))
    pairs = [AtomPair(line, atoms(graph)) for line, graph in zip(lines, graphs, strict=True)]
    for _ in range(ROUNDS):
        merged = terms(pairs, joints)
        if not merged:
            break
        pairs = [AtomPair(join_terms(words, merged), some) for words, some in pairs]
    beside = Beside(pairs)
    content = beside.content() - set(joints)
    if by_atoms:
        words = _kinds(beside, content)
    else:
        words = _classes([pair.words for pair in pairs], joints, content)
    cues = _cues(lines, graphs, bool(pieces))
    return WordClasses(words, joints, cues, _differing(graphs), pieces, affixes)


def _kinds(beside: Beside, content: set[str]) -> dict[str, tuple[str, ...]]:
    kinds: dict[str, list[str]] = defaultdict(list)
    for word in sorted(content):
        kinds[beside.kind(word)].append(word)
    return {f"class{number}": tuple(some) for number, (_, some) in enumerate(sorted(kinds.items()))}


def _classes(
    lines: Sequence[tuple[str, ...]], joints: dict[str, str], content: set[str]
) -> dict[str, tuple[str, ...]]:
    contexts = Contexts(lines, joints, content)
    names = dict.fromkeys(content, "")
    for _ in range(2):
        uses = contexts.uses(names)
        contexts = Contexts(lines, joints, content, alike_in(uses))
        uses = contexts.uses(names)
        groups = place_singles(contexts.uses(names, beyond=True), clusters(uses))
        groups = join_coordinated(groups, contexts.lists, uses)
        names = {word: f"class{number}" for number, some in enumerate(groups) for word in some}
    groups = drop_needless(with_second_classes(contexts.uses(names, beyond=True), groups))
    told = contexts.patterns(names)
    function = {w for line in told for w in line} - {THING, *joints, *names.values()}
    groups += [sorted(some) for some in interchangeable(told, function)]
    groups += [[word] for word in sorted(content.difference(*groups)) if " " in word]
    return {f"class{number}": tuple(some) for number, some in enumerate(groups, 1)}


def _cues(
    lines: Sequence[Sequence[str]], graphs: Sequence[QueryGraph], unspaced: bool
) -> tuple[Cue, ...]:
    """What tells whether a question asks whether: the widest cue first, of what others leave."""
    pairs = zip(lines, graphs, strict=True)
    left = [(cues_of(line, unspaced), graph.head) for line, graph in pairs if line]
    chosen: list[Cue] = []
    total = len(left)
    every, times = Counter(cue for cues, _ in left for cue in cues), _times(left)
    sure = {cue for cue, n in times.items() if n >= SURE_CUE * every[cue[:2]]}
    while left:
        times = _times(left)
        best = max(sure & times.keys(), key=lambda c: _worth(c, times), default=None)
        if best is None or times[best] < max(COVERED * total, min(FEWEST, total)):
            break
        chosen.append(best)
        left = [(cues, head) for cues, head in left if best[:2] not in cues]
    rest = Counter(head for _, head in left) or Counter(graph.head for graph in graphs)
    return (*chosen, ("any", "", max(sorted(rest), key=rest.__getitem__)))


def _times(left: Sequence[tuple[Collection[tuple[str, str]], Head]]) -> Counter[Cue]:
    return Counter((*cue, head) for cues, head in left for cue in cues)


def _worth(cue: Cue, times: Mapping[Cue, int]) -> tuple[int, bool, Cue]:
    """How many questions a cue tells rightly, those that it tells wrongly weighing more. Of cues
    that tell as many, one with a place goes before: a word may stand elsewhere, too."""
    where, word, head = cue
    wrong = times.get((where, word, "ask" if head == "select" else "select"), 0)
    return times[cue] - WRONG * wrong, where != "has", cue


def _differing(graphs: Iterable[QueryGraph]) -> tuple[str, ...]:
    """Predicates whose ends are mostly said to differ."""
    times: Counter[str] = Counter()
    differ: Counter[str] = Counter()
    for graph in graphs:
        filters = graph.filters | {(o, s) for s, o in graph.filters}
        for s, p, o in graph.edges:
            times[p] += 1
            differ[p] += (s, o) in filters
    return tuple(sorted(p for p, n in times.items() if 2 * differ[p] > n))
