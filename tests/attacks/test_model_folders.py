"""Model folders of strangers: refused with a clear error before anything is built, or answered."""

from __future__ import annotations

import json
import os
import resource
import shutil
import signal
import struct
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import onnx
import pytest
from onnx import TensorProto, helper

from cases import cases
from hostile_folders import Hostile
from library import Library, without_manifest
from partwise.encoders.pretrained import PretrainedEncoder
from partwise.errors import CheckpointError, PartwiseError
from partwise.span.parser import SpanParser
from partwise.training.store import load_parser

CASES = 120
HANGS = 20
"""Seconds of processor time, far above what any case takes; then the process ends."""
WEIGHTS, TOKENIZER = "model.safetensors", "encoder/tokenizer.json"
pytestmark = pytest.mark.filterwarnings("ignore:dropout option adds dropout")


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Hostile:
    return Hostile(tmp_path_factory.mktemp("hostile"))


@pytest.fixture
def folder(hostile: Hostile, tmp_path: Path) -> Path:
    """A parser with a transformer, of before there was a manifest."""
    shutil.copytree(hostile.place / "transformer", tmp_path / "model")
    return without_manifest(tmp_path / "model")


@pytest.fixture(autouse=True)
def end_what_hangs() -> Iterator[None]:
    timers = {signal.ITIMER_PROF: HANGS, signal.ITIMER_REAL: 20 * HANGS}
    for timer, seconds in timers.items():
        signal.setitimer(timer, seconds)
    yield
    for timer in timers:
        signal.setitimer(timer, 0)


def change(file: Path, **entries: Any) -> None:
    content = json.loads(file.read_text())
    file.write_text(json.dumps({**content, **entries}))


def test_each_hostile_folder_is_refused_or_answers(hostile: Hostile) -> None:
    refused = 0
    for number in range(CASES):
        try:
            hostile(f"test {number}")
        except PartwiseError:
            refused += 1
    assert CASES / 4 < refused < CASES


def test_a_pipe_in_place_of_weights_is_not_waited_for(folder: Path) -> None:
    (folder / "model.safetensors").unlink()
    os.mkfifo(folder / "model.safetensors")
    with pytest.raises(CheckpointError, match="is not a file"):
        load_parser(folder, Library())


@cases("entries, message")
def test_a_transformer_of_a_stranger_is_not_built(
    folder: Path, entries: dict[str, Any], message: str
) -> None:
    change(folder / "encoder" / "config.json", **entries)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises(CheckpointError, match=message):
        load_parser(folder, Library(), trainable=True)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 2**18, "kilobytes"


BOMB = {"type": "Replace", "pattern": {"String": "a"}, "content": "aaaaaaaa"}


@cases("entries, message")
def test_a_tokenizer_of_a_stranger_takes_no_time(
    folder: Path, entries: dict[str, Any], message: str
) -> None:
    change(folder / "encoder" / "tokenizer.json", **entries)
    with pytest.raises(CheckpointError, match=message):
        load_parser(folder, Library(), trainable=True)


def sparse(file: Path) -> None:
    os.truncate(file, 2**41)


def long_list(file: Path) -> None:
    file.write_bytes(struct.pack("<Q", 2**27) + b" " * 100)
    os.truncate(file, 2**28)


def other_type(file: Path) -> None:
    data = file.read_bytes().replace(b'"F32"', b'"C64"', 1)
    file.write_bytes(data)


def endless(file: Path) -> None:
    file.unlink()
    file.symlink_to("/dev/zero")


@pytest.mark.parametrize(
    ("name", "harm"),
    [
        *((WEIGHTS, harm) for harm in (sparse, long_list, other_type, endless)),
        *((name, harm) for name in ("config.json", TOKENIZER) for harm in (sparse, endless)),
    ],
)
def test_files_are_bounded(folder: Path, name: str, harm: Callable[[Path], None]) -> None:
    harm(folder / name)
    with pytest.raises(CheckpointError, match=name):
        load_parser(folder, Library(), trainable=True)


def nodes(model: Any, *made: Any) -> None:
    """Let steps stand behind those of a graph, the last of which gives its output."""
    end = model.graph.output[0].name
    for node in model.graph.node:
        node.output[:] = ["before" if name == end else name for name in node.output]
        node.input[:] = ["before" if name == end else name for name in node.input]
    made[-1].output[0] = end
    model.graph.node.extend(made)


def weights_in(place: str) -> Callable[[Any], None]:
    def harm(model: Any) -> None:
        for weight in model.graph.initializer:
            for entry in weight.external_data:
                entry.value = place if entry.key == "location" else entry.value

    return harm


def loop(model: Any) -> None:
    body = helper.make_graph([helper.make_node("Identity", ["go"], ["still"])], "body", [], [])
    nodes(model, helper.make_node("Loop", ["", "", "before"], [""], body=body))


def function(model: Any) -> None:
    model.functions.add(name="again", domain="own")


def foreign(model: Any) -> None:
    nodes(model, helper.make_node("Gelu", ["before"], [""], domain="com.microsoft"))


