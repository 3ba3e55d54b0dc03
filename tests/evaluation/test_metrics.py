"""What counts as right, and the confidence interval."""

from __future__ import annotations

import pytest

from partwise.domains.geography.domain import Geography
from partwise.errors import DataError
from partwise.evaluation.metrics import NO_PARSE, Outcome, score
from partwise.interface.data import Example
from partwise.language.program import Term, parse_program

GOLD = "answer(capital(loc_2(stateid('ohio'))))"
EMPTY = "answer(river(loc_2(placeid('death valley'))))"


def outcome(gold: str, guess: str | None) -> Outcome:
    prediction = None if guess is None else parse_program(guess)
    example = Example("?", parse_program(gold), "test.jsonl:1")
    return score(Geography(), [example], [prediction]).outcomes[0]


def test_exact_match_and_denotation() -> None:
    assert outcome(GOLD, GOLD) == Outcome(True, True)
    assert outcome(GOLD, "answer(capital_1(stateid('ohio')))") == Outcome(False, True)
    assert outcome(GOLD, "answer(capital(loc_2(stateid('iowa'))))") == Outcome(False, False)


def test_programs_are_compared_in_canonical_form() -> None:
    short = "answer(population_1(cityid('austin', 'tx')))"
    assert outcome(short, "answer(population_1(cityid('austin', stateid('texas'))))").exact_match


def test_no_parse_and_a_failed_run_are_wrong_even_where_gold_is_empty() -> None:
    assert score(Geography(), [Example("?", parse_program(EMPTY))], [parse_program(EMPTY)]).n == 1
    assert outcome(EMPTY, None) == Outcome(False, False, NO_PARSE)
    failed = outcome(EMPTY, "answer(planet(all))")
    assert (failed.exact_match, failed.denotation) == (False, False)
    assert "no predicate planet" in str(failed.error)


def test_a_gold_program_that_fails_is_an_error_of_the_data() -> None:
    with pytest.raises(DataError, match=r"test\.jsonl:1: the gold program fails to run"):
        outcome("answer(planet(all))", None)


def test_means_and_counts() -> None:
    guesses: list[Term | None] = [parse_program(GOLD), None, parse_program("answer(planet(all))")]
    guesses.append(parse_program("answer(capital_1(stateid('ohio')))"))
    metrics = score(Geography(), [Example("?", parse_program(GOLD))] * 4, guesses)
    assert metrics.to_json() == {
        "exact_match": 0.25,
        "denotation": 0.5,
        "n": 4,
        "no_parse": 1,
        "failed": 1,
    }


def test_lengths_must_agree() -> None:
    with pytest.raises(ValueError, match="0 predictions for 1 examples"):
        score(Geography(), [Example("?", parse_program(GOLD))], [])
    with pytest.raises(ValueError, match="0 predictions for 0 examples"):
        score(Geography(), [], [])
