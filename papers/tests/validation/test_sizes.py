"""Sizes beside those that the paper prints."""

from __future__ import annotations

from partwise.interface.data import Dataset, Example
from partwise.language.program import Term, parse_program
from partwise_papers.tables.published_span import printed_sizes
from partwise_papers.validation.findings import Finding, sizes

ONE = Example("one", parse_program("answer(all)"))


def parts(train: int, dev: int, test: int) -> Dataset[Term]:
    return Dataset("geoquery", "iid", [ONE] * train, [ONE] * dev, [ONE] * test)


def finding(name: str, sets: dict[str, Dataset[Term]]) -> Finding:
    return sizes("sizes", sets, printed_sizes(name))


def test_sizes_as_printed_are_no_exceptions() -> None:
    made = finding("geoquery", {"iid": parts(540, 60, 280)})
    assert made.ok
    assert made.counts() == "iid 3/3"


def test_another_size_names_its_part() -> None:
    made = finding("geoquery", {"iid": parts(540, 61, 280)})
    assert [str(failure) for failure in made.failures["iid"]] == ["iid/dev: 61 examples, not 60"]


def test_splits_that_the_paper_lacks_are_not_counted() -> None:
    assert finding("scan_sp", {"mcd1": parts(1, 1, 1)}).total == {}
