"""Reading COGS's files and forms, and what its domain makes of them."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from cases import cases, rows
from partwise.chart.type_algebra import TypeAlgebra
from partwise.errors import DataError, ProgramTypeError
from partwise.language.text import tokenize
from partwise_papers.datasets.cogs import read_cogs, read_form
from partwise_papers.domains.cogs import Cogs, pasts

PAIRS = dict(rows(globals(), "PAIRS"))


def test_forms_are_programs_of_the_domain() -> None:
    domain = Cogs()
    types = TypeAlgebra(domain)
    for question, (form, program) in PAIRS.items():
        meaning = domain.canonical(read_form(form))
        assert str(meaning) == program
        assert domain.canonical(meaning) == meaning
        types.check(meaning)
        words = tokenize(question)
        read = {n for match in domain.matcher.find(words) for n in range(match.start, match.end)}
        assert {words.words[n] for n in range(len(words)) if n not in read} <= {"a", "that", "."}


def test_what_happens_to_something_is_the_same_with_was_and_without() -> None:
    domain = Cogs()
    said = domain.canonical(domain.read("was('burn', hat)"))
    assert said == domain.canonical(read_form("burn ( theme = hat )"))


def test_no_word_before_roles_is_dropped() -> None:
    forms = {
        "* box ( nmod = tree )": "*(box(nmod=tree))",
        "box ( nmod . in = tree , agent = cat )": "nmod.in(box(agent=cat), tree)",
        "* mat ( nmod . in = * house )": "nmod.in(*(mat), *(house))",
    }
    assert {form: str(read_form(form)) for form in forms} == forms


def test_what_is_wanted_is_what_the_same_one_does() -> None:
    domain = Cogs()
    other = read_form("want ( agent = Anna , xcomp = nap ( agent = Otto ) )")
    assert str(domain.canonical(other)) == "acts('want', Anna, to(acts('nap', Otto)))"
    with pytest.raises(ProgramTypeError):
        TypeAlgebra(domain).check(domain.canonical(other))


def write(folder: Path, bad: str = "") -> None:
    for part in ("train", "dev", "test", "gen"):
        lines = [f"{q}\t{form}\tkind_of_{part}\n" for q, (form, _) in PAIRS.items()]
        text = "".join(lines) + (bad if part == "gen" else "")
        (folder / f"{part}.tsv.gz").write_bytes(gzip.compress(text.encode()))


def test_splits(tmp_path: Path) -> None:
    write(tmp_path, "A line\n")
    iid, gen = read_cogs(tmp_path, "iid"), read_cogs(tmp_path, "gen", skip_bad=True)
    assert len(iid.train) == len(PAIRS)
    assert iid.train[1].source == "train.tsv.gz:2"
    assert {e.group for e in iid.test} == {""}
    assert {e.group for e in gen.test} == {"kind_of_gen"}
    assert len(gen.skipped) == 1


@cases("bad, message")
def test_bad_lines_are_named(tmp_path: Path, bad: str, message: str) -> None:
    write(tmp_path, bad)
    with pytest.raises(DataError, match=message) as raised:
        read_cogs(tmp_path, "gen")
    assert f"gen.tsv.gz:{len(PAIRS) + 1}" in str(raised.value)


def test_there_are_two_splits(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="it has iid, gen"):
        read_cogs(tmp_path, "length")


def test_pasts() -> None:
    assert pasts("bake stop eat:ate:eaten") == {
        "bake": ["baked"],
        "stop": ["stoped", "stopped"],
        "eat": ["ate", "eaten"],
    }
