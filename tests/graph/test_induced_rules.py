"""Coordination, rules as lines, and phrase rules learned from questions and their graphs."""

from __future__ import annotations

import itertools
import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import pytest
from garden import CLASSES, GARDEN, generate, graph, pattern, patterns, tokens
from hypothesis import given, settings
from hypothesis import strategies as st
from languages import mcwq_lines, needs_mcwq
from processes import run_python

from cases import cases, rows
from partwise.domains.films.domain import FILMS
from partwise.graph.grammar.phrases import ConstituencyChart, PhraseGrammar, read_grammar
from partwise.graph.grammar.tokens import ENTITY, TaggedTokens, Tagger
from partwise.graph.induction.patterns import THING, Pattern, Patterns, read_patterns
from partwise.graph.induction.rules import (
    FEWEST,
    QUESTION,
    Conjuncts,
    Writer,
    find_conjuncts,
    induce_rules,
    merge_conjuncts,
    productive,
    segmentations,
)
from partwise.graph.induction.substitution import Reducer
from partwise.language.sparql import parse_query
from partwise_papers.domains.wikidata.domain import WIKIDATA
from partwise_papers.films.generate import generate as generate_films


def lists_from(whole: Pattern) -> Iterator[tuple[list[Pattern], int]]:
    """The lists that a pattern begins with, and their lengths: a unit, and what may follow it."""
    size = next((at for at, name in enumerate(whole) if name in (",", "and")), len(whole))
    unit, rest = whole[:size], whole[size:]
    joint = 2 if rest[:2] == (",", "and") else 1
    if unit and rest[joint - 1 : joint] == ("and",):
        last = rest[joint:]
        for end in itertools.takewhile(lambda at: last[at] not in (",", "and"), range(len(last))):
            yield [unit, last[: end + 1]], size + joint + end + 1
    if unit and rest[:1] == (",",):
        for more, length in lists_from(rest[1:]):
            yield [unit, *more], size + 1 + length


def brute(whole: Pattern) -> Counter[tuple[Pattern, tuple[Pattern, ...], Pattern]]:
    """The lists that begin at each place of a pattern."""
    return Counter(
        (whole[:start], tuple(units), whole[start + length :])
        for start in range(len(whole))
        for units, length in lists_from(whole[start:])
    )


joined = st.lists(st.sampled_from(["A", "B", "C", ",", "and"]), max_size=11).map(tuple)


@settings(max_examples=300)
@given(joined)
def test_all_ways_to_see_a_list(whole: Pattern) -> None:
    found = Counter((before, tuple(units), after) for before, units, after in segmentations(whole))
    assert found == brute(whole)


def units(*texts: str) -> Conjuncts:
    return Conjuncts(tuple(pattern(text) for text in texts), frozenset())


@cases("text, less")
def test_a_unit_in_the_place_of_each_list(text: str, less: str) -> None:
    known = [units("verb Thing"), units("past Thing", "was role")]
    assert merge_conjuncts(pattern(text), known) == pattern(less)
    assert merge_conjuncts(pattern(text), []) == pattern(text)


ROOTS = [pattern(text) for text in ("did Thing verb Thing", "who past Thing", "who was Thing")]
STRINGS = dict(rows(globals(), "STRINGS"))
PHRASES = ("Thing", "a noun", "Thing 's role", "a noun 's role", "Thing 's role 's role")
MORE = (*PHRASES, "a noun 's role 's role")


def found(*texts: str) -> list[Conjuncts]:
    return find_conjuncts(patterns(*texts), Reducer(STRINGS), ROOTS)


def test_strings_that_make_questions_alone_are_coordinated() -> None:
    texts = [f"who past {phrase} and past Thing" for phrase in PHRASES]
    assert len(texts) == FEWEST
    assert found(*texts) == [
        Conjuncts((pattern("past Thing"),), frozenset({(QUESTION, ("who",), ())}))
    ]
    assert found(*texts[1:]) == []
    # "who verb Thing" is no question, and of "who x Thing" nothing is known.
    assert found(*(text.replace("and past", "and verb") for text in texts)) == []


def test_strings_that_go_together_are_one_group() -> None:
    pasts = [f"who past {phrase} and past Thing" for phrase in PHRASES]
    mixed = [f"who past {phrase} , was Thing , and past Thing" for phrase in MORE]
    verbs = [f"did Thing verb {phrase} and verb Thing" for phrase in PHRASES]
    together = Conjuncts(
        (pattern("past Thing"), pattern("was Thing")), frozenset({(QUESTION, ("who",), ())})
    )
    apart = Conjuncts((pattern("verb Thing"),), frozenset({(QUESTION, ("did", "Thing"), ())}))
    by_size = sorted(found(*pasts, *mixed, *verbs), key=lambda group: -len(group.strings))
    assert by_size == [together, apart]
    # Seen together too seldom, they do not.
    assert [group.strings for group in found(*pasts, *mixed[2:])] == [(pattern("past Thing"),)]


WHOLE = tuple(rows(globals(), "WHOLE"))


WRITTEN = ("did Thing verb Thing", "who past Thing", "who was past by Thing")
NOUN_PHRASES = {"a noun": THING, "Thing 's role": THING}


def writer(
    roots: Sequence[str] = WRITTEN,
    strings: dict[str, str] = NOUN_PHRASES,
    conjuncts: Sequence[Conjuncts] = (),
    some: Patterns | None = None,
) -> Writer:
    found = some or patterns(coordinated="verb entity")
    reducer = Reducer({pattern(text): name for text, name in strings.items()})
    return Writer(found, reducer, [pattern(root) for root in roots], conjuncts)


