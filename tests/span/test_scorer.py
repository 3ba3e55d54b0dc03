"""What the scorer sees of a question, and the type of its answer."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from brute import state_of

from cases import cases
from partwise import predicate, root
from partwise.chart.scores import JOIN, SpanTree
from partwise.domains.geography import domain as kinds  # noqa: F401
from partwise.domains.geography.domain import Geography
from partwise.interface.data import Example
from partwise.interface.parser import Checkpoints
from partwise.interface.registry import load
from partwise.language.program import Term
from partwise.language.text import tokenize
from partwise.language.types import Type, from_hint, kind_of_answer
from partwise.language.values import One, SetDomain
from partwise.span.config import SpanParserConfig
from partwise.span.decoding import Logits
from partwise.span.labels import JOIN_OUTPUT, PHI_OUTPUT, Labels
from partwise.span.objectives import hard_targets
from partwise.span.parser import SpanParser
from partwise.training.trainer import TrainingConfig

pytestmark = pytest.mark.usefixtures("no_state")

# What the scorer sees of a question.


class Figure:
    """A number."""


@pytest.fixture(scope="module")
def labels() -> Labels:
    return Labels(Geography())


@pytest.mark.parametrize("text", ["hello", "🙂 🙂", "какие штаты", "xyzzy plugh ?"])
def test_a_question_without_any_phrase_is_not_known(labels: Labels, text: str) -> None:
    assert not labels.prepare(tokenize(text)).known


def test_a_name_stands_only_where_it_is_found(labels: Labels) -> None:
    question = labels.prepare(tokenize("which states border new mexico ?"))
    assert question.known
    names = question.columns[question.entity]
    found = {labels.domain.constants[number].category for number in names}
    assert "stateid('new mexico')" in found
    column = int(
        np.nonzero(question.columns == labels.domain.categories["stateid('new mexico')"])[0][0]
    )
    assert np.nonzero(question.allowed[:, column])[0].tolist() == [question.row(3, 5)]


def test_marks_mean_only_what_has_them_as_a_phrase() -> None:
    class Sums(SetDomain):
        name = "sums"

        @predicate("plus", "+")
        def plus(self, left: One[Figure], right: One[Figure]) -> One[Figure]:
            raise NotImplementedError

        @predicate("nought")
        def nought(self) -> One[Figure]:
            raise NotImplementedError

        @root
        def answer(self, value: One[Figure]) -> object:
            raise NotImplementedError

    domain = Sums()
    words = tokenize("nought + that ?")
    usual = Labels(domain).prepare(words)
    assert usual.allowed.all()
    labels = Labels(domain, SpanParserConfig(punctuation=False))
    strict = labels.prepare(words)
    plus, nought = (domain.categories[name] for name in ("plus", "nought"))
    for row, (start, end) in enumerate(strict.spans.tolist()):
        only_punctuation = words.words[start:end] in (("+",), ("?",))
        allowed = dict(zip(strict.columns.tolist(), strict.allowed[row].tolist(), strict=True))
        assert allowed[nought] is not only_punctuation
        assert allowed[plus] is (words.words[start:end] != ("?",))
        assert strict.allows(nought, start, end) is allowed[nought]
        assert strict.allows(plus, start, end) is allowed[plus]


def test_names_lexicon_keeps_no_predicate_phrases() -> None:
    labels = Labels(Geography(), SpanParserConfig(lexicon="names"))
    question = labels.prepare(tokenize("which states border ohio ?"))
    outputs = {labels.names[output] for _, output in question.matches}
    assert outputs == {"stateid(*)", "riverid(*)"}


def test_hard_targets_are_the_labels_of_the_tree(labels: Labels) -> None:
    question = labels.prepare(tokenize("largest state"))
    largest = labels.domain.categories["largest"]
    state = labels.domain.categories["state"]
    tree = SpanTree(0, 2, JOIN, (SpanTree(0, 1, largest), SpanTree(1, 2, state)))
    target = hard_targets(question, tree)
    assert target.sum(1).tolist() == [1.0, 1.0, 1.0]
    assert target[question.row(0, 2), JOIN_OUTPUT] == 1.0
    assert target[question.row(0, 1), labels.output_of(largest)] == 1.0
    assert target[:, PHI_OUTPUT].sum() == 0.0


CONFIG = SpanParserConfig(encoder="bilstm", hidden=16, answer_type=2.0)


@pytest.fixture(scope="module")
def examples() -> list[Example[Term]]:
    return [e for e in load("geography", "iid").train if len(e.question.split()) < 9][:24]


@pytest.fixture(scope="module")
def parser(examples: list[Example[Term]]) -> SpanParser:
    made = SpanParser.create(Geography(), CONFIG)
    made.fit(
        examples,
        examples[:4],
        TrainingConfig(epochs=15, batch_size=4, head_rate=1e-2),
        Checkpoints(None),
    )
    return made


@cases("hint, answer")
def test_forms_of_a_sort_are_one_answer(hint: object, answer: tuple[str, ...]) -> None:
    kind = from_hint(hint)
    assert isinstance(kind, Type)
    assert kind_of_answer(kind) == answer


def test_it_is_learned(parser: SpanParser, examples: list[Example[Term]]) -> None:
    right = 0
    for example in examples:
        (scored,) = parser.scored([parser.labels.prepare(tokenize(example.question))])
        assert np.exp(scored.answers / CONFIG.answer_type).sum() == pytest.approx(1.0)
        target = parser.decoder.gold(example.meaning)
        assert target.answer is not None
        (gold,) = set(target.answer[target.final].tolist())
        right += int(scored.answers.argmax()) == gold
    assert right >= 22


def test_it_decides_among_programs(parser: SpanParser) -> None:
    question = parser.labels.prepare(tokenize("texas city ?"))
    (scored,) = parser.scored([question])
    for number, answer in enumerate(parser.types.answers):
        wanted = np.full(len(scored.answers), -1e3)
        wanted[number] = 0.0
        _, best = parser.decoder.best(question, Logits(scored.labels, wanted))
        if best is not None and best.derivation.score > -500:
            state = state_of(best.derivation.tree, parser.types)
            assert parser.types.answers[parser.types.answer[state]] == answer  # type: ignore[index]


def test_it_is_saved_and_read(
    parser: SpanParser, examples: list[Example[Term]], tmp_path: Path
) -> None:
    parser.save_pretrained(tmp_path / "saved")
    again = SpanParser.from_pretrained(tmp_path / "saved")
    questions = [example.question for example in examples]
    assert again.parse(questions) == parser.parse(questions)


def test_without_it_there_is_no_such_network(examples: list[Example[Term]]) -> None:
    made = SpanParser.create(Geography(), SpanParserConfig(encoder="bilstm", hidden=16))
    made.prepare(examples)
    assert made.answers is None
    (scored,) = made.scored([made.labels.prepare(tokenize("rivers in texas"))])
    assert not len(scored.answers)
