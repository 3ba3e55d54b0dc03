"""Searches the readings of questions, for a parser to learn from."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from contextlib import closing
from functools import partial
from pathlib import Path

from partwise.database.parser import DatabaseParser
from partwise_papers.composed.questions import COMPOSED, composed_questions
from partwise_papers.databases.comparing import Listed, listed_of, read_listed, write_listed
from partwise_papers.databases.lists import TYPED, Tell, are_written, lists_of, write_lists
from partwise_papers.databases.parser_recipe import DatabaseRecipe
from partwise_papers.databases.questions import (
    AskedDatabase,
    AskedQuestion,
    in_both_forms,
    typed_database,
)
from partwise_papers.databases.training_questions import TrainingQuestions, by_database
from partwise_papers.spider.data import SpiderQuestion, typed_to_spider

ALL = "all"
"""Folder of the lists that are searched in the end."""
Said = Callable[[list[AskedQuestion]], list[AskedQuestion]]
"""Makes of questions the forms in which they are asked."""


class Searches:
    """Writes lists of readings below the folder of a run; those that are written stay."""

    def __init__(self, recipe: DatabaseRecipe, tell: Tell) -> None:
        self.recipe, self.tell = recipe, tell
        self.questions = TrainingQuestions(recipe)

    def folder(self, number: int) -> Path:
        """That of a round."""
        return self.recipe.out / "rounds" / str(number)

    def some(self, number: int, parser: DatabaseParser) -> None:
        """Typed questions, and those that a round draws of Spider's."""
        home = self.folder(number)
        self._search_typed(parser, home / TYPED)
        drawn = self.questions.drawn(number)
        self._search_spider(
            parser, drawn, home / "spider", lambda some: self.questions.in_some_words(some, number)
        )

    def all(self, parser: DatabaseParser) -> None:
        """All questions, Spider's in both forms, and the typed ones to its databases."""
        home = self.recipe.out / "rounds" / ALL
        self._search_typed(parser, home / TYPED)
        self._search_composed(parser, home / COMPOSED)
        if self.questions.spider is not None:
            questions, parts = self.questions.spider
            some = [one for one in questions if one.db in parts.train]
            self._search_spider(parser, some, home / "spider", in_both_forms)
            self._search_spider(parser, typed_to_spider(), home / TYPED / "spider", list)

    def more(self, parser: DatabaseParser) -> None:
        """Typed questions, and some of Spider's and of the typed ones to its databases."""
        home = self.recipe.out / "rounds" / ALL
        self._search_typed(parser, home / TYPED)
        self._search_composed(parser, home / COMPOSED)
        if self.questions.spider is not None:
            typed = typed_to_spider()
            random.Random(self.recipe.seed).shuffle(typed)
            some = typed[: self.recipe.per_round]
            self._search_spider(parser, some, home / TYPED / "spider", list)
            self._search_spider(
                parser,
                self.questions.drawn(0),
                home / "spider",
                lambda some: self.questions.in_some_words(some, 0),
            )

    def _search_typed(self, parser: DatabaseParser, home: Path) -> None:
        for folder in self.questions.folders:
            place = home / folder.name
            if not are_written(place):
                with closing(typed_database(folder, self.questions.work)) as database:
                    self._write(parser, database, database.questions, place)

    def _search_composed(self, parser: DatabaseParser, home: Path) -> None:
        """Questions that put known parts together, about all databases for training."""
        for name, opened, number in self.questions.composed():
            if not are_written(home / name):
                with closing(opened()) as database:
                    some = composed_questions(database, number, self.recipe.seed)
                    self._write(parser, database, some, home / name)

    def _search_spider(
        self,
        parser: DatabaseParser,
        questions: Iterable[SpiderQuestion],
        home: Path,
        said: Said,
    ) -> None:
        for name, some in by_database(questions).items():
            place = home / name
            if not are_written(place):
                with closing(self.questions.filled(name, some)) as database:
                    self._write(parser, database, said(database.questions), place)

    def _write(
        self,
        parser: DatabaseParser,
        database: AskedDatabase,
        questions: Iterable[AskedQuestion],
        place: Path,
    ) -> None:
        lists = lists_of(parser, database, questions, self.tell)
        write_lists(lists, place)
        first = sum(one.readings[0].right for one in lists)
        found = sum(any(reading.right for reading in one.readings) for one in lists)
        self.tell(f"{database.name}: {len(lists)} questions, {first} right, {found} found")

    def listed(self, parser: DatabaseParser) -> tuple[list[Listed], list[Listed]]:
        """The readings of composed questions, and of all others for training, Spider's in both
        forms; those of a database that are written are not searched again."""
        home = self.recipe.out / "listed"

        def add(
            name: str,
            opened: Callable[[], AskedDatabase],
            asked: Callable[[AskedDatabase], list[AskedQuestion]] = lambda one: one.questions,
        ) -> None:
            file = home / f"{name}.json.gz"
            if not file.is_file():
                with closing(opened()) as database:
                    some = listed_of(parser, database, asked(database), self.tell)
                write_listed(some, file)

        for folder in self.questions.folders:
            add(f"{TYPED}-{folder.name}", partial(typed_database, folder, self.questions.work))
        if self.questions.spider is not None:
            questions, parts = self.questions.spider
            for db, some in by_database(one for one in questions if one.db in parts.train).items():
                opened = partial(self.questions.filled, db, some)
                add(f"spider-{db}", opened, lambda one: in_both_forms(one.questions))
            for db, some in by_database(typed_to_spider()).items():
                add(f"{TYPED}-spider-{db}", partial(self.questions.filled, db, some))
        asked = partial(composed_questions, seed=self.recipe.seed)
        for name, open_it, number in self.questions.composed():
            add(f"{COMPOSED}-{name}", open_it, partial(asked, number=number))
        composed, others = list[Listed](), list[Listed]()
        for file in sorted(home.iterdir()):
            of = composed if file.name.startswith(COMPOSED) else others
            of += read_listed(file)
        return composed, others
