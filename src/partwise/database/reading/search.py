"""The best readings of a question: a beam over its words, from left to right."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from partwise.database.layer.model import SemanticLayer
from partwise.database.reading.closing import tables_of
from partwise.database.reading.cues import function_words, single_cues
from partwise.database.reading.figuring import divided_at
from partwise.database.reading.frame import Frame
from partwise.database.reading.label import Label
from partwise.database.reading.programs import programs
from partwise.database.reading.shape import shape_of
from partwise.database.reading.steps import steps
from partwise.database.reading.text import Word, stems_of
from partwise.execution.relational.program import Program

BEAM, FRAMES = 32, 32
"""How many frames are kept at each word, and how many whole ones are made into programs."""
OF_TWO = {*stems_of("share proportion percentage percent fraction ratio difference")}
"""Stems that ask for what two figures make."""

LIKELY, MARGIN, NEXT = 5, 6.0, 0.01
"""How many readings others may follow from, how much less likely these may be, and how much they
are likelier then."""

START, END = "start", "end"
"""What stands for a role before the first and behind the last label."""


class Used(NamedTuple):
    """A label with the role that it has in a reading."""

    label: Label
    role: str


@dataclass(frozen=True)
class Reading:
    """A program of a question.

    Attributes:
        used: the labels that gave it, from left to right.
        skipped: numbers of the words that gave nothing.
        shifts: what was added without a word.
        score: the higher, the likelier.
        shape: of the program, as `shape_of` names it.
    """

    program: Program
    used: tuple[Used, ...]
    skipped: tuple[int, ...]
    shifts: tuple[str, ...]
    score: float
    shape: tuple[str, ...] = ()


class Scores(Protocol):
    """Scores of one question's labels."""

    def use(self, label: Label, role: str) -> float:
        """Of a label in a role."""
        ...

    def pair(self, before: Used | None, after: Used | None) -> float:
        """Of a label in its role behind another; None is the beginning, or the end."""
        ...

    def skip(self, word: int) -> float:
        """Of a word that gives nothing."""
        ...

    def shift(self, name: str) -> float:
        """Of something that is added without a word, or of part of a program's shape."""
        ...

    def members(self, reading: Reading) -> NDArray[np.float32]:
        """Of a reading, by each member, ``[members]``."""
        ...


class _Item(NamedTuple):
    score: float
    frame: Frame
    before: _Item | None
    used: Used | None
    word: int
    last: Used | None


class Search:
    """Searches the readings of one question.

    Args:
        allowed: which labels may be used; None for all.
    """

    def __init__(
        self,
        layer: SemanticLayer,
        words: Sequence[Word],
        labels: Sequence[Sequence[Label]],
        scores: Scores,
        beam: int = BEAM,
        allowed: Callable[[Label, str], bool] | None = None,
    ) -> None:
        self.layer, self.words, self.labels = layer, words, labels
        self.scores, self.beam, self.allowed = scores, beam, allowed

    def readings(self, frames: int = FRAMES) -> list[Reading]:
        """The best readings, one for each program, the best first.

        Args:
            frames: how many of the best frames are made into programs; more if none of these has
                one.
        """
        best: dict[Program, Reading] = {}
        for count, item in enumerate(self._items()):
            if count >= frames and best:
                break
            used, skipped = _path(item)
            said = {*tables_of(item.frame)}
            who = {one.label.thing.table for one in used if one.role == "who" and one.label.thing}
            frame = _divided(item, self.words) if item.frame.pair else item.frame
            for made in programs(frame, self.layer):
                shape = shape_of(made.program, said, self.layer, who)
                score = item.score + sum(map(self.scores.shift, (*made.shifts, *shape)))
                one = Reading(made.program, used, skipped, made.shifts, score, shape)
                if made.program not in best or best[made.program].score < one.score:
                    best[made.program] = one
        found = list(best.values())
        return [found[at] for at in ranked(found, [one.score for one in found], self.words)]

    def _items(self) -> list[_Item]:
        """The best whole frames."""
        at: list[_Items] = [{} for _ in range(len(self.words) + 1)]
        at[0][Frame(), ""] = _Item(0.0, Frame(), None, None, -1, None)
        for here in range(len(self.words)):
            items = sorted(at[here].values(), key=lambda one: -one.score)[: self.beam]
            for item in items:
                skipped = item.score + self.scores.skip(here)
                _put(at[here + 1], _Item(skipped, item.frame, item, None, here, item.last))
                for label in self.labels[here]:
                    for step in steps(item.frame, label, self.layer):
                        if self.allowed is not None and not self.allowed(label, step.role):
                            continue
                        score = item.score + self.scores.use(label, step.role)
                        used = Used(label, step.role)
                        score += self.scores.pair(item.last, used)
                        _put(at[label.end], _Item(score, step.frame, item, used, here, used))
        whole: _Items = {}
        for one in at[-1].values():
            _put(whole, one._replace(score=one.score + self.scores.pair(one.last, None), last=None))
        return sorted(whole.values(), key=lambda one: -one.score)


