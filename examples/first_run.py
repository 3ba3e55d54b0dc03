"""Train on the shipped questions, and ask three that were held out.

``make run`` runs this. It prints each answer with its tree, and fails if an answer is wrong.
"""

from __future__ import annotations

import logging
from pathlib import Path

import torch

from partwise import SpanParserConfig, TrainingConfig, answer, train
from partwise.domains.geography.domain import Geography
from partwise.drawing import draw_svg, draw_text
from partwise.evaluation.metrics import evaluate
from partwise.interface.registry import load

FOLDER = Path("runs/geography")
PICTURE = FOLDER / "tree.svg"
ASKED = (
    "what is the largest state the ohio flows through ?",
    "which town in indiana has the fewest inhabitants ?",
    "what is the population of the state that has the highest mountain ?",
)
"""Held-out questions to show. The accuracy on all of them is printed before."""


def main() -> None:
    """Train, evaluate on the held-out combinations, and show three questions."""
    logging.getLogger("partwise").setLevel(logging.INFO)
    # One thread is steady on a busy machine, where two wait for each other.
    torch.set_num_threads(1)
    domain = Geography()
    data = load("geography", "compositional")
    session = train(
        "span",
        domain,
        data,
        SpanParserConfig(),
        TrainingConfig(epochs=6),
        folder=FOLDER,
        facts={"dataset": "geography", "split": "compositional"},
    )
    parser = session.parser
    scores = evaluate(parser, data.test)
    assert scores.denotation is not None
    print(
        f"\nTest, with new combinations: {len(data.test)} questions, "
        f"denotation accuracy {100 * scores.denotation:.1f} %, "
        f"exact match {100 * scores.exact_match:.1f} %.\n"
    )
    held_out = {example.question: example for example in data.test}
    for question in ASKED:
        example = held_out[question]
        (answered,) = answer(parser, [example.question])
        print(f"\n{example.question}")
        if answered.reason is not None:
            raise SystemExit(f"no answer: {answered.reason}")
        tree = answered.prediction.derivation
        print(f"  answer       {answered}")
        print(f"  program      {answered.text}")
        print(f"  probability  {answered.prediction.probability:.3f}\n")
        print(draw_text(tree))
        wanted = domain.denotation(domain.run(example.meaning))
        if domain.denotation(answered.value) != wanted:
            raise SystemExit(f"wrong: the program should be {example.meaning}")
    PICTURE.write_text(draw_svg(tree), encoding="utf-8")
    print(f"\nThe last tree as a picture: {PICTURE}. The parser: {session.model}.")
    print('Ask it: .venv/bin/partwise ask "which states border texas?"')


if __name__ == "__main__":
    main()
