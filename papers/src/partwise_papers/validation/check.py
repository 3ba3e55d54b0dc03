"""Checking a data set by its name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from partwise.evaluation.metrics import Runner
from partwise.interface.data import Dataset
from partwise.interface.registry import data_folder, dataset_info, load, named_domain
from partwise_papers.validation import clevr, geoquery, scan
from partwise_papers.validation.checks import Checks
from partwise_papers.validation.findings import CheckReport, Finding
from partwise_papers.validation.graphs import GraphChecks
from partwise_papers.validation.programs import ProgramChecks

Published = Callable[[Path, Mapping[str, Dataset[Any]], Runner], list[Finding]]
CHECKS: Mapping[str, Callable[[Any], Checks]] = {"span": ProgramChecks, "graph": GraphChecks}
"""Parser of a domain -> the checks of the domain's programs or queries."""
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
    domain = named_domain(info.domain)
    checks = CHECKS[domain.parser](domain)
    published, sets, counts = PUBLISHED.get(name), dict[str, Dataset[Any]](), {}
    for split in info.splits:
        texts: dict[str, str] | None = {} if checks.wants_texts else None
        dataset = load(name, split, data_dir, skip_bad=True, texts=texts)
        checks.add(dataset, texts)
        counts[split] = {part: len(examples) for part, examples in dataset.parts().items()}
        # Otherwise one split is in memory at a time: they may be large.
        if published:
            sets[split] = dataset
    findings = checks.findings
    if published:
        findings += published(data_folder(name, data_dir), sets, Runner(domain))
    return CheckReport(name, counts, findings)
