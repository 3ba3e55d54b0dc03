"""The induced lexicon while it is counted: its table stands among the weights, with those of its
two features. See `partwise.span.induced`."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

import numpy as np
import torch
from torch import Tensor, nn

from partwise.span.induced import (
    LEAST,
    Array,
    Counted,
    Gram,
    InducedCounts,
    Tables,
    grams_of,
)
from partwise.span.labels import Prepared
from partwise.training.model_1 import model_1


class InducedLexicon(InducedCounts, nn.Module):
    """`InducedCounts` that are still counted. `weight`, `rival_weight`: of what speaks for a label,
    and against it."""

    counts: Tensor
    seen: Tensor
    used: Tensor

    def __init__(
        self, grams: Sequence[Gram], outputs: int, names: Sequence[str], first: int
    ) -> None:
        nn.Module.__init__(self)
        InducedCounts.__init__(self, grams, outputs, names, first)
        self.register_buffer("counts", torch.zeros(len(self.grams), len(names)))
        self.register_buffer("seen", torch.zeros(len(self.grams)))
        self.register_buffer("used", torch.zeros(len(names)))
        self.weight = nn.Parameter(torch.tensor(0.8))
        self.rival_weight = nn.Parameter(torch.tensor(-0.2))

    def tables(self) -> Tables:
        return Tables(*(part.cpu().numpy() for part in (self.counts, self.seen, self.used)))

    def forward(self, own: Tensor, rivals: Tensor, more: float = 0.0) -> Tensor:
        """What evidence adds to the logits, in units of a lexicon feature. `more`: added to the
        weight of what speaks for a label."""
        return (self.weight + more) * own + self.rival_weight * rivals

    def count(self, source: str, question: Prepared, posterior: Array) -> None:
        """Replace a training question's counts by those of a posterior ``[spans, outputs]``."""
        places, rows = self.places(question)
        values = posterior[places][:, self.predicates]
        at, columns = np.nonzero(values > LEAST)
        self._replace(source, Counted(rows, rows[at], columns, values[at, columns]))

    def begin(self, questions: Mapping[str, tuple[Sequence[str], Sequence[int]]]) -> None:
        """Count by Model 1: questions have words, and the numbers of their programs' constants, of
        which the first are the predicates'."""
        # None is no word.
        pairs = [(((None, *words), constants), 1.0) for words, constants in questions.values()]
        shares, predicates = model_1(pairs), self.counts.shape[1]
        for source, (words, constants) in questions.items():
            counts: defaultdict[tuple[int, int], float] = defaultdict(float)
            for constant in constants:
                options = [(word, shares.get((word, constant), 0.0)) for word in words]
                total = sum(share for _, share in options) + shares.get((None, constant), 0.0)
                for word, share in options:
                    row = self.rows.get((word,))
                    if row is not None and constant < predicates:
                        counts[row, constant] += share / max(total, 1e-12)
            kept = [(row, column, n) for (row, column), n in counts.items() if n > LEAST]
            table = np.array(kept, np.float32).reshape(-1, 3)
            seen = [self.rows[gram] for gram in grams_of(words) if gram in self.rows]
            pair = table[:, :2].astype(np.int64)
            self._replace(
                source, Counted(np.array(seen, np.int64), pair[:, 0], pair[:, 1], table[:, 2])
            )
            used = sorted({number for number in constants if number < predicates})
            self.used[torch.tensor(used, dtype=torch.long)] += 1.0

    def _replace(self, source: str, counted: Counted) -> None:
        for evidence, sign in ((self.own.get(source), -1.0), (counted, 1.0)):
            if evidence is not None:
                device = self.counts.device
                rows, columns, seen = (
                    torch.from_numpy(part).to(device)
                    for part in (evidence.rows, evidence.columns, evidence.seen)
                )
                values = sign * torch.from_numpy(evidence.values).to(device)
                self.counts.index_put_((rows, columns), values, accumulate=True)
                self.seen.index_add_(0, seen, torch.full(seen.shape, sign, device=device))
        self.own[source] = counted

    def own_counts(self) -> dict[str, Tensor]:
        """What each question gave, one after the other in the order of their sources."""
        all_ = [self.own[source] for source in sorted(self.own)]
        sizes = [[len(one.seen), len(one.rows)] for one in all_]
        parts = {
            "seen": np.concatenate([one.seen for one in all_]),
            "rows": np.concatenate([one.rows for one in all_]),
            "columns": np.concatenate([one.columns for one in all_]),
            "values": np.concatenate([one.values for one in all_]),
            "sizes": np.array(sizes, np.int64),
        }
        return {name: torch.from_numpy(part) for name, part in parts.items()}

    def restore(self, state: Mapping[str, Tensor]) -> None:
        """Take what `own_counts` gave; the table itself is among the weights."""
        cuts = np.cumsum(state["sizes"].numpy(), 0)[:-1]
        split = {
            name: np.split(state[name].numpy(), cuts[:, int(name != "seen")])
            for name in ("seen", "rows", "columns", "values")
        }
        for place, source in enumerate(sorted(self.own)):
            self.own[source] = Counted(**{name: parts[place] for name, parts in split.items()})
