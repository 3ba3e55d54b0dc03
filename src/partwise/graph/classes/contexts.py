"""Words by what stands beside them: clusters, second classes, and function words that are alike."""

from __future__ import annotations

import itertools
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from operator import itemgetter

from partwise.graph.classes.pairs import FEWEST, is_entity

EDGE, THING = "^", "M"
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


def collapsed(words: Iterable[str], joints: Mapping[str, str]) -> list[str]:
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
        self.lines = lines = Counter(tuple(collapsed(one, joints)) for one in questions)
        self.content = content
        self.places: list[tuple[str, str, str, str, int]] = []
        self.lists: dict[str, Counter[str]] = defaultdict(Counter)
        for line, times in lines.items():
            for run in self._runs(line):
                if line[run[0]] not in content:
                    continue
                before, further = [*line[: run[0]][:-3:-1], EDGE, EDGE][:2]
                after = line[run[-1] + 1] if run[-1] + 1 < len(line) else EDGE
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
        """The contexts of each content word, neighbours that are content by their class.

        Args:
            beyond: whether what stands before an entity is a part of the context, too.
        """
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

    def linked(one: int, two: int) -> float:
        some = [close[min(a, b), max(a, b)] for a in groups[one] for b in groups[two]]
        return sum(some) / len(some)

    while len(groups) > 1:
        every = itertools.combinations(range(len(groups)), 2)
        best, one, two = max((linked(*pair), *pair) for pair in every)
        if best < SIMILAR:
            break
        groups[one] += groups.pop(two)
    return [sorted(group) for group in groups]


def placed(uses: Uses, groups: Sequence[Sequence[str]]) -> list[list[str]]:
    """Clusters, words that are alone put in the one in whose contexts they mostly stand.

    A rare word may be used in few of the contexts of its class, so overlaps say little of it.
    """
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
            for number, one in enumerate(some):
                shares[number] += times * one / sum(some) if one else 0.0
        most = max(shares, default=0.0)
        if most >= LIKE * uses[word].total():
            made[shares.index(most)].append(word)
        else:
            made.append([word])
    return [sorted(group) for group in made]


def coordinated(
    groups: Sequence[Sequence[str]], lists: Mapping[str, Counter[str]], uses: Uses
) -> list[list[str]]:
    """Clusters, those joined whose words are mostly coordinated with words of another."""
    merged = sorted((list(group) for group in groups), key=lambda group: (len(group), group))
    for one in list(merged):
        first = {word: number for number, group in enumerate(merged) for word in group}
        votes: Counter[int] = Counter()
        for word in one:
            partners: Counter[int] = Counter()
            for other, times in lists.get(word, {}).items():
                partners[first[other]] += times
            if partners:
                number, most = max(partners.items(), key=lambda item: (item[1], -item[0]))
                often = most >= LISTED * uses[word].total()
                votes[number] += often and most >= COORDINATED * partners.total()
        for number, times in votes.items():
            if merged[number] is not one and times >= COORDINATED * len(one):
                merged[number] += one
                merged = [group for group in merged if group is not one]
                break
    return [sorted(group) for group in merged]


def with_second_classes(uses: Uses, groups: Sequence[Sequence[str]]) -> list[list[str]]:
    """The clusters, and in each the words of others that are used like its own.

    What is usual in a class is what many of its words do, lest a few words that are of two classes
    make the contexts of the second ones of the first.
    """
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


def needed(groups: Sequence[Sequence[str]]) -> list[list[str]]:
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
