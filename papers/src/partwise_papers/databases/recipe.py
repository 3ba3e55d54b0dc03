"""Training the parser for databases: search interpretations, learn to choose among them, and again.

Each round searches some questions of the training databases with the parser of the round before,
the first one with weights set by hand, and trains a new one on the interpretations of all rounds.
Then the encoder is trained on these, more questions are searched with it, and all networks are
trained on what was found from the beginning; after them the cross-encoder, on the same lists. In
the end it is fitted when to answer, on databases that no round has seen. A run that was stopped
goes on where it stood.
"""

from __future__ import annotations

import json
import random
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import closing
from dataclasses import replace
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import torch

from partwise.cli.common import write_text
from partwise.database.config import DatabaseSettings
from partwise.database.domain import DatabaseDomain
from partwise.database.learning import Candidates, Pace, train, vocabulary_of
from partwise.database.parser import DatabaseParser
from partwise.database.spans.text import words_of
from partwise.database.spans.vectors import AT_ONCE, Encode, name_vectors, normal, word_vectors
from partwise.encoders.eight_bits import unpack
from partwise.encoders.storage import read_json
from partwise.encoders.tensors import read_tensors
from partwise.errors import DataError
from partwise.training.store import CONFIG, WEIGHTS, find_pretrained
from partwise_papers.databases.confidence import (
    ReadCase,
    cases_of,
    fit_confidence,
    fit_refusals,
    plain_words,
)
from partwise_papers.databases.cross_encoder import CrossTraining, train_cross_encoder
from partwise_papers.databases.interpretations import (
    Tell,
    have_lists,
    lists_of,
    places_below,
    read_lists,
    read_restated,
    write_lists,
)
from partwise_papers.databases.options import DatabaseRecipe
from partwise_papers.databases.questions import AskedDatabase, read_typed_database
from partwise_papers.databases.training_questions import (
    ALL,
    Source,
    TrainingQuestions,
)
from partwise_papers.results.recorder import checkout_commit

NAME = "database"
"""What the saved parser calls its domain: any database."""
LATER = ("rounds", "together", "fitted", "workers", "compared", "compared_lists")
"""Settings that may be others when a run goes on; a step that is done stays as it was."""


# --- searching ---------------------------------------------------------------------------------


class _Searcher:
    """Searches the databases of a stage with a saved parser."""

    def __init__(self, recipe: DatabaseRecipe, stage: str, folder: Path) -> None:
        self.questions = TrainingQuestions(recipe)
        self.sources = list(self.questions.stage(stage))
        self.home = recipe.out / "rounds" / stage
        domain = read_typed_database(self.questions.folders[0], self.questions.work).domain
        self.parser = DatabaseParser.from_pretrained(folder, domain)

    def search(self, number: int) -> list[str]:
        """Search the questions of a source; lines that tell of it."""
        source, said, begun = self.sources[number], list[str](), time.monotonic()
        with closing(source.open()) as database:
            lists = lists_of(self.parser, database, source.asked(database), said.append)
        write_lists(lists, self.home / source.name)
        right = [found.candidates.right for found in lists]
        first, some = sum(yes[0] for yes in right), sum(map(any, right))
        seconds = time.monotonic() - begun
        told = f"{len(lists)} questions, {first} right, {some} found, {seconds:.0f} s"
        return [*said, f"{source.name}: {told}"]


_SEARCHERS: list[_Searcher] = []
"""That of this process, where several search."""


def _begin_searching(recipe: DatabaseRecipe, stage: str, folder: Path) -> None:
    torch.set_num_threads(1)
    _SEARCHERS[:] = [_Searcher(recipe, stage, folder)]


def _search_here(number: int) -> list[str]:
    return _SEARCHERS[0].search(number)


def search(
    recipe: DatabaseRecipe,
    stage: str,
    folder: Path,
    tell: Tell,
    wanted: Callable[[Source], bool] = lambda source: True,
) -> None:
    """Write the interpretations that a saved parser finds; those that are written stay.

    Args:
        stage: what is searched, as `TrainingQuestions.stage` names it.
        folder: of the parser.
        wanted: which of the databases.
    """
    home = recipe.out / "rounds" / stage
    waiting = [
        number
        for number, source in enumerate(TrainingQuestions(recipe).stage(stage))
        if wanted(source) and not have_lists(home / source.name)
    ]
    if not waiting:
        return
    if recipe.workers == 1:
        searcher = _Searcher(recipe, stage, folder)
        said: Iterator[list[str]] = (searcher.search(number) for number in waiting)
        _tell_all(said, tell)
        return
    # Forked processes would share the threads of torch.
    begin = _begin_searching, (recipe, stage, folder)
    with ProcessPoolExecutor(recipe.workers, get_context("spawn"), *begin) as pool:
        done = as_completed([pool.submit(_search_here, number) for number in waiting])
        _tell_all((future.result() for future in done), tell)


