"""From nothing to answers: train on the shipped questions, ask three that were held out.

``make run`` runs this. It prints each answer with the tree that explains it, and fails if an
answer is not the right one.
"""

from __future__ import annotations

import logging
from pathlib import Path

import torch

from partwise import SpanParserConfig, TrainSettings, train_span_parser
from partwise.chart.derivation import TreeDerivation
from partwise.domains.geography.domain import Geography
from partwise.drawing import draw_svg, draw_text
from partwise.evaluation.metrics import score
from partwise.interface.registry import load

FOLDER = Path("runs/geography")
PICTURE = FOLDER / "tree.svg"
ASKED = (
    "what is the largest state the ohio flows through ?",
    "which town in indiana has the fewest inhabitants ?",
    "what is the population of the state that has the highest mountain ?",
)
"""Held-out questions to show; the accuracy on all of them is printed above."""


def main() -> None:
    """Train, evaluate on the held-out combinations, and show three of them."""
    logging.getLogger("partwise").setLevel(logging.INFO)
    # One thread is steady on a busy machine, where two wait for each other.
    torch.set_num_threads(1)
    domain = Geography()
    data = load("geography", "compositional")
    session = train_span_parser(
        data,
        domain,
        SpanParserConfig(),
        TrainSettings(epochs=6),
        folder=FOLDER,
        facts={"dataset": "geography", "split": "compositional"},
    )
    parser = session.parser
    parses = parser.parse([example.question for example in data.test])
    figures = score(domain, data.test, [parse.program for parse in parses])
    print(
        f"\nTest programs combine what train has apart: {len(data.test)} questions, "
        f"denotation accuracy {100 * figures.denotation:.1f} %, "
        f"exact match {100 * figures.exact_match:.1f} %.\n"
    )
    held_out = {example.question: example for example in data.test}
    for question in ASKED:
        example = held_out[question]
        parse = parser.parse(example.question, k=2)
        print(f"\n{example.question}")
        if parse.program is None or parse.tree is None:
            raise SystemExit(f"no parse: {parse.reason}")
        answer = domain.run(parse.program)
        tree = TreeDerivation.of(parse.tree, parser.types, parse.words)
        print(f"  answer       {'; '.join(domain.show(answer)) or '(none)'}")
        print(f"  program      {parse.program}")
        print(f"  probability  {parse.probability:.3f}\n")
        print(draw_text(tree))
        wanted = domain.denotation(domain.run(example.program))
        if domain.denotation(answer) != wanted:
            raise SystemExit(f"wrong: the program should be {example.program}")
    PICTURE.write_text(draw_svg(tree), encoding="utf-8")
    print(f"\nThe last tree as a picture: {PICTURE}. The parser: {session.model}.")
    print('Ask it yourself: .venv/bin/partwise ask "which states border texas?"')


if __name__ == "__main__":
    main()
