"""How the shipped parsers do on questions as people type them: counts alone, no single questions.

    python benchmarks/typed.py

What is right is judged with `at_least` 0, so that what a threshold refuses of it can be counted.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import torch

from partwise.evaluation.calibration import Judged, calibration_error
from partwise.interface.answering import answer
from partwise.interface.registry import PARSERS
from partwise.training.hub import find_pretrained
from partwise.training.store import kind_of

TYPED = Path(__file__).resolve().parent.parent / "tests" / "domains" / "typed"
Row = dict[str, Any]


def main() -> None:
    """Print the counts of each domain, and calibration over its questions and those elsewhere."""
    torch.set_num_threads(1)
    elsewhere = _rows("elsewhere")
    for domain in ("geography", "films"):
        folder = find_pretrained(domain)
        parser = PARSERS.find(kind_of(folder)).from_pretrained(folder)
        inside = _rows(domain)
        outside = [row for row in elsewhere if row["domain"] == domain]
        judged: list[Judged] = []
        print(domain, "inside ", dict(_counted(parser, inside, judged)))
        print(domain, "outside", dict(_counted(parser, outside, judged)))
        error = 100 * calibration_error(judged)
        print(domain, f"calibration error {error:.1f}, AUC {auc(judged):.3f}, n {len(judged)}")


def _rows(name: str) -> list[Row]:
    text = (TYPED / f"{name}.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


def _counted(parser: Any, rows: list[Row], judged: list[Judged]) -> Counter[str]:
    questions = [row["question"] for row in rows]
    counts: Counter[str] = Counter()
    both = zip(
        rows, answer(parser, questions), answer(parser, questions, at_least=0.0), strict=True
    )
    for row, said, anyway in both:
        right = "answer" in row and anyway.reason is None and _same(anyway.lines, row["answer"])
        counts[f"{'right' if right else 'wrong'} {said.status}"] += 1
        judged.append(Judged(anyway.prediction.probability, right))
    return counts


def _same(lines: tuple[str, ...], gold: Any) -> bool:
    wanted = gold if isinstance(gold, list) else [gold]
    return {_plain(line) for line in lines} == {_plain(str(one)) for one in wanted}


def _plain(text: str) -> str:
    """Without case, the state after a city's name, units, and signs in numbers."""
    bare = text.lower().split(" (")[0].split(":")[0].split(", ")[0].strip()
    number = re.match(r"-?[\d,]+(?:\.\d+)?", bare)
    return f"{float(number.group().replace(',', '')):.6g}" if number else bare


def auc(judged: list[Judged]) -> float:
    """How often a right one is more probable than a wrong one."""
    right = [one.probability for one in judged if one.right]
    wrong = [one.probability for one in judged if not one.right]
    wins = sum((a > b) + (a == b) / 2 for a in right for b in wrong)
    return wins / max(1, len(right) * len(wrong))


if __name__ == "__main__":
    main()
