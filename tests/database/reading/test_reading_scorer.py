"""Learned scores of readings, and how they are learned."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from itertools import pairwise, starmap
from pathlib import Path

import numpy as np
import pytest
import torch
from bakery import TODAY, bakery_labeller, bakery_layer, rows_of, rows_wanted
from torch import Tensor

from partwise.database.context import Context, context_of, relations_of
from partwise.database.learning import Pace
from partwise.database.reading.features import FIRST_WEIGHTS, Weighted
from partwise.database.reading.label import Label, mentions_of
from partwise.database.reading.learning import (
    Readings,
    judged,
    loss_of,
    prepared,
    scores_of,
    train,
    vocabulary_of,
)
from partwise.database.reading.readings import Reading, Used
from partwise.database.reading.scorer import (
    ComparedNames,
    LearnedScores,
    ReadingScorer,
    ScoredNames,
    role_of,
)
from partwise.database.reading.search import Search
from partwise.database.spans.names import SchemaItem
from partwise.database.spans.text import Word, words_of
from partwise.errors import PartwiseError
from partwise.execution.relational.schema import Column, Schema, Table
from partwise.training.resuming import TrainingState

DIM = 12
QUESTIONS = {
    "how many breads": "SELECT count(*) FROM bread",
    "who is the oldest baker": "SELECT name FROM baker ORDER BY born LIMIT 1",
    "average price per kind": "SELECT kind, avg(price) FROM bread GROUP BY kind",
    "rye breads over 5 euros": "SELECT name FROM bread WHERE kind = 'rye' AND price > 5",
    "bakers without breads": (
        "SELECT name FROM baker WHERE id NOT IN (SELECT baker_id FROM bread)"
    ),
    "the three heaviest breads": "SELECT name FROM bread ORDER BY weight DESC LIMIT 3",
}


def _vectors(words: Sequence[str]) -> Tensor:
    """A vector for each word, the same each time."""
    rows = []
    for word in words:
        made = torch.Generator().manual_seed(sum(map(ord, word)) * 31 + len(word))
        rows.append(torch.randn(DIM, generator=made))
    return torch.stack(rows)


def _of(words: Sequence[Word]) -> Tensor:
    return _vectors([one.stem for one in words])


NAMES = _vectors(bakery_labeller().names.texts)
THINGS: dict[SchemaItem, list[int]] = defaultdict(list)
for number, thing in enumerate(bakery_labeller().names.things):
    THINGS[thing].append(number)


def _readings(question: str) -> list[Reading]:
    words = words_of(question)
    labels = bakery_labeller().labels(words, TODAY)
    return Search(bakery_layer(), words, labels, Weighted(words, FIRST_WEIGHTS)).readings()[:20]


def _judged(question: str, sql: str) -> Readings:
    words = words_of(question)
    wanted = rows_wanted(sql, 0)
    some = [judged(one, words, _right(one, wanted)) for one in _readings(question)]
    return Readings("", (), _of(words), NAMES, THINGS, _context(words), some)


def _context(words: Sequence[Word]) -> Context:
    labeller = bakery_labeller()
    mentions = mentions_of(labeller.labels(words, TODAY))
    return context_of(mentions, THINGS, labeller.types, bakery_layer().schema)


def _right(reading: Reading, wanted: object) -> bool:
    try:
        return rows_of(reading.program, 0) == wanted
    except PartwiseError:
        return False


@pytest.fixture(scope="module")
def lists() -> list[Readings]:
    """The readings of the questions, and which are right."""
    return [_judged(question, sql) for question, sql in QUESTIONS.items()]


def _scorer(lists: Sequence[Readings], least: int = 1, members: int = 2) -> ReadingScorer:
    """A scorer with random weights everywhere."""
    torch.manual_seed(0)
    scorer = ReadingScorer(DIM, vocabulary_of(lists, least), FIRST_WEIGHTS, members)
    with torch.no_grad():
        for one in scorer.parameters():
            one += 0.3 * torch.randn(one.shape)
    return scorer.eval()


def _scores(scorer: ReadingScorer, question: str, used: Sequence[Used]) -> LearnedScores:
    words = words_of(question)
    spans = {(one.label.start, one.label.end) for one in used}
    named = ComparedNames(NAMES, scorer.names(NAMES).detach(), THINGS)
    scored = scorer.scored(_of(words), named, _context(words), sorted(spans))
    return LearnedScores(scorer, scored, words, THINGS)


@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize("least", [1, 4])
def test_scores_in_search_and_in_training_are_the_same(
    question: str, least: int, lists: list[Readings]
) -> None:
    """Be some roles and features known or not."""
    scorer = _scorer(lists, least)
    readings = _readings(question)
    every = [used for one in readings for used in one.used]
    scores = _scores(scorer, question, every)
    summed = [
        sum(scores.use(*used) for used in one.used)
        + sum(map(scores.skip, one.skipped))
        + sum(map(scores.shift, (*one.shifts, *one.shape)))
        + sum(starmap(scores.pair, pairwise([None, *one.used, None])))
        for one in readings
    ]
    some = [judged(one, words_of(question), False) for one in readings]
    words = words_of(question)
    ready = prepared(Readings("", (), _of(words), NAMES, THINGS, _context(words), some), scorer)
    trained = scores_of(ready, scorer)
    assert summed == pytest.approx(trained.mean(0).tolist(), abs=1e-3)
    by_member = torch.tensor(np.stack([scores.members(one) for one in readings], 1))
    assert torch.allclose(by_member, trained, atol=1e-3)


def test_members_score_by_their_own_weights_alone(lists: list[Readings]) -> None:
    both = _scorer(lists)
    second = ReadingScorer(DIM, both.vocabulary, FIRST_WEIGHTS).eval()
    second.load_state_dict({name: one[1:] for name, one in both.state_dict().items()})
    for some in lists:
        one, other = scores_of(prepared(some, both), both)
        assert torch.allclose(scores_of(prepared(some, second), second)[0], other, atol=1e-4)
        assert not torch.allclose(one, other, atol=0.1)


def test_a_new_scorer_scores_as_the_weights_it_begins_with(lists: list[Readings]) -> None:
    """But for the match of names, which begins at random."""
    scorer = ReadingScorer(DIM, vocabulary_of(lists, 1), FIRST_WEIGHTS).eval()
    with torch.no_grad():
        scorer.scale.zero_()
    for question, some in zip(QUESTIONS, lists, strict=True):
        expected = [one.score for one in _readings(question)]
        assert scores_of(prepared(some, scorer), scorer)[0].tolist() == pytest.approx(
            expected, abs=1e-3
        )


def test_every_parameter_learns(lists: list[Readings]) -> None:
    scorer = _scorer(lists)
    torch.stack([loss_of(prepared(one, scorer), scorer) for one in lists]).mean().backward()
    for name, one in scorer.named_parameters():
        assert one.grad is not None, name
        assert torch.isfinite(one.grad).all(), name
        # What every reading of a question has in common makes no difference between them.
        assert one.grad.abs().sum() > 0 or name == "word.2.bias", name


def test_a_loss_is_what_is_missing_to_certainty(lists: list[Readings]) -> None:
    scorer = _scorer(lists)
    for some in lists:
        ready = prepared(some, scorer)
        # In double precision: what is far from right has a share of 1e-39.
        shares = scores_of(ready, scorer).double().softmax(1)
        right = shares[:, ready.right].sum(1)
        assert loss_of(ready, scorer).item() == pytest.approx(-right.log().mean().item(), rel=1e-3)


def test_a_few_questions_are_learned_by_heart(lists: list[Readings]) -> None:
    assert all(any(one.right for one in some.readings) for some in lists)
    torch.manual_seed(1)
    # It begins without any weights, so it knows nothing.
    scorer = ReadingScorer(DIM, vocabulary_of(lists, 1))
    before = _hits(scorer.eval(), lists)
    told: list[float] = []
    pace = Pace(15, rate=1e-2, batch=3)
    train(scorer, lists, pace, tick=lambda _, loss: told.append(loss))
    assert before < _hits(scorer, lists) == len(lists)
    assert len(told) == 15
    assert told[-1] < told[0] / 4


def _hits(scorer: ReadingScorer, lists: Sequence[Readings]) -> int:
    """How many questions have a right reading first."""
    made = [(prepared(one, scorer), scorer) for one in lists]
    return sum(bool(ready.right[scores_of(ready, one).mean(0).argmax()]) for ready, one in made)


def test_training_is_the_same_each_time(lists: list[Readings]) -> None:
    def trained() -> ReadingScorer:
        torch.manual_seed(2)
        scorer = ReadingScorer(DIM, vocabulary_of(lists, 1), FIRST_WEIGHTS)
        train(scorer, lists, Pace(2, seed=3))
        return scorer

    first, second = trained().state_dict(), trained().state_dict()
    assert all(torch.equal(one, second[name]) for name, one in first.items())


@pytest.mark.parametrize("last", [3, 4, 5])
def test_a_training_that_was_stopped_goes_on(
    lists: list[Readings], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, last: int
) -> None:
    """After the last step of an epoch, and within one: it ends with the same weights."""
    place = tmp_path / "state"

    def trained(stop: int | None) -> tuple[ReadingScorer, list[tuple[int, float]]]:
        torch.manual_seed(2)
        scorer = ReadingScorer(DIM, vocabulary_of(lists, 1), FIRST_WEIGHTS)
        told: list[tuple[int, float]] = []
        keep = TrainingState.keep

        def killed(state: TrainingState, steps: int, loss: float) -> None:
            keep(state, steps, loss)
            if steps == stop:
                raise KeyboardInterrupt

        monkeypatch.setattr(TrainingState, "keep", killed)
        try:
            train(
                scorer,
                lists,
                Pace(3, seed=3, batch=math.ceil(len(lists) / 2)),
                tick=lambda *one: told.append(one),
                state=place,
                every=0.0,
            )
        finally:
            monkeypatch.setattr(TrainingState, "keep", keep)
        return scorer, told

    whole, losses = trained(None)
    assert not list(place.glob("*"))
    with pytest.raises(KeyboardInterrupt):
        trained(last)
    assert len(list(place.glob("*.safetensors"))) == 1
    again, rest = trained(None)
    for name, one in whole.state_dict().items():
        assert torch.equal(one, again.state_dict()[name]), name
    assert rest == losses[(last - 1) // 2 :]
    # What was trained otherwise is not continued.
    with pytest.raises(KeyboardInterrupt):
        trained(last)
    other = ReadingScorer(DIM, vocabulary_of(lists, 1), FIRST_WEIGHTS)
    told: list[int] = []
    train(other, lists, Pace(2), tick=lambda epoch, _: told.append(epoch), state=place)
    assert told == [0, 1]


def test_questions_without_a_choice_teach_nothing(lists: list[Readings]) -> None:
    words = words_of("how many breads")
    wrong = [judged(one, words, False) for one in _readings("how many breads")]
    useless = Readings("", (), _of(words), NAMES, THINGS, _context(words), wrong)
    scorer = _scorer(lists)
    before = {name: one.clone() for name, one in scorer.state_dict().items()}
    train(scorer, [useless], Pace(2))
    assert all(torch.equal(one, before[name]) for name, one in scorer.state_dict().items())


def test_names_of_another_database_are_scored_with_the_same_weights(lists: list[Readings]) -> None:
    """The match depends on the vector of a name, not on which database has it."""
    scorer = _scorer(lists)
    words = words_of("average depth of lakes")
    lake = SchemaItem("table", "lake")
    depth = SchemaItem("column", "lake", "depth")
    names = _vectors(["lake", "depth", "deep water"])
    things = {lake: [0], depth: [1, 2]}
    label = Label(1, 2, "column", depth, match=(1.0, 1.0, 1.0, 1.0, 1.0, 0.0, 0.0))
    schema = Schema((Table("lake", (Column("depth", "number"),)),), ())
    types = {lake: "table", depth: "number"}

    def scored(order: Sequence[int], known: bool = True) -> tuple[float, float]:
        """Of the label, with the names in some order; and what their match alone gives."""
        place = {name: number for number, name in enumerate(order)}
        at = {thing: [place[row] for row in rows] for thing, rows in things.items()}
        vectors = names[list(order)]
        named = ComparedNames(vectors, scorer.names(vectors).detach(), at)
        context = context_of(mentions_of([[label]]), at, types, schema)
        made = scorer.scored(_of(words), named, context, [(1, 2), (3, 4)])
        scores = LearnedScores(scorer, made, words, at if known else {})
        match = made.match[:, made.spans[1, 2]][:, at[depth]].max(1)
        seen = made.seen[:, made.spans[1, 2]][:, made.places[depth]].max(1)
        prior = made.prior[:, made.places[depth], scorer.role_ids["show"]].max(1)
        return scores.use(label, "show"), float((match + seen + prior).mean())

    total, match = scored((0, 1, 2))
    assert total - scored((0, 1, 2), known=False)[0] == pytest.approx(match, abs=1e-4)
    assert scored((2, 0, 1))[0] == pytest.approx(total, abs=1e-4)


def test_what_training_never_saw_has_its_first_weight_or_none() -> None:
    scorer = ReadingScorer(DIM, ScoredNames(("head",), ("link",), ("kind table",)))
    words = words_of("breads")
    named = ComparedNames(NAMES, scorer.names(NAMES).detach(), THINGS)
    scored = scorer.eval().scored(_of(words), named, _context(words), [(0, 1)])
    scores = LearnedScores(scorer, scored, words, {})
    label = Label(0, 1, "op", op="never met")
    assert scores.use(label, "never met") == pytest.approx(FIRST_WEIGHTS["kind op"])
    assert scores.shift("never met") == 0
    assert scores.shift("unused_mean") == pytest.approx(FIRST_WEIGHTS["shift unused_mean"])


def test_an_adjective_is_told_by_its_operation() -> None:
    thing = SchemaItem("column", "baker", "born")
    assert role_of(Label(0, 1, "op", thing, "dir:asc"), "superlative") == "superlative dir:asc"
    assert role_of(Label(0, 1, "op", None, "per"), "per") == "per"
    assert role_of(Label(0, 1, "table", SchemaItem("table", "baker")), "head") == "head"


def test_the_vocabulary_is_what_occurs_often_enough(lists: list[Readings]) -> None:
    every, some = vocabulary_of(lists, 1), vocabulary_of(lists, 5)
    for all_of_them, frequent in zip(every, some, strict=True):
        assert set(frequent) < set(all_of_them)
        assert list(frequent) == sorted(frequent)


def test_weights_are_taken_over_by_name() -> None:
    old = ReadingScorer(DIM, ScoredNames(("head", "show"), ("link",), ("a", "b")), {"a": 1.0}, 2)
    wider = ScoredNames(("head", "key", "show"), ("link", "pair"), ("a", "b", "c"))
    new = ReadingScorer(DIM, wider, {"c": 3.0}, 2)
    with torch.no_grad():
        for one in old.parameters():
            one.normal_()
    fresh = new.weights[:, 2].clone()
    new.take_over(old)
    assert torch.equal(new.weights[:, :2], old.weights)
    assert torch.equal(new.weights[:, 2], fresh)
    for mine, theirs in ((new.role, old.role), (new.prior, old.prior)):
        assert torch.equal(mine.weight[..., [0, 2]], theirs.weight)
        assert not mine.weight[..., 1].any()
    assert torch.equal(new.asks.weight, old.asks.weight)


@torch.no_grad()
def test_spans_are_scored_as_if_each_was_read_alone() -> None:
    torch.manual_seed(3)
    scorer = ReadingScorer(DIM, ScoredNames(("a", "b"), (), ()), members=2).eval()
    for one in scorer.parameters():
        one.uniform_(-1, 1)
    words, names = torch.randn(5, DIM), torch.randn(3, DIM)
    context, spans = Context((0, 1, 2), (0, 0, 1), (), ()), [(0, 2), (1, 2), (2, 5), (0, 5)]
    roles, asks, seen, _ = scorer.spans(words, names, context, torch.tensor(spans))
    types, relations = torch.tensor(context.types), relations_of(context, len(words))
    here, there = scorer.context(words, names, types, relations)

    def around(rows: Tensor, start: int, end: int) -> list[Tensor]:
        edge = torch.zeros_like(rows[..., 0, :])
        before = rows[..., start - 1, :] if start else edge
        after = rows[..., end, :] if end < rows.shape[-2] else edge
        return [rows[..., start:end, :].mean(-2), before, after]

    for at, span in enumerate(spans):
        plain, mine = around(words, *span), around(here, *span)
        whole = words.mean(0)
        said = torch.cat([*plain, whole]).expand(2, -1)
        hidden = scorer.span(torch.cat([said, *mine], 1)[:, None])
        assert torch.allclose(scorer.role(hidden)[:, 0], roles[:, at], atol=1e-4)
        asked = scorer.asks(torch.cat([plain[0], whole])[None])[:, 0]
        assert torch.allclose(torch.nn.functional.normalize(asked, dim=-1), asks[:, at], atol=1e-5)
        looked = scorer.seen_asks(mine[0][:, None]) @ scorer.seen_named(there).mT
        assert torch.allclose(looked[:, 0] / asks.shape[-1] ** 0.5, seen[:, at], atol=1e-3)
