"""What ``partwise train`` is to do, beside the settings, and with which kind of parser."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Plan:
    """The options of a run, beside its settings."""

    dataset: str | None
    split: str | None
    data: Path | None
    domain: str | None
    files: tuple[Path | None, Path | None, Path | None]
    types: str
    inner: str | None
    test: bool
    skip_bad: bool
    variant: str | None
    out: Path | None
    results: Path
    threads: int
    fresh: bool
    held: int | None = None


def has_graphs(dataset: str | None, domain: str | None) -> bool:
    """Whether a data set, or without one a domain, is one of query graphs.

    Raises:
        DataError: for a domain of the user's that cannot be made.
    """
    from partwise.cli.common import own_domain
    from partwise.interface.registry import DATASETS, GRAPH_DOMAINS
    from partwise.language.graph_domain import GraphDomain

    if dataset is not None:
        return dataset in DATASETS and DATASETS[dataset].graphs
    if domain is None:
        return False
    return domain in GRAPH_DOMAINS or (
        ":" in domain and isinstance(own_domain(domain), GraphDomain)
    )
