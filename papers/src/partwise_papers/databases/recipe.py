"""Training the parser for databases: search interpretations, learn to choose among them, and again.

Each round searches some questions of the training databases with the parser of the round before,
and trains a new one on the interpretations of all rounds. Then all questions are searched once
more, and all networks are trained on these from the beginning, with the encoder. In the end it is
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
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any, NamedTuple

import torch

from partwise.cli.common import write_text
from partwise.database.config import DatabaseSettings
from partwise.database.domain import DatabaseDomain
from partwise.database.learning import ENCODER_RATE, Pace
from partwise.database.parser import DatabaseParser
from partwise.database.reading.features import FIRST_WEIGHTS
from partwise.database.reading.learning import Readings, train, vocabulary_of
from partwise.database.reading.scorer import ScoredNames
from partwise.encoders.base import MINILM, Encoder
from partwise.encoders.storage import read_json
from partwise.errors import DataError
from partwise.interface.settings import check, setting
from partwise.training.store import CONFIG, find_pretrained
from partwise_papers.composed.questions import COMPOSED, compose_questions
from partwise_papers.databases.confidence import ReadCase, cases_of, fit_confidence, fit_refusals
from partwise_papers.databases.cross_encoder import (
    FIRST_COMPARED,
    CrossTraining,
    Listed,
    list_all,
    read_listed,
    train_cross_encoder,
    write_listed,
)
from partwise_papers.databases.interpretations import (
    TYPED,
    Tell,
    have_lists,
    lists_below,
    lists_of,
    write_lists,
)
from partwise_papers.databases.questions import (
    AskedDatabase,
    AskedQuestion,
    in_both_forms,
    read_typed_database,
    spider_database,
)
from partwise_papers.results.recorder import checkout_commit
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
from partwise_papers.typed_databases.check import HOME, database_folders

NAME = "database"
"""What the saved parser calls its domain: any database."""
ON = (3e-4, 2e-5)
"""Rates of learning where networks are trained on: theirs, and that of the encoder."""
LATER = ("rounds", "together", "fitted")
"""Settings that may be others when a run goes on."""
BLIND = "blind"
"""The folder of typed databases that are for a test."""
SEEDS = (0, 1)
"""Sets of made-up rows that answers are compared on in training."""
COMPOSED_TIMES = 4
"""So many of Spider's databases have as many composed questions as one that is typed for."""
ALL, SPIDER = "all", "spider"
"""Folders of what is searched in the end, and in each of what is searched of Spider's."""


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


class Source(NamedTuple):
    """A database to search questions of.

    Attributes:
        name: the place of its lists, below the folder of those that are searched at once.
        open: opens it.
        asked: the questions.
    """

    name: str
    open: Callable[[], AskedDatabase]
    asked: Callable[[AskedDatabase], list[AskedQuestion]] = lambda database: database.questions


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
        if self.recipe.spider is None or self.recipe.fills is None:
            return None
        folder = spider_folder(self.recipe.spider)
        schemas, questions = read_schemas(folder), read_questions(folder)
        fill_all(schemas, questions, self.recipe.fills, SEEDS)
        random.Random(self.recipe.seed).shuffle(questions)
        return questions, split(schemas)

    def round(self, number: int) -> Iterator[Source]:
        """Typed questions, and those that a round draws of Spider's."""
        yield from self._typed_sources()
        yield from self._draw(number)

    def all(self) -> Iterator[Source]:
        """All questions, Spider's in both forms, and the typed ones to its databases."""
        yield from self._typed_sources()
        yield from self._composed_sources()
        if self.spider is not None:
            yield from self._spider(SPIDER, self._to_train(), in_both_forms)
            yield from self._spider(f"{TYPED}/{SPIDER}", read_typed_questions())

    def more(self) -> Iterator[Source]:
        """Typed questions, and some of Spider's and of the typed ones to its databases."""
        yield from self._typed_sources()
        yield from self._composed_sources()
        if self.spider is not None:
            typed = read_typed_questions()
            random.Random(self.recipe.seed).shuffle(typed)
            yield from self._spider(f"{TYPED}/{SPIDER}", typed[: self.recipe.per_round])
            yield from self._draw(0)

    def _typed_sources(self) -> Iterator[Source]:
        for folder in self.folders:
            yield Source(f"{TYPED}/{folder.name}", partial(read_typed_database, folder, self.work))

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
                yield Source(f"{COMPOSED}/spider-{name}", partial(self.filled, name, ()), asked)

    def _spider(
        self,
        place: str,
        questions: Iterable[SpiderQuestion],
        form: Callable[[list[AskedQuestion]], list[AskedQuestion]] = list,
    ) -> Iterator[Source]:
        for name, some in by_database(questions).items():
            opened = partial(self.filled, name, some)
            yield Source(f"{place}/{name}", opened, lambda database: form(database.questions))

    def _draw(self, number: int) -> Iterator[Source]:
        """The questions of a round, some of them with synonyms."""
        share, start = self.recipe.synonyms, number * self.recipe.per_round

        def form(questions: list[AskedQuestion]) -> list[AskedQuestion]:
            draws = (
                random.Random(f"{self.recipe.seed} {number} {question.id}")
                for question in questions
            )
            return [
                question.with_synonyms() if draw.random() < share else question
                for question, draw in zip(questions, draws, strict=True)
            ]

        drawn = self._to_train()[start : start + self.recipe.per_round]
        yield from self._spider(SPIDER, drawn, form)

    def _to_train(self) -> list[SpiderQuestion]:
        if self.spider is None:
            return []
        questions, parts = self.spider
        return [question for question in questions if question.db in parts.train]

    def filled(self, name: str, questions: Iterable[SpiderQuestion]) -> AskedDatabase:
        """One of Spider's databases with made-up rows."""
        assert self.recipe.fills is not None
        return spider_database(name, questions, self.recipe.fills, SEEDS)

    def fitted(self) -> dict[str, list[SpiderQuestion]]:
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