def ranked(found: Sequence[Reading], scores: Sequence[float], words: Sequence[Word]) -> list[int]:
    """The places of readings, the best first: by their scores, as `lifted` changes them."""
    order = sorted(range(len(found)), key=lambda at: -scores[at])
    moved = lifted([found[at] for at in order], [scores[at] for at in order], words)
    return [order[at] for at in sorted(range(len(order)), key=lambda at: -moved[at])]


def lifted(found: Sequence[Reading], scores: Sequence[float], words: Sequence[Word]) -> list[float]:
    """The scores of readings, the best first, but of those that say by what there are groups, or an
    order, or that there are rows, just above that of a likelier one that differs from them in
    nothing else: "average price by genre since 2020" has groups, however seldom anything stands
    behind them."""
    made = list(scores)
    for at, less in enumerate(found[:LIKELY]):
        for number, more in enumerate(found[at + 1 :], at + 1):
            if scores[at] - scores[number] > MARGIN:
                break
            if _says_more(less, more, words):
                made[number] = max(made[number], made[at] + NEXT)
    return made


def _says_more(less: Reading, more: Reading, words: Sequence[Word]) -> bool:
    """Whether a reading uses all labels of another, and "by" or "sorted by" with what is behind it;
    "per" says nothing else, so there the labels may have other roles."""
    rest = [one for one in more.used if one not in less.used]
    known = [one.label for one in less.used]
    if not all(one in [other.label for other in more.used] for one in known):
        return False
    added = [one for one in rest if one.label not in known or one.role == "some"]
    if rest and added == rest and all(_are_had(one, words) for one in rest):
        # "Customers with tickets" are those that have some.
        return "some" in more.shifts and "some" not in less.shifts
    said = [one for one in rest if one.label.op == "per" or one.label.op.startswith("sort")]
    if len(rest) == len(more.used) - len(less.used):
        return any(one.label.end == after.label.start for one in said for after in rest)
    return any(words[one.label.start].plain == "per" for one in said if one.label not in known)


def _are_had(used: Used, words: Sequence[Word]) -> bool:
    """Whether rows stand behind "with" or "have"."""
    label = used.label
    return label.kind == "table" and label.start > 0 and words[label.start - 1].plain in _WITH


_WITH = {"with", "have", "has", "had", "having"}
_Items = dict[tuple[Frame, str], _Item]
"""The best way to each frame, for each role and table that may have come last."""


def _put(items: _Items, item: _Item) -> None:
    key = (item.frame, _name_of(item.last))
    known = items.get(key)
    if known is None or known.score < item.score:
        items[key] = item


def _path(item: _Item) -> tuple[tuple[Used, ...], tuple[int, ...]]:
    used: list[Used] = []
    skipped: list[int] = []
    here: _Item | None = item
    while here is not None and here.before is not None:
        if here.used is not None:
            used.append(here.used)
        else:
            skipped.append(here.word)
        here = here.before
    return tuple(used[::-1]), tuple(skipped[::-1])


