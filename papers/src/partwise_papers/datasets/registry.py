"""The data sets of the papers, as plug-ins; see ``pyproject.toml`` beside."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

from partwise.interface.data import DatasetInfo
from partwise_papers.datasets.cfq import SPLITS as CFQ_SPLITS
from partwise_papers.datasets.cfq import read_cfq
from partwise_papers.datasets.clevr import SPLITS as CLEVR_SPLITS
from partwise_papers.datasets.clevr import has_own_questions, read_clevr
from partwise_papers.datasets.cogs import SPLITS as COGS_SPLITS
from partwise_papers.datasets.cogs import read_cogs
from partwise_papers.datasets.films import SPLITS as FILMS_SPLITS
from partwise_papers.datasets.films import make_films
from partwise_papers.datasets.geoquery import SPLITS as GEOQUERY_SPLITS
from partwise_papers.datasets.geoquery import read_geoquery
from partwise_papers.datasets.mcwq import SPLITS as MCWQ_SPLITS
from partwise_papers.datasets.mcwq import chinese_note, mcwq_note, read_mcwq
from partwise_papers.datasets.scan import MADE as SCAN_MADE
from partwise_papers.datasets.scan import SPLITS as SCAN_SPLITS
from partwise_papers.datasets.scan import make_scan, read_scan_sp
from partwise_papers.datasets.scenes import SPLITS as SCENES_SPLITS
from partwise_papers.datasets.scenes import make as make_scenes

FEW_WORDS = {"encoder": "bilstm", "batch_size": 32}
"""Where a grammar made the questions, an encoder from scratch learns all their words."""

MANY: dict[str, Any] = {
    "flat": {"epochs": 6},
    "latent": {"epochs": 3},
    "composition": "latent",
}
"""Tens of thousands of questions show all phrases so often that fewer passes do."""


def clevr_note(folder: Path) -> str:
    """Whether the questions are the released ones."""
    if not has_own_questions(folder):
        return ""
    return (
        "questions regenerated with the official generator and templates on official scenes, not "
        "the released files"
    )


GEOQUERY = DatasetInfo(
    "geoquery",
    "geoquery",
    GEOQUERY_SPLITS,
    "GeoQuery (880 questions, FunQL), the published splits",
    read=read_geoquery,
)
SCAN = DatasetInfo(
    "scan",
    "scan",
    SCAN_MADE,
    "SCAN (navigation commands) with programs, splits made from its grammar by the "
    "published rules; simple is random and not the published one",
    make=make_scan,
    settings={**FEW_WORDS, "epochs": 1},
)
SCAN_SP = DatasetInfo(
    "scan_sp",
    "scan",
    SCAN_SPLITS,
    "SCAN-SP and, with programs of the grammar, SCAN's other splits, the published files",
    read=read_scan_sp,
    settings={**FEW_WORDS, "epochs": 1},
)
SCENES = DatasetInfo(
    "scenes",
    "scenes",
    tuple(SCENES_SPLITS),
    "questions on random scenes of solids, made by this package's own grammar",
    make=make_scenes,
    settings={**FEW_WORDS, "epochs": 6},
)
CLEVR = DatasetInfo(
    "clevr",
    "scenes",
    CLEVR_SPLITS,
    "CLEVR and CLOSURE (questions on scenes with functional programs); where the folder "
    "holds regenerated/, questions made again and not the released ones",
    read=read_clevr,
    note=clevr_note,
    settings={**FEW_WORDS, "epochs": 3},
)
MCWQ = DatasetInfo(
    "mcwq",
    "wikidata",
    MCWQ_SPLITS,
    "MCWQ in English (CFQ's questions with queries to Wikidata), the published splits; "
    "most queries of the training parts are recovered and not official",
    settings=MANY,
    read=read_mcwq,
    note=mcwq_note,
)
MCWQ_ZH = DatasetInfo(
    "mcwq_zh",
    "wikidata",
    MCWQ_SPLITS,
    "MCWQ in Chinese, translated by machine, the published splits; most queries of the training "
    "parts are recovered and not official",
    # Nothing that the domain declares is of Chinese.
    settings={
        **MANY,
        # Chosen on dev of mcd1, on 12,000 training questions. A softmax divides its weight among
        # the words of a list of adjectives, and some are then not said. Seeds differ by up to nine
        # points there; five decoders with 12,000 questions each are four points above their mean.
        "flat": {
            "epochs": 2,
            "members": 4,
            "inputs": "both",
            "sigmoid_attention": True,
            "heads": 2,
            "bottleneck": 24,
            "hidden": 128,
            "recombination": 0.3,
        },
        "composition": "flat",
        "word_classes": "learned",
    },
    read=partial(read_mcwq, name="mcwq_zh"),
    note=chinese_note,
)
CFQ = DatasetInfo(
    "cfq",
    "freebase",
    tuple(CFQ_SPLITS),
    "CFQ 1.1 (questions with queries to Freebase), the published splits",
    settings=MANY,
    read=read_cfq,
)
FILMS = DatasetInfo(
    "films",
    "films",
    tuple(FILMS_SPLITS),
    "questions on films, made by this package's own grammar",
    make=make_films,
    settings={"flat": {"batch_size": 32, "epochs": 15}},
)
COGS = DatasetInfo(
    "cogs",
    "cogs",
    COGS_SPLITS,
    "COGS (sentences of a grammar, forms without variables), the published files; iid is its test "
    "set, and gen its 21 kinds of generalization",
    read=read_cogs,
    settings={**FEW_WORDS, "epochs": 1, "required_mentions": True},
)