def search(parser: DatabaseParser, home: Path, sources: Iterable[Source], tell: Tell) -> None:
    """Write the interpretations that a parser finds; those that are written stay."""
    for source in sources:
        place = home / source.name
        if have_lists(place):
            continue
        with closing(source.open()) as database:
            lists = lists_of(parser, database, source.asked(database), tell)
        write_lists(lists, place)
        first = sum(one.readings[0].right for one in lists)
        found = sum(any(reading.right for reading in one.readings) for one in lists)
        tell(f"{database.name}: {len(lists)} questions, {first} right, {found} found")


def search_to_compare(
    parser: DatabaseParser, home: Path, sources: Iterable[Source], tell: Tell
) -> tuple[list[Listed], list[Listed]]:
    """The interpretations of composed questions and of all others, for a cross-encoder; those of a
    database that are written are not searched again."""
    for source in sources:
        file = home / f"{source.name.replace('/', '-')}.json.gz"
        if not file.is_file():
            with closing(source.open()) as database:
                some = list_all(parser, database, source.asked(database), tell)
            write_listed(some, file)
    composed, others = list[Listed](), list[Listed]()
    for file in sorted(home.iterdir()):
        of = composed if file.name.startswith(COMPOSED) else others
        of += read_listed(file)
    return composed, others


