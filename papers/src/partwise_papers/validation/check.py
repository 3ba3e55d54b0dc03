"""Checking a data set by its name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from partwise.evaluation.metrics import Runner
from partwise.interface.data import Dataset
from partwise.interface.registry import data_folder, dataset_info, load, named_domain
from partwise.language.graph_domain import GraphDomain
from partwise_papers.validation import clevr, geoquery, scan
from partwise_papers.validation.findings import CheckReport, Finding
from partwise_papers.validation.graphs import GraphChecks
from partwise_papers.validation.programs import ProgramChecks

Published = Callable[[Path, Mapping[str, Dataset[Any]], Runner], list[Finding]]
PUBLISHED: Mapping[str, Published] = {
    "geoquery": geoquery.check_published,
    "scan_sp": scan.check_published,
    "clevr": clevr.check_published,
}
"""Data set -> checks of its splits against published files beside those of the splits."""


def check(name: str, data_dir: str | Path | None = None) -> CheckReport:
    """Check all splits of a data set; bad lines are listed, not raised.

    Args:
        data_dir: as for `registry.load`.

    Raises:
        DataError: for an unknown data set, or a folder or file that is missing.
    """
    info = dataset_info(name)
    if isinstance(named_domain(info.domain), GraphDomain):
        return _check_graphs(name, data_dir)
    checks = ProgramChecks(info.domain)
    sets = {split: load(name, split, data_dir, skip_bad=True) for split in info.splits}
    for dataset in sets.values():
        checks.add(dataset)
    findings = checks.findings
    if name in PUBLISHED:
        findings += PUBLISHED[name](data_folder(name, data_dir), sets, checks.runner)
    return CheckReport(name, {split: _counts(found) for split, found in sets.items()}, findings)


def _check_graphs(name: str, data_dir: str | Path | None) -> CheckReport:
    info = dataset_info(name)
    checks, counts = GraphChecks(named_domain(info.domain)), {}
    # One split in memory at a time: they are large.
    for split in info.splits:
        texts: dict[str, str] = {}
        dataset = load(name, split, data_dir, skip_bad=True, texts=texts)
        checks.add(dataset, texts)
        counts[split] = _counts(dataset)
    return CheckReport(name, counts, checks.findings)


def _counts(dataset: Dataset[Any]) -> dict[str, int]:
    return {part: len(examples) for part, examples in dataset.parts().items()}
