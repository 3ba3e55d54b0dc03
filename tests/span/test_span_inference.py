"""The half of a span parser that answers: the same results as in training, without torch."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from library import PAIRS, Library
from partwise import load_parser, parse_program
from partwise.errors import CheckpointError
from partwise.interface.data import Example
from partwise.interface.parser import Checkpoints
from partwise.interface.registry import load
from partwise.span.config import SpanParserConfig
from partwise.span.inference import SpanInference
from partwise.span.parser import SpanParser
from partwise.training.export import add_graphs
from partwise.training.store import write_manifest
from partwise.training.trainer import TrainingConfig

CONFIG = SpanParserConfig(encoder="bilstm", hidden=16)
CONFIGS = {
    "usual": CONFIG,
    "all": replace(
        CONFIG, encoder="minilm", induced_lexicon=True, answer_type=1.0, typed=True, frozen_layers=7
    ),
    "least": replace(CONFIG, lexicon_violations=False, type_tied=False),
}
QUESTIONS = ["emma", *(question for question, _ in PAIRS), "novels by eliot " * 9]
FOLDERS = Path(__file__).parents[1] / "compatibility" / "folders"


def tiny(config: SpanParserConfig) -> SpanParser:
    parser = SpanParser.create(Library(), config)
    examples = [Example(question, parse_program(text), text) for question, text in PAIRS]
    settings = TrainingConfig(epochs=2, batch_size=4, head_rate=1e-2)
    parser.fit(examples, examples[:2], settings, Checkpoints(None))
    return parser


def compare(trained: SpanParser, answering: SpanInference, questions: Sequence[str]) -> None:
    both = [
        (parser.scored([parser.labels.prepare(parser.reader(text)) for text in questions]), parser)
        for parser in (trained, answering)
    ]
    for one, other in zip(both[0][0], both[1][0], strict=True):
        np.testing.assert_allclose(one.labels, other.labels, atol=1e-4)
        np.testing.assert_allclose(one.answers, other.answers, atol=1e-4)
    found = [parser.parse(questions, 2) for _, parser in both]
    assert any(one.meaning is not None for one in found[0])
    for one, other in zip(*found, strict=True):
        assert (one.meaning, one.unused, one.reason) == (other.meaning, other.unused, other.reason)
        assert one.probability == pytest.approx(other.probability, abs=1e-4)


@pytest.mark.parametrize("name", CONFIGS)
def test_a_saved_parser_answers_alike(name: str, tmp_path: Path) -> None:
    parser = tiny(CONFIGS[name]).eval()
    parser.save_pretrained(tmp_path)
    answering = SpanInference.from_pretrained(tmp_path, Library())
    compare(parser, answering, QUESTIONS)
    for one in QUESTIONS[:2]:
        compare(parser, answering, [one])


def test_the_shipped_parser_answers_alike() -> None:
    questions = [example.question for example in load("geography", "iid").test]
    trained, answering = (kind.from_pretrained("geography") for kind in (SpanParser, SpanInference))
    assert isinstance(trained, SpanParser)
    assert isinstance(answering, SpanInference)
    compare(trained, answering, questions)


def test_folders_have_the_half_that_is_asked_for(tmp_path: Path) -> None:
    assert type(load_parser("geography")) is SpanInference
    assert type(load_parser("geography", trainable=True)) is SpanParser
    tiny(CONFIG).save_pretrained(tmp_path)
    (tmp_path / "scorer.onnx").write_bytes(b"no graph")
    write_manifest(tmp_path)
    with pytest.raises(CheckpointError, match=r"scorer\.onnx is damaged"):
        load_parser(tmp_path, Library())
    for name in ("scorer", "encoder"):
        (tmp_path / f"{name}.onnx").unlink()
    write_manifest(tmp_path)
    parser = load_parser(tmp_path, Library())
    assert isinstance(parser, SpanParser)
    add_graphs(tmp_path, parser)
    assert type(load_parser(tmp_path, Library())) is SpanInference


def run(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout


def test_asking_needs_no_torch() -> None:
    told = run(
        "import sys; from partwise import load_parser\n"
        "print(load_parser('geography')('what is the capital of texas ?').prediction.meaning)\n"
        "print({'torch', 'transformers', 'onnx'} & set(sys.modules))"
    )
    assert told.split("\n")[:2] == ["answer(capital(loc_2(stateid('texas'))))", "set()"]


def test_what_needs_torch_says_so() -> None:
    told = run(
        "import sys; sys.modules['torch'] = None\n"
        "from partwise import load_parser, PartwiseError\n"
        f"try: load_parser({str(FOLDERS / 'span-0.2.0')!r})\n"
        "except PartwiseError as error: print(error)"
    )
    assert "pip install 'partwise[train]'" in told
