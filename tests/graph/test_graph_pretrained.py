"""Graph parsers over a pretrained encoder: they learn, and their folder is all that they need."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
import torch
from prepared_parsers import prepared
from tokenizers import Tokenizer
from tokenizers.models import WordPiece
from tokenizers.pre_tokenizers import Whitespace
from transformers import BertConfig, BertModel, PreTrainedTokenizerFast

from library import without_manifest
from partwise.domains.films.domain import FILMS
from partwise.errors import CheckpointError, PartwiseError
from partwise.graph.config import GraphParserConfig
from partwise.graph.parser import GraphParser
from partwise.interface.data import Example
from partwise.language.query_graph import QueryGraph
from partwise.training.store import ENCODER
from partwise_papers.films.generate import generate

LIMIT = 48


@pytest.fixture(scope="module")
def examples() -> list[Example[QueryGraph]]:
    return generate(40, 8)


@pytest.fixture(scope="module")
def encoder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A transformer that reads characters, its weights at random."""
    folder = tmp_path_factory.mktemp("encoder")
    letters = "abcdefghijklmnopqrstuvwxyzM0123456789,'"
    names = ["[UNK]", "[PAD]", *letters, *(f"##{letter}" for letter in letters)]
    pieces = Tokenizer(
        WordPiece({name: place for place, name in enumerate(names)}, unk_token="[UNK]")
    )
    pieces.pre_tokenizer = Whitespace()
    PreTrainedTokenizerFast(
        tokenizer_object=pieces, unk_token="[UNK]", pad_token="[PAD]"
    ).save_pretrained(folder)
    torch.manual_seed(0)
    config = BertConfig(
        vocab_size=len(names),
        hidden_size=8,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=8,
        max_position_embeddings=LIMIT,
    )
    BertModel(config).save_pretrained(folder)
    return folder


def made(encoder: Path, examples: list[Example[QueryGraph]], members: int = 1) -> GraphParser:
    torch.manual_seed(1)
    config = GraphParserConfig(
        composition="flat", encoder=str(encoder), dx=8, dh=8, layers=1, dropout=0.0, members=members
    )
    return prepared(FILMS, config, examples)[0]


@pytest.mark.parametrize("members", [1, 2])
def test_the_saved_folder_is_all_that_is_needed(
    encoder: Path, examples: list[Example[QueryGraph]], tmp_path: Path, members: int
) -> None:
    again = tmp_path / "again"
    shutil.copytree(encoder, again)
    parser = made(again, examples, members)
    # Weights that came with the encoder are not those that are saved.
    with torch.no_grad():
        for weights in parser.pretrained():
            weights.add_(0.1)
    parser.save_pretrained(tmp_path / "model")
    shutil.rmtree(again)
    loaded = GraphParser.from_pretrained(tmp_path / "model")
    short = [e.question for e in examples if len(e.question) < LIMIT]
    assert len(short) > 5
    for one, other in zip(parser.parse(short), loaded.parse(short), strict=True):
        assert (one.meaning, one.probability) == (other.meaning, other.probability)
    for mine, saved in zip(parser.parameters(), loaded.parameters(), strict=True):
        assert torch.equal(mine, saved)


def test_a_folder_without_its_encoder(
    encoder: Path,
    examples: list[Example[QueryGraph]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made(encoder, examples).save_pretrained(tmp_path / "model")
    shutil.rmtree(tmp_path / "model" / ENCODER)
    with pytest.raises(CheckpointError, match=r"encoder.config\.json is missing"):
        GraphParser.from_pretrained(tmp_path / "model")
    # As folders were before there was a manifest.
    without_manifest(tmp_path / "model")
    with pytest.raises(CheckpointError, match="cannot load the encoder"):
        GraphParser.from_pretrained(tmp_path / "model")
    # "model/encoder" could be the name of a model on the hub, which nobody asked for.
    monkeypatch.chdir(tmp_path)
    with pytest.raises(CheckpointError, match="its folder model/encoder is missing"):
        GraphParser.from_pretrained("model")


def test_what_the_encoder_reads_is_learned_from(
    encoder: Path, examples: list[Example[QueryGraph]]
) -> None:
    parser = made(encoder, examples)
    items = [
        item
        for item, example in zip(parser.strategy.items(), examples, strict=True)
        if len(example.question) < LIMIT
    ]
    optimizer = torch.optim.Adam(parser.parameters(), lr=1e-2)
    losses = []
    for _ in range(30):
        loss = parser.loss(items).loss
        assert loss is not None
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(float(loss.detach()))
    assert losses[-1] < 0.6 * losses[0]
    assert all(
        weights.grad is not None for weights in parser.encoders[0].model.encoder.parameters()
    )


def test_a_question_that_is_too_long_for_the_encoder(
    encoder: Path, examples: list[Example[QueryGraph]]
) -> None:
    parser = made(encoder, examples)
    long = "Who directed " + "x" * LIMIT
    assert (
        parser.parse_linked([long])[0].reason
        == "the question is too long for the encoder (48 pieces)"
    )
    items = [parser.strategy.item(e) for e in examples if len(e.question) > 2 * LIMIT]
    with pytest.raises(PartwiseError, match="the encoder reads at most 48; leave it out"):
        parser.loss(items)
