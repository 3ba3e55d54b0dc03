"""What the scorer sees of a question."""

from __future__ import annotations

import numpy as np
import pytest

from partwise import predicate, root
from partwise.chart.scores import JOIN, SpanTree
from partwise.domains.geography.domain import Geography
from partwise.language.text import tokenize
from partwise.language.values import One, SetDomain
from partwise.span.config import SpanParserConfig
from partwise.span.objectives import hard_targets
from partwise.span.scorer import JOIN_OUTPUT, PHI_OUTPUT, Labels


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
