"""What speaks for a reading, by name, and scores that are sums of it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from partwise.database.reading.cues import single_cues
from partwise.database.reading.label import Label
from partwise.database.reading.readings import Reading, Used
from partwise.database.spans.text import Word, function_words, stems_of

OF_TWO = {*stems_of("share proportion percentage percent fraction ratio difference")}
"""Stems that ask for what two figures make."""
START, END = "start", "end"
"""What stands for a role before the first and behind the last label."""


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
        "asked where": 0.3,
        "role value_said": 0.5,
    },
    **{"kind state": 0.6, "state exact": 0.6, "state words": 0.5},
    **{
        "shift silent_never": -0.5,
        "shift silent_total_count": -0.6,
        "role some_named": 0.2,
        "role left_out": 0.3,
    },
    **{"role show_beside": 0.0, "role show_beside_key": -0.2, "role key_linked": 0.4},
    **{"shift silent_contents": -0.8},
    **{"role value_within": -0.2, "role value_ranked": -0.3, "role value_of_those": -2.5},
    **{"role names_instead": -0.4},
    **{"shift shows its order": 0.2, "shift is far": -1.0},
    **{"shift chooses of one": -4.0, "shift says it again": -4.0},
    "shift silent_worth": 4.0,
    **{"role own_compared": 0.5, "asked sold": 2.0},
    **{"role names_beside": -0.4, "role text_said": -0.5, "role linked": 0.3},
}
"""Where learning begins."""
