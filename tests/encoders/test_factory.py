"""Encoders of every kind: made and loaded by name, and what their files may ask for."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Self

import pytest
import torch
from tokenizers import Regex, Tokenizer, pre_tokenizers
from tokenizers.models import WordLevel
from torch import Tensor, nn
from transformers import AutoConfig, AutoModel, AutoModelForTextEncoding

from library import Library
from partwise.encoders import ENCODERS, Encoder, load_encoder, make_encoder
from partwise.encoders.architecture import check_regex
from partwise.encoders.bilstm import BiLSTMEncoder
from partwise.encoders.pretrained import PretrainedEncoder
from partwise.errors import PartwiseError, PluginError
from partwise.language.text import Words, tokenize
from partwise.span.config import SpanParserConfig
from partwise.span.parser import SpanParser
from partwise.training.store import load_parser

WORDS = [tokenize("which rivers run through ohio"), tokenize("big town")]


class OneVector(Encoder):
    """Every word has the same vector."""

    kind = "one"
    name = "one"

    def __init__(self, size: int) -> None:
        super().__init__()
        self.dim = size
        self.vector = nn.Parameter(torch.ones(size))

    @classmethod
    def create(cls, questions: Iterable[Words], option: str, frozen_layers: int) -> Self:
        return cls(int(option))

    @classmethod
    def load(cls, config: Mapping[str, Any], folder: Path) -> Self:
        return cls(**config)

    def forward(self, batch: Sequence[Words]) -> tuple[Tensor, Tensor]:
        vectors = self.padded([[1] * len(words) for words in batch]).unsqueeze(-1) * self.vector
        return vectors, vectors

    def config(self) -> dict[str, Any]:
        return {"kind": self.kind, "size": self.dim}

    def save_files(self, folder: Path) -> None:
        pass


def test_the_kinds_of_this_package_are_entry_points() -> None:
    assert {"bilstm", "distilled", "minilm"} <= set(ENCODERS)
    assert ENCODERS.find("bilstm") is BiLSTMEncoder


def test_an_encoder_of_another_package_is_made_and_loaded(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setitem(ENCODERS._loaded, "one", OneVector)
    made = make_encoder("one:7", WORDS)
    assert isinstance(made, OneVector)
    assert made(WORDS)[0].shape == (2, 5, 7)
    assert isinstance(load_encoder(made.config(), tmp_path), OneVector)


def test_what_is_no_encoder_says_so(tmp_path: Path) -> None:
    with pytest.raises(PartwiseError, match="cannot load the encoder"):
        make_encoder(str(tmp_path), WORDS)
    with pytest.raises(PluginError, match="no encoder 'gone'; there are"):
        load_encoder({"kind": "gone"}, tmp_path)


def test_a_saved_encoder_reads_as_before(tmp_path: Path) -> None:
    made = make_encoder("bilstm", WORDS).eval()
    made.save_files(tmp_path)
    again = load_encoder(made.config(), tmp_path).eval()
    again.load_state_dict(made.state_dict())
    for before, after in zip(made(WORDS), again(WORDS), strict=True):
        assert torch.equal(before, after)


def test_numbers_of_words_go_where_the_weights_are() -> None:
    encoder = OneVector(3).to("meta")
    assert encoder.device.type == encoder.padded([[1, 2], [3]]).device.type == "meta"
    assert encoder(WORDS)[0].device.type == "meta"


SIZES = {"vocab_size": 16, "hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2}
KINDS: dict[str, dict[str, Any]] = {
    "albert": {**SIZES, "embedding_size": 16, "intermediate_size": 32},
    "deberta-v2": {
        **{**SIZES, "intermediate_size": 32, "relative_attention": True, "position_buckets": 8},
        **{"pos_att_type": "p2c|c2p", "norm_rel_ebd": "layer_norm", "share_att_key": True},
        **{"conv_kernel_size": 3, "conv_act": "gelu"},
    },
    "modernbert": {**SIZES, "intermediate_size": 32, "pad_token_id": 0, "global_rope_theta": 8e4},
    "mobilebert": {**SIZES, "intra_bottleneck_size": 32, "embedding_size": 16},
    "gpt2": {**SIZES, "n_positions": 64},
    "t5": {"vocab_size": 16, "d_model": 32, "num_layers": 2, "num_heads": 2, "d_kv": 16},
    "xlnet": {"vocab_size": 16, "d_model": 32, "n_layer": 2, "n_head": 2, "d_inner": 32},
    "xlm-roberta": {**SIZES, "intermediate_size": 32, "max_position_embeddings": 40},
}
SAID = tokenize("which books did austen write ?")
GPT4 = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*"
    r"|\s*[\r\n]+|\s+(?!\S)|\s+"
)


@pytest.fixture(params=KINDS)
def folder(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    torch.manual_seed(0)
    config = AutoConfig.for_model(request.param, **KINDS[request.param])
    maker: Any = AutoModelForTextEncoding if request.param == "t5" else AutoModel
    maker.from_config(config).save_pretrained(tmp_path / "given")
    vocabulary = {word: n for n, word in enumerate(["[PAD]", "[UNK]", *SAID.text.split()])}
    tokenizer = Tokenizer(WordLevel(vocabulary, unk_token="[UNK]"))
    splits = [pre_tokenizers.Split(Regex(GPT4), "isolated"), pre_tokenizers.Whitespace()]
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(splits)
    tokenizer.save(str(tmp_path / "given" / "tokenizer.json"))
    (tmp_path / "given" / "tokenizer_config.json").write_text(
        json.dumps({"tokenizer_class": "PreTrainedTokenizerFast", "unk_token": "[UNK]"})
    )
    return tmp_path / "given"


def test_an_encoder_is_trained_saved_and_loaded(folder: Path) -> None:
    encoder = PretrainedEncoder(str(folder), frozen_layers=1)
    assert any(one.requires_grad for one in encoder.parameters())
    encoder.train()
    encoder([SAID])[0].sum().backward()
    torch.optim.SGD(encoder.parameters(), 0.01).step()
    parser = SpanParser(Library(), SpanParserConfig(encoder="x", hidden=8), encoder).eval()
    parser.save_pretrained(folder.parent / "saved")
    loaded: Any = load_parser(folder.parent / "saved", Library())
    for before, after in zip(encoder([SAID]), loaded.encoder([SAID]), strict=True):
        assert torch.isfinite(before).all()
        assert torch.equal(before, after)
    assert loaded.encoder.limit == {"xlm-roberta": 38, "gpt2": 64}.get(
        loaded.encoder.model.config.model_type, 512
    )


def test_endless_layers_are_refused(folder: Path) -> None:
    config = json.loads((folder / "config.json").read_text())
    names = {"n_layer", "num_layers", "num_hidden_layers"} & set(config)
    for name in names:
        (folder / "config.json").write_text(json.dumps({**config, name: 10**6}))
        with pytest.raises(PartwiseError, match=f"{name} must be at most 64"):
            PretrainedEncoder(str(folder))
    assert names


@pytest.mark.parametrize("folder", ["xlm-roberta"], indirect=True)
@pytest.mark.parametrize(
    "entry",
    [
        *({"hidden_act": {"model_type": "x"}}, {"rope_scaling": {"a": {"b": {"c": {}}}}}),
        *({"hidden_size": 2**15}, {"per_layer_config": {"0": {}}}, {"hidden_act": "os.system"}),
        *({"type_vocab_size": 0}, {"max_position_embeddings": 0}, {"num_attention_heads": -2}),
    ],
    ids=str,
)
def test_entries_that_ask_for_more_are_refused(folder: Path, entry: dict[str, Any]) -> None:
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps({**config, **entry}))
    with pytest.raises(PartwiseError):
        PretrainedEncoder(str(folder))


@pytest.mark.parametrize("pattern", [" {2,}", r"\s+", r"'s|'t| ?\p{L}+|[\p{N}]|\s+(?!\S)", GPT4])
def test_expressions_of_published_tokenizers_are_run(pattern: str) -> None:
    check_regex(pattern)


@pytest.mark.parametrize(
    "pattern",
    [
        *("(a+)+$", "(a|a)*b", "(a|aa)+$", "a*a*b", r"(a)\1", "a?" * 30 + "a" * 30, "(a|a)" * 20),
        *(r"\g<1>", "(", "[[a]+)+$]", "(a{1,16}){1,16}", "x" * 600, "a++", "(?=a*a*)b", "[]a]"),
        *("(?x: a)", "(?<a>b)", "(?# ) )", "(ab)*"),
    ],
)
def test_expressions_that_may_take_long_are_refused(pattern: str) -> None:
    with pytest.raises(PartwiseError, match="it may take too long"):
        check_regex(pattern)