def conjuncts_of(context: str, *strings: str, category: str = QUESTION) -> Conjuncts:
    """``conjuncts_of("who _", "past Thing")``."""
    before, _, after = context.partition("_")
    contexts = frozenset({(category, pattern(before), pattern(after))})
    return Conjuncts(tuple(pattern(string) for string in strings), contexts)


def read(lines: Sequence[str], question: str) -> bool:
    """Whether a question has a tree by rules."""
    grammar = read_grammar(lines)
    return bool(ConstituencyChart(grammar, tokens(question).classes).trees(1))


@cases("case, given, lines, fits, unfit")
def test_written_rules(
    case: str, given: dict[str, Any], lines: list[str], fits: list[str], unfit: list[str]
) -> None:
    """Rules are these lines, as which some questions have a tree and others none."""
    some = patterns(coordinated=given.get("coordinated", "verb entity"))
    some.modifiers = {
        tuple(pattern(name)): many for name, many in given.get("modifiers", {}).items()
    }
    units = [
        conjuncts_of(context, *strings, category=category)
        for category, context, *strings in given.get("conjuncts", ())
    ]
    strings = given.get("strings", NOUN_PHRASES)
    found = writer(given.get("roots", WRITTEN), strings, units, some).lines()
    assert list(found) == lines
    assert all(read(found, question) for question in fits)
    assert not any(read(found, question) for question in unfit)


@cases("rules, kept")
def test_rules_that_nothing_uses_are_dropped(rules: list[str], kept: list[str]) -> None:
    assert productive(rules) == tuple(kept)


names = st.sampled_from(["Question", "A", "B", "C", "D"])
parts = st.lists(st.sampled_from(["A", "B", "C", "D&", "x", "(A | y)&"]), min_size=1, max_size=3)
rules = st.lists(st.tuples(names, parts).map(lambda r: f"{r[0]}: {' '.join(r[1])}"), max_size=8)


@settings(max_examples=150)
@given(rules)
def test_whole_rules_can_be_read(lines: list[str]) -> None:
    kept = productive(lines)
    assert kept == productive(kept)
    assert set(kept) <= set(lines)
    assert list(kept) == list(dict.fromkeys(line for line in lines if line in kept))
    closed = [line for line in kept if line.startswith(QUESTION)]
    rest = [line for line in kept if not line.startswith(QUESTION)]
    if closed:
        # Unknown or unused categories would be refused.
        read_grammar([*closed, *rest])
    # What was dropped cannot come back by itself.
    for line in set(lines) - set(kept):
        assert line not in productive([*kept, line])


def derived(roots: Sequence[Pattern], strings: dict[Pattern, str], longest: int) -> set[Pattern]:
    """All strings up to a length that putting strings in the place of their symbols makes."""
    found, waiting = set(roots), list(roots)
    while waiting:
        one = waiting.pop()
        for at, (string, name) in itertools.product(range(len(one)), strings.items()):
            more = (*one[:at], *string, *one[at + 1 :])
            if one[at] == name and len(more) <= longest and more not in found:
                found.add(more)
                waiting.append(more)
    return found


def test_rules_make_what_reducing_takes_apart() -> None:
    """All questions up to a length that the strings make, and none that is but like them."""
    strings = {"a noun": THING, "Thing 's role": THING, "noun that past Thing": "noun"}
    made = writer(strings=strings, some=patterns())
    grammar = read_grammar(made.lines())
    right = derived(made.roots, made.reducer.strings, 11)
    assert len(right) > 50
    turned = {
        (*one[:at], *one[at : at + 2][::-1], *one[at + 2 :]) for one in right for at in range(8)
    }
    assert len(turned - right) > 300
    for one in right | turned:
        tags = [frozenset({ENTITY if name == THING else name}) for name in one]
        assert bool(ConstituencyChart(grammar, tags).trees(1)) == (one in right)


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
from partwise.graph.grammar.tokens import Tagger

print(*induce_rules(*generate(300, 5), CLASSES), sep="\\n")
films, tagger = generate_films(400, 3), Tagger(FILMS)
questions = [tagger(film.question) for film in films]
print(*induce_rules(questions, [film.meaning for film in films], list(FILMS.words)), sep="\\n")
"""


def test_the_same_rules_in_every_process() -> None:
    said = [run_python(SCRIPT, seed) for seed in (0, 77)]
    assert said[0].count("\n") > 30
    assert said[0] == said[1]


TRAIN, FRESH, SHARE, MCWQ_SHARE = 2000, 500, 0.98, 0.97


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
        turned.append(tagger(" ".join(question.question.text.split()[::-1])))
    assert len(unread(turned, grammar)) == FRESH


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
    assert unread(questions, grammar) == []
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


@needs_mcwq
def test_learned_rules_fit_other_questions_of_mcwq() -> None:
    # The file is in the order of its questions: its first ones all begin with "Did".
    lines = random.Random(4).sample(mcwq_lines("random.train"), TRAIN + FRESH)
    rows = [line.rstrip("\n").split("\t") for line in lines]
    questions = [Tagger(WIKIDATA)(row[0]) for row in rows]
    graphs = [parse_query(row[1]) for row in rows[:TRAIN]]
    rules = induce_rules(questions[:TRAIN], graphs, list(WIKIDATA.words))
    left = unread(questions[TRAIN:], read_grammar(rules))
    assert len(left) <= (1 - MCWQ_SHARE) * FRESH, left
