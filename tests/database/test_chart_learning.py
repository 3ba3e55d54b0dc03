"""Learning which interpretations are right."""

from __future__ import annotations

import pickle
import random
from pathlib import Path

import pytest
import torch
from lakes import CALLED, DIM, PRICES, ROWS, TEXTS, found, question, vectors

from partwise.database.learning import (
    Candidates,
    Pace,
    loss_of,
    prepared,
    train,
    vocabulary_of,
)
from partwise.database.network import SchemaScorer
from partwise.database.scorer import HandScores
from partwise.encoders.base import make_encoder
from partwise.training.resuming import TrainingState


def _lists(texts: tuple[str, ...] = TEXTS) -> list[Candidates]:
    """Interpretations are right that show a column."""
    made = []
    for seed in range(6):
        for text in texts:
            asked = question(text, random.Random(seed))
            some = [one for _, one in found(asked, HandScores(asked, PRICES), 8)]
            right = ["slot show" in one.steps for one in some]
            words, names = vectors(len(asked.words), seed), vectors(len(CALLED), 1)
            made.append(Candidates(text, CALLED, words, names, ROWS, asked.context, some, right))
    return made


def _scorer(lists: list[Candidates], dim: int = DIM) -> SchemaScorer:
    torch.manual_seed(0)
    return SchemaScorer(dim, vocabulary_of(lists, 1), PRICES, 2)


def _loss(lists: list[Candidates], scorer: SchemaScorer) -> float:
    scorer.eval()
    with torch.no_grad():
        some = [loss_of(prepared(one, scorer), scorer) for one in lists if one.teaches()]
    return float(torch.stack(some).mean())


def test_training_makes_the_right_ones_probable() -> None:
    lists = _lists()
    assert any(one.teaches() for one in lists)
    scorer, told = _scorer(lists), []
    before = _loss(lists, scorer)
    train(scorer, lists, Pace(6, rate=3e-3), tick=lambda _, loss: told.append(loss))
    assert len(told) == 6
    assert not scorer.training
    assert _loss(lists, scorer) < before / 4


def test_seldom_names_are_not_in_the_vocabulary() -> None:
    lists = _lists()
    some, all_ = vocabulary_of(lists, 20), vocabulary_of(lists, 1)
    for few, every in zip(some, all_, strict=True):
        assert set(few) < set(every)
    assert "slot show" in some.steps
    assert "join column value" in all_.features


def test_lists_are_small_when_they_are_kept() -> None:
    """Names that occur again and again are the same object."""
    one = _lists()[0]
    again = pickle.loads(pickle.dumps(one))
    assert again.derivations == one.derivations
    names = {id(name) for tree in one.derivations for name in tree.features}
    assert len(names) == len({name for tree in one.derivations for name in tree.features})


def test_a_stopped_training_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lists = _lists()
    whole, parts = _scorer(lists), _scorer(lists)
    train(whole, lists, Pace(4, batch=4))
    kept = TrainingState.keep

    def stop(self: TrainingState, steps: int, loss: float) -> None:
        kept(self, steps, loss)
        if steps == 7:
            raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(TrainingState, "keep", stop)
        with pytest.raises(KeyboardInterrupt):
            train(parts, lists, Pace(4, batch=4), state=tmp_path, every=0.0)
    again = _scorer(lists)
    train(again, lists, Pace(4, batch=4), state=tmp_path, every=0.0)
    for mine, other in zip(whole.parameters(), again.parameters(), strict=True):
        assert torch.equal(mine, other)
    assert not list(tmp_path.glob("*"))


def test_an_encoder_is_trained_too() -> None:
    encoder = make_encoder("bilstm", []).requires_grad_(False).eval()
    lists = _lists()
    before = {name: one.clone() for name, one in encoder.state_dict().items()}
    scorer = _scorer(lists, encoder.dim)
    train(scorer, lists, Pace(1), encoder)
    after = encoder.state_dict()
    assert any(not torch.equal(after[name], one) for name, one in before.items())
    assert not any(one.requires_grad for one in encoder.parameters())
