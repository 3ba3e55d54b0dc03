"""Constituent rules as read, and what is said of lines that are none."""

from __future__ import annotations

import re

import pytest

from partwise.errors import DomainError
from partwise.graph.grammar.rules import PhraseRule, Symbol, read_grammar


def test_categories_come_in_the_order_of_their_rules() -> None:
    grammar = read_grammar(["S: did Thing verb&", "Thing: a noun Rel? | who", "Rel: by Thing"])
    assert grammar.root == "S"
    assert grammar.categories == ("S", "Thing", "Rel")
    assert [rule.category for rule in grammar.rules] == ["S", "Thing", "Rel"]


def symbols(rule: PhraseRule) -> set[Symbol]:
    """The parts of a rule, without the commas and conjunctions of coordinations."""
    return {symbol for moves in rule.moves for symbol, _ in moves if symbol.place >= 0}


def test_places_and_groups() -> None:
    (rule,) = read_grammar(["S: a (b& c)& (d|e)* a"]).rules
    assert symbols(rule) == {Symbol(name, n) for n, name in enumerate("abcdea")}
    assert rule.groups == (frozenset({1}), frozenset({1, 2}))
    joins = {(s.name, s.place) for moves in rule.moves for s, _ in moves if s.place < 0}
    assert joins == {(",", -1), ("and", -1), (",", -2), ("and", -2)}


def test_what_must_be_coordinated_has_the_moves_of_what_may_be() -> None:
    (may,) = read_grammar(["S: a (b& c)& d"]).rules
    (must,) = read_grammar(["S: a (b& c)&& d"]).rules
    assert (symbols(may), may.groups) == (symbols(must), must.groups)
    # Only ways out after the first "b c" are missing.
    (gone,) = [
        (state, symbol.name)
        for state, moves in enumerate(may.moves)
        for symbol, _ in set(moves) - set(must.moves[state])
    ]
    (first,) = [goal for moves in must.moves[2:3] for s, goal in moves if s.name == "c"]
    assert gone == (first, "d")
    assert (may.final, len(may.moves)) == (must.final, len(must.moves))


def test_no_move_leads_out_of_the_automaton() -> None:
    (rule,) = read_grammar(["S: (a | b c?)& d* (e f)+"]).rules
    states = range(len(rule.moves))
    assert all(state in states for moves in rule.moves for _, state in moves)
    assert rule.final
    assert rule.final <= set(states)
    assert 0 not in rule.final


def test_blanks_do_not_matter() -> None:
    (one,) = read_grammar(["S: (a|b c)& d?e"]).rules
    (other,) = read_grammar(["  S :  ( a |  b c ) & d ? e "]).rules
    assert (one.category, one.moves, one.final) == (other.category, other.moves, other.final)


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ([], "a domain without phrase rules cannot be parsed into phrases"),
        (["s: a"], "phrase rule 1, 's: a': expected 'Category: parts'"),
        (["S: a", "A a"], "phrase rule 2, 'A a': expected 'Category: parts'"),
        (["S:  "], "phrase rule 1, 'S:  ': expected 'Category: parts'"),
        ([": a"], "phrase rule 1, ': a': expected 'Category: parts'"),
        (["S: (a b"], "phrase rule 1, 'S: (a b': a bracket is not closed"),
        (["S: a ) b"], "phrase rule 1, 'S: a ) b': ')' has no opening bracket"),
        (["S: a |"], "a part is missing before 'the end'"),
        (["S: (a | )"], "a part is missing before ')'"),
        (["S: ()"], "a part is missing before ')'"),
        (["S: * a"], "a part is missing before '*'"),
        (["S: a+&"], "a part is missing before '&'"),
        (["S: a &&&"], "a part is missing before '&'"),
        (["S: && a"], "a part is missing before '&&'"),
        (["S: (a? b*)&&"], "what may be missing cannot be coordinated"),
        (["S: | a"], "a part is missing before '|'"),
        (["S: a? b*"], "phrase rule 1, 'S: a? b*': a phrase of no words cannot be"),
        (["S: a | b?"], "a phrase of no words cannot be"),
        (["S: c (a? b*)&"], "what may be missing cannot be coordinated"),
        (["S: Thing"], "no phrase rule makes Thing; add a line 'Thing: ...'"),
        (["S: a", "Thing: b"], "no phrase rule uses Thing; use it or take its rules away"),
    ],
)
def test_lines_that_are_no_rules(lines: list[str], message: str) -> None:
    with pytest.raises(DomainError, match=re.escape(message)):
        read_grammar(lines)


def test_nested_coordinations_are_bounded() -> None:
    """Each makes three parts of one, so that a short line could fill the memory."""
    deep = "Question: " + "(" * 40 + "go" + ")&" * 40
    with pytest.raises(DomainError, match=r"phrase rule 1, .*more than 2,000 parts"):
        read_grammar([deep])
    assert read_grammar(["Question: " + "(" * 4 + "go" + ")&" * 4]).rules
