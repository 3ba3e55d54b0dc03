"""Learning to choose among the interpretations of questions.

Of each question the interpretations that a search finds are kept, and which of them give the right
rows. Training makes the right ones together as probable as it can (the likelihood of the right
rows, with the tree latent), among those that were found.
"""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import torch
from torch import Tensor, nn
from torch.nn.functional import normalize

from partwise.database.context import Context
from partwise.database.features import RoleUse, SchemaDerivation
from partwise.database.network import SchemaScorer
from partwise.database.scorer import SchemaVocabulary, arrays_of
from partwise.database.spans.names import SchemaItem
from partwise.database.spans.text import words_of
from partwise.database.spans.vectors import name_vectors, word_vectors
from partwise.encoders.base import Encoder
from partwise.training.resuming import EVERY, TrainingState

ENCODER_RATE = 5e-5
"""Of learning, for an encoder that comes pretrained."""


@dataclass(frozen=True)
class Pace:
    """How long and how fast a scorer learns.

    Attributes:
        epochs: passes over the questions.
        rate: of AdamW at the beginning; it falls to nothing in a half cosine.
        encoder_rate: the same for an encoder.
        batch: questions that it learns from together.
    """

    epochs: int
    seed: int = 0
    rate: float = 1e-3
    encoder_rate: float = ENCODER_RATE
    batch: int = 16


@dataclass(frozen=True)
class Candidates:
    """The interpretations of one question.

    Attributes:
        text: the question.
        called: the names of its database, as `LayerNames.texts`.
        words: ``[words, dim]``.
        names: ``[names, dim]``, of `called`.
        rows: which names are of which item; it need only have those that the question speaks of.
        context: which names the question may speak of.
        right: of each derivation, whether it gives the right rows.
    """

    text: str
    called: Sequence[str]
    words: Tensor
    names: Tensor
    rows: Mapping[SchemaItem, Sequence[int]]
    context: Context
    derivations: Sequence[SchemaDerivation]
    right: Sequence[bool]

    def teaches(self) -> bool:
        """Whether some are right, and some wrong."""
        return 0 < sum(self.right) < len(self.right)


def vocabulary_of(lists: Iterable[Candidates], least: int = 4) -> SchemaVocabulary:
    """What occurs in some interpretations at least so often; of spans' roles and of steps twice as
    often, as they have more weights."""
    roles: Counter[str] = Counter()
    steps: Counter[str] = Counter()
    features: Counter[str] = Counter()
    for some in lists:
        for tree in some.derivations:
            roles.update({use.role for use in tree.uses})
            steps.update(set(tree.steps))
            features.update(tree.features.keys())
    wide = 2 * least if least > 1 else 1
    return SchemaVocabulary(
        _frequent(roles, wide), _frequent(steps, wide), _frequent(features, least)
    )


def _frequent(counts: Counter[str], least: int) -> tuple[str, ...]:
    return tuple(sorted(name for name, count in counts.items() if count >= least))


@dataclass(frozen=True, eq=False)
class PreparedCandidates:
    """The interpretations of a question as numbers; rows are interpretations.

    Attributes:
        places: of each item that is used, its names in the context.
        roles: rows, spans and roles of all uses.
        named: rows, spans and items of those that stand for the item.
        priors: rows, items and roles.
        skips: rows and words.
        steps: rows and steps.
        features: rows, figures and values.
        rest: ``[rows]``, what figures give that the scorer has no weight for.
    """

    text: str
    called: Sequence[str]
    words: Tensor
    names: Tensor
    context: Context
    spans: Sequence[tuple[int, int]]
    places: Sequence[Sequence[int]]
    roles: Tensor
    named: Tensor
    priors: Tensor
    skips: Tensor
    steps: Tensor
    features: tuple[Tensor, Tensor]
    rest: Tensor
    right: Tensor


class _Uses:
    """What the interpretations of a question use: spans and items, numbered, and triples of an
    interpretation with two of these and of roles."""

    def __init__(self, some: Candidates, scorer: SchemaScorer) -> None:
        self.at = some.context.places(some.rows)
        self.spans: dict[tuple[int, int], int] = {}
        self.items: dict[SchemaItem, int] = {}
        self.roles: list[tuple[int, ...]] = []
        self.named: list[tuple[int, ...]] = []
        self.priors: list[tuple[int, ...]] = []
        for row, tree in enumerate(some.derivations):
            for use in tree.uses:
                self._add(row, use, scorer.role_ids.get(use.role))

    def _add(self, row: int, use: RoleUse, role: int | None) -> None:
        span = self.spans.setdefault((use.start, use.end), len(self.spans))
        if role is not None:
            self.roles.append((row, span, role))
        if use.item is None or use.item not in self.at:
            return
        item = self.items.setdefault(use.item, len(self.items))
        if role is not None:
            self.priors.append((row, item, role))
        if use.named:
            self.named.append((row, span, item))


