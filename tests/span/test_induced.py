"""The induced lexicon: counts of the E-step, each question's own left out, kept and continued."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cases import cases
from library import without_manifest
from partwise.domains.geography.domain import Geography
from partwise.encoders.storage import read_json, write_json
from partwise.errors import CheckpointError
from partwise.interface.data import Example
from partwise.interface.parser import Checkpoints
from partwise.interface.registry import load
from partwise.language.program import Term
from partwise.language.text import tokenize
from partwise.span.config import SpanParserConfig
from partwise.span.counting import InducedLexicon
from partwise.span.induced import (
    DECODE,
    NAME,
    grams_of,
    grams_to_count,
    likeness,
)
from partwise.span.inference import SpanInference
from partwise.span.labels import FIRST_CONSTANT, LEXICON_SCALE, Labels, Prepared
from partwise.span.parser import SpanParser
from partwise.training.model_1 import model_1
from partwise.training.trainer import TrainingConfig

CONFIG = SpanParserConfig(encoder="bilstm", hidden=16, lexicon="names", induced_lexicon=True)
TRAINING = TrainingConfig(epochs=2, batch_size=4)
LABELS = Labels(Geography(), CONFIG)
LAST = FIRST_CONSTANT + len(LABELS.predicates)
WORDS = st.lists(
    st.sampled_from(("a", "b", "c", "texas", "capital", "largest", "high", "point")),
    min_size=1,
    max_size=6,
)


@pytest.fixture(scope="module")
def examples() -> list[Example[Term]]:
    return [e for e in load("geography", "iid").train if len(e.question.split()) < 9][:24]


def prepared(words: list[str]) -> Prepared:
    return LABELS.prepare(tokenize(" ".join(words)))


def posterior(question: Prepared, seed: int) -> np.ndarray:
    draw = np.random.default_rng(seed)
    return draw.dirichlet(np.full(LABELS.size, 0.05), len(question.spans)).astype(np.float32)


@given(st.lists(WORDS, min_size=1, max_size=4), st.data())
def test_a_question_sees_the_counts_of_all_others(
    texts: list[list[str]], data: st.DataObject
) -> None:
    grams = sorted({gram for text in texts for gram in grams_of(text)})
    asked = data.draw(st.integers(0, len(texts) - 1))
    tables = [
        InducedLexicon(grams, LABELS.size, LABELS.predicates, FIRST_CONSTANT) for _ in range(2)
    ]
    for number, text in enumerate(texts):
        question = prepared(text)
        for table in tables if number != asked else tables[:1]:
            # Twice: the second time takes the place of the first.
            for seed in (number, number + 100):
                table.count(str(number), question, posterior(question, seed))
    question = prepared(texts[asked])
    for with_own, without in zip(
        *(tables[0].evidence(question, str(asked)), tables[1].evidence(question)), strict=True
    ):
        np.testing.assert_allclose(with_own, without, atol=1e-4)


@given(WORDS, st.integers(0, 99))
def test_evidence_is_what_the_definition_says(text: list[str], seed: int) -> None:
    question = prepared(text)
    grams = sorted(set(grams_of(text)))
    table = InducedLexicon(grams, LABELS.size, LABELS.predicates, FIRST_CONSTANT)
    counts = posterior(question, seed)
    table.count("it", question, counts)
    evidence, rivals = table.evidence(question)
    words = question.words.words
    spans = [tuple(span) for span in question.spans.tolist()]
    for place, (start, end) in enumerate(spans):
        alike = [n for n, (a, b) in enumerate(spans) if words[a:b] == words[start:end]]
        for label in range(LABELS.size):
            counted = FIRST_CONSTANT <= label < LAST
            values = [float(counts[n, label]) for n in alike if counts[n, label] > 0.01]
            known = counted and end - start <= 4
            share = sum(values) / (len(alike) + 1) if known else 0.0
            if counted:
                name = LABELS.predicates[label - FIRST_CONSTANT].strip("_0123456789").split("_")
                both = zip(words[start:end], name, strict=False)
                alike_most = min(likeness(*pair) for pair in both)
                if len(name) == end - start:
                    share += NAME * alike_most / (len(alike) + 1 if known else 1)
            assert evidence[place, label] == pytest.approx(share / (share + 0.15), abs=1e-5)
        inside = [n for n, (a, b) in enumerate(spans) if start <= a and b <= end]
        most = evidence[inside].max(0)
        wanted = np.where(
            (np.arange(LABELS.size) >= FIRST_CONSTANT) & (np.arange(LABELS.size) < LAST),
            most.max() - most,
            0.0,
        )
        np.testing.assert_allclose(rivals[place], wanted, atol=1e-6)


def test_the_name_of_a_predicate_counts_the_less_the_more_programs_have_it() -> None:
    table = InducedLexicon([], LABELS.size, LABELS.predicates, FIRST_CONSTANT)
    question, output = prepared(["capital"]), FIRST_CONSTANT + LABELS.predicates.index("capital_1")
    number = output - FIRST_CONSTANT
    evidence = [float(table.evidence(question)[0][0, output])]
    for source in "abc":
        table.begin({source: (["x"], [number, number])})
        evidence.append(float(table.evidence(question)[0][0, output]))
    shares = [NAME / (programs + 1) for programs in range(4)]
    assert evidence == pytest.approx([share / (share + 0.15) for share in shares])


@cases("word, part, wanted")
def test_words_are_like_names_that_begin_alike(word: str, part: str, wanted: float) -> None:
    assert likeness(word, part) == wanted


def test_longer_n_grams_are_counted_where_they_stand_twice() -> None:
    grams = grams_to_count([["a", "b", "c"], ["a", "b"]])
    assert grams == [("a",), ("a", "b"), ("b",), ("c",)]


def test_model_1_finds_what_goes_together() -> None:
    pairs = {("big", "house"): (1, 2), ("big", "tree"): (1, 3), ("house",): (2,)}
    shares = model_1([(((None, *words), labels), 1.0) for words, labels in pairs.items()])
    assert shares["big", 1] > 0.8
    assert shares["tree", 3] > shares["tree", 1]
    for word in ("big", "house", "tree", None):
        total = sum(share for (one, _), share in shares.items() if one == word)
        assert total == pytest.approx(1.0)


def train(examples: list[Example[Term]], folder: Path | None, epochs: int = 2) -> SpanParser:
    parser = SpanParser.create(Geography(), CONFIG)
    checkpoints = Checkpoints(folder)
    parser.fit(examples, examples[:4], replace(TRAINING, epochs=epochs), checkpoints)
    return parser


def test_it_is_learned_saved_and_read(examples: list[Example[Term]], tmp_path: Path) -> None:
    parser = train(examples, None)
    assert parser.lexicon is not None
    phrases = parser.lexicon.phrases(0.2)
    assert phrases
    assert all(line.share >= 0.2 for line in phrases)
    parser.save_pretrained(tmp_path / "saved")
    again = SpanParser.from_pretrained(tmp_path / "saved")
    questions = [example.question for example in examples]
    assert again.parse(questions) == parser.parse(questions)
    assert again.lexicon is not None
    assert again.lexicon.phrases(0.2) == phrases


def test_evidence_weighs_more_in_prediction(examples: list[Example[Term]]) -> None:
    parser = train(examples, None, 1).eval()
    lexicon = parser.lexicon
    assert lexicon is not None
    question = prepared(["capital", "of", "texas"])
    evidence = lexicon.evidence(question)
    (predicted,), (trained,) = (
        parser.scored([question]),
        parser.quiet_logits([question], [evidence]),
    )
    more = predicted.labels - trained
    np.testing.assert_allclose(more, LEXICON_SCALE * DECODE * evidence[0], atol=1e-3)
    assert more.max() > 0


def test_a_run_continues_as_if_it_had_not_ended(
    examples: list[Example[Term]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = train(examples, tmp_path / "whole")

    def tick(seen: int, of: int) -> None:
        if seen > len(examples):
            raise ZeroDivisionError

    parser = SpanParser.create(Geography(), CONFIG)
    with pytest.raises(ZeroDivisionError):
        parser.fit(examples, examples[:4], TRAINING, Checkpoints(tmp_path / "cut", tick))
    continued = train(examples, tmp_path / "cut")
    for name, value in whole.state_dict().items():
        assert value.equal(continued.state_dict()[name]), name


def test_a_damaged_list_of_phrases_is_refused(
    examples: list[Example[Term]], tmp_path: Path
) -> None:
    train(examples[:8], None, 1).save_pretrained(tmp_path)
    grams = read_json(tmp_path / "lexicon.json")
    write_json(tmp_path / "lexicon.json", grams[1:])
    without_manifest(tmp_path)
    for half in (SpanParser, SpanInference):
        with pytest.raises(CheckpointError, match="lexicon"):
            half.from_pretrained(tmp_path)
