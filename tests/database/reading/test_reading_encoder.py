"""An encoder that is trained with the scorer of readings."""

from __future__ import annotations

from collections import defaultdict

import torch
from bakery import TODAY, bakery_labeller, bakery_layer, rows_of, rows_wanted

from partwise.database.context import context_of
from partwise.database.learning import Pace
from partwise.database.reading.features import FIRST_WEIGHTS, Weighted
from partwise.database.reading.label import mentions_of
from partwise.database.reading.learning import Readings, judged, train, vocabulary_of
from partwise.database.reading.scorer import ReadingScorer
from partwise.database.reading.search import Search
from partwise.database.spans.names import SchemaItem
from partwise.database.spans.text import words_of
from partwise.database.spans.types import types_of
from partwise.database.spans.vectors import name_vectors, word_vectors
from partwise.encoders import Encoder, make_encoder
from partwise.errors import PartwiseError


def _lists(encoder: Encoder) -> list[Readings]:
    names = bakery_labeller().names
    things: dict[SchemaItem, list[int]] = defaultdict(list)
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
        types = types_of(bakery_layer())
        context = context_of(mentions_of(labels), things, types, bakery_layer().schema)
        made.append(Readings(question, names.texts, vectors, called, things, context, some))
    return made


def test_an_encoder_is_trained_with_the_scorer_but_for_its_table_of_pieces() -> None:
    encoder = make_encoder("minilm", []).requires_grad_(False).eval()
    before = {name: one.clone() for name, one in encoder.state_dict().items()}
    lists = _lists(encoder)
    torch.manual_seed(0)
    scorer = ReadingScorer(encoder.dim, vocabulary_of(lists, 1), FIRST_WEIGHTS)
    told: list[float] = []
    train(scorer, lists, Pace(4), encoder, lambda _, loss: told.append(loss))
    assert told[-1] < told[0]
    changed = {
        name for name, one in encoder.state_dict().items() if not torch.equal(one, before[name])
    }
    assert changed
    assert not any("embeddings" in name for name in changed)
    assert not encoder.training
    assert not any(one.requires_grad for one in encoder.parameters())
