"""Questions with a word that the database does not know: how many are answered without doubt?

    python benchmarks/lost_words.py PARSER --spider DATA --fills FOLDER [--each 22]

The questions are made: those that the parser answers right, on databases that it was not trained
on, with a word of other databases put before a phrase that names a table, a column or a measure, or
in its place. No right answer is left, so an answer without doubt is a fault. Beside it stands what
each part of the doubt costs on the questions as they were written. Written to
``benchmarks/results/lost_words.json``.
"""

from __future__ import annotations

import argparse
import random
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import torch

from partwise.database.confidence import FEATURES, lost, probability
from partwise.database.inference import Parses, SchemaNames
from partwise.database.interpretation import constants_of
from partwise.database.parser import DatabaseParser
from partwise.database.restating import restate
from partwise.database.spans.text import function_words, words_of
from partwise.encoders.storage import write_json
from partwise_papers.databases.options import DatabaseRecipe
from partwise_papers.databases.questions import AskedDatabase, AskedQuestion, read_typed_database
from partwise_papers.databases.training_questions import TrainingQuestions
from partwise_papers.results.recorder import checkout_commit, device
from partwise_papers.typed_databases.check import HOME, read_typed_questions

OUT = Path(__file__).resolve().parent / "results" / "lost_words.json"
NAMING = ("TABLE", "COLUMN", "MEASURE")
PARTS = ("probability", "and words passed over", "and distant names")
"""What makes a doubt, one more each time."""


def words_by_database() -> dict[str, set[str]]:
    """Word -> the typed databases whose questions have it; longer content words alone."""
    made = defaultdict[str, set[str]](set)
    for file in sorted(HOME.glob("*/questions.jsonl")):
        for asked in read_typed_questions(file):
            for word in words_of(asked.question):
                if (
                    word.stem not in function_words()
                    and word.plain.isalpha()
                    and word.end - word.start > 3
                ):
                    made[word.plain].add(file.parent.name)
    return made


class Asking:
    """A database, and what a parser says of it."""

    def __init__(self, parser: DatabaseParser, database: AskedDatabase) -> None:
        self.parser, self.database = parser, database
        self.names: SchemaNames = parser.names_in(database.domain)

    def read(self, question: AskedQuestion, text: str) -> Parses:
        return self.parser.read(text, self.database.on(question.today), self.names)

    def is_right(self, question: AskedQuestion, parses: Parses) -> bool:
        found = parses.interpretations
        return bool(found) and self.database.judge(question, found[0].program)

    def sure(self, parses: Parses) -> list[bool]:
        """Whether the best interpretation is answered without doubt, by each of `PARTS`."""
        if not parses.interpretations:
            return [False] * len(PARTS)
        parser, best, asked = self.parser, parses.interpretations[0], parses.asked
        figures = parser.figures(parses, self.database.domain.layer, self.names)
        first = probability(parser.trust, {name: figures[name] for name in FEATURES})
        can_tell = probability(parser.answerable, figures)
        sure = first >= parser.doubtful_below and can_tell >= parser.refused_below
        restated = restate(best.program, self.database.domain.layer)
        every = lost(best, asked, restated, parser.plain)
        distant = lost(best, asked, " ".join(word.text for word in asked.words), parser.plain)
        return [sure, sure and set(every) <= set(distant), sure and not every]


def with_strange_words(
    parses: Parses, text: str, strange: list[str], draw: random.Random
) -> Iterator[tuple[str, str]]:
    """Where a strange word stands, and the question with it."""
    used = (parses.asked.constants[x] for x in constants_of(parses.interpretations[0].item))
    if phrases := [constant for constant in used if constant.kind in NAMING]:
        phrase, words = draw.choice(phrases), parses.asked.words
        start, end = words[phrase.start].start, words[phrase.end - 1].end
        yield "before", f"{text[:start]}{draw.choice(strange)} {text[start:]}"
        yield "instead", text[:start] + draw.choice(strange) + text[end:]


def measure(
    asking: Asking, known: dict[str, set[str]], each: int, counts: dict[str, Counter[str]]
) -> None:
    """Count into `counts`, by kinds of questions."""
    database, draw = asking.database, random.Random(0)
    own = {word.stem for name in asking.names.texts for word in words_of(name)}
    own |= {words_of(word)[0].stem for word, where in known.items() if database.name in where}
    strange = sorted(word for word in known if words_of(word)[0].stem not in own)
    for number, question in enumerate(draw.sample(database.questions, len(database.questions))):
        if not question.right:
            continue
        parses = asking.read(question, question.text)
        right = asking.is_right(question, parses)
        kinds = [("written", parses), *([("written, right", parses)] if right else [])]
        if right and number < each:
            made = with_strange_words(parses, question.text, strange, draw)
            kinds += [(kind, asking.read(question, text)) for kind, text in made]
        for kind, said in kinds:
            counts[kind]["questions"] += 1
            counts[kind].update(
                part for part, yes in zip(PARTS, asking.sure(said), strict=True) if yes
            )


def main(parser: str, recipe: DatabaseRecipe, each: int) -> dict[str, Any]:
    """The figures: of each kind of question how many there are, and are answered without doubt."""
    torch.set_num_threads(1)
    questions, known = TrainingQuestions(recipe), words_by_database()
    counts = defaultdict[str, Counter[str]](Counter)
    loaded: DatabaseParser | None = None

    def add(database: AskedDatabase) -> None:
        nonlocal loaded
        with closing(database):
            loaded = loaded or DatabaseParser.from_pretrained(parser, database.domain)
            measure(Asking(loaded, database), known, each, counts)

    for folder in questions.held_out:
        add(read_typed_database(folder, questions.work))
    for name, some in questions.questions_to_fit().items():
        add(questions.fill(name, some))
    return {
        "about": f"{device()}; regenerated questions, seed 0",
        "commit": checkout_commit(),
        "parser": parser,
        "encoder": "minilm",
        "command": f"python benchmarks/lost_words.py {parser} --spider DATA --fills FOLDER",
        "databases": [folder.name for folder in questions.held_out]
        + list(questions.questions_to_fit()),
        "parts": PARTS,
        "kinds": {kind: dict(some) for kind, some in counts.items()},
    }


if __name__ == "__main__":
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("parser")
    options.add_argument("--spider", type=Path, required=True)
    options.add_argument("--fills", type=Path, required=True)
    options.add_argument("--each", type=int, default=22)
    options.add_argument("--out", type=Path, default=Path("build/lost_words"))
    given = options.parse_args()
    made = DatabaseRecipe(out=given.out, spider=given.spider, fills=given.fills)
    write_json(OUT, main(given.parser, made, given.each))