def train_database_parser(
    recipe: DatabaseRecipe, tell: Tell = print, command: str = ""
) -> DatabaseParser:
    """Train a parser for databases, and save it as ``parser`` in the folder of the run; raises
    DataError if data are missing.

    Args:
        tell: told what goes on, a line at a time.
        command: that was typed, to be noted.
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
        home, sources = recipe.out / "listed", training.questions.all()
        composed, others = search_to_compare(parser, home, sources, tell)
        if drawn is not None:
            others = random.Random(how.seed).sample(others, min(drawn, len(others)))
        train_cross_encoder(parser, [*composed, *others], how, tell)

    return training.change("cross_encoder", change)


class _Training:
    def __init__(self, recipe: DatabaseRecipe, tell: Tell, command: str) -> None:
        self.recipe, self.tell, self.command = recipe, tell, command
        self.questions, self._rounds = TrainingQuestions(recipe), recipe.out / "rounds"

    def run(self) -> DatabaseParser:
        self._begin()
        with closing(read_typed_database(self.questions.folders[0], self.questions.work)) as first:
            if self.recipe.start is None:
                parser = self._first(first)
                for number in range(self.recipe.rounds):
                    parser = self._round(number, parser)
                if self.recipe.together:
                    self._search(parser, ALL, self.questions.all())
                    self._train_together(parser)
            else:
                parser = DatabaseParser.from_pretrained(self.recipe.start, first.domain)
                if self.recipe.from_scratch:
                    self._search(parser, ALL, self.questions.all())
                    parser = self._first(first)
                    self._train_together(parser)
                else:
                    self._search(parser, ALL, self.questions.more())
                    self._train_on(parser)
            facts = {**self.recipe.facts(), "command": self.command, "commit": checkout_commit()}
            return self._finish(parser, first.domain, facts)

    def change(self, what: str, change: Callable[[DatabaseParser], None]) -> DatabaseParser:
        """Change a parser that is there, and fit when it answers (`what`: how the change is called
        in what is noted of the training)."""
        with closing(read_typed_database(self.questions.folders[0], self.questions.work)) as first:
            assert self.recipe.start is not None
            parser = DatabaseParser.from_pretrained(self.recipe.start, first.domain)
            change(parser)
            facts = dict(read_json(find_pretrained(self.recipe.start) / CONFIG)["training"])
            facts[what] = {"command": self.command, "commit": checkout_commit()}
            return self._finish(parser, first.domain, facts)

    def _finish(
        self, parser: DatabaseParser, domain: DatabaseDomain, facts: Mapping[str, Any]
    ) -> DatabaseParser:
        """Fit when it answers, and save it as a parser of no database of its own, with its encoder
        in eight bits."""
        cases = self._cases(parser)
        fit_confidence(parser, cases)
        fit_refusals(parser, cases)
        layer = replace(domain.layer, name=NAME)
        parser.domain = DatabaseDomain(layer, domain.source, domain.index)
        parser.save_pretrained(self.recipe.out / "parser", facts, half=True)
        return parser

    def _begin(self) -> None:
        """Note the settings, or compare them with those that the run was begun with."""
        file = self.recipe.out / "recipe.json"
        facts = {name: fact for name, fact in self.recipe.facts().items() if name not in LATER}
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
        folder = self._rounds / str(number) / "parser"
        if not (folder / CONFIG).is_file():
            self._search(before, str(number), self.questions.round(number))
            self._train(number, before)
            before.save_pretrained(folder)
        return DatabaseParser.from_pretrained(folder, before.domain)

    def _search(self, parser: DatabaseParser, name: str, sources: Iterable[Source]) -> None:
        search(parser, self._rounds / name, sources, self.tell)

    def _train(self, number: int, parser: DatabaseParser) -> None:
        """Train new networks on the lists of all rounds so far."""
        weights = dict(FIRST_WEIGHTS)
        if parser.scorer is not None:
            learned = parser.scorer.weights.detach().mean(0).tolist()
            weights |= dict(zip(parser.scorer.vocabulary.features, learned, strict=True))
        homes = (self._rounds / str(last) for last in range(number + 1))
        lists = [one for home in homes for one in lists_below(home)]
        self._fit(f"round {number}", parser, lists, self.recipe.epochs, weights=weights)

    def _train_together(self, parser: DatabaseParser) -> None:
        """Train all networks from the beginning, with the encoder."""
        lists = list(lists_below(self._rounds / ALL))
        epochs, encoder = self.recipe.together, parser.encoder
        self._fit("with the encoder", parser, lists, epochs, encoder, FIRST_WEIGHTS)

    def _train_on(self, parser: DatabaseParser) -> None:
        """Train the networks of a parser on, with the encoder, and what is new with them."""
        assert parser.scorer is not None
        before, lists = parser.scorer, list(lists_below(self._rounds / ALL))
        known = (*before.vocabulary, *vocabulary_of(lists))
        parts = (sorted({*known[at], *known[at + 3]}) for at in range(3))
        torch.manual_seed(self.recipe.seed)
        parser.build(ScoredNames(*map(tuple, parts)), FIRST_WEIGHTS).take_over(before)
        epochs, encoder = self.recipe.together, None if self.recipe.frozen else parser.encoder
        assert parser.scorer is not None
        kept = {name: tensor.clone() for name, tensor in parser.scorer.state_dict().items()}
        self._fit("on from before", parser, lists, epochs, encoder, rates=ON)
        if encoder is None:
            share, new = self.recipe.blend, parser.scorer.state_dict()
            parser.scorer.load_state_dict(
                {name: kept[name].lerp(tensor, share) for name, tensor in new.items()}
            )

    def _fit(
        self,
        what: str,
        parser: DatabaseParser,
        lists: Sequence[Readings],
        epochs: int,
        encoder: Encoder | None = None,
        weights: Mapping[str, float] | None = None,
        rates: tuple[float, float] = (1e-3, ENCODER_RATE),
    ) -> None:
        """Train the networks, and the encoder if it is given (`weights`: those that new networks
        begin with; None for the networks that are there)."""
        if weights is not None:
            torch.manual_seed(self.recipe.seed)
            parser.build(vocabulary_of(lists), weights)
        self.tell(f"{what}: {len(lists)} lists of readings")
        assert parser.scorer is not None
        train(
            parser.scorer,
            lists,
            Pace(epochs, self.recipe.seed, *rates),
            encoder,
            lambda epoch, loss: self.tell(f"{what}, epoch {epoch}: loss {loss:.4f}"),
            state=self.recipe.out / "state",
        )

    def _cases(self, parser: DatabaseParser) -> list[ReadCase]:
        draw, cases = random.Random(self.recipe.seed), list[ReadCase]()
        for folder in self.questions.held_out:
            with closing(read_typed_database(folder, self.questions.work)) as database:
                cases += cases_of(parser, database, database.questions, draw)
        for name, some in self.questions.fitted().items():
            with closing(self.questions.filled(name, some)) as database:
                cases += cases_of(parser, database, database.questions, draw)
        right = sum(case.right for case in cases)
        self.tell(f"when to answer: {len(cases)} questions, {right} right")
        return cases
