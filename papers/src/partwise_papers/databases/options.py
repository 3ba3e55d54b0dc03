"""How the parser for databases is trained, and what it is measured on; read by the command without
the rest."""

from __future__ import annotations

import random
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from partwise.errors import DataError
from partwise.interface.settings import check, setting
from partwise_papers.typed_databases.check import HOME


@dataclass(frozen=True, kw_only=True)
class MeasuredOn:
    """What is measured.

    Attributes:
        typed: Names of typed databases that the parser was not trained on.
        blind: The typed databases that are for a test, with questions of other subjects to each.
        choosing: What a parser is chosen by: typed databases that the recipe does not train on, and
            other ones of Spider's than those for a test.
        folder: Folders from elsewhere, each with a SQLite file and questions.jsonl.
        spider: Folder of Spider's files, for the databases that its split holds out.
        fills: Folder for Spider's databases with made-up rows; made if missing.
        contents: Folder for the real contents of Spider's databases; unpacked if missing. Its
            questions are asked with these as well.
        composed: So many composed questions to each typed database that is measured, those for a
            test or the ones for choosing.
        most: This many of Spider's questions, drawn by the seed.
        seed: Of what is drawn.
        spelling: Compare names with the question by their spelling alone, not by what they mean:
            the same parser without its open labels.
    """

    typed: tuple[str, ...] = ()
    blind: bool = False
    choosing: bool = False
    folder: tuple[Path, ...] = ()
    spider: Path | None = None
    fills: Path | None = None
    contents: Path | None = None
    composed: int = 0
    most: int | None = None
    seed: int = 0
    spelling: bool = False


@dataclass(frozen=True, kw_only=True)
class RankedOn:
    """Where it is told how far down right interpretations are.

    Attributes:
        spider: Folder of Spider's files; without it, typed questions alone.
        fills: Folder for Spider's databases with made-up rows; made if missing.
        baseline: Ranks of another parser (JSON), whose questions are asked.
        every: Ask all questions for choosing, also those that the baseline lacks.
        test: Ask those of Spider that are for a test, and none for choosing.
    """

    spider: Path | None = None
    fills: Path | None = None
    baseline: Path | None = None
    every: bool = False
    test: bool = False


@dataclass(frozen=True, kw_only=True)
class DatabaseRecipe:
    """How the parser for databases is trained.

    Attributes:
        out: Folder of the run; `rounds` in it hold the lists, ``parser`` is what comes of it, and
            ``log.txt`` tells when.
        spider: Folder of Spider's files; None to train on typed databases alone.
        fills: Folder of its databases with made-up rows, which are made where they are missing.
        contents: Folder of their real contents, unpacked where it is missing; None for made-up rows
            alone.
        real: The share of Spider's databases that are asked with their real contents; the others
            are only compared on these.
        seed: Of what is drawn, and of the first weights.
        encoder: A kind of encoder, or kind:option.
        base: A saved parser whose encoder is begun with, and its cross-encoder; None for `encoder`
            as it is.
        members: Sets of weights that are learned; a score is their mean.
        rounds: Of searching and training.
        per_round: How many of Spider's questions each round searches, others than before.
        typed_per_round: The share of the typed questions that each round searches.
        synonyms: Share of Spider's questions that are asked with synonyms, of those that have any.
        epochs: Of training in each round.
        most: How many of Spider's questions are searched in the end; None for all, in both forms.
        typed_most: The share of the typed questions that are.
        composed: How many questions that put known parts together are made for each typed database,
            and fewer for Spider's.
        folds: The databases in so many parts, each of which is searched in the end by a parser
            trained without it; 1 for the parser of the last round.
        tuned: Epochs in which the encoder is trained on what the rounds searched; 0 to leave it.
        together: Epochs in which all else is trained on what was searched in the end.
        compared: Epochs of the cross-encoder; 0 for none.
        compared_lists: How many questions it learns from; None for all.
        typed: Folder of the typed databases.
        held_out: Typed databases that are not trained on; on them and on those that Spider's split
            has for choosing a parser it is fitted when to answer.
        fitted: How many of Spider's questions that is fitted on.
        workers: Processes that search at once.
    """

    out: Path
    spider: Path | None = None
    fills: Path | None = None
    contents: Path | None = None
    real: float = setting(0.5, least=0.0, most=1.0)
    seed: int = 0
    encoder: str = "minilm"
    base: str | None = None
    members: int = setting(1, least=1, most=100)
    rounds: int = setting(2, least=1)
    per_round: int = setting(1500, least=0)
    typed_per_round: float = setting(0.3, least=0.0, most=1.0)
    synonyms: float = setting(0.4, least=0.0, most=1.0)
    epochs: int = setting(3, least=1)
    most: int | None = None
    typed_most: float = setting(1.0, least=0.0, most=1.0)
    composed: int = setting(0, least=0)
    folds: int = setting(1, least=1)
    tuned: int = setting(2, least=0)
    together: int = setting(5, least=1)
    compared: int = setting(2, least=0)
    compared_lists: int | None = None
    typed: Path = HOME
    held_out: tuple[str, ...] = (
        *("citylab", "energy", "ferries", "furniture", "orchestra", "sports_league", "streaming"),
        *("vet", "wholesale"),
    )
    fitted: int = setting(1000, least=0)
    workers: int = setting(1, least=1)

    def __post_init__(self) -> None:
        check(self)
        if self.spider is not None and self.fills is None:
            raise DataError("Spider's databases need a folder for their made-up rows: --fills")

    def facts(self) -> dict[str, Any]:
        """The settings without places."""
        return {
            name: list(value) if isinstance(value, tuple) else value
            for name, value in vars(self).items()
            if name not in ("out", "spider", "fills", "contents", "typed")
        }

    def fold_of(self, database: str) -> int:
        """The part that a database is in."""
        return random.Random(f"{self.seed} {database}").randrange(self.folds)
