"""What the parser for databases is trained on: the questions of each stage of a run."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property, partial
from typing import NamedTuple

from partwise.errors import DataError
from partwise_papers.composed.questions import COMPOSED, compose_questions
from partwise_papers.databases.options import DatabaseRecipe
from partwise_papers.databases.questions import (
    AskedDatabase,
    AskedQuestion,
    in_both_forms,
    read_typed_database,
    spider_database,
)
from partwise_papers.spider.contents import unpack_contents
from partwise_papers.spider.coverage import fill_all
from partwise_papers.spider.data import (
    DatabaseSplit,
    SpiderQuestion,
    read_questions,
    read_schemas,
    read_typed_questions,
    spider_folder,
    split,
)
from partwise_papers.typed_databases.check import database_folders

BLIND = "blind"
"""The folder of typed databases that are for a test."""
SEEDS = (0, 1, 2)
"""Sets of made-up rows that answers are compared on in training."""
COMPOSED_TIMES = 4
"""So many of Spider's databases have as many composed questions as one that is typed for."""
ALL, SPIDER, TYPED = "all", "spider", "typed"
"""The stage in which all questions are searched; folders of what is Spider's, and what is typed."""


class Source(NamedTuple):
    """A database to search questions of.

    Attributes:
        name: the place of its lists, below the folder of its stage.
        open: opens it.
        asked: the questions.
    """

    name: str
    open: Callable[[], AskedDatabase]
    asked: Callable[[AskedDatabase], list[AskedQuestion]] = lambda database: database.questions

    @property
    def database(self) -> str:
        """The name of the database."""
        return self.name.rpartition("/")[2]


class TrainingQuestions:
    """What a recipe trains on, and what it holds out to fit when to answer; raises DataError if
    there is nothing to train on.

    Attributes:
        folders, held_out: of typed databases.
        work: where files are written that must be there meanwhile.
    """

    def __init__(self, recipe: DatabaseRecipe) -> None:
        self.recipe, self.work = recipe, recipe.out / "databases"
        folders = [
            folder for folder in database_folders(recipe.typed) if folder.parent.name != BLIND
        ]
        self.held_out = [folder for folder in folders if folder.name in recipe.held_out]
        self.folders = [folder for folder in folders if folder.name not in recipe.held_out]
        if not self.folders:
            raise DataError(f"no typed database to train on in {recipe.typed}")

    @cached_property
    def spider(self) -> tuple[list[SpiderQuestion], DatabaseSplit] | None:
        """Its questions in the order in which they are drawn, and its split."""
        if self.recipe.spider is None:
            return None
        folder = spider_folder(self.recipe.spider)
        questions = read_questions(folder)
        random.Random(self.recipe.seed).shuffle(questions)
        return questions, split(read_schemas(folder))

    def prepare(self) -> None:
        """Write the databases that are not there."""
        if self.recipe.spider is not None and self.recipe.fills is not None:
            folder = spider_folder(self.recipe.spider)
            fill_all(read_schemas(folder), read_questions(folder), self.recipe.fills, SEEDS)
            if self.recipe.contents is not None:
                unpack_contents(folder, self.recipe.contents)

    def stage(self, name: str) -> Iterator[Source]:
        """What a round searches, by its number, or what is searched in the end (`ALL`)."""
        if name != ALL:
            yield from self._typed_sources(self.recipe.typed_per_round, int(name))
            yield from self._spider(SPIDER, self._draw(int(name)), self._some_with_synonyms)
            return
        yield from self._typed_sources(self.recipe.typed_most)
        yield from self._composed_sources()
        most = self.recipe.most
        form = in_both_forms if most is None else self._some_with_synonyms
        yield from self._spider(SPIDER, self._to_train()[:most], form)

    def _typed_sources(self, share: float, turn: int = 0) -> Iterator[Source]:
        """A share of the typed questions, others at each turn."""

        def is_drawn(name: str) -> bool:
            place = random.Random(f"{self.recipe.seed} {name}").random()
            return (place - turn * share) % 1.0 < share

        def ask(database: AskedDatabase) -> list[AskedQuestion]:
            return [question for question in database.questions if is_drawn(question.id)]

        for folder in self.folders:
            yield Source(
                f"{TYPED}/{folder.name}", partial(read_typed_database, folder, self.work), ask
            )
        if self.spider is not None:
            some = [question for question in read_typed_questions() if is_drawn(question.id)]
            yield from self._spider(f"{TYPED}/{SPIDER}", some)

    def _composed_sources(self) -> Iterator[Source]:
        """Questions that put known parts together, about all databases for training."""
        number, seed = self.recipe.composed, self.recipe.seed
        if number:
            asked = partial(compose_questions, number=number, seed=seed)
            for folder in self.folders:
                opened = partial(read_typed_database, folder, self.work)
                yield Source(f"{COMPOSED}/{folder.name}", opened, asked)
        if number >= COMPOSED_TIMES and self.spider is not None:
            asked = partial(compose_questions, number=number // COMPOSED_TIMES, seed=seed)
            for name in sorted(self.spider[1].train):
                opened = partial(self.fill, name, ())
                yield Source(f"{COMPOSED}/{SPIDER}/{name}", opened, asked)

    def _spider(
        self,
        place: str,
        questions: Iterable[SpiderQuestion],
        form: Callable[[list[AskedQuestion]], list[AskedQuestion]] = list,
    ) -> Iterator[Source]:
        for name, some in by_database(questions).items():
            opened = partial(self.fill, name, some)
            yield Source(f"{place}/{name}", opened, lambda database: form(database.questions))

    def _draw(self, turn: int) -> list[SpiderQuestion]:
        """Questions of a round."""
        start = turn * self.recipe.per_round
        return self._to_train()[start : start + self.recipe.per_round]

    def _some_with_synonyms(self, questions: list[AskedQuestion]) -> list[AskedQuestion]:
        share, seed = self.recipe.synonyms, self.recipe.seed
        draws = (random.Random(f"{seed} {question.id}") for question in questions)
        return [
            question.with_synonyms() if draw.random() < share else question
            for question, draw in zip(questions, draws, strict=True)
        ]

    def _to_train(self) -> list[SpiderQuestion]:
        if self.spider is None:
            return []
        questions, parts = self.spider
        return [question for question in questions if question.db in parts.train]

    def fill(self, name: str, questions: Iterable[SpiderQuestion]) -> AskedDatabase:
        """One of Spider's databases, asked with made-up rows or with its real contents."""
        recipe = self.recipe
        assert recipe.fills is not None
        real = random.Random(f"{recipe.seed} {name}").random() < recipe.real
        return spider_database(name, questions, recipe.fills, SEEDS, recipe.contents, real)

    def questions_to_fit(self) -> dict[str, list[SpiderQuestion]]:
        """Those of Spider's that are held out, by database."""
        if self.spider is None:
            return {}
        questions, parts = self.spider
        some = [question for question in questions if question.db in parts.dev]
        return by_database(some[: self.recipe.fitted])


def by_database(questions: Iterable[SpiderQuestion]) -> dict[str, list[SpiderQuestion]]:
    """Name of a database -> its questions."""
    made: defaultdict[str, list[SpiderQuestion]] = defaultdict(list)
    for question in questions:
        made[question.db].append(question)
    return dict(sorted(made.items()))
