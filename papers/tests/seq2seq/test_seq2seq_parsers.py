"""Each architecture, pretrained ones too, learns examples by heart, so that none is too weak."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from tiny_writers import KINDS, write
from torch import Tensor, nn
from wikidata_examples import EXAMPLES

from cases import cases
from partwise.domains import read_shipped
from partwise.encoders.bilstm import BiLSTMEncoder
from partwise.errors import PartwiseError
from partwise.evaluation.metrics import evaluate
from partwise.interface.data import Example
from partwise.interface.domain import AnyDomain
from partwise.interface.registry import named_domain
from partwise.language.program import Term
from partwise.language.text import tokenize
from partwise.training.trainer import TrainingConfig
from partwise_papers.constrained.tokens import split_program
from partwise_papers.domains.wikidata.domain import WIKIDATA
from partwise_papers.seq2seq.config import SYSTEMS, Seq2SeqConfig, presets, variant
from partwise_papers.seq2seq.parser import Seq2SeqParser
from partwise_papers.seq2seq.pretrained import (
    PieceVocabulary,
    PretrainedNetwork,
    PretrainedSeq2SeqParser,
    load_writer,
)

# Each architecture learns 20 examples by heart, so that none is weaker than it should be.


SMALL = {"layers": 1, "heads": 4, "feedforward": 128, "dropout": 0.0, "beam": 1}


@pytest.fixture(scope="module")
def twenty() -> list[Example[Term]]:
    """The shortest training examples."""
    domain, every = named_domain("geography"), read_shipped("geography", "iid").train
    return sorted(every, key=lambda one: len(domain.write(one.meaning)))[:20]


@pytest.fixture(scope="module")
def bert(twenty: list[Example[Term]], tmp_path_factory: pytest.TempPathFactory) -> str:
    """The folder of a tiny BERT with random weights."""
    texts = [one.question for one in twenty]
    return write("bert", texts, tmp_path_factory.mktemp("tiny") / "bert")


def parser_that_knows(
    domain: AnyDomain[Any], train: list[Example[Any]], epochs: int, rate: float, **settings: Any
) -> Seq2SeqParser:
    """A parser that is trained on some examples, which it must then all know.

    Which weights are drawn decides whether the last of 20 is known, so it may try three times.
    """
    parser = Seq2SeqParser.create(domain, Seq2SeqConfig(**{**SMALL, **settings}))
    prepare = parser.prepare
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(parser, "prepare", lambda some: (prepare(some), without_dropout(parser)))
        for seed in range(3):
            config = TrainingConfig(
                epochs=epochs, batch_size=20, head_rate=rate, keep="last", seed=seed
            )
            parser.fit(train, [], config)
            if (known := evaluate(parser, train, False).exact_match) == 1.0:
                break
    assert known == 1.0
    return parser


def without_dropout(parser: Seq2SeqParser) -> None:
    """Also leave the words of the encoder as they are, which hides some in training."""
    for one in parser.modules():
        if isinstance(one, nn.Dropout):
            one.p = 0.0
        if isinstance(one, BiLSTMEncoder):
            one.word_dropout = one.lstm.dropout = 0.0


@cases("system, epochs, hidden, rate")
def test_learns_examples_by_heart(
    system: str, epochs: int, hidden: int, rate: float, twenty: list[Example[Term]]
) -> None:
    settings = {**SYSTEMS[system], "hidden": hidden}
    parser = parser_that_knows(named_domain("geography"), twenty, epochs, rate, **settings)
    assert parser.vectors([]) == []
    (nothing,) = parser.parse([""])
    assert nothing.meaning is None
    assert "0 words" in (nothing.reason or "")


def test_learns_examples_by_heart_with_bert(twenty: list[Example[Term]], bert: str) -> None:
    settings = {**SYSTEMS["bert2seq"], "encoder": bert, "frozen_layers": 0, "hidden": 64}
    parser_that_knows(named_domain("geography"), twenty, 100, 3e-3, **settings)


@pytest.mark.parametrize("system", ["rir-transformer", "lir-transformer", "rir-t5", "lir-t5"])
def test_learns_queries_by_heart(system: str) -> None:
    parser_that_knows(WIKIDATA, EXAMPLES, 20, 5e-3, **SYSTEMS[system], hidden=64)


def test_a_frozen_encoder_reads_each_training_question_once(
    twenty: list[Example[Term]], bert: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings: dict[str, Any] = {**SMALL, **SYSTEMS["contextual"], "contextual": bert}
    parser = Seq2SeqParser.create(named_domain("geography"), Seq2SeqConfig(**settings, hidden=16))
    parser.prepare(twenty)
    network, words = parser.network, [tokenize(one.question) for one in twenty]
    assert network.contextual is not None

    def encoded() -> list[Tensor]:
        return [network.encode(words[begin : begin + 10]).vectors for begin in range(0, 20, 10)]

    network.eval()
    with torch.no_grad():
        right = encoded()
    read: list[str] = []
    whole = network.contextual.forward
    monkeypatch.setattr(
        network.contextual,
        "forward",
        lambda some: (read.extend(one.text for one in some), whole(some))[1],
    )
    for _ in range(2):
        network.train()
        network.encoder.eval()
        for row, other in zip(encoded(), right, strict=True):
            torch.testing.assert_close(row, other)
    texts = [one.question for one in twenty]
    assert read == texts
    network.eval()
    network.encode(words[:10])
    assert read == [*texts, *texts[:10]]


# Pretrained encoder-decoders, with tiny ones made here in their place.


DOMAIN = named_domain("geography")
# Examples that are learned, and epochs; a T5 with random weights learns slowly.
HEART = {"bart": (20, 60), "t5": (3, 300), "bert": (20, 60)}


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
    assert np.array_equal(*(parser.vectors(questions) for parser in (learned, again)))


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
