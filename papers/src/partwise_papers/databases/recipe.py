"""Training the parser for databases: search readings, learn to choose among them, and again.

Each round searches some questions of the training databases with the parser of the round before,
and trains a new one on the readings of all rounds. Then all questions are searched once more, and
all networks are trained on these readings from the beginning, with the encoder. In the end it is
fitted when to answer, on databases that no round has seen. A run that was stopped goes on where it
stood.

A run may start from a parser that is there. Then there are no rounds: this parser searches, and its
own networks are trained on. From scratch, it only searches, all questions, and new networks are
trained.
"""

from __future__ import annotations

import json
import random
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import torch

from partwise.cli.common import write_text
from partwise.database.config import DatabaseSettings
from partwise.database.domain import DatabaseDomain
from partwise.database.parser import DatabaseParser
from partwise.database.reading.learning import ENCODER_RATE, Readings, train, vocabulary_of
from partwise.database.reading.scorer import Vocabulary
from partwise.database.reading.search import FIRST_WEIGHTS
from partwise.encoders.base import Encoder
from partwise.encoders.storage import read_json
from partwise.errors import DataError
from partwise.training.hub import find_pretrained
from partwise.training.store import CONFIG
from partwise_papers.composed.questions import COMPOSED, composed_questions
from partwise_papers.databases.comparing import (
    FIRST_COMPARED,
    CrossTraining,
    Listed,
    listed_of,
    read_listed,
    train_cross_encoder,
    write_listed,
)
from partwise_papers.databases.lists import (
    TYPED,
    Tell,
    are_written,
    lists_below,
    lists_of,
    write_lists,
)
from partwise_papers.databases.parser_recipe import DatabaseRecipe
from partwise_papers.databases.questions import (
    AskedDatabase,
    AskedQuestion,
    in_both_forms,
    spider_database,
    typed_database,
)
from partwise_papers.databases.trusting import ReadCase, cases_of, fit_refusals, fit_trust
from partwise_papers.results.recorder import checkout_commit
from partwise_papers.spider.coverage import fill_all
from partwise_papers.spider.data import (
    DatabaseSplit,
    SpiderQuestion,
    read_questions,
    read_schemas,
    spider_folder,
    split,
    typed_to_spider,
)
from partwise_papers.typed_databases.check import database_folders

BLIND = "blind"
"""The folder of typed databases that are for a test."""
NAME = "database"
"""What the saved parser calls its domain: any database."""
ALL = "all"
"""Folder of the lists that are searched in the end."""
SEEDS = (0, 1)
"""Sets of made-up rows that answers are compared on in training."""

COMPOSED_TIMES = 4
"""So many of Spider's databases have as many composed questions as one that is typed for."""

Said = Callable[[list[AskedQuestion]], list[AskedQuestion]]
"""Makes of questions the forms in which they are asked."""

ON = (3e-4, 2e-5)
"""Rates of learning where networks are trained on: theirs, and that of the encoder."""

LATER = ("rounds", "together", "fitted")
"""Settings that may be others when a run goes on."""


def train_database_parser(
    recipe: DatabaseRecipe, tell: Tell = print, command: str = ""
) -> DatabaseParser:
    """Train a parser for databases, and save it as ``parser`` in the folder of the run.

    Args:
        tell: told what goes on, a line at a time.
        command: that was typed, to be noted.

    Raises:
        DataError: if data are missing.
    """
    return _Training(recipe, tell, command).run()


def fit_again(recipe: DatabaseRecipe, tell: Tell = print, command: str = "") -> DatabaseParser:
    """Fit how probable answers are and when a parser refuses, after rules for reading have changed;
    all else stays as it is.

    Args:
        recipe: its `start` is the parser; the new one is ``parser`` in `out`.
        tell, command: as for `train_database_parser`.
    """
    return _Training(recipe, tell, command).change("fitted_again", lambda parser: None)


def compare_readings(
    recipe: DatabaseRecipe,
    how: CrossTraining = FIRST_COMPARED,
    drawn: int | None = None,
    tell: Tell = print,
    command: str = "",
) -> DatabaseParser:
    """Train a cross-encoder for a parser on the readings that it finds, and fit when to answer.

    Args:
        recipe: its `start` is the parser; the new one is ``parser`` in `out`.
        how: the cross-encoder is trained.
        drawn: how many of the questions that are not composed; None for all.
        tell, command: as for `train_database_parser`.
    """
    training = _Training(recipe, tell, command)

    def change(parser: DatabaseParser) -> None:
        composed, others = training.listed(parser)
        if drawn is not None:
            others = random.Random(how.seed).sample(others, min(drawn, len(others)))
        train_cross_encoder(parser, [*composed, *others], how, tell)

    return training.change("cross_encoder", change)


