"""The best readings of a question: a beam over its words, from left to right."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from partwise.database.layer.model import SemanticLayer
from partwise.database.reading.closing import tables_of
from partwise.database.reading.figuring import divided_at
from partwise.database.reading.frame import Frame
from partwise.database.reading.label import Label
from partwise.database.reading.programs import programs
from partwise.database.reading.ranking import ranked
from partwise.database.reading.readings import Reading, ReadingScores, Used
from partwise.database.reading.shape import shape_of
from partwise.database.reading.steps import steps
from partwise.database.spans.text import Word
from partwise.execution.relational.program import Program

BEAM, FRAMES = 32, 32
"""How many frames are kept at each word, and how many whole ones are made into programs."""


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
        scores: ReadingScores,
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


def _name_of(used: Used | None) -> str:
    """What a pair sees of a label: its role and its table."""
    if used is None:
        return ""
    return f"{used.role} {used.label.thing.table if used.label.thing is not None else ''}"
