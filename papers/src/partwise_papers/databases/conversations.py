"""Learning how questions go on from the last one: turns with what they may mean, and the weights.

A conditional logit over the edits of a turn, and a logistic model of whether the best one is right,
on edits that were ranked by weights of other databases.
"""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from partwise.database.follow_up import (
    WORDS,
    Asked,
    FollowUp,
    FollowUpModel,
    follow_ups,
    ranked_programs,
    trust_features,
)
from partwise.database.inference import DatabaseInference
from partwise.execution.relational.program import Program
from partwise.execution.relational.writing import canonical
from partwise_papers.databases.follow_ups import make_follow_ups
from partwise_papers.databases.questions import Answering, AskedDatabase, TypedRows

LEAST, DATABASES = 25, 6
"""Turns, and databases, that a word must be in to have weights."""
FOLDS = 4
MADE = 5
"""Made-up follow-ups of one question."""
DECAY, TRUST_DECAY = 1.0, 3.0
SMALL, SMALL_WORD = 0.01, 0.1
"""Weights below these are left out."""
Judge = Callable[[Program], bool]
Weights = Mapping[str, float]


class LearnedTurn(NamedTuple):
    """A turn with what it may mean, and which of that is right."""

    db: str
    asked: Asked
    found: Sequence[FollowUp]
    right: Sequence[bool]


def turn_of(
    parser: DatabaseInference, db: str, question: str, last: Program, judge: Judge
) -> LearnedTurn:
    """A question behind a program; `parser` is on the database."""
    asked = parser.ask_alone(question, parser.read(question))
    found = follow_ups(asked, last, parser.domain.layer)  # type: ignore[attr-defined]
    return LearnedTurn(db, asked, found, [judge(each.edit.program) for each in found])


def dialogue_turns(
    parser: DatabaseInference, db: str, turns: Sequence[tuple[str, Judge | None]]
) -> Iterator[LearnedTurn]:
    """The later turns of a dialogue that have a judge, each behind the right program of the one
    before; where none was found, behind what the parser takes that one for."""
    last: Program | None = None
    for question, judge in turns:
        if last is None:
            found = parser.read(question).interpretations
            last = found[0].program if found else None
            continue
        turn = turn_of(parser, db, question, last, judge or (lambda _: False))
        if judge is not None and turn.found:
            yield turn
        programs = [each.edit.program for each in turn.found]
        right = [each for each, yes in zip(programs, turn.right, strict=True) if yes]
        last = next(iter((*right, *turn.asked.found[:1], last)))


def made_turns(
    parser: DatabaseInference, database: AskedDatabase, most: int, draw: random.Random
) -> Iterator[LearnedTurn]:
    """Made-up follow-ups of questions that are understood, and each time a question that stands by
    itself."""
    known = []
    for question in draw.sample(database.questions, len(database.questions)):
        found = parser.read(question.text).interpretations[:1]
        if found and question.right and database.judge(question, found[0].program):
            known.append((question, found[0].program))
        if len(known) == most:
            break
    for (_, last), (other, _) in zip(known, [*known[1:], *known[:1]], strict=True):
        made = [*make_follow_ups(last, database.domain.layer, database.rows, draw)]
        draw.shuffle(made)
        name = f"typed {database.name}"
        for each in made[:MADE]:
            if (judge := _judge_of(each.program, database)) is not None:
                yield turn_of(parser, name, each.text, last, judge)
        yield turn_of(parser, name, other.text, last, lambda p, q=other: database.judge(q, p))  # type: ignore[misc]


def _judge_of(wanted: Program, database: AskedDatabase) -> Judge | None:
    """Whether a program says the same, or gives the same rows; None where there are none."""
    schema, found = database.domain.layer.schema, database.rows.of_program(wanted)
    if not found or not found[0]:
        return None
    (rows,) = found
    same = TypedRows((Answering.of(rows, bool(getattr(wanted, "order", ()))),))

    def judge(program: Program) -> bool:
        if canonical(program, schema) == canonical(wanted, schema):
            return True
        mine = database.rows.of_program(program)
        return mine is not None and len(rows) > 1 and same.exact(mine[0])

    return judge


