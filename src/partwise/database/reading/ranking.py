"""The order of readings, by their scores and by what one says that another leaves out."""

from __future__ import annotations

from collections.abc import Sequence

from partwise.database.reading.label import Label
from partwise.database.reading.readings import Reading, Used
from partwise.database.spans.text import Word

LIKELY, MARGIN, NEXT = 5, 6.0, 0.01
"""How many readings others may follow from, how much less likely these may be, and how much they
are likelier then."""
_WITH = {"with", "have", "has", "had", "having"}


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
    used = [one.label for one in more.used]
    if not all(one in used for one in known):
        return False
    added = [one for one in rest if one.label not in known or one.role == "some"]
    if rest and added == rest and all(_are_had(one, words) for one in rest):
        # "Customers with tickets" are those that have some.
        return "some" in more.shifts and "some" not in less.shifts
    return _says_by(rest, len(rest) > len(more.used) - len(less.used), known, words)


def _says_by(
    rest: Sequence[Used], changed: bool, known: Sequence[Label], words: Sequence[Word]
) -> bool:
    """Whether some labels are of "by" or "sorted by" and of what is behind it.

    Args:
        changed: whether others have another role with them; then of "per" alone.
        known: labels that are used without them, too.
    """
    by = [one.label for one in rest if one.label.op == "per" or one.label.op.startswith("sort")]
    if changed:
        return any(words[one.start].plain == "per" for one in by if one not in known)
    begins = {one.label.start for one in rest}
    return any(one.end in begins for one in by)


def _are_had(used: Used, words: Sequence[Word]) -> bool:
    """Whether rows stand behind "with" or "have"."""
    label = used.label
    return label.kind == "table" and label.start > 0 and words[label.start - 1].plain in _WITH
