"""The figures of answered questions, as plain values and as lines."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from partwise.evaluation.confidence import Judgement, at_coverage, calibration_error, chance_error
from partwise_papers.databases.measuring import AnsweredQuestion
from partwise_papers.typed_databases.check import KINDS

SHARES = (0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
"""Of the questions with a reading, the most probable first, that the risk is told for."""
DIGITS = 4
DRAWS = 1000
FEW_DATABASES = 10
"""With fewer databases than this, intervals draw questions in place of databases."""


def figures(answered: Sequence[AnsweredQuestion]) -> dict[str, Any]:
    """Counts, accuracy, calibration and seconds of questions."""
    asked = [one for one in answered if one.answerable]
    others = [one for one in answered if not one.answerable]
    told = [one for one in answered if not _refused(one)]
    return {
        **_counted(answered),
        "answerable": {
            "questions": len(asked),
            "right": _share(one.verdict == "right" for one in asked),
            "exact": _share(one.exact for one in asked),
            "right before refusing": _share(one.best for one in asked),
            "right but refused": _share(one.best and one.verdict == "refused" for one in asked),
        },
        "unanswerable": {
            "questions": len(others),
            "refused": _share(one.verdict == "right" for one in others),
        },
        "right when answered": _share(one.verdict == "right" for one in told),
        "kinds": {kind: _counted(some) for kind, some in _by_kind(answered).items()},
        **trust(answered),
        "interval": _intervals(answered),
        "seconds": _seconds([one.seconds for one in answered]),
    }


def text(name: str, said: Mapping[str, Any]) -> str:
    """The figures of a set as lines."""
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


def auc(judged: Sequence[Judgement]) -> float | None:
    """The chance that a right prediction is more probable than a wrong one; None without both."""
    right = np.array([one.probability for one in judged if one.right])[:, None]
    wrong = np.array([one.probability for one in judged if not one.right])[None]
    if not right.size or not wrong.size:
        return None
    return float((right > wrong).mean() + (right == wrong).mean() / 2)


def _refused(one: AnsweredQuestion) -> bool:
    return one.verdict == "refused" or (not one.answerable and one.verdict == "right")


def _counted(some: Sequence[AnsweredQuestion]) -> dict[str, Any]:
    count = Counter(one.verdict for one in some)
    counts = {name: count[name] for name in ("right", "wrong", "refused")}
    accuracy = _share(one.verdict == "right" for one in some)
    return {"questions": len(some), **counts, "accuracy": accuracy}


def _by_kind(answered: Sequence[AnsweredQuestion]) -> dict[str, list[AnsweredQuestion]]:
    kinds = [*KINDS, *sorted({one.kind for one in answered} - set(KINDS))]
    made = {kind: [one for one in answered if one.kind == kind] for kind in kinds}
    return {kind: some for kind, some in made.items() if some}


def trust(answered: Sequence[AnsweredQuestion]) -> dict[str, Any]:
    """How far probabilities can be trusted; of answers, and of all best readings."""
    judged = _judged(answered)
    told = _judged(one for one in answered if not _refused(one))
    risk = {str(share): _round(1 - at_coverage(judged, share)[0]) for share in SHARES if judged}
    return {
        "calibration error": _round(calibration_error(told)) if told else None,
        "calibration error by chance": _round(chance_error(told)) if told else None,
        "calibration error before refusing": _round(calibration_error(judged)) if judged else None,
        "auc": _round(auc(judged)),
        "risk at coverage": risk,
    }


def _intervals(answered: Sequence[AnsweredQuestion]) -> dict[str, Any]:
    """95 % intervals (percentile bootstrap): databases are drawn again with all their questions, or
    questions where there are few databases."""
    by_database: dict[str, list[AnsweredQuestion]] = defaultdict(list)
    for one in answered:
        by_database[one.database].append(one)
    whole = len(by_database) >= FEW_DATABASES
    units = list(by_database.values()) if whole else [[one] for one in answered]
    chance = random.Random(0)
    drawn: dict[str, list[float]] = defaultdict(list)
    for _ in range(DRAWS):
        some = [one for unit in chance.choices(units, k=len(units)) for one in unit]
        asked = [one for one in some if one.answerable]
        drawing = {
            "right": _share(one.verdict == "right" for one in asked),
            "right before refusing": _share(one.best for one in asked),
            "auc": auc(_judged(some)),
        }
        for name, value in drawing.items():
            drawn[name] += [] if value is None else [value]
    ends = {
        name: np.percentile(values, (2.5, 97.5)).tolist()
        for name, values in drawn.items()
        if values
    }
    rounded = {name: [_round(end) for end in pair] for name, pair in ends.items()}
    return {"drawn": "databases" if whole else "questions", **rounded}


def _judged(answered: Iterable[AnsweredQuestion]) -> list[Judgement]:
    """Best readings, refused or not."""
    return [Judgement(one.probability, one.best) for one in answered if one.probability is not None]


def _seconds(some: Sequence[float]) -> dict[str, float | None]:
    return {
        f"p{part}": _round(float(np.percentile(some, part))) if some else None for part in (50, 99)
    }


def _share(some: Any) -> float | None:
    values = list(some)
    return _round(sum(values) / len(values)) if values else None


def _round(value: float | None) -> float | None:
    return None if value is None else round(value, DIGITS)


def _between(ends: Sequence[float] | None) -> str:
    return "" if ends is None else f" (95 % interval {_percent(ends[0])} to {_percent(ends[1])})"


def _percent(value: float | None) -> str:
    return "-" if value is None else f"{100 * value:.1f} %"
