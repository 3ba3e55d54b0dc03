"""Derivations, unused words, and the probabilities of programs."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar, Literal

import numpy as np
import pytest
import torch

from library import without_manifest
from partwise.chart.scores import JOIN, SpanTree, no_answers
from partwise.chart.semantics import MeaningNode
from partwise.chart.type_algebra import TypeAlgebra
from partwise.domains.geography.domain import Geography
from partwise.encoders.base import make_encoder
from partwise.encoders.storage import read_json, write_json
from partwise.errors import CheckpointError
from partwise.evaluation.confidence import fit_temperature, judge, measure_confidence
from partwise.interface.answering import answer
from partwise.interface.budget import NO_LIMIT, Budget
from partwise.interface.data import Example
from partwise.interface.prediction import PhraseDifference, Prediction
from partwise.interface.registry import load
from partwise.language.domain import Domain, predicate
from partwise.language.program import Term
from partwise.language.text import tokenize
from partwise.span.config import SpanParserConfig
from partwise.span.decoding import SURPRISE, Decoder, Logits, SpanDerivation, unused
from partwise.span.labels import Labels
from partwise.span.parser import SpanParser


def tree_nodes(tree: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """All nodes of a JSON tree, the root first."""
    yield tree
    for child in tree["children"]:
        yield from tree_nodes(child)


@pytest.mark.parametrize("k", [1, 3])
def test_the_scores_of_nodes_sum_to_that_of_the_tree(library: SpanParser, k: int) -> None:
    (best,) = library.parse(["when did the emma from austen come out ?"], k=k)
    predictions = (best, *best.alternatives)
    assert len(predictions) == k
    for one in predictions:
        assert isinstance(one.derivation, SpanDerivation)
        spans = {(node.start, node.end) for node in one.derivation.tree.walk()}
        assert one.derivation.scores.keys() == spans
        assert sum(one.derivation.scores.values()) == pytest.approx(one.score, abs=1e-4)


def test_alternatives_have_trees_and_answers_of_their_own(library: SpanParser) -> None:
    (best,) = answer(library, ["who wrote emma ?"], k=3)
    shown = json.loads(json.dumps(best.to_json()))
    assert shown["meaning"] == "answer(author(book('emma')))"
    assert shown["answer"] == ["austen"]
    assert shown["words"] == ["who", "wrote", "emma", "?"]
    assert len(shown["alternatives"]) == len(best.alternatives) > 0
    for other, given in zip(shown["alternatives"], best.alternatives, strict=True):
        assert other["meaning"] == given.text != shown["meaning"]
        assert other["answer"] == list(given.lines) != shown["answer"]
        assert [one["words"] for one in other["differences"]] == [
            one.words for one in given.differences
        ]
        root, *below = tree_nodes(other["derivation"])
        assert other["meaning"] == f"answer({root['program']})"
        total = sum(node["score"] for node in (root, *below))
        assert total == pytest.approx(other["score"], abs=1e-4)


def test_without_answers_there_are_none(library: SpanParser) -> None:
    (best,) = answer(library, ["who wrote emma ?"], k=3, run=False)
    shown = best.to_json(ran=False)
    assert len(shown["alternatives"]) == 2
    assert not [one for one in (shown, *shown["alternatives"]) if "answer" in one]


def test_unused_words_are_under_no_constant_and_hold_nothing_together() -> None:
    words = tokenize("Who wrote, please, lovely Emma's cheapest print?")

    def node(start: int, end: int, *children: MeaningNode) -> MeaningNode:
        return MeaningNode(start, end, "join", "join", "", "", None, 0, children=children)

    # wrote and Emma are constants; the gaps between and after them are φ.
    wrote, emma = node(1, 2), node(6, 7)
    tree = SpanTree(0, 11, JOIN)
    root = node(0, 11, node(1, 6, wrote), node(6, 11, emma))
    left = [words.words[place] for place in unused(words, SpanDerivation(root, words, tree=tree))]
    assert left == ["lovely", "cheapest", "print"]


def test_a_name_that_is_taken_for_a_predicate_is_unused(library: SpanParser) -> None:
    words = library.reader("emma ?")
    name = library.labels.prepare(words).mentions
    kinds: tuple[Literal["entity", "predicate"], ...] = ("entity", "predicate")
    left = []
    for kind in kinds:
        node = MeaningNode(0, 1, "book", kind, "", "", None, 0)
        tree = SpanDerivation(node, words, tree=SpanTree(0, 1, JOIN))
        left.append([words.words[place] for place in unused(words, tree, name)])
    assert left == [[], ["emma"]]


def test_of_a_question_without_a_parse_all_words_are_unused() -> None:
    words = tokenize("what is the zzyzx of qux ?")
    assert [words.words[place] for place in unused(words, None)] == ["zzyzx", "qux"]
    assert unused(tokenize(""), None) == ()


QUESTION = "what is the largest city in texas ?"


@pytest.fixture(scope="module")
def examples() -> list[Example[Term]]:
    return load("geography", "iid").train[:30]


@pytest.fixture
def parser(examples: list[Example[Term]]) -> SpanParser:
    """Not trained: its lexicon makes it right now and then."""
    torch.manual_seed(0)
    words = [tokenize(example.question) for example in examples]
    config = SpanParserConfig(encoder="bilstm", hidden=16)
    return SpanParser(Geography(), config, make_encoder("bilstm", words)).eval()


def mostly_right(parser: SpanParser, examples: list[Example[Term]]) -> list[Example[Term]]:
    """The first twenty questions with what the parser makes of them as gold."""
    found = parser.parse([example.question for example in examples[:20]])
    assert None not in [one.meaning for one in found]
    made = [Example(one.question, one.meaning) for one in found if one.meaning]
    return made + examples[20:]


def test_a_high_temperature_flattens_and_a_low_one_sharpens(parser: SpanParser) -> None:
    (one,) = parser.confidences([QUESTION])
    assert one is not None
    shares = [one.at(temperature) for temperature in (0.001, 0.2, 1.0, 5.0, 50.0)]
    assert shares == sorted(shares, reverse=True)
    assert shares[0] > 0.5
    assert shares[-1] < 0.01


def test_probabilities_of_readings_are_those_at_the_temperature(parser: SpanParser) -> None:
    (one,) = parser.confidences([QUESTION])
    assert one is not None
    for temperature in (1.0, 2.5):
        parser.temperature = temperature
        (parse,) = parser.parse([QUESTION], k=3)
        assert parse.meaning == one.meaning
        assert parse.probability == pytest.approx(one.at(temperature), rel=1e-6)
        every = [parse.probability, *(other.probability for other in parse.alternatives)]
        assert sum(every) <= 1 + 1e-9


def test_the_temperature_fitted_makes_the_outcome_likelier(
    parser: SpanParser, examples: list[Example[Term]]
) -> None:
    examples = mostly_right(parser, examples)
    found = fit_temperature(parser, examples)
    assert parser.temperature == found != 1.0
    measured = measure_confidence(parser, examples)
    assert measured.log_loss_after < measured.log_loss_before
    assert (measured.temperature, measured.questions) == (found, len(examples))
    assert {right for _, right in judge(parser, examples)} == {True, False}


def test_the_temperature_of_a_parser_that_is_always_right_is_bounded(
    parser: SpanParser, examples: list[Example[Term]]
) -> None:
    right = mostly_right(parser, examples)[:10]
    assert all(good for _, good in judge(parser, right))
    assert 0.2 < fit_temperature(parser, right) < 1.0
    assert fit_temperature(parser, []) == 1.0


def test_what_is_not_probable_enough_is_no_parse(parser: SpanParser) -> None:
    (sure,) = parser.parse([QUESTION], k=2)
    bound = sure.probability
    assert parser.parse([QUESTION], 2, bound - 1e-6)[0].meaning == sure.meaning
    (shy,) = parser.parse([QUESTION], 2, min(1.0, bound + 1e-6))
    assert shy.meaning is None
    assert shy.reason is not None
    assert f"{100 * bound:.0f} %" in shy.reason
    assert [a.meaning for a in shy.alternatives] == [
        sure.meaning,
        *(a.meaning for a in sure.alternatives),
    ]
    assert not shy.alternatives[0].alternatives


def test_the_temperature_is_saved(parser: SpanParser, tmp_path: Path) -> None:
    parser.temperature = 1.75
    parser.save_pretrained(tmp_path / "model")
    assert SpanParser.from_pretrained(tmp_path / "model").temperature == 1.75
    config = read_json(without_manifest(tmp_path / "model") / "config.json")
    for wrong in (0, -1, math.nan, "warm"):
        write_json(tmp_path / "model" / "config.json", {**config, "temperature": wrong})
        with pytest.raises(CheckpointError, match=r"config\.json"):
            SpanParser.from_pretrained(tmp_path / "model")


def differences(one: Prediction[Term], other: Prediction[Term]) -> list[PhraseDifference]:
    assert one.derivation is not None
    return list(one.derivation.differences(other.derivation))


def test_derivations_differ_where_a_phrase_is_taken_otherwise(parser: SpanParser) -> None:
    (best,) = parser.parse(["what is the largest city in texas ?"], k=8)
    assert len(best.alternatives) >= 3
    for other in best.alternatives:
        for one in differences(best, other):
            assert one.words in best.question
            assert one.mine != one.other
        mirrored = [PhraseDifference(d.words, d.other, d.mine) for d in differences(best, other)]
        assert mirrored == differences(other, best)
    assert any(differences(best, other) for other in best.alternatives)
    assert differences(best, best) == []


class Thing:
    """The only type."""


class Things(Domain):
    """A language in which everything goes with everything."""

    name: ClassVar[str] = "things"
    answers: ClassVar[object] = Thing

    @predicate("a")
    def a(self) -> Thing:
        """A thing."""
        return Thing()

    @predicate("f")
    def f(self, x: Thing) -> Thing:
        """One thing's."""
        return x

    @predicate("g")
    def g(self, x: Thing) -> Thing:
        """Another one's."""
        return x


