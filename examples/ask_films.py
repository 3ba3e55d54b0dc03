"""Train the graph parser on questions about films, and ask it ten other questions.

    python examples/ask_films.py            a small training, about a minute and a half
    python examples/ask_films.py RUN/model  the parser that `partwise train films` saved

The ten questions were written by hand. None of them is a training question.
"""

from __future__ import annotations

import sys
import tempfile
from dataclasses import replace
from pathlib import Path

import torch

from partwise.domains.films.domain import FILMS
from partwise.drawing import draw_text
from partwise.graph.parser import GraphParser
from partwise.training.session import train
from partwise.training.trainer import settings_for
from partwise_papers.datasets.films import make_films

COPPOLA = "Francis Ford Coppola"
QUESTIONS: tuple[tuple[str, set[str]], ...] = (
    ("Who directed and wrote The Conversation?", {COPPOLA}),
    ("Did Francis Ford Coppola direct, write and produce The Conversation?", {"yes"}),
    ("Did The Godfather's editor edit Apocalypse Now?", {"no"}),
    ("Was Gordon Willis a cinematographer of The Godfather and The Godfather Part II?", {"yes"}),
    ("What was The Godfather's sequel?", {"The Godfather Part II"}),
    (
        "Which actor did The Godfather and Apocalypse Now star?",
        {"Marlon Brando", "Robert Duvall"},
    ),
    (
        "What film that Walter Murch edited was directed by The Godfather's director?",
        {"Apocalypse Now", "The Conversation", "The Godfather Part III"},
    ),
    (
        "Which film whose composer was Nino Rota was directed by Francis Ford Coppola?",
        {"The Godfather", "The Godfather Part II"},
    ),
    (
        "What company distributed The Godfather, The Godfather Part II and The Godfather Part III?",
        {"Paramount Pictures"},
    ),
    (
        "Was Vittorio Storaro a cinematographer of a film that Walter Murch edited?",
        {"yes"},
    ),
)
"""Questions with the labels of their answers."""
TRAINING = 4000
"""So many of the shipped questions are enough for the small training."""


def trained(folder: Path) -> GraphParser:
    """A parser trained on a part of the shipped questions."""
    data = make_films("random")
    data = replace(data, train=data.train[:TRAINING], dev=data.dev[:200], test=[])
    given = {"epochs": 5, "members": 2}
    config, training = settings_for(GraphParser, FILMS, TRAINING, given)
    train(GraphParser, FILMS, data, config, training, folder=folder, progress=False)
    return GraphParser.from_pretrained(folder)


def main() -> None:
    """Ask the ten questions, and show the words that ground each answer."""
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as folder:
        parser = (
            GraphParser.from_pretrained(sys.argv[1]) if len(sys.argv) > 1 else trained(Path(folder))
        )
    answers = parser([question for question, _ in QUESTIONS])
    for (question, wanted), answer in zip(QUESTIONS, answers, strict=True):
        print(f"{question}\n  -> {', '.join(answer.lines) or answer.reason}")
        if answer.prediction.derivation is not None:
            print(draw_text(answer.prediction.derivation))
        print()
        assert set(answer.lines) == wanted, f"{question}: expected {wanted}"


if __name__ == "__main__":
    main()