def prepared(some: Candidates, scorer: SchemaScorer) -> PreparedCandidates:
    """The interpretations of a question, ready for training."""
    uses = _Uses(some, scorer)
    each = list(enumerate(some.derivations))
    ids, known = scorer.step_ids, scorer.feature_ids
    steps = [(row, ids[name]) for row, tree in each for name in tree.steps if name in ids]
    weighted = [
        (row, known[name], value)
        for row, tree in each
        for name, value in tree.features.items()
        if name in known
    ]
    skips = [(row, word) for row, tree in each for word in tree.skipped]
    values = torch.tensor([three[2] for three in weighted])
    return PreparedCandidates(
        some.text,
        some.called,
        some.words,
        some.names,
        some.context,
        spans=list(uses.spans),
        places=[uses.at[item] for item in uses.items],
        roles=_columns(uses.roles, 3),
        named=_columns(uses.named, 3),
        priors=_columns(uses.priors, 3),
        skips=_columns(skips, 2),
        steps=_columns(steps, 2),
        features=(_columns([three[:2] for three in weighted], 2), values),
        rest=torch.tensor([scorer.rest(tree.features) for tree in some.derivations]),
        right=torch.tensor(some.right, dtype=torch.bool),
    )


def _columns(rows: Sequence[tuple[int, ...]], width: int) -> Tensor:
    """``[width, rows]``."""
    return torch.tensor(rows, dtype=torch.long).view(-1, width).T


def scores_of(given: PreparedCandidates, scorer: SchemaScorer) -> Tensor:
    """``[members, interpretations]``: the score of each, as `ChartScores` sums it."""
    read = arrays_of(given.context, len(given.words), given.spans, given.places)
    near = given.names[list(given.context.rows)]
    roles, match, prior, skips, steps = scorer(given.words, near, *map(torch.from_numpy, read))
    total = given.rest.repeat(scorer.members, 1).to(roles.dtype)
    for rows, table in ((given.roles, roles), (given.named, match), (given.priors, prior)):
        total = total.index_add(1, rows[0], table[:, rows[1], rows[2]])
    for rows, table in ((given.skips, skips), (given.steps, steps)):
        total = total.index_add(1, rows[0], table[:, rows[1]])
    (row, feature), value = given.features
    return total.index_add(1, row, scorer.weights[:, feature] * value.to(total.dtype))


def loss_of(given: PreparedCandidates, scorer: SchemaScorer) -> Tensor:
    """Minus the log-likelihood of the right interpretations among all, the mean over members."""
    scores = scores_of(given, scorer)
    return (scores.logsumexp(1) - scores[:, given.right].logsumexp(1)).mean()


