"""Reading COGS's files and forms, and what its domain makes of them."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from partwise.chart.algebra.type import TypeAlgebra
from partwise.errors import DataError
from partwise.language.tokenizer import tokenize
from partwise_papers.datasets.cogs import read_cogs, read_form
from partwise_papers.domains.cogs import Cogs

PAIRS = {
    "Anna gave a crab the hat .": (
        "give ( agent = Anna , recipient = crab , theme = * hat )",
        "gives('give', agent=Anna, first=crab, second=*(hat))",
    ),
    "Anna gave the hat in a tub to Otto .": (
        "give ( agent = Anna , theme = * hat ( nmod . in = tub ) , recipient = Otto )",
        "gives('give', agent=Anna, first=nmod.in(*(hat), tub), to=to(Otto))",
    ),
    "A crab was given a hat by Otto .": (
        "give ( recipient = crab , theme = hat , agent = Otto )",
        "was(crab, gives('give', first=hat), by(Otto))",
    ),
    "Otto hoped that the crab tried to nap .": (
        "hope ( agent = Otto , ccomp = try ( agent = * crab , xcomp = nap ( agent = * crab ) ) )",
        "acts('hope', agent=Otto, that=acts('try', agent=*(crab), "
        "what=to(acts('nap', agent=*(crab)))))",
    ),
    "The hat burned .": ("burn ( theme = * hat )", "acts('burn', agent=*(hat))"),
    "The hat was found .": ("find ( theme = * hat )", "was(*(hat), acts('find'))"),
    "tub": ("LAMBDA a . tub ( a )", "tub"),
    "find": (
        "LAMBDA a . LAMBDA b . LAMBDA e . find . agent ( e , b ) AND find . theme ( e , a )",
        "acts('find')",
    ),
}


def test_forms_are_programs_of_the_domain() -> None:
    domain = Cogs()
    types = TypeAlgebra(domain)
    for question, (form, program) in PAIRS.items():
        meaning = domain.canonical(read_form(form))
        assert str(meaning) == program
        assert domain.canonical(meaning) == meaning
        types.check(meaning)
        words = tokenize(question)
        starts = [match.start for match in domain.matcher.find(words)]
        left = {words.words[n] for n in range(len(words)) if n not in starts}
        assert len(starts) == len(set(starts))
        assert left <= {"a", "that", "."}


def test_what_happens_to_something_is_the_same_with_was_and_without() -> None:
    domain = Cogs()
    said = domain.canonical(domain.read("was(hat, acts('burn'))"))
    assert said == domain.canonical(read_form("burn ( theme = hat )"))


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


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        ("Anna\n", "1 columns, not 3"),
        ("Anna\tnap ( agent = \tx\n", "the form cannot be read"),
        ("Anna\tnap ( agent = a , agent = b )\tx\n", "is given twice"),
        ("Anna\tAnna Otto\tx\n", "unexpected 'Otto'"),
    ],
)
def test_bad_lines_are_named(tmp_path: Path, bad: str, message: str) -> None:
    write(tmp_path, bad)
    with pytest.raises(DataError, match=message) as raised:
        read_cogs(tmp_path, "gen")
    assert f"gen.tsv.gz:{len(PAIRS) + 1}" in str(raised.value)


def test_there_are_two_splits(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="it has iid, gen"):
        read_cogs(tmp_path, "length")