class Surprising(Things):
    """The same, but that nobody says ``f(g(...))``."""

    def surprise(self, program: Term) -> float:
        """One for each f of g."""
        return float(str(program).count("f(g("))


@pytest.mark.parametrize("seed", range(5))
def test_surprising_programs_come_later_and_are_less_probable(seed: int) -> None:
    config = SpanParserConfig(lexicon="names")
    question = tokenize("a f g")
    ranked = {}
    for kind in (Things, Surprising):
        domain = kind()
        types = TypeAlgebra(domain)
        labels, decoder = Labels(domain, config), Decoder(types, types, config)
        prepared = labels.prepare(question)
        logits = np.random.default_rng(seed).normal(size=(len(prepared.spans), labels.size))
        drawn = Logits(logits, no_answers())
        work = Budget(NO_LIMIT).start()
        best = decoder.predict(prepared, drawn, 50, 1.0, work)
        assert decoder.predict(prepared, drawn, 0, 1.0, work).meaning == best.meaning
        confidence = decoder.confidence(prepared, drawn)
        assert confidence is not None
        assert confidence.at(1.0) == pytest.approx(best.probability)
        ranked[kind] = [best, *best.alternatives]
    plain = {one.meaning: one.probability for one in ranked[Things]}
    lessened = {
        one: share * math.exp(-SURPRISE * Surprising().surprise(one))
        for one, share in plain.items()
        if one is not None
    }
    assert plain.keys() == lessened.keys()
    kept = 1 - sum(share - lessened[one] for one, share in plain.items() if one is not None)
    for one in ranked[Surprising]:
        assert one.meaning is not None
        assert one.probability == pytest.approx(lessened[one.meaning] / kept, rel=0.02)
