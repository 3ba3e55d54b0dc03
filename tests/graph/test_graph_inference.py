"""A saved graph parser that answers without torch, against the one that was trained."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
import torch
from prepared_parsers import prepared

from partwise.domains.films.domain import FILMS
from partwise.graph.config import GraphParserConfig
from partwise.graph.inference import GraphInference
from partwise.graph.parser import GraphParser
from partwise.interface.data import Example
from partwise.interface.prediction import Prediction
from partwise.interface.registry import load
from partwise.language.query_graph import QueryGraph
from partwise_papers.films.generate import generate

SMALL = {"dx": 8, "dh": 8, "bias": -0.5}
FAR = {"inputs": "words", "bottleneck": 4, "lexical": False, "hidden": 0}


@pytest.fixture(scope="module")
def examples() -> list[Example[QueryGraph]]:
    return generate(40, 8)


@pytest.mark.parametrize(
    "settings",
    [
        {"composition": "flat", "constrained": True},
        {"composition": "flat", "grounding": False, "inputs": "both", "members": 2},
        {"composition": "flat", "protocol": "paper", **FAR},
        {"composition": "latent", "members": 3, "sigmoid_attention": True, "heads": 2},
        {"composition": "latent", **FAR},
    ],
    ids=str,
)
def test_graphs_say_what_the_networks_said(
    settings: dict, examples: list[Example[QueryGraph]], tmp_path: Path
) -> None:
    torch.manual_seed(2)
    parser, _ = prepared(FILMS, GraphParserConfig(**SMALL, **settings), examples)
    # So large that what is said differs from word to word.
    for name, weights in parser.network.named_parameters():
        if weights.dim() == 2 and "sequence" not in name:
            weights.data.mul_(6.0)
    parser.save_pretrained(tmp_path / "model")
    saved = GraphInference.from_pretrained(tmp_path / "model")
    found = compare(parser.parse_examples(examples), saved.parse_examples(examples))
    assert len({str(one.meaning) for one in found}) > 5
    if settings.get("protocol") != "paper":
        questions = [example.question for example in examples[:10]]
        compare(parser.parse(questions), saved.parse(questions))


def compare(
    trained: list[Prediction[QueryGraph]], saved: list[Prediction[QueryGraph]]
) -> list[Prediction[QueryGraph]]:
    for one, other in zip(trained, saved, strict=True):
        assert (one.meaning, one.reason) == (other.meaning, other.reason)
        assert one.probability == pytest.approx(other.probability, abs=1e-4)
        if one.derivation is not None:
            assert one.derivation.grounding.keys() == other.derivation.grounding.keys()
            for triple, weights in one.derivation.grounding.items():
                assert weights == pytest.approx(other.derivation.grounding[triple], abs=1e-3)
    return saved


def test_the_shipped_parser_says_what_it_was_trained_to_say() -> None:
    trained, saved = (kind.from_pretrained("films") for kind in (GraphParser, GraphInference))
    examples = load("films", "random").test[::4]
    found = compare(trained.parse_examples(examples), saved.parse_examples(examples))
    right = [one.meaning == example.meaning for one, example in zip(found, examples, strict=True)]
    assert sum(right) >= len(examples) - 1
    questions = [example.question for example in examples[:20]]
    compare(trained.parse(questions), saved.parse(questions))


ASK = """
import sys
from partwise.graph.inference import GraphInference
(found,) = GraphInference.from_pretrained("films").parse(["Who directed Alien?"])
assert found.meaning is not None and found.derivation.grounding
print(*sorted({"torch", "transformers", "numba", "onnx"} & set(sys.modules)))
"""


def test_to_be_asked_it_needs_no_torch() -> None:
    asked = subprocess.run(
        [sys.executable, "-c", ASK], capture_output=True, text=True, check=True, timeout=120
    )
    assert asked.stdout.split() == []
