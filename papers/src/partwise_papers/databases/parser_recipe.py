"""The settings of a training of the parser for databases."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from partwise.encoders.base import MINILM
from partwise.errors import DataError
from partwise.interface.settings import check, setting
from partwise_papers.typed_databases.check import HOME


@dataclass(frozen=True, kw_only=True)
class DatabaseRecipe:
    """How the parser for databases is trained.

    Attributes:
        out: folder of the run; `rounds` in it hold the lists, ``parser`` is what comes of it.
        spider: folder of Spider's files; None to train on typed databases alone.
        fills: folder of its databases with made-up rows, which are made where they are missing.
        seed: of what is drawn, and of the first weights.
        start: a saved parser to go on from, its name or folder; None to begin without one.
        from_scratch: train new networks after a start, on all questions.
        rounds: of searching and training; there are none after a start.
        per_round: how many of Spider's questions each round searches, others than before; after a
            start also how many of the typed ones to Spider's databases.
        synonyms: share of Spider's questions that are asked with synonyms, of those that have any.
        epochs: of training in each round.
        together: epochs in which all is trained from the beginning, with the encoder, on all
            questions, which are searched for this after the rounds; 0 to end with the rounds.
        composed: how many questions that put known parts together are made for each typed database,
            and for `COMPOSED_TIMES` of Spider's.
        frozen: whether the encoder stays as it is after a start.
        blend: the share of the new weights in those that are kept, where it does; the rest are the
            ones from before.
        encoder: as `DatabaseSettings` says.
        typed: folder of the typed databases.
        held_out: typed databases that are not trained on; on them and on those that Spider's split
            has for choosing a parser it is fitted when to answer.
        fitted: how many of Spider's questions that is fitted on.
    """

    out: Path
    spider: Path | None = None
    fills: Path | None = None
    seed: int = 0
    start: str | None = None
    from_scratch: bool = False
    rounds: int = setting(3, least=1)
    per_round: int = setting(1500, least=0)
    synonyms: float = setting(0.4, least=0.0, most=1.0)
    epochs: int = setting(3, least=1)
    together: int = setting(3, least=0)
    composed: int = setting(0, least=0)
    frozen: bool = False
    blend: float = setting(1.0, least=0.0, most=1.0)
    encoder: str = MINILM
    typed: Path = HOME
    held_out: tuple[str, ...] = (
        *("citylab", "energy", "ferries", "furniture", "orchestra", "sports_league", "streaming"),
        *("vet", "wholesale"),
    )
    fitted: int = setting(300, least=0)

    def __post_init__(self) -> None:
        check(self)
        if self.spider is not None and self.fills is None:
            raise DataError("Spider's databases need a folder for their made-up rows: --fills")
        if self.from_scratch and self.start is None:
            raise DataError("--from-scratch needs a parser to search with: --start")

    def facts(self) -> dict[str, Any]:
        """The settings without places."""
        return {
            name: list(value) if isinstance(value, tuple) else value
            for name, value in vars(self).items()
            if name not in ("out", "spider", "fills", "typed")
        }
