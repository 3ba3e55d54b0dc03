"""Pretrained encoder-decoders, with tiny ones made here in their place."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest
import torch
from tiny_writers import KINDS, write

from partwise.domains import read_shipped
from partwise.errors import PartwiseError
from partwise.evaluation.metrics import evaluate
from partwise.interface.data import Example
from partwise.interface.registry import named_domain
from partwise.language.program import Term
from partwise.training.trainer import TrainingConfig
from partwise_papers.constrained.tokens import split_program
from partwise_papers.seq2seq.config import SYSTEMS, Seq2SeqConfig, presets, variant
from partwise_papers.seq2seq.parser import Seq2SeqParser
from partwise_papers.seq2seq.pretrained import (
    PieceVocabulary,
    PretrainedNetwork,
    PretrainedSeq2SeqParser,
    load_writer,
)

DOMAIN = named_domain("geography")
HEART = {"bart": (20, 60), "t5": (3, 300), "bert": (20, 60)}
"""Examples that are learned, and epochs; a T5 with random weights learns slowly."""


@pytest.fixture(scope="module")
def fifty() -> list[Example[Term]]:
    return read_shipped("geography", "iid").train[:50]


def output(example: Example[Term]) -> str:
    return " " + " ".join(split_program(DOMAIN.write(example.meaning)))


@pytest.fixture(scope="module", params=KINDS)
def folder(
    request: pytest.FixtureRequest,
    fifty: list[Example[Term]],
    tmp_path_factory: pytest.TempPathFactory,
) -> str:
    texts = [one for e in fifty for one in (f" {e.question}", output(e))]
    return write(request.param, texts, tmp_path_factory.mktemp("tiny") / str(request.param))


@pytest.fixture(scope="module")
def some(folder: str, fifty: list[Example[Term]]) -> list[Example[Term]]:
    return fifty[: HEART[Path(folder).name][0]]


@pytest.fixture(scope="module")
def learned(folder: str, some: list[Example[Term]]) -> Seq2SeqParser:
    parser = Seq2SeqParser.create(DOMAIN, Seq2SeqConfig(pretrained=folder, beam=1, longest=60))
    epochs = HEART[Path(folder).name][1]
    settings = TrainingConfig(
        epochs=epochs, batch_size=10, encoder_rate=3e-3, head_rate=3e-3, keep="last"
    )
    parser.fit(some, [], settings)
    return parser


def network(parser: Seq2SeqParser) -> PretrainedNetwork:
    assert isinstance(parser.network, PretrainedNetwork)
    return parser.network


def test_it_learns_examples_by_heart(learned: Seq2SeqParser, some: list[Example[Term]]) -> None:
    assert isinstance(learned, PretrainedSeq2SeqParser)
    assert evaluate(learned, some, False).exact_match == 1.0


def test_scores_are_those_of_the_outputs(learned: Seq2SeqParser, some: list[Example[Term]]) -> None:
    items, _ = learned.training_items(some[:1])
    words, numbers = [items[0].words], items[0].numbers
    with torch.no_grad():
        loss = float(network(learned).loss(words, [numbers]))
        greedy, beam = (network(learned).search(words, width)[0] for width in (1, 3))
    assert list(greedy[0].numbers) == list(beam[0].numbers) == numbers
    assert math.isclose(greedy[0].score, -loss * len(numbers), abs_tol=1e-3)
    assert math.isclose(beam[0].score, greedy[0].score, abs_tol=1e-3)
    assert [one.score for one in beam] == sorted((one.score for one in beam), reverse=True)


def test_a_saved_parser_reads_back(
    learned: Seq2SeqParser, some: list[Example[Term]], tmp_path: Path
) -> None:
    learned.save_pretrained(tmp_path / "parser")
    again = Seq2SeqParser.from_pretrained(tmp_path / "parser", DOMAIN)
    assert isinstance(again, PretrainedSeq2SeqParser)
    questions = [example.question for example in some[:6]]
    before, after = (parser.parse(questions) for parser in (learned, again))
    assert [one.meaning for one in before] == [one.meaning for one in after]
    two = (torch.stack(parser.vectors(questions)) for parser in (learned, again))
    assert torch.equal(*two)


def test_pieces_give_back_all_tokens(
    learned: Seq2SeqParser, folder: str, some: list[Example[Term]]
) -> None:
    vocabulary = network(learned).vocabulary
    expected = {"bart": set(), "t5": {"(", ")"}, "bert": {"population_1", "next_to_2"}}
    assert expected[Path(folder).name] <= set(vocabulary.added)
    for example in some:
        tokens = learned.form.tokens(example.meaning)
        assert vocabulary.output(vocabulary.output_numbers(tokens, ()), ()) == tokens


def test_a_bert_keeps_the_pieces_of_training(
    learned: Seq2SeqParser, folder: str, some: list[Example[Term]]
) -> None:
    vocabulary = network(learned).vocabulary
    if not folder.endswith("bert"):
        assert not vocabulary.names
        return
    tokenizer = vocabulary.tokenizer
    read = {piece for one in some for piece in tokenizer.encode(one.question).tokens}
    assert read <= set(vocabulary.names) < set(tokenizer.get_vocab())
    assert len(network(learned)._of_pieces()[0]) == len(vocabulary)
    others = sorted(set(tokenizer.get_vocab()) - set(vocabulary.names))
    dropped = next(one for one in others if len(one) > 2 and one.isalpha())
    assert vocabulary.token_numbers(dropped) == [vocabulary.names.index("[UNK]")]
    with pytest.raises(PartwiseError, match="no piece 'zzzz'"):
        PieceVocabulary(tokenizer, 9, (), [*vocabulary.names, "zzzz"])
    with pytest.raises(PartwiseError, match="frame a text"):
        PieceVocabulary(tokenizer, 9, (), vocabulary.names[-1:])


def test_settings_of_the_network_are_kept(learned: Seq2SeqParser, folder: str) -> None:
    kept = getattr(network(learned).model.config, "scale_decoder_outputs", None)
    assert kept is (False if folder.endswith("t5") else None)


def test_what_does_not_fit_is_refused(learned: Seq2SeqParser, some: list[Example[Term]]) -> None:
    words = " ".join(["is", *("z" * 90 for _ in range(70))])
    (said,) = learned.parse([words])
    assert said.meaning is None
    assert "too long" in (said.reason or "")
    name = " ".join(["tnlrs" * 5] * 50)
    long = Example("what ?", DOMAIN.read(f"answer(stateid('{name}'))"))
    items, unusable = learned.training_items([some[0], long])
    assert [item.example for item in items] == [some[0]]
    assert "pieces" in unusable[0][1]


def test_what_is_no_encoder_decoder_is_refused(tmp_path: Path, folder: str) -> None:
    entries = json.loads((Path(folder) / "config.json").read_text())
    for name, value in (("model_type", "gpt2"), ("vocab_size", 2**40), ("auto_map", {"a": "b"})):
        place = tmp_path / name
        place.mkdir()
        (place / "config.json").write_text(json.dumps({**entries, name: value}))
        with pytest.raises(PartwiseError, match=name):
            load_writer(str(place))


def test_pickled_weights_are_not_read(tmp_path: Path, folder: str) -> None:
    for name in ("config.json", "tokenizer.json", "tokenizer_config.json"):
        (tmp_path / name).write_bytes((Path(folder) / name).read_bytes())
    torch.save({}, tmp_path / "pytorch_model.bin")
    with pytest.raises(PartwiseError, match="safetensors"):
        load_writer(str(tmp_path))


def test_systems_are_named() -> None:
    for name in ("bart", "bert2bert"):
        settings = presets({}, name, 100)
        assert settings["pretrained"] == SYSTEMS[name]["pretrained"]
        assert variant(Seq2SeqConfig(system=name, **SYSTEMS[name])) == name
    large = Seq2SeqConfig(system="bart", pretrained="/models/bart-large/")
    assert variant(large) == "bart-bart-large"


def test_settings_that_do_not_go_together_are_refused() -> None:
    with pytest.raises(PartwiseError, match="constrained"):
        Seq2SeqConfig(pretrained="minilm", constrained=True)
    with pytest.raises(PartwiseError, match="no programs, and cannot be constrained"):
        Seq2SeqConfig(form="rir", constrained=True)
    rules = Seq2SeqParser.create(DOMAIN, Seq2SeqConfig(pretrained="minilm", form="rules"))
    with pytest.raises(PartwiseError, match="choose the form text"):
        rules.prepare(read_shipped("geography", "iid").train[:5])
