"""Questions that put words where rules must say so: repeated words, marks, words at the edges."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from garden import CLASSES, GARDEN, generate, pattern, patterns, tokens

from partwise.graph.grammar.chart import ConstituencyChart
from partwise.graph.grammar.rules import read_grammar
from partwise.graph.grammar.tagging import Tagger
from partwise.graph.induction.coordination import Conjuncts
from partwise.graph.induction.patterns import read_patterns
from partwise.graph.induction.reduction import Reducer
from partwise.graph.induction.rules import induce_rules
from partwise.graph.induction.writing import Writer

POLITE = replace(GARDEN, words={**GARDEN.words, "polite": ("please", "now")})
TURNS: dict[str, Callable[[int, str], str]] = {
    "a word before": lambda number, text: text if number % 3 else f"please {text}",
    "a word after": lambda number, text: text if number % 3 else f"{text} now",
    "a question mark": lambda number, text: f"{text} ?",
    "a question mark or none": lambda number, text: f"{text} ?" if number % 2 else text,
    "a backslash": lambda number, text: f"{text} \\",
    "brackets": lambda number, text: f"( {text} )",
}


@pytest.mark.parametrize(
    ("turn", "most"),
    [*((turn, 1) for turn in TURNS.values()), (lambda _, text: text, 3)],
    ids=[*TURNS, "many adjectives"],
)
def test_learned_rules_fit_their_questions(turn: Callable[[int, str], str], most: int) -> None:
    plain, graphs = generate(400, 1, most)
    tagger = Tagger(POLITE)
    questions = [tagger(turn(at, one.question.text)) for at, one in enumerate(plain)]
    rules = induce_rules(questions, graphs, list(POLITE.words))
    grammar = read_grammar(rules)
    assert [
        one.question.text
        for one in questions
        if not ConstituencyChart(grammar, one.classes).trees(1)
    ] == []
    assert not ConstituencyChart(grammar, tagger("did M0 plant M1 M2").classes).trees(1)


def test_words_of_two_phrases_that_meet_are_not_repeated() -> None:
    texts = ["was M0 a tree", "was M0 a old tree", "was M0 a old red tree", "was a old tree M0"]
    texts += ["was a red old tree M0", "who planted a old tree", "who planted a old red tree"]
    meeting = ["who planted a tree that M0 that M1 watered planted"]
    found = read_patterns([tokens(text) for text in [*texts, *meeting]], CLASSES)
    assert found.repeated == {"adjective"}
    assert pattern("who past a noun that Thing that Thing past past") in found.occurrences


def test_repeated_words_are_as_one_to_their_neighbours() -> None:
    """After "a old red" as after "a old" a noun comes, although after "'s old red" a role did."""
    texts = ["was M0 a old tree", "was M0 a tree", "was M0 's old red owner", "was M0 's red owner"]
    texts += ["did a old red tree plant M0", "did a old tree plant M0"]
    texts += ["who planted a old red tree", "who planted a old tree"]
    texts += ["was M0 's owner", "was M0 's old owner", "was M0 a tall old gardener"]
    found = read_patterns([tokens(text) for text in texts], CLASSES)
    assert not any(pattern("a role")[-2:] == one[-2:] for one in found.occurrences)


def test_modifiers_beside_units() -> None:
    some = patterns()
    some.modifiers = {("adjective", "a", "noun"): False, ("polite", "^", "who"): True}
    units = Conjuncts((("noun",), ("noun", "role")), frozenset())
    roots = [pattern("who a noun"), pattern("who a noun role")]
    lines = Writer(some, Reducer({}), roots, [units]).lines()
    assert lines == ("Question: polite* who a adjective? (noun | noun role)&",)
