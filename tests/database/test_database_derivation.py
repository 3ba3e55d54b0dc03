"""Which words gave which part: as text, as JSON, and how two derivations differ."""

from __future__ import annotations

import json

from partwise.database.explanation import PhraseDerivation, PhrasePart
from partwise.drawing import draw_json
from partwise.interface.prediction import PhraseDifference

MOST = PhrasePart(2, 3, "most", "first by count")
ALBUMS = PhrasePart(0, 1, "albums", "table album")


def test_each_phrase_is_a_line() -> None:
    shown = str(PhraseDerivation((ALBUMS, MOST), ("through track",)))
    assert shown.splitlines() == [
        "albums  table album",
        "most    first by count",
        "        through track",
    ]


def test_json_has_the_places_of_the_words() -> None:
    values = json.loads(json.dumps(draw_json(PhraseDerivation((ALBUMS,)))))
    part = {"start": 0, "end": 1, "words": "albums", "meaning": "table album"}
    assert values == {"parts": [part], "silent": [], "text": "albums  table album"}


def test_a_difference_names_the_words() -> None:
    mine = PhraseDerivation((ALBUMS, MOST))
    other = PhraseDerivation((ALBUMS, MOST._replace(meaning="first by length")))
    assert mine.differences(mine) == []
    assert mine.differences(other) == [
        PhraseDifference("most", ("first by count",), ("first by length",))
    ]
    assert mine.differences(PhraseDerivation((ALBUMS,))) == [
        PhraseDifference("most", ("first by count",), ())
    ]
