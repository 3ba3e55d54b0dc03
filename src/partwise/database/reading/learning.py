"""Learning to choose among the readings of questions.

Of each question the readings that a search finds are kept, and which of them give the right rows.
Training makes the right ones together as probable as it can (the likelihood of the right rows, with
the reading latent), among those that were found.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise, starmap
from pathlib import Path

import torch
from torch import Tensor, nn

from partwise.database.context import Context
from partwise.database.learning import Pace, falling, make_optimizer, trained_layers
from partwise.database.reading.features import FIRST_WEIGHTS, features, pair_feature, skip_features
from partwise.database.reading.readings import Reading
from partwise.database.reading.scorer import ReadingScorer, ScoredNames, role_of
from partwise.database.spans.names import SchemaItem
from partwise.database.spans.text import Word, words_of
from partwise.database.spans.vectors import name_vectors, word_vectors
from partwise.encoders import Encoder
from partwise.training.resuming import EVERY, TrainingState


@dataclass(frozen=True, slots=True)
class Judged:
    """A reading as far as its score goes.

    Attributes:
        used: ``(start, end, role, thing, named)`` of each label; `named` tells whether the words
            stand for the thing, and not for a value that it has.
        skipped: numbers of the words that gave nothing.
        shifts: what was added without a word, and the shape of the program.
        features: summed, by name.
        right: whether it gives the right rows.
    """

    used: tuple[tuple[int, int, str, SchemaItem | None, bool], ...]
    skipped: tuple[int, ...]
    shifts: tuple[str, ...]
    features: Mapping[str, float]
    right: bool


@dataclass(frozen=True)
class Readings:
    """The readings of one question.

    Attributes:
        text: the question.
        called: the names of its database, as `LayerNames.texts`.
        words: ``[words, dim]``.
        names: ``[names, dim]``, of `called`.
        things: what each name names.
        context: which names the question may speak of.
    """

    text: str
    called: Sequence[str]
    words: Tensor
    names: Tensor
    things: Mapping[SchemaItem, Sequence[int]]
    context: Context
    readings: Sequence[Judged]


def judged(reading: Reading, words: Sequence[Word], right: bool) -> Judged:
    """A reading, and whether it is right."""
    total: Counter[str] = Counter()
    used = []
    total.update(starmap(pair_feature, pairwise([None, *reading.used, None])))
    for label, role in reading.used:
        for name, value in features(label, role).items():
            total[name] += value  # type: ignore[assignment]
        named = label.kind != "value"
        used.append((label.start, label.end, role_of(label, role), label.thing, named))
    for number in reading.skipped:
        for name, value in skip_features(words[number]).items():
            total[name] += value  # type: ignore[assignment]
    added = (*reading.shifts, *reading.shape)
    for name in added:
        total[f"shift {name}"] += 1
    return Judged(tuple(used), reading.skipped, added, dict(total), right)


def vocabulary_of(lists: Iterable[Readings], least: int = 3) -> ScoredNames:
    """What occurs in some readings at least so often.

    All features with a first weight are among it, so that a search scores none that training leaves
    out.
    """
    roles: Counter[str] = Counter()
    shifts: Counter[str] = Counter()
    names: Counter[str] = Counter()
    for some in lists:
        for one in some.readings:
            roles.update({role for _, _, role, *_ in one.used})
            shifts.update(set(one.shifts))
            names.update(one.features)
    known = {*_frequent(names, least), *FIRST_WEIGHTS}
    return ScoredNames(_frequent(roles, least), _frequent(shifts, least), tuple(sorted(known)))


def _frequent(counts: Counter[str], least: int) -> tuple[str, ...]:
    return tuple(sorted(name for name, count in counts.items() if count >= least))


@dataclass
class _Prepared:
    """The readings of a question as numbers; rows are readings."""

    some: Readings
    spans: Tensor
    roles: tuple[Tensor, Tensor, Tensor]
    things: tuple[Tensor, Tensor, Tensor]
    priors: tuple[Tensor, Tensor, Tensor]
    pads: Tensor
    places: Tensor
    skips: tuple[Tensor, Tensor]
    shifts: tuple[Tensor, Tensor]
    features: tuple[Tensor, Tensor, Tensor]
    right: Tensor


def prepared(some: Readings, scorer: ReadingScorer) -> _Prepared:
    """The readings of a question, ready for training."""
    spans: dict[tuple[int, int], int] = {}
    things: dict[SchemaItem, int] = {}
    roles: list[tuple[int, int, int]] = []
    named: list[tuple[int, int, int]] = []
    priors: list[tuple[int, int, int]] = []
    skips: list[tuple[int, int]] = []
    shifts: list[tuple[int, int]] = []
    weighted: list[tuple[int, int, float]] = []
    for row, one in enumerate(some.readings):
        for start, end, role, thing, says in one.used:
            span = spans.setdefault((start, end), len(spans))
            known_role = scorer.role_ids.get(role)
            if known_role is not None:
                roles.append((row, span, known_role))
            if thing is None or thing not in some.things:
                continue
            number = things.setdefault(thing, len(things))
            if known_role is not None:
                priors.append((row, number, known_role))
            if says:
                named.append((row, span, number))
        skips += [(row, word) for word in one.skipped]
        ids = scorer.shift_ids
        shifts += [(row, ids[name]) for name in one.shifts if name in ids]
        known = scorer.feature_ids
        weighted += [(row, known[n], v) for n, v in one.features.items() if n in known]
    pads = _padded([some.things[one] for one in things])
    at = some.context.places(some.things)
    places = _padded([at[one] for one in things])
    return _Prepared(
        some,
        torch.tensor(list(spans) or [(0, 1)]),
        _columns(roles, 3),  # type: ignore[arg-type]
        _columns(named, 3),  # type: ignore[arg-type]
        _columns(priors, 3),  # type: ignore[arg-type]
        pads,
        places,
        _columns(skips, 2),  # type: ignore[arg-type]
        _columns(shifts, 2),  # type: ignore[arg-type]
        _columns(weighted, 3),  # type: ignore[arg-type]
        torch.tensor([one.right for one in some.readings]),
    )


def _padded(rows: Sequence[Sequence[int]]) -> Tensor:
    """Rows of numbers, the first of each again where others are longer."""
    longest = max(map(len, rows), default=1)
    return torch.tensor([[*one, *([one[0]] * (longest - len(one)))] for one in rows] or [[0]])


def _columns(rows: Sequence[tuple[float, ...]], width: int) -> tuple[Tensor, ...]:
    columns = list(zip(*rows, strict=True)) or [()] * width
    kinds = [
        torch.float if any(isinstance(x, float) for x in column) else torch.long
        for column in columns
    ]
    return tuple(torch.tensor(c, dtype=k) for c, k in zip(columns, kinds, strict=True))


def scores_of(one: _Prepared, scorer: ReadingScorer) -> Tensor:
    """``[members, readings]``: the score of each, as `LearnedScores` sums it."""
    words = one.some.words
    context = one.some.context
    names = one.some.names[list(context.rows)]
    roles, asks, seen, prior = scorer.spans(words, names, context, one.spans)
    total = words.new_zeros(scorer.members, len(one.some.readings))
    row, span, role = one.roles
    total = total.index_add(1, row, roles[:, span, role])
    row, span, thing = one.things
    if len(row):
        count = one.pads.shape
        names = scorer.names(one.some.names[one.pads.flatten()])
        names = names.view(scorer.members, *count, -1)
        match = torch.einsum("msd,mtkd->mstk", asks, names).amax(-1)
        total = total.index_add(1, row, (scorer.scale * match)[:, span, thing])
        total = total.index_add(1, row, seen[:, :, one.places].amax(-1)[:, span, thing])
    row, thing, role = one.priors
    if len(row):
        total = total.index_add(1, row, prior[:, one.places].amax(2)[:, thing, role])
    row, word = one.skips
    total = total.index_add(1, row, scorer.skips(words)[:, word])
    row, shift = one.shifts
    total = total.index_add(1, row, scorer.shift(words)[:, shift])
    row, name, value = one.features
    return total.index_add(1, row, scorer.weights[:, name] * value.to(total.dtype))


def loss_of(one: _Prepared, scorer: ReadingScorer) -> Tensor:
    """Minus the log-likelihood of the right readings among all, the mean over members."""
    scores = scores_of(one, scorer)
    return (scores.logsumexp(1) - scores[:, one.right].logsumexp(1)).mean()


def train(
    scorer: ReadingScorer,
    lists: Sequence[Readings],
    pace: Pace,
    encoder: Encoder | None = None,
    tick: Callable[[int, float], object] | None = None,
    state: Path | None = None,
    every: float = EVERY,
) -> None:
    """Train a scorer; questions without a right or without a wrong reading teach nothing.

    Args:
        encoder: is trained, too, but for its table of pieces; the vectors in `lists` are then not
            used. Each batch is from one database, so that names are encoded once a batch.
        tick: told each epoch and its mean loss.
        state: folder for the state that a training goes on from which was stopped; None for none.
        every: seconds between two states.

    Raises:
        CheckpointError: if the state is damaged, or cannot be written.
    """
    usable = [prepared(one, scorer) for one in lists if 0 < _rights(one) < len(one.readings)]
    draw = random.Random(pace.seed)
    torch.manual_seed(pace.seed)
    learned = [] if encoder is None else trained_layers(encoder)
    optimizer = make_optimizer(scorer, learned, pace)
    steps = pace.epochs * len(_batches(usable, pace.batch, draw, encoder is not None))
    schedule = falling(optimizer, steps, steps // 20 if learned else 0)
    networks = {"scorer": scorer} if encoder is None else {"scorer": scorer, "encoder": encoder}
    for one in networks.values():
        one.train()
    facts = {"seed": pace.seed, "epochs": pace.epochs, "batch": pace.batch, "lists": len(usable)}
    kept = TrainingState(state, networks, optimizer, schedule, facts, every)
    done, sum_ = kept.restore()
    step = 0
    for epoch in range(pace.epochs):
        for part in _batches(usable, pace.batch, draw, encoder is not None):
            step += 1
            if step > done:
                seen = part if encoder is None else _encoded(part, encoder)
                sum_ += _descend(seen, optimizer, scorer, learned) * len(part)
                schedule.step()
                kept.keep(step, sum_)
        if tick is not None and step >= done:
            tick(epoch, sum_ / max(1, len(usable)))
        sum_ = sum_ if step < done else 0.0
    kept.forget()
    for one in networks.values():
        one.eval()
        one.requires_grad_(one is scorer)


def _descend(
    part: Sequence[_Prepared],
    optimizer: torch.optim.Optimizer,
    scorer: ReadingScorer,
    learned: Sequence[nn.Parameter],
) -> float:
    """A step of the optimizer, with gradients that are not too long; the mean loss before it."""
    loss = torch.stack([loss_of(one, scorer) for one in part]).mean()
    optimizer.zero_grad()
    loss.backward()  # type: ignore[no-untyped-call]
    torch.nn.utils.clip_grad_norm_(scorer.parameters(), 5.0)
    torch.nn.utils.clip_grad_norm_(learned, 1.0)
    optimizer.step()
    return float(loss.item())


def _batches(
    usable: Sequence[_Prepared], batch: int, draw: random.Random, together: bool
) -> list[list[_Prepared]]:
    """All questions in batches, in an order that is drawn.

    Args:
        together: whether the questions of a batch are to one database.
    """
    groups: dict[tuple[str, ...], list[_Prepared]] = {}
    for one in usable:
        groups.setdefault(tuple(one.some.called) if together else (), []).append(one)
    made = []
    for some in groups.values():
        draw.shuffle(some)
        made += [some[start : start + batch] for start in range(0, len(some), batch)]
    draw.shuffle(made)
    return made


def _encoded(part: Sequence[_Prepared], encoder: Encoder) -> list[_Prepared]:
    """Questions to one database with the vectors that an encoder gives them now."""
    names = name_vectors(encoder, part[0].some.called)
    asked = [(one.some.text, words_of(one.some.text)) for one in part]
    return [
        replace(one, some=replace(one.some, words=words, names=names))
        for one, words in zip(part, word_vectors(encoder, asked), strict=True)
    ]


def _rights(one: Readings) -> int:
    return sum(reading.right for reading in one.readings)