def _divided(item: _Item, words: Sequence[Word]) -> Frame:
    """The frame of a share, with how many of its conditions stand before the verb."""
    asked = next((one.label for one in _path(item)[0] if one.label.op == item.frame.pair), None)
    verb = divided_at(words, asked.end) if asked is not None else None
    here = item
    while verb is not None and here.before is not None:
        here = here.before
        if here.word < verb:
            # A number that waits for its column becomes a condition, too.
            waits = here.frame.num is not None
            return item.frame._replace(divided=len(here.frame.conds) + waits)
    return item.frame


def features(label: Label, role: str) -> dict[str, float]:
    """What speaks for a label in a role, as figures with names."""
    named = {f"role {role}": 1.0, f"kind {label.kind}": 1.0}
    if label.thing is not None:
        named[f"{role} of {label.type}"] = 1.0
    if label.kind == "op":
        named[f"op {label.op}"] = 1.0
        if label.thing is not None:
            named["adjective rank"] = label.match[5]
        named["long cue"] = float(label.end - label.start > 1)
        return named
    if label.op:
        named[f"asked {label.op}"] = 1.0
    if label.match:
        kind = label.kind
        exact, covered, first, typed, alike, _, places = label.match
        named[f"{kind} exact"] = exact
        named[f"{kind} covered"] = covered
        named[f"{kind} first"] = first
        named[f"{kind} typed"] = typed
        named[f"{kind} alike"] = alike
        named[f"{kind} places"] = places
        named[f"{kind} words"] = float(label.end - label.start - 1)
        # A flag, say, is seldom meant where nothing but the meaning is alike.
        named[f"{role} exact"] = exact
        named[f"{role} covered"] = covered
        named[f"{role} alike"] = alike
    return named


def _name_of(used: Used | None) -> str:
    """What a pair sees of a label: its role and its table."""
    if used is None:
        return ""
    return f"{used.role} {used.label.thing.table if used.label.thing is not None else ''}"


def pair_feature(before: Used | None, after: Used | None) -> str:
    """The name of the figure of two labels one after the other: their roles, and whether they are
    of one table."""
    same = ""
    if before is not None and after is not None:
        one, other = before.label.thing, after.label.thing
        if one is not None and other is not None:
            same = " same" if one.table == other.table else " other"
    roles = [START if before is None else before.role, END if after is None else after.role]
    return f"pair {' '.join(roles)}{same}"


def skip_features(word: Word) -> dict[str, float]:
    """What speaks for a word that gives nothing."""
    if word.stem in OF_TWO:
        return {"skip cue": 1.0, "skip share": 1.0}
    if word.stem in single_cues():
        return {"skip cue": 1.0, f"skip cue {word.stem}": 1.0}
    if word.stem in function_words() or not word.plain[:1].isalnum():
        return {"skip function word": 1.0}
    if word.plain[:1].isdigit():
        return {"skip number": 1.0}
    return {"skip content word": 1.0, **({"skip stored word": 1.0} if word.stored else {})}


class Weighted:
    """Scores that are sums of weighted features, with further scores of roles at words.

    Args:
        weights: of features by name; others are 0.
    """

    def __init__(self, words: Sequence[Word], weights: Mapping[str, float]) -> None:
        self.words, self.weights = words, weights
        self._kept: dict[tuple[int, str], float] = {}

    def use(self, label: Label, role: str) -> float:
        """Of a label in a role."""
        key = (id(label), role)
        if key not in self._kept:
            self._kept[key] = self._sum(features(label, role))
        return self._kept[key]

    def pair(self, before: Used | None, after: Used | None) -> float:
        """Of a label in its role behind another."""
        return self.weights.get(pair_feature(before, after), 0.0)

    def skip(self, word: int) -> float:
        """Of a word that gives nothing."""
        return self._sum(skip_features(self.words[word]))

    def shift(self, name: str) -> float:
        """Of something that is added without a word."""
        return self.weights.get(f"shift {name}", 0.0)

    def members(self, reading: Reading) -> NDArray[np.float32]:
        """Of a reading; there is only one member."""
        return np.array([reading.score], dtype=np.float32)

    def _sum(self, named: Mapping[str, float]) -> float:
        return math.fsum(self.weights.get(name, 0.0) * value for name, value in named.items())


