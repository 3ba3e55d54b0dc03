"""Saved graph parsers: as they were, and clear errors for what is damaged or has changed."""

from __future__ import annotations

import json
import os
import resource
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from prepared_parsers import prepared

from cases import cases, rows
from library import without_manifest
from partwise.domains.films.domain import FILMS
from partwise.errors import CheckpointError, PartwiseError
from partwise.graph.config import GraphParserConfig
from partwise.graph.parser import GraphParser
from partwise.interface.data import Example
from partwise.language.graph_domain import GraphDomain
from partwise.language.query_graph import QueryGraph
from partwise.span.parser import SpanParser
from partwise.training.store import kind_of
from partwise_papers.films.generate import generate

QUESTIONS = rows(globals(), "QUESTIONS")


@pytest.fixture(scope="module")
def examples() -> list[Example[QueryGraph]]:
    return generate(40, 8)


@pytest.fixture(scope="module")
def saved(examples: list[Example[QueryGraph]], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A parser that composes phrases, its weights at random."""
    folder = tmp_path_factory.mktemp("graph") / "model"
    make(FILMS, "latent", examples).save_pretrained(folder, {"note": "a|b"})
    return folder


def make(domain: GraphDomain, composition: str, examples: list[Example[QueryGraph]]) -> GraphParser:
    torch.manual_seed(0)
    config = GraphParserConfig(composition=composition, dx=8, dh=8, layers=1, dropout=0.0)
    return prepared(domain, config, examples)[0]


@pytest.mark.parametrize("composition", ["flat", "latent"])
def test_a_loaded_parser_is_the_saved_one(
    composition: str, examples: list[Example[QueryGraph]], tmp_path: Path
) -> None:
    parser = make(FILMS, composition, examples)
    parser.save_pretrained(tmp_path / "model", {"dataset": "films"})
    loaded = GraphParser.from_pretrained(tmp_path / "model")
    assert loaded.config == parser.config
    assert loaded.strategy.vocabularies == parser.strategy.vocabularies
    assert loaded.parameter_count == parser.parameter_count
    pairs = zip(parser.parse_linked(QUESTIONS), loaded.parse_linked(QUESTIONS), strict=True)
    for one, other in pairs:
        assert repr(one) == repr(other)
        assert (one.meaning is None) == (one.reason is not None)
    names = {file.name for file in (tmp_path / "model").iterdir()}
    files = {"config.json", "model.safetensors", "vocabulary.json", "README.md"}
    files |= {f"{name}.onnx" for name in parser.strategy.networks}
    assert names == files | {"manifest.json"}
    card = (tmp_path / "model" / "README.md").read_text()
    assert "graph parser for `films`" in card
    assert "| dataset | films |" in card
    assert kind_of(tmp_path / "model") == "graph"


def test_a_parser_from_a_folder_has_nothing_to_train_on(saved: Path) -> None:
    with pytest.raises(PartwiseError, match="keeps no training questions"):
        GraphParser.from_pretrained(saved).training_items([])


def copied(saved: Path, folder: Path) -> Path:
    """A copy without its manifest, as folders were before there was one."""
    shutil.copytree(saved, folder)
    return without_manifest(folder)


def harm(folder: Path, name: str, keys: list[str] | None, to: Any = None) -> None:
    """Change a value inside a JSON file, or the whole text; without a value, remove it."""
    file = folder / name
    if keys is None:
        file.unlink() if to is None else file.write_text(to)
        return
    place = content = json.loads(file.read_text())
    for key in keys[:-1]:
        place = place[key]
    if to is None:
        del place[keys[-1]]
    else:
        place[keys[-1]] = to
    file.write_text(json.dumps(content))


CONFIG, NAMES, WEIGHTS = "config.json", "vocabulary.json", "model.safetensors"


@cases("name, keys, to, message")
def test_what_is_damaged_is_named(
    saved: Path, tmp_path: Path, name: str, keys: list[str] | None, to: Any, message: str
) -> None:
    folder = copied(saved, tmp_path / "model")
    harm(folder, name, keys, to)
    with pytest.raises(CheckpointError, match=message):
        GraphParser.from_pretrained(folder)


@pytest.mark.parametrize(
    ("name", "keys", "to"),
    [
        (CONFIG, ["parser", "dh"], 2**22),
        *((CONFIG, ["parser", key], 2**40) for key in ("hidden", "layers", "members", "heads")),
        # Their product is what `Implications` would hold.
        (NAMES, ["labels", "attributes"], [["p", str(n)] for n in range(2**18)]),
    ],
    ids=["dh", "hidden", "layers", "members", "heads", "attributes"],
)
def test_no_memory_is_taken_for_more_than_the_weights_have(
    saved: Path, tmp_path: Path, name: str, keys: list[str], to: Any
) -> None:
    folder = copied(saved, tmp_path / "model")
    harm(folder, name, keys, to)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises(CheckpointError):
        GraphParser.from_pretrained(folder)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 2**19, "kilobytes"


@pytest.mark.parametrize("name", [CONFIG, NAMES, WEIGHTS])
def test_what_is_no_file_is_not_read_for_ever(saved: Path, tmp_path: Path, name: str) -> None:
    folder = copied(saved, tmp_path / "model")
    for make_other in (os.mkfifo, Path.mkdir, lambda path: path.symlink_to("/dev/zero")):
        place = folder / name
        place.rmdir() if place.is_dir() else place.unlink()
        make_other(place)
        with pytest.raises(CheckpointError, match=f"{name} is not a file"):
            GraphParser.from_pretrained(folder)


def test_a_saved_parser_keeps_its_phrase_rules(saved: Path) -> None:
    """Whatever its domain declares today."""
    changed = replace(FILMS, phrases=FILMS.phrases[:-1])
    told = repr(GraphParser.from_pretrained(saved, changed).parse_linked(QUESTIONS))
    assert told == repr(GraphParser.from_pretrained(saved).parse_linked(QUESTIONS))


def test_a_parser_of_declared_rules_is_a_latent_one(saved: Path, tmp_path: Path) -> None:
    """As the strategy was called in earlier versions."""
    folder = copied(saved, tmp_path / "model")
    harm(folder, CONFIG, ["parser", "composition"], "declared")
    former, today = GraphParser.from_pretrained(folder), GraphParser.from_pretrained(saved)
    assert former.config == today.config
    assert repr(former.parse_linked(QUESTIONS)) == repr(today.parse_linked(QUESTIONS))


def test_the_domain_must_be_known(
    saved: Path, examples: list[Example[QueryGraph]], tmp_path: Path
) -> None:
    mine = replace(FILMS, name="mine")
    make(mine, "flat", examples).save_pretrained(tmp_path / "mine")
    with pytest.raises(
        CheckpointError, match=r"no domain 'mine'; .*pass the parser's own as `domain`"
    ):
        GraphParser.from_pretrained(tmp_path / "mine")
    assert GraphParser.from_pretrained(tmp_path / "mine", mine).domain is mine
    with pytest.raises(CheckpointError, match="there is no saved parser"):
        GraphParser.from_pretrained(tmp_path / "nowhere")


def test_parsers_of_another_kind_are_not_taken_for_it(saved: Path) -> None:
    with pytest.raises(CheckpointError, match=r"holds a graph parser .*reads span parsers"):
        SpanParser.from_pretrained(saved)