# --- weights ---------------------------------------------------------------------------------


def fit_conversations(turns: Sequence[LearnedTurn], doubtful_below: float) -> FollowUpModel:
    """The model of all turns; its trust is fitted on edits that models of other databases rank."""
    names = sorted({turn.db for turn in turns})
    rows, right = [], []
    for fold in range(FOLDS):
        inside = set(names[fold::FOLDS])
        weights = fit_weights([turn for turn in turns if turn.db not in inside])
        for turn in turns:
            if turn.db in inside and turn.found:
                ranked = ranked_programs(turn.found, weights)
                rows.append(trust_features(ranked, turn.asked))
                right.append(turn.right[turn.found.index(ranked[0][0])])
    return FollowUpModel(fit_weights(turns), _logistic(rows, right), doubtful_below)


def fit_weights(turns: Sequence[LearnedTurn]) -> Weights:
    """Of the features of edits: the right ones are the likeliest."""
    some = [turn for turn in turns if any(turn.right) and not all(turn.right)]
    names = _names(turns)
    rows = [each.features for turn in some for each in turn.found]
    group = torch.tensor([n for n, turn in enumerate(some) for _ in turn.found])
    right = torch.tensor([float(yes) for turn in some for yes in turn.right])

    def loss(scores: Tensor) -> Tensor:
        top = torch.full((len(some),), -1e9).scatter_reduce(0, group, scores, "amax").detach()
        grown = torch.exp(scores - top[group])
        whole = torch.zeros(len(some)).scatter_add(0, group, grown)
        good = torch.zeros(len(some)).scatter_add(0, group, grown * right)
        return (torch.log(whole) - torch.log(good + 1e-12)).sum()

    return _minimize(names, rows, loss, DECAY)


def _names(turns: Sequence[LearnedTurn]) -> list[str]:
    count, places = Counter[str](), defaultdict(set)
    for turn in turns:
        for name in {name for each in turn.found for name in each.features}:
            count[name] += 1
            places[name].add(turn.db)
    return sorted(
        name
        for name in count
        if not name.startswith(WORDS) or (count[name] >= LEAST and len(places[name]) >= DATABASES)
    )


def _logistic(rows: Sequence[Weights], right: Sequence[bool]) -> Weights:
    wanted = torch.tensor([float(yes) for yes in right])
    names = sorted({name for row in rows for name in row})
    entropy = torch.nn.functional.binary_cross_entropy_with_logits
    return _minimize(names, rows, lambda x: entropy(x, wanted, reduction="sum"), TRUST_DECAY)


def _minimize(
    names: Sequence[str], rows: Sequence[Weights], loss: Callable[[Tensor], Tensor], decay: float
) -> Weights:
    place = {name: number for number, name in enumerate(names)}
    table = torch.zeros(len(rows), len(names))
    for number, row in enumerate(rows):
        for name, value in row.items():
            if name in place:
                table[number, place[name]] = value
    plain = torch.tensor([name.startswith((*WORDS, "kind ")) for name in names])
    scale = torch.where(plain, torch.ones(1), table.std(0).clamp(min=0.05))
    table /= scale
    weights = torch.zeros(len(names), requires_grad=True)
    optimizer = torch.optim.LBFGS([weights], max_iter=300, line_search_fn="strong_wolfe")

    def step() -> float:
        optimizer.zero_grad()
        cost = loss(table @ weights) + decay * (weights**2).sum()
        cost.backward()  # type: ignore[no-untyped-call]
        return float(cost.detach())

    optimizer.step(step)  # type: ignore[no-untyped-call]
    found = zip(names, (weights.detach() / scale).tolist(), strict=True)
    least = {name: SMALL_WORD if name.startswith(WORDS) else SMALL for name in names}
    return {name: round(value, 3) for name, value in found if abs(value) >= least[name]}