class _Training:
    def __init__(self, recipe: DatabaseRecipe, tell: Tell, command: str) -> None:
        self.recipe, self.tell, self.command = recipe, tell, command
        self.work = recipe.out / "databases"
        folders = [one for one in database_folders(recipe.typed) if one.parent.name != BLIND]
        self.held_out = [one for one in folders if one.name in recipe.held_out]
        self.folders = [one for one in folders if one.name not in recipe.held_out]
        if not self.folders:
            raise DataError(f"no typed database to train on in {recipe.typed}")

    def run(self) -> DatabaseParser:
        self._begin()
        with closing(typed_database(self.folders[0], self.work)) as first:
            if self.recipe.start is None:
                parser = self._first(first)
                for number in range(self.recipe.rounds):
                    parser = self._round(number, parser)
                if self.recipe.together:
                    self._search_all(parser)
                    self._train_together(parser)
            else:
                parser = DatabaseParser.from_pretrained(self.recipe.start, first.domain)
                if self.recipe.from_scratch:
                    self._search_all(parser)
                    parser = self._first(first)
                    self._train_together(parser)
                else:
                    self.search_for_more(parser)
                    self._train_on(parser)
            cases = self._cases(parser)
            fit_trust(parser, cases)
            fit_refusals(parser, cases)
            facts = {**self.recipe.facts(), "command": self.command, "commit": checkout_commit()}
            self._save(parser, first.domain, facts)
        return parser

    def change(self, what: str, change: Callable[[DatabaseParser], None]) -> DatabaseParser:
        """Change a parser that is there, and fit when it answers.

        Args:
            what: how the change is called in what is noted of the training.
        """
        with closing(typed_database(self.folders[0], self.work)) as first:
            assert self.recipe.start is not None
            parser = DatabaseParser.from_pretrained(self.recipe.start, first.domain)
            change(parser)
            cases = self._cases(parser)
            fit_trust(parser, cases)
            fit_refusals(parser, cases)
            facts = dict(read_json(find_pretrained(self.recipe.start) / CONFIG)["training"])
            facts[what] = {"command": self.command, "commit": checkout_commit()}
            self._save(parser, first.domain, facts)
        return parser

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

        for folder in self.folders:
            add(f"{TYPED}-{folder.name}", partial(typed_database, folder, self.work))
        if self._spider is not None:
            questions, parts = self._spider
            for db, some in by_database(one for one in questions if one.db in parts.train).items():
                opened = partial(self._filled, db, some)
                add(f"spider-{db}", opened, lambda one: in_both_forms(one.questions))
            for db, some in by_database(typed_to_spider()).items():
                add(f"{TYPED}-spider-{db}", partial(self._filled, db, some))
        asked = partial(composed_questions, seed=self.recipe.seed)
        for name, open_it, number in self._composed():
            add(f"{COMPOSED}-{name}", open_it, partial(asked, number=number))
        composed, others = list[Listed](), list[Listed]()
        for file in sorted(home.iterdir()):
            of = composed if file.name.startswith(COMPOSED) else others
            of += read_listed(file)
        return composed, others

    def _save(
        self, parser: DatabaseParser, domain: DatabaseDomain, facts: Mapping[str, Any]
    ) -> None:
        """Save it as a parser of no database of its own, with its encoder in eight bits."""
        layer = replace(domain.layer, name=NAME)
        parser.domain = DatabaseDomain(layer, domain.source, domain.index)
        parser.save_pretrained(self.recipe.out / "parser", facts, half=True)

    def _begin(self) -> None:
        """Note the settings, or compare them with those that the run was begun with."""
        file = self.recipe.out / "recipe.json"
        facts = {name: one for name, one in self.recipe.facts().items() if name not in LATER}
        if file.is_file() and read_json(file) != facts:
            raise DataError(
                f"{self.recipe.out} was begun with other settings; choose another --out"
            )
        write_text(file, json.dumps(facts) + "\n")

    def _first(self, database: AskedDatabase) -> DatabaseParser:
        torch.manual_seed(self.recipe.seed)
        settings = DatabaseSettings(encoder=self.recipe.encoder)
        return DatabaseParser.create(database.domain, settings)

    def _round(self, number: int, before: DatabaseParser) -> DatabaseParser:
        """The parser of a round, trained unless it is there."""
        folder = self._folder(number)
        if not (folder / "parser" / CONFIG).is_file():
            self._search_some(number, before)
            self._train(number, before)
            before.save_pretrained(folder / "parser")
        return DatabaseParser.from_pretrained(folder / "parser", before.domain)

    def _folder(self, number: int) -> Path:
        return self.recipe.out / "rounds" / str(number)

    # --- searching -----------------------------------------------------------------------

    def _search_some(self, number: int, parser: DatabaseParser) -> None:
        """Typed questions, and those that a round draws of Spider's."""
        home = self._folder(number)
        self._search_typed(parser, home / TYPED)
        drawn = self._drawn(number)
        self._search_spider(parser, drawn, home / "spider", lambda some: self._said(some, number))

    def _search_all(self, parser: DatabaseParser) -> None:
        """All questions, Spider's in both forms, and the typed ones to its databases."""
        home = self.recipe.out / "rounds" / ALL
        self._search_typed(parser, home / TYPED)
        self._search_composed(parser, home / COMPOSED)
        if self._spider is not None:
            questions, parts = self._spider
            some = [one for one in questions if one.db in parts.train]
            self._search_spider(parser, some, home / "spider", in_both_forms)
            self._search_spider(parser, typed_to_spider(), home / TYPED / "spider", list)

    def search_for_more(self, parser: DatabaseParser) -> None:
        """Typed questions, and some of Spider's and of the typed ones to its databases."""
        home = self.recipe.out / "rounds" / ALL
        self._search_typed(parser, home / TYPED)
        self._search_composed(parser, home / COMPOSED)
        if self._spider is not None:
            typed = typed_to_spider()
            random.Random(self.recipe.seed).shuffle(typed)
            some = typed[: self.recipe.per_round]
            self._search_spider(parser, some, home / TYPED / "spider", list)
            self._search_spider(
                parser, self._drawn(0), home / "spider", lambda some: self._said(some, 0)
            )

    def _search_typed(self, parser: DatabaseParser, home: Path) -> None:
        for folder in self.folders:
            place = home / folder.name
            if not are_written(place):
                with closing(typed_database(folder, self.work)) as database:
                    self._write(parser, database, database.questions, place)

    def _search_composed(self, parser: DatabaseParser, home: Path) -> None:
        """Questions that put known parts together, about all databases for training."""
        for name, opened, number in self._composed():
            if not are_written(home / name):
                with closing(opened()) as database:
                    some = composed_questions(database, number, self.recipe.seed)
                    self._write(parser, database, some, home / name)

    def _composed(self) -> Iterator[tuple[str, Callable[[], AskedDatabase], int]]:
        """Databases, and how many composed questions there are to each."""
        number = self.recipe.composed
        if number:
            for folder in self.folders:
                yield folder.name, partial(typed_database, folder, self.work), number
        if number >= COMPOSED_TIMES and self._spider is not None:
            for name in sorted(self._spider[1].train):
                opened = partial(self._filled, name, ())
                yield f"spider-{name}", opened, number // COMPOSED_TIMES

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
                with closing(self._filled(name, some)) as database:
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

    def _said(self, questions: Sequence[AskedQuestion], number: int) -> list[AskedQuestion]:
        """The questions, some of them with synonyms."""
        share = self.recipe.synonyms
        draws = (random.Random(f"{self.recipe.seed} {number} {one.id}") for one in questions)
        return [
            one.with_synonyms() if draw.random() < share else one
            for one, draw in zip(questions, draws, strict=True)
        ]

    # --- Spider --------------------------------------------------------------------------

    @cached_property
    def _spider(self) -> tuple[list[SpiderQuestion], DatabaseSplit] | None:
        """Its questions in the order in which they are drawn, and its split."""
        if self.recipe.spider is None or self.recipe.fills is None:
            return None
        folder = spider_folder(self.recipe.spider)
        schemas, questions = read_schemas(folder), read_questions(folder)
        fill_all(schemas, questions, self.recipe.fills, SEEDS)
        random.Random(self.recipe.seed).shuffle(questions)
        return questions, split(schemas)

    def _drawn(self, number: int) -> list[SpiderQuestion]:
        """The questions of a round."""
        if self._spider is None:
            return []
        questions, parts = self._spider
        some = [one for one in questions if one.db in parts.train]
        start = number * self.recipe.per_round
        return some[start : start + self.recipe.per_round]

    def _filled(self, name: str, questions: Iterable[SpiderQuestion]) -> AskedDatabase:
        assert self.recipe.fills is not None
        return spider_database(name, questions, self.recipe.fills, SEEDS)

    # --- training ------------------------------------------------------------------------

    def _train(self, number: int, parser: DatabaseParser) -> None:
        """Train new networks on the lists of all rounds so far."""
        weights = dict(FIRST_WEIGHTS)
        if parser.scorer is not None:
            learned = parser.scorer.weights.detach().mean(0).tolist()
            weights |= dict(zip(parser.scorer.vocabulary.features, learned, strict=True))
        lists = [one for last in range(number + 1) for one in lists_below(self._folder(last))]
        self._learn(f"round {number}", parser, lists, weights, self.recipe.epochs)

    def _train_together(self, parser: DatabaseParser) -> None:
        """Train all networks from the beginning, with the encoder."""
        lists = list(lists_below(self.recipe.out / "rounds" / ALL))
        epochs, encoder = self.recipe.together, parser.encoder
        self._learn("with the encoder", parser, lists, FIRST_WEIGHTS, epochs, encoder)

    def _train_on(self, parser: DatabaseParser) -> None:
        """Train the networks of a parser on, with the encoder, and what is new with them."""
        assert parser.scorer is not None
        before, lists = parser.scorer, list(lists_below(self.recipe.out / "rounds" / ALL))
        known = (*before.vocabulary, *vocabulary_of(lists))
        parts = (sorted({*known[at], *known[at + 3]}) for at in range(3))
        torch.manual_seed(self.recipe.seed)
        parser.build(Vocabulary(*map(tuple, parts)), FIRST_WEIGHTS).take_over(before)
        epochs, encoder = self.recipe.together, None if self.recipe.frozen else parser.encoder
        assert parser.scorer is not None
        kept = {name: one.clone() for name, one in parser.scorer.state_dict().items()}
        self._fit("on from before", parser, lists, epochs, encoder, ON)
        if encoder is None:
            share, new = self.recipe.blend, parser.scorer.state_dict()
            parser.scorer.load_state_dict(
                {name: kept[name].lerp(one, share) for name, one in new.items()}
            )

    def _learn(
        self,
        what: str,
        parser: DatabaseParser,
        lists: Sequence[Readings],
        weights: Mapping[str, float],
        epochs: int,
        encoder: Encoder | None = None,
    ) -> None:
        """Train new networks, and the encoder if it is given."""
        torch.manual_seed(self.recipe.seed)
        parser.build(vocabulary_of(lists), weights)
        self._fit(what, parser, lists, epochs, encoder)

    def _fit(
        self,
        what: str,
        parser: DatabaseParser,
        lists: Sequence[Readings],
        epochs: int,
        encoder: Encoder | None,
        rates: tuple[float, float] = (1e-3, ENCODER_RATE),
    ) -> None:
        self.tell(f"{what}: {len(lists)} lists of readings")
        assert parser.scorer is not None
        train(
            parser.scorer,
            lists,
            epochs,
            self.recipe.seed,
            tick=lambda epoch, loss: self.tell(f"{what}, epoch {epoch}: loss {loss:.4f}"),
            encoder=encoder,
            rate=rates[0],
            encoder_rate=rates[1],
            state=self.recipe.out / "state",
        )

    # --- when to answer ------------------------------------------------------------------

    def _cases(self, parser: DatabaseParser) -> list[ReadCase]:
        draw, cases = random.Random(self.recipe.seed), list[ReadCase]()
        for folder in self.held_out:
            with closing(typed_database(folder, self.work)) as database:
                cases += cases_of(parser, database, database.questions, draw)
        for name, some in self._fitted().items():
            with closing(self._filled(name, some)) as database:
                cases += cases_of(parser, database, database.questions, draw)
        right = sum(one.right for one in cases)
        self.tell(f"when to answer: {len(cases)} questions, {right} right")
        return cases

    def _fitted(self) -> dict[str, list[SpiderQuestion]]:
        if self._spider is None:
            return {}
        questions, parts = self._spider
        some = [one for one in questions if one.db in parts.dev]
        return by_database(some[: self.recipe.fitted])


def by_database(questions: Iterable[SpiderQuestion]) -> dict[str, list[SpiderQuestion]]:
    """Name of a database -> its questions."""
    made: defaultdict[str, list[SpiderQuestion]] = defaultdict(list)
    for one in questions:
        made[one.db].append(one)
    return dict(sorted(made.items()))