def sparse_weights(model: Any) -> None:
    model.graph.sparse_initializer.add().values.name = "weights"


def step(operator: str, *more: str, **attributes: Any) -> Callable[[Any], None]:
    return lambda model: nodes(
        model, helper.make_node(operator, ["before", *more], [""], **attributes)
    )


def huge(model: Any) -> None:
    shape = helper.make_tensor("shape", TensorProto.INT64, [2], [2**31, 2**31])
    model.graph.initializer.append(shape)
    nodes(model, helper.make_node("ConstantOfShape", ["shape"], [""]))


def other_input(model: Any) -> None:
    model.graph.input.add(name="more").CopyFrom(model.graph.input[0])
    model.graph.input[-1].name = "more"


def other_rank(model: Any) -> None:
    model.graph.input[0].type.tensor_type.shape.dim.add(dim_value=2**31)


ELSEWHERE = ("/etc/passwd", "../../x", "*/_ORT_MEM_ADDR_/*")
GRAPHS: dict[Callable[[Any], None], str] = {
    **{weights_in(place): r"encoder\.onnx is damaged \(it has weights in" for place in ELSEWHERE},
    loop: r"encoder\.onnx is damaged \(it has steps inside of steps",
    function: r"encoder\.onnx is damaged \(it has functions of its own",
    foreign: r"encoder\.onnx is damaged \(it has operators of b'com.microsoft'",
    sparse_weights: r"encoder\.onnx is damaged \(it has sparse weights",
    step("NoSuchStep"): r"encoder\.onnx is damaged",
    step("Log"): r"encoder\.onnx cannot compute \(what it gives are no numbers",
    step("Shape"): r"encoder\.onnx (is damaged|cannot compute)",
    step("Squeeze"): "zip",
    huge: r"encoder\.onnx cannot compute",
    other_input: r"encoder\.onnx cannot compute",
    other_rank: r"encoder\.onnx (is damaged|cannot compute)",
}


@pytest.mark.parametrize("harm", GRAPHS)
def test_graphs_are_checked(folder: Path, harm: Callable[[Any], None]) -> None:
    file = folder / "encoder.onnx"
    model = onnx.load(file, load_external_data=False)
    harm(model)
    file.write_bytes(model.SerializeToString())
    with pytest.raises(PartwiseError, match=GRAPHS[harm]):
        raise load_parser(folder, Library())("who wrote emma ?").error or AssertionError


@pytest.mark.parametrize(
    "harm", [lambda data: data[:-7], lambda _: b"", lambda data: data + b"\x0b"]
)
def test_damaged_graphs_are_told(folder: Path, harm: Callable[[bytes], bytes]) -> None:
    file = folder / "encoder.onnx"
    file.write_bytes(harm(file.read_bytes()))
    with pytest.raises(CheckpointError, match=r"encoder\.onnx is damaged"):
        load_parser(folder, Library())


def test_no_file_but_those_of_safetensors_gives_weights(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def load(*_: object, **__: object) -> None:
        raise AssertionError("a pickle is read")

    monkeypatch.setattr("torch.load", load)
    for name in ("pytorch_model.bin", "model.pt", "model.pkl", "encoder/pytorch_model.bin"):
        (folder / name).write_bytes(b"cos\nsystem\n(S'true'\ntR.")
    assert load_parser(folder, Library(), trainable=True).parse(["who wrote emma ?"])
    (folder / WEIGHTS).unlink()
    with pytest.raises(CheckpointError, match=r"model\.safetensors is missing"):
        load_parser(folder, Library(), trainable=True)


@cases("entries, message")
def test_entries_of_a_stranger_are_checked(
    folder: Path, entries: dict[str, Any], message: str
) -> None:
    change(folder / "config.json", **entries)
    with pytest.raises(CheckpointError, match=message):
        load_parser(folder, Library(), trainable=True)


def test_no_transformer_is_trained_that_could_not_be_loaded(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text('{"model_type": "mamba", "num_hidden_layers": 1000000}')
    with pytest.raises(
        PartwiseError, match=r"cannot load the encoder .* 'mamba', which is no encoder"
    ):
        PretrainedEncoder(str(tmp_path))


def test_settings_of_a_stranger_name_no_code_that_loading_runs(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "evil.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')\nclass A: pass\n")
    monkeypatch.syspath_prepend(tmp_path)
    settings = json.loads((folder / "config.json").read_text())["parser"]
    change(folder / "config.json", parser={**settings, "objective": "evil:A"})
    assert SpanParser.from_pretrained(folder, Library()).parse(["who wrote emma ?"])
    assert not (tmp_path / "ran").exists()


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere it is the folder that stands there")
def test_graphs_are_optimized_though_another_folder_takes_their_place(
    folder: Path, tmp_path: Path
) -> None:
    parser: Any = load_parser(folder, Library())
    asked, before = parser("who wrote emma ?"), dict(parser.functions._sessions)
    folder.rename(tmp_path / "old")
    folder.mkdir()
    parser.functions.optimize()
    assert all(parser.functions._sessions[name] is not session for name, session in before.items())
    assert parser("who wrote emma ?").text == asked.text
