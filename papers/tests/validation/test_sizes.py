"""Sizes beside those that the paper prints."""

from __future__ import annotations

from partwise.interface.data import Dataset, Example
from partwise.language.program import Term, parse_program
from partwise_papers.validation.sizes import printed_sizes

ONE = Example("one", parse_program("answer(all)"))


def parts(train: int, dev: int, test: int) -> Dataset[Term]:
    return Dataset("geoquery", "iid", [ONE] * train, [ONE] * dev, [ONE] * test)


def test_sizes_as_printed_are_no_exceptions() -> None:
    finding = printed_sizes("geoquery", {"iid": parts(540, 60, 280)})
    assert finding.ok
    assert finding.counts() == "iid 3/3"


def test_another_size_names_its_part() -> None:
    finding = printed_sizes("geoquery", {"iid": parts(540, 61, 280)})
    assert [str(failure) for failure in finding.failures["iid"]] == ["iid/dev: 61 examples, not 60"]


def test_splits_that_the_paper_lacks_are_not_counted() -> None:
    assert printed_sizes("scan_sp", {"mcd1": parts(1, 1, 1)}).total == {}