def train(
    scorer: SchemaScorer,
    lists: Iterable[Candidates],
    pace: Pace,
    encoder: Encoder | None = None,
    tick: Callable[[int, float], object] | None = None,
    state: Path | None = None,
    every: float = EVERY,
) -> None:
    """Train a scorer; questions without a right or without a wrong interpretation teach nothing.

    Args:
        encoder: is trained, too, but for its table of pieces, and gives the vectors. Each batch is
            from one database, so that names are encoded once a batch.
        tick: told each epoch and its mean loss, while nothing is dropped from the networks.
        state: folder for the state that a training goes on from which was stopped; None for none.
        every: seconds between two states.

    Raises:
        CheckpointError: if the state is damaged, or cannot be written.
    """
    usable = [prepared(given, scorer) for given in lists if given.teaches()]
    draw = random.Random(pace.seed)
    torch.manual_seed(pace.seed)
    learned = [] if encoder is None else _trained_layers(encoder)
    optimizer = _make_optimizer(scorer, learned, pace)
    steps = pace.epochs * len(_batches(usable, pace.batch, draw, encoder is not None))
    schedule = _falling(optimizer, steps, steps // 20)
    networks = {"scorer": scorer} if encoder is None else {"scorer": scorer, "encoder": encoder}
    facts = {"seed": pace.seed, "epochs": pace.epochs, "batch": pace.batch, "lists": len(usable)}
    kept = TrainingState(state, networks, optimizer, schedule, facts, every)
    (done, sum_), step = kept.restore(), 0
    for epoch in range(pace.epochs):
        nn.ModuleDict(networks).train()
        for part in _batches(usable, pace.batch, draw, encoder is not None):
            step += 1
            if step > done:
                seen = part if encoder is None else encoded(part, encoder)
                sum_ += _descend(seen, optimizer, scorer, learned) * len(part)
                schedule.step()
                kept.keep(step, sum_)
        nn.ModuleDict(networks).eval()
        if tick is not None and step >= done:
            tick(epoch, sum_ / max(1, len(usable)))
        sum_ = sum_ if step < done else 0.0
    kept.forget()
    for network in networks.values():
        network.requires_grad_(network is scorer)


def _falling(
    optimizer: torch.optim.Optimizer, steps: int, warm: int
) -> torch.optim.lr_scheduler.LambdaLR:
    """Rates that rise for `warm` steps, and fall to nothing in a half cosine."""

    def rate(step: int) -> float:
        half_cosine = (1 + math.cos(math.pi * step / max(1, steps))) / 2
        return min(1.0, (step + 1) / (warm + 1)) * half_cosine

    return torch.optim.lr_scheduler.LambdaLR(optimizer, rate)


def _descend(
    part: Sequence[PreparedCandidates],
    optimizer: torch.optim.Optimizer,
    scorer: SchemaScorer,
    learned: Sequence[nn.Parameter],
) -> float:
    """A step of the optimizer, with gradients that are not too long; the mean loss before it."""
    loss = torch.stack([loss_of(given, scorer) for given in part]).mean()
    optimizer.zero_grad()
    loss.backward()  # type: ignore[no-untyped-call]
    torch.nn.utils.clip_grad_norm_(scorer.parameters(), 5.0)
    torch.nn.utils.clip_grad_norm_(learned, 1.0)
    optimizer.step()
    return float(loss.item())


def _make_optimizer(
    scorer: nn.Module, learned: Sequence[nn.Parameter], pace: Pace
) -> torch.optim.AdamW:
    """AdamW over the scorer and what is trained of an encoder, if anything."""
    weights = [weight for name, weight in scorer.named_parameters() if name == "weights"]
    others = [weight for name, weight in scorer.named_parameters() if name != "weights"]
    groups = [
        {"params": weights, "weight_decay": 1e-3, "lr": 10 * pace.rate},
        {"params": others, "weight_decay": 0.05, "lr": pace.rate},
        {"params": list(learned), "weight_decay": 0.01, "lr": pace.encoder_rate},
    ]
    return torch.optim.AdamW(groups if learned else groups[:2], fused=True)


def _trained_layers(encoder: Encoder) -> list[nn.Parameter]:
    """What is trained of an encoder: all but its table of pieces, which rare words share."""
    made = [weight for name, weight in encoder.named_parameters() if "embeddings" not in name]
    for weight in made:
        weight.requires_grad_(True)
    return made


def _batches(
    usable: Sequence[PreparedCandidates], batch: int, draw: random.Random, together: bool
) -> list[list[PreparedCandidates]]:
    """All questions in batches, in an order that is drawn. `together`: whether the questions of a
    batch are to one database."""
    groups: dict[tuple[str, ...], list[PreparedCandidates]] = {}
    for given in usable:
        groups.setdefault(tuple(given.called) if together else (), []).append(given)
    made = []
    for some in groups.values():
        draw.shuffle(some)
        made += [some[start : start + batch] for start in range(0, len(some), batch)]
    draw.shuffle(made)
    return made


def encoded(part: Sequence[PreparedCandidates], encoder: Encoder) -> list[PreparedCandidates]:
    """Questions to one database with the vectors that an encoder gives them now."""
    called = part[0].called
    rows = sorted({row for given in part for row in given.context.rows})
    some = normalize(torch.stack(name_vectors(encoder, [called[row] for row in rows])), dim=1)
    names = some.new_zeros(len(called), encoder.dim).index_copy(0, torch.tensor(rows), some)
    asked = [(given.text, words_of(given.text)) for given in part]
    return [
        replace(given, words=words, names=names)
        for given, words in zip(part, word_vectors(encoder, asked), strict=True)
    ]
