"""A domain whose programs run in a process of its own answers as it does here."""

from __future__ import annotations

import pytest

from library import PAIRS, Library
from partwise.domains.geography.domain import Geography
from partwise.errors import ExecutionError, is_private
from partwise.execution.programs import BoundedDomain
from partwise.interface.registry import load
from partwise.language.domain import Domain
from partwise.language.program import parse_program
from partwise_papers.domains.scenes.domain import Scenes


@pytest.mark.parametrize("domain", [Library(), Geography()])
def test_answers_are_those_of_the_domain(domain: Domain) -> None:
    bounded = BoundedDomain(domain)
    texts = [program for _, program in PAIRS] + ["answer(year(book('dracula')))"]
    if domain.name == "geography":
        texts = [example.meaning.text() for example in load("geography", "iid").test[:20]]
    values, given = [], []
    for program in map(parse_program, texts):
        try:
            value = domain.run(program)
        except ExecutionError as error:
            failed = error
        else:
            failed = None
        if failed is not None:
            with pytest.raises(ExecutionError) as caught:
                bounded.run(program)
            told = str(caught.value), is_private(caught.value)
            assert told == (str(failed), is_private(failed))
            continue
        shown = bounded.run(program)
        assert bounded.show(shown) == domain.show(value)
        values.append(domain.denotation(value))
        given.append(bounded.denotation(shown))
    # Two are equal where they were.
    for here, there in zip(values, given, strict=True):
        assert [here == other for other in values] == [there == other for other in given]
    bounded.close()


def test_a_context_is_read_where_programs_run() -> None:
    scenes = Scenes()
    bounded = BoundedDomain(scenes)
    count, context = parse_program("count(scene())"), bounded.read_context("shipped:0")
    here = scenes.run(count, scenes.read_context("shipped:0"))
    assert bounded.show(bounded.run(count, context)) == scenes.show(here)
    with pytest.raises(ExecutionError, match="--context"):
        bounded.run(count)
    bounded.close()


def test_what_has_begun_is_used() -> None:
    bounded = BoundedDomain(Library())
    bounded.begin()
    bounded.begin()
    (begun,) = bounded._process._begun
    bounded.run(parse_program("answer(author(book('emma')))"))
    assert (bounded._process.pid, bounded._process._begun) == (begun.popen.pid, [])
    bounded.close()