def _tell_all(said: Iterable[list[str]], tell: Tell) -> None:
    for lines in said:
        for line in lines:
            tell(line)


# --- training ----------------------------------------------------------------------------------


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


def fit_again(
    recipe: DatabaseRecipe, parser: str, tell: Tell = print, command: str = ""
) -> DatabaseParser:
    """Fit how probable answers are and when a parser refuses, after its rules have changed; all
    else stays as it is.

    Args:
        parser: a saved one; the new one is ``parser`` in `out` of the recipe.
        tell, command: as for `train_database_parser`.
    """
    return _Training(recipe, tell, command).fit_again(parser)


class _Training:
    def __init__(self, recipe: DatabaseRecipe, tell: Tell, command: str) -> None:
        self.recipe, self._tell, self.command = recipe, tell, command
        self.questions, self.rounds = TrainingQuestions(recipe), recipe.out / "rounds"

    def tell(self, line: str) -> None:
        """Tell a line, and log it with the time."""
        self._tell(line)
        self.recipe.out.mkdir(parents=True, exist_ok=True)
        with (self.recipe.out / "log.txt").open("a", encoding="utf-8") as log:
            log.write(f"{time.strftime('%Y-%m-%d %H:%M:%S')} {line}\n")

    def run(self) -> DatabaseParser:
        self._begin()
        self.questions.prepare()
        with closing(read_typed_database(self.questions.folders[0], self.questions.work)) as first:
            self.domain = first.domain
            last = self.base = self._step("hand", self._create)
            for number in range(self.recipe.rounds):
                last = self._step(str(number), lambda: self._round(number, last))  # noqa: B023
            if self.recipe.tuned:
                last = self.base = self._step("tuned", self._tune)
            self._search_all(last)
            trained = self._step("trained", self._train_together)
            compared = self._step("compared", lambda: self._compare(trained))
            parser = self._read(compared)
            facts = {**self.recipe.facts(), "command": self.command, "commit": checkout_commit()}
            return self._finish(parser, facts)

    def fit_again(self, name: str) -> DatabaseParser:
        """Fit when a parser that is there answers."""
        self.questions.prepare()
        with closing(read_typed_database(self.questions.folders[0], self.questions.work)) as first:
            self.domain = first.domain
            parser = DatabaseParser.from_pretrained(name, first.domain)
            facts = dict(read_json(find_pretrained(name) / CONFIG)["training"])
            facts["fitted_again"] = {"command": self.command, "commit": checkout_commit()}
            return self._finish(parser, facts)

    def _begin(self) -> None:
        """Note the settings, or compare them with those that the run was begun with."""
        file = self.recipe.out / "recipe.json"
        facts = {name: fact for name, fact in self.recipe.facts().items() if name not in LATER}
        if file.is_file() and read_json(file) != facts:
            raise DataError(
                f"{self.recipe.out} was begun with other settings; choose another --out"
            )
        write_text(file, json.dumps(facts) + "\n")

    def _step(self, name: str, make: Callable[[], DatabaseParser]) -> Path:
        """The folder of a parser, which is made unless it is there."""
        folder = self.rounds / name / "parser"
        if not (folder / CONFIG).is_file():
            begun = time.monotonic()
            make().save_pretrained(folder)
            self.tell(f"step {name}: {time.monotonic() - begun:.0f} s")
        return folder

    def _read(self, folder: Path) -> DatabaseParser:
        return DatabaseParser.from_pretrained(folder, self.domain)

    def _create(self) -> DatabaseParser:
        torch.manual_seed(self.recipe.seed)
        settings = DatabaseSettings(encoder=self.recipe.encoder, members=self.recipe.members)
        parser = DatabaseParser.create(self.domain, settings)
        if self.recipe.base is not None:
            begin_with(parser, self.recipe.base)
        return parser

    def _round(self, number: int, before: Path) -> DatabaseParser:
        search(self.recipe, str(number), before, self.tell)
        return self._fit(f"round {number}", self._places(number + 1), self.recipe.epochs)

    def _tune(self) -> DatabaseParser:
        """Train the encoder, with new networks. Names are alike by the encoder that searches: so it
        is trained before the lists that all else learns from are made."""
        places, epochs = self._places(self.recipe.rounds), self.recipe.tuned
        return self._fit("the encoder", places, epochs, with_encoder=True)

    def _search_all(self, last: Path) -> None:
        """Search all questions, those of each part with a parser that has not seen it."""
        recipe = self.recipe
        if recipe.folds == 1:
            search(recipe, ALL, last, self.tell)
            return
        for fold in range(recipe.folds):

            def is_inside(database: str, fold: int = fold) -> bool:
                return recipe.fold_of(database) == fold

            places = [place for place in self._places(recipe.rounds) if not is_inside(place.name)]
            what = f"without part {fold}"
            folder = self._step(
                f"part-{fold}",
                lambda: self._fit(what, places, recipe.epochs),  # noqa: B023
            )
            search(recipe, ALL, folder, self.tell, lambda source: is_inside(source.database))

    def _train_together(self) -> DatabaseParser:
        """Train all networks from the beginning."""
        return self._fit("all", list(places_below(self.rounds / ALL)), self.recipe.together)

    def _compare(self, trained: Path) -> DatabaseParser:
        """Train the cross-encoder."""
        parser, recipe = self._read(trained), self.recipe
        if recipe.compared:
            lists = [
                some for place in places_below(self.rounds / ALL) for some in read_restated(place)
            ]
            if recipe.compared_lists is not None:
                few = min(recipe.compared_lists, len(lists))
                lists = random.Random(recipe.seed).sample(lists, few)
            how, start = CrossTraining(recipe.compared, recipe.seed), parser.cross_encoder
            parser.cross_encoder = train_cross_encoder(parser.encoder, lists, how, self.tell, start)
        return parser

    def _places(self, rounds: int) -> list[Path]:
        """The lists of the first rounds."""
        return [
            place for number in range(rounds) for place in places_below(self.rounds / str(number))
        ]

    def _fit(
        self, what: str, places: list[Path], epochs: int, with_encoder: bool = False
    ) -> DatabaseParser:
        """A parser with new networks, trained on lists."""
        parser = self._read(self.base)

        def lists() -> Iterator[Candidates]:
            for place in places:
                yield from encode_again(read_lists(place), parser.encode)

        torch.manual_seed(self.recipe.seed)
        known = (some for place in places for some in read_lists(place))
        scorer = parser.build(vocabulary_of(known))
        self.tell(
            f"{what}: lists of {len(places)} databases, {len(scorer.vocabulary.features)} figures"
        )
        train(
            scorer,
            lists(),
            Pace(epochs, self.recipe.seed),
            parser.encoder if with_encoder else None,
            lambda epoch, loss: self.tell(f"{what}, epoch {epoch}: loss {loss:.4f}"),
            state=self.recipe.out / "state",
        )
        return parser

    def _finish(self, parser: DatabaseParser, facts: dict[str, Any]) -> DatabaseParser:
        """Fit when it answers, and save it as a parser of no database of its own, with its encoder
        in eight bits."""
        parser.plain = plain_words(parser, self.questions.stage("0"))
        cases = self._cases(parser)
        fit_confidence(parser, cases)
        fit_refusals(parser, cases)
        domain = self.domain
        parser.domain = DatabaseDomain(
            replace(domain.layer, name=NAME), domain.source, domain.index
        )
        parser.save_pretrained(self.recipe.out / "parser", facts, half=True)
        return parser

    def _cases(self, parser: DatabaseParser) -> list[ReadCase]:
        draw, cases = random.Random(self.recipe.seed), list[ReadCase]()

        def add(database: AskedDatabase) -> None:
            with closing(database):
                cases.extend(cases_of(parser, database, database.questions, draw))

        for folder in self.questions.held_out:
            add(read_typed_database(folder, self.questions.work))
        for name, some in self.questions.questions_to_fit().items():
            add(self.questions.fill(name, some))
        right = sum(case.right for case in cases)
        self.tell(f"when to answer: {len(cases)} questions, {right} right")
        return cases


