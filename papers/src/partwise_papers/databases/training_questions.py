"""The questions that a parser for databases is trained and fitted on."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property, partial

from partwise.errors import DataError
from partwise_papers.databases.parser_recipe import DatabaseRecipe
from partwise_papers.databases.questions import (
    AskedDatabase,
    AskedQuestion,
    spider_database,
    typed_database,
)
from partwise_papers.spider.coverage import fill_all
from partwise_papers.spider.data import (
    DatabaseSplit,
    SpiderQuestion,
    read_questions,
    read_schemas,
    spider_folder,
    split,
)
from partwise_papers.typed_databases.check import database_folders

BLIND = "blind"
"""The folder of typed databases that are for a test."""
SEEDS = (0, 1)
"""Sets of made-up rows that answers are compared on in training."""
COMPOSED_TIMES = 4
"""So many of Spider's databases have as many composed questions as one that is typed for."""


class TrainingQuestions:
    """What a recipe trains on, and what it holds out to fit when to answer.

    Attributes:
        folders, held_out: of typed databases.
        work: where files are written that must be there meanwhile.

    Raises:
        DataError: if there is nothing to train on.
    """

    def __init__(self, recipe: DatabaseRecipe) -> None:
        self.recipe, self.work = recipe, recipe.out / "databases"
        folders = [one for one in database_folders(recipe.typed) if one.parent.name != BLIND]
        self.held_out = [one for one in folders if one.name in recipe.held_out]
        self.folders = [one for one in folders if one.name not in recipe.held_out]
        if not self.folders:
            raise DataError(f"no typed database to train on in {recipe.typed}")

    @cached_property
    def spider(self) -> tuple[list[SpiderQuestion], DatabaseSplit] | None:
        """Its questions in the order in which they are drawn, and its split."""
        if self.recipe.spider is None or self.recipe.fills is None:
            return None
        folder = spider_folder(self.recipe.spider)
        schemas, questions = read_schemas(folder), read_questions(folder)
        fill_all(schemas, questions, self.recipe.fills, SEEDS)
        random.Random(self.recipe.seed).shuffle(questions)
        return questions, split(schemas)

    def drawn(self, number: int) -> list[SpiderQuestion]:
        """The questions of a round."""
        if self.spider is None:
            return []
        questions, parts = self.spider
        some = [one for one in questions if one.db in parts.train]
        start = number * self.recipe.per_round
        return some[start : start + self.recipe.per_round]

    def filled(self, name: str, questions: Iterable[SpiderQuestion]) -> AskedDatabase:
        """One of Spider's databases with made-up rows."""
        assert self.recipe.fills is not None
        return spider_database(name, questions, self.recipe.fills, SEEDS)

    def composed(self) -> Iterator[tuple[str, Callable[[], AskedDatabase], int]]:
        """Databases, and how many composed questions there are to each."""
        number = self.recipe.composed
        if number:
            for folder in self.folders:
                yield folder.name, partial(typed_database, folder, self.work), number
        if number >= COMPOSED_TIMES and self.spider is not None:
            for name in sorted(self.spider[1].train):
                opened = partial(self.filled, name, ())
                yield f"spider-{name}", opened, number // COMPOSED_TIMES

    def in_some_words(self, questions: Sequence[AskedQuestion], number: int) -> list[AskedQuestion]:
        """The questions, some of them with synonyms."""
        share = self.recipe.synonyms
        draws = (random.Random(f"{self.recipe.seed} {number} {one.id}") for one in questions)
        return [
            one.with_synonyms() if draw.random() < share else one
            for one, draw in zip(questions, draws, strict=True)
        ]

    def fitted(self) -> dict[str, list[SpiderQuestion]]:
        """Those of Spider's that are held out, by database."""
        if self.spider is None:
            return {}
        questions, parts = self.spider
        some = [one for one in questions if one.db in parts.dev]
        return by_database(some[: self.recipe.fitted])


def by_database(questions: Iterable[SpiderQuestion]) -> dict[str, list[SpiderQuestion]]:
    """Name of a database -> its questions."""
    made: defaultdict[str, list[SpiderQuestion]] = defaultdict(list)
    for one in questions:
        made[one.db].append(one)
    return dict(sorted(made.items()))
