"""How the shipped parsers do on questions as people type them: counts alone, no single questions.

    python benchmarks/typed.py

What is right is judged with `at_least` 0, so that what a threshold refuses of it can be counted.
The counts go to benchmarks/results/typed.json.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import torch

from partwise.encoders.storage import write_json
from partwise.evaluation.confidence import Judgement, calibration_error
from partwise.interface.answering import answer
from partwise.interface.registry import PARSERS
from partwise.training.store import find_pretrained, kind_of
from partwise_papers.results.recorder import checkout_commit

TYPED = Path(__file__).resolve().parent.parent / "tests" / "domains" / "typed"
OUT = Path(__file__).resolve().parent / "results" / "typed.json"
Row = dict[str, Any]


def main() -> None:
    """Print the counts of each domain, and calibration over its questions and those elsewhere."""
    torch.set_num_threads(1)
    elsewhere, rows = _rows("elsewhere"), []
    for domain in ("geography", "films"):
        folder = find_pretrained(domain)
        parser = PARSERS.find(kind_of(folder)).from_pretrained(folder)
        judged: list[Judgement] = []
        inside = _counted(parser, _rows(domain), judged)
        outside = _counted(parser, [row for row in elsewhere if row["domain"] == domain], judged)
        rows.append(
            {
                "domain": domain,
                "inside": inside,
                "elsewhere": outside,
                "calibration_error": calibration_error(judged),
                "auc": auc(judged),
            }
        )
        print(rows[-1])
    write_json(OUT, {"rows": rows, "commit": checkout_commit()})


def _rows(name: str) -> list[Row]:
    text = (TYPED / f"{name}.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


def _counted(parser: Any, rows: list[Row], judged: list[Judgement]) -> Counter[str]:
    questions = [row["question"] for row in rows]
    counts: Counter[str] = Counter()
    both = zip(
        rows, answer(parser, questions), answer(parser, questions, at_least=0.0), strict=True
    )
    for row, said, anyway in both:
        right = "answer" in row and anyway.reason is None and same(anyway.lines, row["answer"])
        counts[f"{'right' if right else 'wrong'} {said.status}"] += 1
        judged.append(Judgement(anyway.prediction.probability, right))
    return counts


def same(lines: tuple[str, ...], gold: Any) -> bool:
    """Whether an answer says what the right one does: a value, or a list of values."""
    wanted = {_plain(str(one)) for one in (gold if isinstance(gold, list) else [gold])}
    said = {_plain(line) for line in lines}
    # Cities are shown with their states; where no right answer names a state, it is not compared.
    if not any("," in one for one in wanted):
        said = {re.sub(r", [a-z .]+$", "", one) for one in said}
    return said == wanted


def _plain(text: str) -> str:
    """Without case, units, signs in numbers, and what follows yes or no."""
    bare = text.lower().split(" (")[0].strip()
    said = re.match(r"(yes|no)\b(?=$|[:,])", bare)
    number = re.match(r"-?[\d,]+(?:\.\d+)?", bare)
    if said:
        return said.group()
    return f"{float(number.group().replace(',', '')):.6g}" if number else bare


def auc(judged: list[Judgement]) -> float:
    """How often a right one is more probable than a wrong one."""
    right = [one.probability for one in judged if one.right]
    wrong = [one.probability for one in judged if not one.right]
    wins = sum((a > b) + (a == b) / 2 for a in right for b in wrong)
    return wins / max(1, len(right) * len(wrong))


if __name__ == "__main__":
    main()