FIRST_WEIGHTS: Mapping[str, float] = {
    **{
        "skip function word": 0.0,
        "skip cue": -0.8,
        "skip share": -1.5,
        "shift each_cut": -3.0,
        "kind op": 0.3,
        "skip content word": -2.0,
        "skip stored word": -1.0,
        "skip number": -3.0,
    },
    **{"table exact": 1.5, "table covered": 1.0, "table alike": 0.5, "table first": 0.2},
    **{"column exact": 1.5, "column covered": 1.0, "column alike": 0.5, "column first": 0.2},
    **{"value exact": 1.5, "value places": 0.5, "value typed": 1.0, "value words": 1.0},
    **{"measure exact": 2.0, "measure covered": 1.0, "long cue": 0.6, "column words": 1.0},
    **{"adjective rank": 2.0, "kind text": -1.5, "kind table": -0.4, "kind column": -0.4},
    **{"role mention": -0.3, "role some": -0.6, "role number": -0.2, "table words": 1.0},
    **{"shift link": -0.1, "shift some": -0.2, "shift silent_per": -0.3, "shift pair": -1.0},
    **{"shift silent_name": -0.3, "shift silent_head": -0.3, "shift silent_column": -0.3},
    **{"shift silent_count": -0.5, "shift silent_distinct": -0.3, "shift unused_per": -0.3},
    **{f"shift unused_{one}": -1.5 for one in ("neg", "text", "sign", "sort", "missing", "low")},
    **{"shift unused_join": -0.3, "shift shown_late": 0.0, "shift silent_order": -0.8},
    **{
        "shift silent_related": -1.0,
        "shift silent_figure_compared": -1.0,
        "shift number_beside": -0.3,
        "shift repeats a name": -4.0,
        "shift counts each row": -4.0,
        "shift bounds twice": -4.0,
        "shift key_shown": -0.2,
        "shift key_beside": -0.3,
        "shift order_shown": -0.6,
        "shift figure_late": -0.1,
        "shift figure_again": -0.1,
    },
    **{"shift arm_denied": -0.8, "shift arm_shared": -0.8, "shift of_first": -0.8},
    **{"shift silent_sum": -0.6, "shift number_key": -0.6, "shift number_alone": -0.8},
    **{"shift silent_total_of": -1.0, "shift unused_word": -1.5, "shift unused_unit": -1.0},
    **{"shift total_of_each": -0.6, "shift silent_sold": -0.6, "shift unused_mean": -2.0},
    **{"shift count_of_each": 3.0, "role count_of_each": 0.5},
    **{"role text_quoted_early": 0.3, "role quoted_in": 2.7, "role state_mail": 1.0},
    **{"role sort_again": 1.0},
    **{"shift figure_ranked": -0.2, "role sum_ordered": -0.3, "role show_number": -0.2},
    **{
        "asked who": 0.3,
        "asked when": 0.3,
        "asked where": 0.3,
        "op asked:desc": 2.0,
        "op asked:asc": 2.0,
        "role value_said": 0.5,
    },
    **{"kind state": 0.6, "state exact": 0.6, "state words": 0.5, "asked due": 0.3},
    **{
        "shift silent_never": -0.5,
        "shift silent_total_count": -0.6,
        "asked heads": 0.3,
        "role some_named": 0.2,
        "role left_out": 0.3,
    },
    **{"role show_beside": 0.0, "role show_beside_key": -0.2, "role key_linked": 0.4},
    **{"shift silent_contents": -0.8, "shift most_led": -0.3, "role team_some": -0.6},
    **{"role value_within": -0.2, "role value_ranked": -0.3, "role value_of_those": -2.5},
    **{"role names_instead": -0.4, "role own": 0.5},
    **{"shift shows its order": 0.2, "shift is far": -1.0},
    **{"shift chooses of one": -4.0, "shift says it again": -4.0},
    "asked elapsed": 1.0,
    "shift silent_worth": 4.0,
    **{"role own_compared": 0.5, "asked agent": 2.0, "asked sold": 2.0, "role agents_ordered": 3.0},
    **{"role names_beside": -0.4, "role text_said": -0.5, "role linked": 0.3},
}
"""Where learning begins."""
