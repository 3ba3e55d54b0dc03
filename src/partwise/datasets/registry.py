"""The known data sets and domains: plain dicts that one can read."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from partwise.datasets.base import Dataset
from partwise.datasets.cfq import SPLITS as CFQ_SPLITS
from partwise.datasets.cfq import read_cfq
from partwise.datasets.clevr import SPLITS as CLEVR_SPLITS
from partwise.datasets.clevr import is_regenerated, read_clevr
from partwise.datasets.clevr_check import check_published as check_published_clevr
from partwise.datasets.films import SPLITS as FILMS_SPLITS
from partwise.datasets.films import make_films
from partwise.datasets.geoquery import SPLITS as GEOQUERY_SPLITS
from partwise.datasets.geoquery import read_geoquery
from partwise.datasets.geoquery_check import check_published
from partwise.datasets.graphs import GraphDataset
from partwise.datasets.info import DatasetInfo
from partwise.datasets.mcwq import SPLITS as MCWQ_SPLITS
from partwise.datasets.mcwq import mcwq_note, read_mcwq
from partwise.datasets.scan import MADE as SCAN_MADE
from partwise.datasets.scan import SPLITS as SCAN_SPLITS
from partwise.datasets.scan import make_scan, read_scan_sp
from partwise.datasets.scan_check import check_published as check_published_scan
from partwise.datasets.scenes import SPLITS as SCENES_SPLITS
from partwise.datasets.scenes import make as make_scenes
from partwise.datasets.shipped import WIDE, read_shipped
from partwise.domain import Domain
from partwise.domains.films.domain import FILMS
from partwise.domains.freebase.domain import FREEBASE
from partwise.domains.geography.domain import Geography, GeoQuery
from partwise.domains.geography.paper import PaperGeography, PaperGeoQuery
from partwise.domains.scan.domain import Scan
from partwise.domains.scenes.domain import Scenes
from partwise.domains.wikidata.domain import WIKIDATA
from partwise.errors import DataError
from partwise.graph_domain import GraphDomain
from partwise.query.sparql_write import write_query

DATA_VARIABLE = "PARTWISE_DATA"
"""Environment variable: a folder that holds a folder for each data set, as ``geoquery/``."""


FEW_WORDS = {"encoder": "bilstm", "batch_size": 32}
"""Where a grammar made the questions, an encoder from scratch learns all their words."""

MANY: dict[str, dict[str, Any]] = {
    "flat": {"epochs": 6},
    "declared": {"epochs": 3},
    "latent": {"epochs": 3},
}
"""Tens of thousands of questions show their phrases so often that fewer passes do."""


def clevr_note(folder: Path) -> str:
    """Whether the questions are the released ones."""
    if not is_regenerated(folder):
        return ""
    return (
        "questions made anew with the official generator and templates on official scenes, not "
        "the released files"
    )


DATASETS: dict[str, DatasetInfo] = {
    info.name: info
    for info in (
        DatasetInfo(
            "geography",
            "geography",
            ("iid", "compositional", WIDE),
            "questions on US geography, written for this package; wide is iid with more to train",
            make=partial(read_shipped, "geography"),
        ),
        DatasetInfo(
            "geoquery",
            "geoquery",
            GEOQUERY_SPLITS,
            "GeoQuery (880 questions, FunQL), the published splits",
            read=read_geoquery,
            published=check_published,
        ),
        DatasetInfo(
            "scan",
            "scan",
            SCAN_MADE,
            "SCAN (navigation commands) with programs, splits made from its grammar by the "
            "published rules; simple is random and not the published one",
            make=make_scan,
            settings={**FEW_WORDS, "epochs": 1},
        ),
        DatasetInfo(
            "scan_sp",
            "scan",
            SCAN_SPLITS,
            "SCAN-SP and, with programs of the grammar, SCAN's other splits, the published files",
            read=read_scan_sp,
            published=check_published_scan,
            settings={**FEW_WORDS, "epochs": 1},
        ),
        DatasetInfo(
            "scenes",
            "scenes",
            tuple(SCENES_SPLITS),
            "questions on random scenes of solids, made by this package's own grammar",
            make=make_scenes,
            settings={**FEW_WORDS, "epochs": 6},
        ),
        DatasetInfo(
            "clevr",
            "scenes",
            CLEVR_SPLITS,
            "CLEVR and CLOSURE (questions on scenes with functional programs); where the folder "
            "holds regenerated/, questions made anew and not the released ones",
            read=read_clevr,
            published=check_published_clevr,
            note=clevr_note,
            settings={**FEW_WORDS, "epochs": 3},
        ),
        DatasetInfo(
            "mcwq",
            "wikidata",
            MCWQ_SPLITS,
            "MCWQ in English (CFQ's questions with queries to Wikidata), the published splits; "
            "most queries of the training parts are recovered and not official",
            settings=MANY,
            read_graphs=read_mcwq,
            note=mcwq_note,
        ),
        DatasetInfo(
            "cfq",
            "freebase",
            tuple(CFQ_SPLITS),
            "CFQ 1.1 (questions with queries to Freebase), the published splits",
            settings=MANY,
            read_graphs=read_cfq,
        ),
        DatasetInfo(
            "films",
            "films",
            tuple(FILMS_SPLITS),
            "questions on films, made by this package's own grammar",
            make_graphs=make_films,
            settings={"flat": {"batch_size": 32, "epochs": 15}},
        ),
    )
}

DOMAINS: dict[str, Callable[[], Domain]] = {
    "geography": Geography,
    "geography-paper": PaperGeography,
    "geoquery": GeoQuery,
    "geoquery-paper": PaperGeoQuery,
    "scan": Scan,
    "scenes": Scenes,
}

GRAPH_DOMAINS: dict[str, GraphDomain] = {found.name: found for found in (WIKIDATA, FREEBASE, FILMS)}


def domain(name: str) -> Domain:
    """A domain by name.

    Raises:
        DataError: for an unknown name; lists the known ones.
    """
    if name in GRAPH_DOMAINS:
        raise DataError(f"{name} is a domain of query graphs; this needs one of programs")
    if name not in DOMAINS:
        raise DataError(f"no domain {name!r}; there are {', '.join(DOMAINS)}")
    return DOMAINS[name]()


def load(
    name: str,
    split: str,
    data_dir: str | Path | None = None,
    skip_bad: bool = False,
) -> Dataset:
    """Read one split of a data set.

    Args:
        data_dir: the data set's folder, or one that holds it under its name; without it, the
            folder ``$PARTWISE_DATA/<name>``. Not used by shipped data sets.
        skip_bad: leave out bad lines and list them in `Dataset.skipped`.

    Raises:
        DataError: for an unknown data set or split, a missing folder, or bad content.
    """
    info = dataset_info(name, split)
    if info.graphs:
        raise DataError(f"{name} has query graphs; this needs a data set with programs")
    if info.make is not None:
        return info.make(split, skip_bad=skip_bad)
    assert info.read is not None
    return info.read(data_folder(name, data_dir), split, skip_bad=skip_bad)


def load_graphs(
    name: str,
    split: str,
    data_dir: str | Path | None = None,
    skip_bad: bool = False,
    texts: dict[str, str] | None = None,
) -> GraphDataset:
    """Read one split of a data set with query graphs.

    Args:
        data_dir, skip_bad: as for `load`.
        texts: if given, the queries as they stand in the files, or as they are written where
            there are none, are put here by their source.

    Raises:
        DataError: as `load`, and for a data set with programs.
    """
    info = dataset_info(name, split)
    if info.make_graphs is not None:
        made = info.make_graphs(split, skip_bad=skip_bad)
        if texts is not None:
            dialect = GRAPH_DOMAINS[info.domain].dialect
            every = (example for part in made.parts().values() for example in part)
            texts.update((e.source, write_query(e.graph, dialect)) for e in every)
        return made
    if info.read_graphs is None:
        raise DataError(f"{name} has programs; this needs a data set with query graphs")
    return info.read_graphs(data_folder(name, data_dir), split, skip_bad=skip_bad, texts=texts)


def dataset_info(name: str, split: str | None = None) -> DatasetInfo:
    """What is known of a data set; with `split`, checks that it has it.

    Raises:
        DataError: for an unknown name; lists the known ones.
    """
    if name not in DATASETS:
        raise DataError(f"no data set {name!r}; there are {', '.join(DATASETS)}")
    info = DATASETS[name]
    if split is not None and split not in info.splits:
        raise DataError(f"{name} has no split {split!r}; it has {', '.join(info.splits)}")
    return info


def data_note(name: str, data_dir: str | Path | None = None) -> str:
    """What every table of figures on a data set must say; "" for nothing.

    Raises:
        DataError: as `data_folder`.
    """
    info = DATASETS.get(name)
    return "" if info is None or info.note is None else info.note(data_folder(name, data_dir))


def data_folder(name: str, data_dir: str | Path | None = None) -> Path:
    """The folder of a data set that is not shipped.

    Raises:
        DataError: if no folder is named or it is not there.
    """
    root = data_dir if data_dir is not None else os.environ.get(DATA_VARIABLE)
    if not root:
        raise DataError(
            f"{name} does not come with the package: give its folder with --data, or set "
            f"{DATA_VARIABLE} to a folder that holds {name}/"
        )
    given = Path(root)
    folder = given / name if (given / name).is_dir() or data_dir is None else given
    if not folder.is_dir():
        raise DataError(f"{folder}: no such folder; expected the files of {name} there")
    return folder
