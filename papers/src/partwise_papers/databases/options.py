"""What the parser for databases is measured on; read by the command without the rest."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


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
