"""The metrics of answered questions, as plain values and as lines."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from partwise.evaluation.confidence import Judgement, at_coverage, calibration_error, chance_error
from partwise_papers.typed_databases.check import KINDS

SHARES = (0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
"""Of the questions with an interpretation, the most probable first, that the risk is told for."""
DIGITS = 4
DRAWS = 1000
FEW_DATABASES = 10
"""With fewer databases than this, intervals draw questions in place of databases."""


@dataclass(frozen=True)
class AnsweredQuestion:
    """What a parser made of a question.

    Attributes:
        answerable: whether the database can tell.
        verdict: a refusal is right where the database cannot tell.
        exact: whether the rows are those of the query, no column more.
        best: whether the best interpretation is right, refused or not.
        probability: of the best interpretation; None if there is none.
        seconds: that the call took.
    """

    id: str
    database: str
    kind: str
    answerable: bool
    verdict: Literal["right", "wrong", "refused"]
    exact: bool
    best: bool
    probability: float | None
    seconds: float


def metrics(answered: Sequence[AnsweredQuestion]) -> dict[str, Any]:
    """Counts, accuracy, calibration and seconds of questions."""
    table = _table(answered)
    asked, others = table[table.answerable], table[~table.answerable]
    kinds = [*KINDS, *sorted({*table.kind} - {*KINDS})]
    return {
        **_count(table),
        "answerable": {
            "questions": len(asked),
            "right": _share(asked.right),
            "exact": _share(asked.exact),
            "right before refusing": _share(asked.best),
            "right but refused": _share(asked.best & asked.refused),
        },
        "unanswerable": {"questions": len(others), "refused": _share(others.right)},
        "right when answered": _share(table.right[~table.refused]),
        "kinds": {kind: _count(of) for kind in kinds if len(of := table[table.kind == kind])},
        **confidence(answered),
        "interval": _intervals(table),
        "seconds": {f"p{part}": _round(table.seconds.quantile(part / 100)) for part in (50, 99)},
    }


def text(name: str, said: Mapping[str, Any]) -> str:
    """The metrics of a set as lines."""
    asked, others = said["answerable"], said["unanswerable"]
    by_chance = _percent(said["calibration error by chance"])
    lines = [
        f"{name}: {said['questions']} questions, {said['right']} right, {said['wrong']} wrong, "
        f"{said['refused']} refused",
        f"  answerable: {_percent(asked['right'])} right ({_percent(asked['exact'])} with exactly "
        f"the rows, {_percent(asked['right before refusing'])} before refusing)",
        f"  unanswerable: {_percent(others['refused'])} of {others['questions']} refused",
        f"  right when answered: {_percent(said['right when answered'])}; calibration error "
        f"{_percent(said['calibration error'])} ({by_chance} by chance alone); AUC "
        f"{_percent(said['auc'])}{_between(said['interval'].get('auc'))}",
        f"  seconds a question: p50 {said['seconds']['p50']}, p99 {said['seconds']['p99']}",
    ]
    lines += [
        f"  {kind:<14}{of['questions']:>5} {_percent(of['accuracy']):>8}"
        for kind, of in said["kinds"].items()
    ]
    return "\n".join(lines)


def auc(probability: NDArray[np.float64], right: NDArray[np.bool_]) -> float | None:
    """The chance that a right prediction is more probable than a wrong one; None without both."""
    good, bad = probability[right][:, None], probability[~right][None]
    if not good.size or not bad.size:
        return None
    return float((good > bad).mean() + (good == bad).mean() / 2)


def confidence(answered: Sequence[AnsweredQuestion]) -> dict[str, Any]:
    """How far probabilities can be trusted; of answers, and of all best interpretations."""
    table = _table(answered).dropna(subset="probability")
    judged, told = _judgements(table), _judgements(table[~table.refused])
    risk = {str(share): _round(1 - at_coverage(judged, share)[0]) for share in SHARES if judged}
    return {
        "calibration error": _round(calibration_error(told)) if told else None,
        "calibration error by chance": _round(chance_error(told)) if told else None,
        "calibration error before refusing": _round(calibration_error(judged)) if judged else None,
        "auc": _round(auc(table.probability.to_numpy(), table.best.to_numpy())),
        "risk at coverage": risk,
    }


def _table(answered: Sequence[AnsweredQuestion]) -> pd.DataFrame:
    """A row for each question; `refused` has the right refusals, too."""
    names = [field.name for field in fields(AnsweredQuestion)]
    kinds = {"answerable": bool, "exact": bool, "best": bool, "probability": float}
    table = pd.DataFrame(map(vars, answered), columns=names).astype(kinds)
    right = table.verdict == "right"
    refused = (table.verdict == "refused") | (right & ~table.answerable)
    return table.assign(right=right, refused=refused)


def _count(table: pd.DataFrame) -> dict[str, Any]:
    counts = {name: int((table.verdict == name).sum()) for name in ("right", "wrong", "refused")}
    return {"questions": len(table), **counts, "accuracy": _share(table.right)}


def _judgements(table: pd.DataFrame) -> list[Judgement]:
    return [Judgement(*pair) for pair in zip(table.probability, table.best, strict=True)]


def _intervals(table: pd.DataFrame) -> dict[str, Any]:
    """95 % intervals (percentile bootstrap): databases are drawn again with all their questions, or
    questions where there are few databases."""
    names = table.database.unique()
    whole = len(names) >= FEW_DATABASES
    units = [np.flatnonzero(table.database == name) for name in names] if whole else []
    units = units or [np.array([place]) for place in range(len(table))]
    columns = table[["answerable", "right", "best", "probability"]].to_numpy(float)
    chance, drawn = random.Random(0), defaultdict[str, list[float]](list)
    for _ in range(DRAWS):
        some = columns[np.concatenate(chance.choices(units, k=len(units)))]
        asked, known = some[some[:, 0] == 1], some[~np.isnan(some[:, 3])]
        values = {
            "right": _share(asked[:, 1]),
            "right before refusing": _share(asked[:, 2]),
            "auc": auc(known[:, 3], known[:, 2] == 1),
        }
        for name, value in values.items():
            drawn[name] += [] if value is None else [value]
    ends = {name: np.percentile(some, (2.5, 97.5)) for name, some in drawn.items() if some}
    rounded = {name: [_round(end) for end in pair] for name, pair in ends.items()}
    return {"drawn": "databases" if whole else "questions", **rounded}


def _share(some: Any) -> float | None:
    return _round(some.mean()) if len(some) else None


def _round(value: float | None) -> float | None:
    return None if value is None or np.isnan(value) else round(float(value), DIGITS)


def _between(ends: Sequence[float] | None) -> str:
    return "" if ends is None else f" (95 % interval {_percent(ends[0])} to {_percent(ends[1])})"


def _percent(value: float | None) -> str:
    return "-" if value is None else f"{100 * value:.1f} %"