def encode_again(lists: Sequence[Candidates], encode: Encode) -> Iterator[Candidates]:
    """The lists of one database with the vectors that an encoder gives as arrays."""
    teaching = [some for some in lists if some.teaches()]
    if not teaching:
        return
    names = torch.from_numpy(normal(np.stack(name_vectors(encode, teaching[0].called))))
    for begin in range(0, len(teaching), AT_ONCE):
        part = teaching[begin : begin + AT_ONCE]
        asked = [(some.text, words_of(some.text)) for some in part]
        for some, words in zip(part, word_vectors(encode, asked), strict=True):
            yield replace(some, words=torch.from_numpy(words), names=names)


def begin_with(parser: DatabaseParser, base: str) -> None:
    """Take the encoder of a saved parser of any kind, and its cross-encoder; raises DataError if
    the encoder is of another kind."""
    folder = find_pretrained(base)
    config, tensors = read_json(folder / CONFIG), unpack(read_tensors(folder / WEIGHTS))
    parts = {
        part: {
            name.removeprefix(f"{part}."): tensor
            for name, tensor in tensors.items()
            if name.startswith(f"{part}.")
        }
        for part in ("encoder", "cross_encoder")
    }
    if config["encoder"] != parser.encoder.config():
        raise DataError(f"{base} has another encoder: {config['encoder']}")
    parser.encoder.load_state_dict(parts["encoder"])
    if config.get("cross_encoder"):
        parser.add_cross_encoder(config["cross_encoder"]).load_state_dict(parts["cross_encoder"])
