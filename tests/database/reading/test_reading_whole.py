"""The score of a reading as a whole, and an encoder that is trained with the scorer."""

from __future__ import annotations

from collections import defaultdict

import pytest
import torch
from bakery import TODAY, bakery_labeller, bakery_layer, rows_of, rows_wanted

from partwise.database.reading.context import context_of
from partwise.database.reading.learning import Readings, judged, train, vocabulary_of
from partwise.database.reading.names import Thing
from partwise.database.reading.scorer import ReadingScorer
from partwise.database.reading.search import FIRST_WEIGHTS, Search, Weighted
from partwise.database.reading.text import words_of
from partwise.database.reading.vectors import name_vectors, word_vectors
from partwise.database.reading.whole import (
    ADDED,
    LABEL,
    LEFT,
    LONGEST,
    Part,
    WholeLayers,
    parts_tensor,
)
from partwise.encoders import Encoder, make_encoder
from partwise.errors import PartwiseError

SIZE = 8
LABELS = [Part(LABEL, role=1, span=1, thing=1), Part(LEFT, word=2), Part(ADDED, added=1)]


@pytest.fixture(scope="module")
def layers() -> WholeLayers:
    """Layers with random weights everywhere."""
    torch.manual_seed(0)
    made = WholeLayers(SIZE, roles=2, shifts=2)
    torch.nn.init.normal_(made.score.weight)
    return made.eval()


def _scores(layers: WholeLayers, *readings: list[Part]) -> list[float]:
    torch.manual_seed(1)
    vectors = (torch.randn(2, SIZE), torch.randn(2, SIZE), torch.randn(3, SIZE))
    with torch.no_grad():
        return layers(*parts_tensor(readings), *vectors).tolist()  # type: ignore[no-any-return]


def test_a_reading_is_scored_alike_beside_longer_ones(layers: WholeLayers) -> None:
    short, long = LABELS[:1], LABELS * 3
    alone = _scores(layers, short) + _scores(layers, long)
    assert _scores(layers, short, long) == pytest.approx(alone, abs=1e-5)
    assert _scores(layers, long, [], short)[::2] == pytest.approx(alone[::-1], abs=1e-5)


def test_each_field_of_a_part_counts(layers: WholeLayers) -> None:
    plain = _scores(layers, LABELS)
    for number, part in enumerate(LABELS):
        for name in Part._fields[1:]:
            other = part._replace(**{name: 2 if getattr(part, name) == 1 else 1})
            changed = _scores(layers, [*LABELS[:number], other, *LABELS[number + 1 :]])
            assert changed != pytest.approx(plain, abs=1e-4), name


def test_what_comes_after_the_longest_reading_is_not_looked_at(layers: WholeLayers) -> None:
    full = [Part(LEFT, word=1)] * (LONGEST - 1)
    assert _scores(layers, full) == pytest.approx(_scores(layers, full + LABELS), abs=1e-5)


def test_new_layers_say_nothing() -> None:
    assert _scores(WholeLayers(SIZE, roles=2, shifts=2).eval(), LABELS, []) == [0.0, 0.0]


def _lists(encoder: Encoder) -> list[Readings]:
    names = bakery_labeller().names
    things: dict[Thing, list[int]] = defaultdict(list)
    for number, thing in enumerate(names.things):
        things[thing].append(number)
    made = []
    asked = {
        "oldest baker": "SELECT name FROM baker ORDER BY born LIMIT 1",
        "how many rye breads": "SELECT COUNT(*) FROM bread WHERE kind = 'rye'",
    }
    for question, sql in asked.items():
        words = words_of(question)
        labels = bakery_labeller().labels(words, TODAY)
        search = Search(bakery_layer(), words, labels, Weighted(words, FIRST_WEIGHTS))
        wanted = rows_wanted(sql, 0)
        some = []
        for one in search.readings()[:20]:
            try:
                right = rows_of(one.program, 0) == wanted
            except PartwiseError:
                right = False
            some.append(judged(one, words, right))
        with torch.no_grad():
            vectors = word_vectors(encoder, [(question, words)])[0]
            called = name_vectors(encoder, names.texts)
        context = context_of(labels, things, bakery_layer().schema)
        made.append(Readings(question, names.texts, vectors, called, things, context, some))
    return made


def test_an_encoder_is_trained_with_the_scorer_but_for_its_table_of_pieces() -> None:
    encoder = make_encoder("minilm", []).requires_grad_(False).eval()
    before = {name: one.clone() for name, one in encoder.state_dict().items()}
    lists = _lists(encoder)
    torch.manual_seed(0)
    scorer = ReadingScorer(encoder.dim, vocabulary_of(lists, 1), FIRST_WEIGHTS)
    told: list[float] = []
    train(scorer, lists, 4, tick=lambda _, loss: told.append(loss), encoder=encoder)
    assert told[-1] < told[0]
    changed = {
        name for name, one in encoder.state_dict().items() if not torch.equal(one, before[name])
    }
    assert changed
    assert not any("embeddings" in name for name in changed)
    assert not encoder.training
    assert not any(one.requires_grad for one in encoder.parameters())
