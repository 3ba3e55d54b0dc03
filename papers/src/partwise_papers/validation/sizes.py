"""Sizes of data sets as Table 1 of Herzig and Berant (2021) prints them."""

from __future__ import annotations

from collections.abc import Mapping

from partwise.evaluation.summary import Failure, Finding
from partwise.interface.data import Dataset
from partwise.language.program import Term
from partwise_papers.tables.published_span import SPLITS


def printed_sizes(name: str, sets: Mapping[str, Dataset[Term]]) -> Finding:
    """Whether train, dev and test of each split have as many examples as printed."""
    finding = Finding("parts of the size that the paper prints")
    for split in SPLITS:
        if split.dataset != name or split.split not in sets:
            continue
        parts = sets[split.split].parts()
        wrong = [
            Failure(f"{split.split}/{part}", "", "", f"{len(found)} examples, not {size}")
            for (part, found), size in zip(parts.items(), split.sizes, strict=True)
            if len(found) != size
        ]
        finding.add(split.split, len(parts), wrong)
    return finding
