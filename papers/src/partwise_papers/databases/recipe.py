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
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from typing import Any

import torch

from partwise.cli.common import write_text
from partwise.database.config import DatabaseSettings
from partwise.database.domain import DatabaseDomain
from partwise.database.parser import DatabaseParser
from partwise.database.reading.features import FIRST_WEIGHTS
from partwise.database.reading.learning import (
    ENCODER_RATE,
    Pace,
    Readings,
    train,
    vocabulary_of,
)
from partwise.database.reading.scorer import ScoredNames
from partwise.encoders.base import Encoder
from partwise.encoders.storage import read_json
from partwise.errors import DataError
from partwise.training.store import CONFIG, find_pretrained
from partwise_papers.databases.comparing import (
    FIRST_COMPARED,
    CrossTraining,
    train_cross_encoder,
)
from partwise_papers.databases.lists import (
    Tell,
    lists_below,
)
from partwise_papers.databases.parser_recipe import DatabaseRecipe
from partwise_papers.databases.questions import (
    AskedDatabase,
    typed_database,
)
from partwise_papers.databases.searching import ALL, Searches
from partwise_papers.databases.trusting import ReadCase, cases_of, fit_refusals, fit_trust
from partwise_papers.results.recorder import checkout_commit

NAME = "database"
"""What the saved parser calls its domain: any database."""

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
        composed, others = training.searches.listed(parser)
        if drawn is not None:
            others = random.Random(how.seed).sample(others, min(drawn, len(others)))
        train_cross_encoder(parser, [*composed, *others], how, tell)

    return training.change("cross_encoder", change)


class _Training:
    def __init__(self, recipe: DatabaseRecipe, tell: Tell, command: str) -> None:
        self.recipe, self.tell, self.command = recipe, tell, command
        self.searches = Searches(recipe, tell)
        self.questions = self.searches.questions

    def run(self) -> DatabaseParser:
        self._begin()
        with closing(typed_database(self.questions.folders[0], self.questions.work)) as first:
            if self.recipe.start is None:
                parser = self._first(first)
                for number in range(self.recipe.rounds):
                    parser = self._round(number, parser)
                if self.recipe.together:
                    self.searches.all(parser)
                    self._train_together(parser)
            else:
                parser = DatabaseParser.from_pretrained(self.recipe.start, first.domain)
                if self.recipe.from_scratch:
                    self.searches.all(parser)
                    parser = self._first(first)
                    self._train_together(parser)
                else:
                    self.searches.more(parser)
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
        with closing(typed_database(self.questions.folders[0], self.questions.work)) as first:
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
        folder = self.searches.folder(number)
        if not (folder / "parser" / CONFIG).is_file():
            self.searches.some(number, before)
            self._train(number, before)
            before.save_pretrained(folder / "parser")
        return DatabaseParser.from_pretrained(folder / "parser", before.domain)

    # --- training ------------------------------------------------------------------------

    def _train(self, number: int, parser: DatabaseParser) -> None:
        """Train new networks on the lists of all rounds so far."""
        weights = dict(FIRST_WEIGHTS)
        if parser.scorer is not None:
            learned = parser.scorer.weights.detach().mean(0).tolist()
            weights |= dict(zip(parser.scorer.vocabulary.features, learned, strict=True))
        lists = [
            one for last in range(number + 1) for one in lists_below(self.searches.folder(last))
        ]
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
        parser.build(ScoredNames(*map(tuple, parts)), FIRST_WEIGHTS).take_over(before)
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
            Pace(epochs, self.recipe.seed, *rates),
            encoder,
            lambda epoch, loss: self.tell(f"{what}, epoch {epoch}: loss {loss:.4f}"),
            state=self.recipe.out / "state",
        )

    # --- when to answer ------------------------------------------------------------------

    def _cases(self, parser: DatabaseParser) -> list[ReadCase]:
        draw, cases = random.Random(self.recipe.seed), list[ReadCase]()
        for folder in self.questions.held_out:
            with closing(typed_database(folder, self.questions.work)) as database:
                cases += cases_of(parser, database, database.questions, draw)
        for name, some in self.questions.fitted().items():
            with closing(self.questions.filled(name, some)) as database:
                cases += cases_of(parser, database, database.questions, draw)
        right = sum(one.right for one in cases)
        self.tell(f"when to answer: {len(cases)} questions, {right} right")
        return cases
