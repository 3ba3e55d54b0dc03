"""Training from span trees, given or built, and swapping names inside them."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from library import mismatch
from partwise.chart.scores import JOIN
from partwise.chart.type_algebra import TypeAlgebra
from partwise.domains.geography.domain import Geography
from partwise.encoders import make_encoder
from partwise.errors import DataError
from partwise.interface.data import Dataset
from partwise.interface.registry import load
from partwise.language.program import Term
from partwise.language.text import tokenize
from partwise.span.augmentation import EntitySwap
from partwise.span.config import SpanParserConfig
from partwise.span.parser import SpanParser
from partwise.training.session import train
from partwise.training.trainer import TrainingConfig
from partwise_papers.domains.scan.domain import Scan
from partwise_papers.trees.metrics import annotate_all

pytestmark = pytest.mark.usefixtures("no_state")

CONFIG = SpanParserConfig(encoder="bilstm", hidden=64, entity_augmentation=0.0, objective="trees")
GEOGRAPHY = TypeAlgebra(Geography())


@pytest.fixture
def commands() -> Dataset[Term]:
    """Some commands of SCAN."""
    full = load("scan", "simple")
    return Dataset("scan", "simple", full.train[:400], full.dev[:30], full.test[:60])


def test_commands_are_learned_from_trees_that_are_built(
    commands: Dataset[Term], tmp_path: Path
) -> None:
    torch.set_num_threads(1)
    settings = TrainingConfig(epochs=3, batch_size=16)
    session = train(
        SpanParser, Scan(), commands, CONFIG, settings, folder=tmp_path, progress=False, test=True
    )
    assert session.report.usable == 400
    assert session.test is not None
    assert session.test.exact_match > 0.9
    # Nothing was searched in training: the labels were there.
    assert session.report.history[0]["reached"] == 400


def test_targets_are_the_labels_of_the_given_tree(commands: Dataset[Term]) -> None:
    domain = Scan()
    types = TypeAlgebra(domain)
    done, _ = annotate_all(commands.train[:5], types)
    parser = SpanParser(domain, CONFIG, make_encoder("bilstm", [tokenize("jump left")]))
    items, unusable = parser.training_items(done)
    assert unusable == []
    for item, example in zip(items, done, strict=True):
        assert item.tree is not None
        assert example.spans is not None
        labels = item.tree.labels()
        names = {
            (i, k, "join" if label == JOIN else domain.constants[label].category)
            for (i, k), label in labels.items()
        }
        assert names == set(example.spans)


def test_questions_without_a_tree_are_not_usable(commands: Dataset[Term], tmp_path: Path) -> None:
    parser = SpanParser(Scan(), CONFIG, make_encoder("bilstm", [tokenize("jump")]))
    bad = replace(commands.train[0], spans=((0, 1, "join"), (0, 9, "join")))
    items, unusable = parser.training_items([commands.train[1], bad])
    assert items == []
    assert ["no span tree is given" in why for _, why in unusable] == [True, False]
    with pytest.raises(DataError, match="none of the 1 training questions is usable"):
        train(
            SpanParser,
            Scan(),
            replace(commands, train=[bad]),
            CONFIG,
            TrainingConfig(),
            folder=tmp_path,
            progress=False,
        )


def test_names_that_the_domain_lacks_are_no_labels(commands: Dataset[Term]) -> None:
    domain = GEOGRAPHY.domain
    (done,), _ = annotate_all([load("geography", "iid").train[0]], GEOGRAPHY)
    assert done.spans is not None
    entities = {c.category for c in domain.constants if c.is_entity}
    words = tokenize(done.question).words
    (start, end, name), *_ = [span for span in done.spans if span[2] in entities]
    renamed = (*words[:start], *["xyz"] * (end - start), *words[end:])
    bad = replace(done, question=" ".join(renamed))
    for tied in (True, False):
        config = replace(CONFIG, type_tied=tied)
        parser = SpanParser(domain, config, make_encoder("bilstm", [tokenize("jump")]))
        items, unusable = parser.training_items([done, bad])
        assert len(items) == (1 if tied else 2)
        assert [name in why and "'xyz" in why for _, why in unusable] == [True] * tied


def test_trees_survive_swapped_names() -> None:
    full = load("geography", "iid")
    done, _ = annotate_all(full.train[:150], GEOGRAPHY)
    swap = EntitySwap(GEOGRAPHY.domain)
    draw = random.Random(0)
    changed = 0
    for example in done:
        made = swap(example, draw)
        changed += len(tokenize(made.question)) != len(tokenize(example.question))
        assert mismatch(made, GEOGRAPHY) is None, (example.question, made.question)
    assert changed > 10
