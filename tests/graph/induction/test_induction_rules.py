"""Constituent rules learned from questions and their graphs, the whole way."""

from __future__ import annotations

import pytest
from garden import CLASSES, generate, graph, tokens
from processes import run_python

from partwise.domains.films.domain import FILMS
from partwise.graph.grammar.chart import ConstituencyChart
from partwise.graph.grammar.rules import PhraseGrammar, read_grammar
from partwise.graph.grammar.tagging import TaggedTokens, Tagger
from partwise.graph.induction.rules import induce_rules
from partwise_papers.films.generate import generate as generate_films

RULES = {
    "Question: did Thing Part0&",
    "Question: who Part1&",
    "Thing: entity&",
    "Thing: Thing 's role&",
    "Thing: a noun",
    "Thing: a adjective noun",
    "Thing: a noun that past& Thing",
    "Thing: a adjective noun that past& Thing",
    "Part0: verb& Thing",
    "Part1: past& Thing",
}
"""What garden questions are made of."""


def unread(questions: list[TaggedTokens], grammar: PhraseGrammar) -> list[str]:
    """Questions that have no tree."""
    return [
        question.question.text
        for question in questions
        if not ConstituencyChart(grammar, question.classes).trees(1)
    ]


def test_no_questions_no_rules() -> None:
    assert induce_rules([], [], CLASSES) == ()
    assert induce_rules([tokens("")], [graph()], CLASSES) == ()


def test_questions_that_show_nothing() -> None:
    texts = ["who", "M0", "did M0 plant M1", "did M1 guard and water M0"]
    assert induce_rules([tokens(text) for text in texts], [graph()] * 4, CLASSES) == ()


@pytest.mark.parametrize("seed", [1, 2])
def test_the_rules_of_a_small_language(seed: int) -> None:
    questions, graphs = generate(400, seed)
    rules = induce_rules(questions, graphs, CLASSES)
    assert set(rules) == RULES
    assert len(rules) == len(RULES)
    assert rules[0].startswith("Question: ")
    more = [tokens(text) for text in UNSEEN]
    assert unread(more, read_grammar(rules)) == []


UNSEEN = (
    "did a old tree that watered and planted a rose 's owner 's neighbour water M0",
    "who planted M0 , watered M1 , planted a rose , watered and planted M2 , and watered M3",
    "did M0 , M1 , M2 , M3 , and M4 plant M5",
)


def test_graphs_that_do_not_agree_leave_no_noun_phrases() -> None:
    """Where nothing but entities stands for a node, no pattern stands for others."""
    questions, graphs = generate(400, 1)
    assert induce_rules(questions, [graph("M0 planted M1") for _ in graphs], CLASSES) == ()


def test_questions_that_show_nothing_change_nothing() -> None:
    questions, graphs = generate(400, 1)
    strange = [tokens(text) for text in ("", "who", "did M0 guard and water M1", "rose rose rose")]
    more = [*questions, *strange], [*graphs, *(graph() for _ in strange)]
    assert induce_rules(*more, CLASSES) == induce_rules(questions, graphs, CLASSES)


SCRIPT = """
from garden import CLASSES, generate
from partwise.domains.films.domain import FILMS
from partwise_papers.films.generate import generate as generate_films
from partwise.graph.induction.rules import induce_rules
from partwise.graph.grammar.tagging import Tagger

print(*induce_rules(*generate(300, 5), CLASSES), sep="\\n")
films, tagger = generate_films(400, 3), Tagger(FILMS)
questions = [tagger(film.question) for film in films]
print(*induce_rules(questions, [film.meaning for film in films], list(FILMS.words)), sep="\\n")
"""


def test_the_same_rules_in_every_process() -> None:
    said = [run_python(SCRIPT, seed) for seed in (0, 77)]
    assert said[0].count("\n") > 30
    assert said[0] == said[1]


TRAIN, FRESH, SHARE = 3000, 500, 0.98


@pytest.fixture(scope="module")
def films() -> tuple[tuple[str, ...], list[TaggedTokens]]:
    """Rules of questions about films, and other questions."""
    examples, tagger = generate_films(TRAIN + FRESH, 1), Tagger(FILMS)
    questions = [tagger(example.question) for example in examples]
    graphs = [example.meaning for example in examples]
    rules = induce_rules(questions[:TRAIN], graphs[:TRAIN], list(FILMS.words))
    return rules, questions[TRAIN:]


def test_learned_rules_fit_other_questions(
    films: tuple[tuple[str, ...], list[TaggedTokens]],
) -> None:
    rules, fresh = films
    left = unread(fresh, read_grammar(rules))
    assert len(fresh) == FRESH
    assert len(left) <= (1 - SHARE) * FRESH, left
    # A rule for each shape of question would fit many as well.
    assert len(rules) < 50


def test_learned_rules_fit_not_everything(
    films: tuple[tuple[str, ...], list[TaggedTokens]],
) -> None:
    rules, fresh = films
    grammar = read_grammar(rules)
    turned, tagger = [], Tagger(FILMS)
    for question in fresh:
        words = question.question.text.split()
        turned.append(tagger(" ".join(words[::-1])))
    assert len(unread(turned, grammar)) == FRESH
