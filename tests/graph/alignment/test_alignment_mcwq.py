"""Constituent rules on MCWQ's own questions: all have trees, nearly all can be aligned."""

from __future__ import annotations

import gzip
import os
import random
from pathlib import Path

import pytest

from partwise.domains.questions import PHRASES
from partwise.graph.alignment.corpus import align_all
from partwise.graph.grammar.decomposition import ConstituencyParser, Decomposition
from partwise.graph.grammar.tagging import Tagger
from partwise.language.query_graph import QueryGraph
from partwise.language.sparql import parse_query
from partwise_papers.domains.wikidata.domain import WIKIDATA

ROOT = Path(__file__).parents[3]
REAL = Path(os.environ.get("PARTWISE_DATA", ROOT.parent / "shared" / "data")) / "mcwq"
SPLITS = ("mcd1", "mcd2", "mcd3", "random")
SAMPLE, TO_ALIGN = 800, 600

pytestmark = pytest.mark.skipif(not REAL.is_dir(), reason="the MCWQ files are not here")


@pytest.fixture(scope="module")
def sample() -> list[tuple[str, str, list[Decomposition]]]:
    """Training questions of all splits, their queries, and the fragments of their trees."""
    rng = random.Random(11)
    tagger, parser = Tagger(WIKIDATA), ConstituencyParser(PHRASES, 8)
    found = []
    for split in SPLITS:
        with gzip.open(REAL / f"{split}.train.tsv.gz", "rt", encoding="utf-8") as file:
            lines = rng.sample(file.readlines(), SAMPLE // len(SPLITS))
        for line in lines:
            question, query, _ = line.rstrip("\n").split("\t")
            tokens = tagger(question)
            found.append((question, query, [cut for _, cut in parser.trees(tokens)]))
    return found


def test_all_questions_have_a_phrase_tree(
    sample: list[tuple[str, str, list[Decomposition]]],
) -> None:
    assert len(sample) == SAMPLE
    assert [question for question, _, trees in sample if not trees] == []


def test_phrases_align_with_the_gold_graphs(
    sample: list[tuple[str, str, list[Decomposition]]],
) -> None:
    pairs: list[tuple[list[Decomposition], QueryGraph]] = [
        (trees, parse_query(query)) for _, query, trees in random.Random(3).sample(sample, TO_ALIGN)
    ]
    chosen = align_all(pairs).chosen
    assert sum(place is not None for place in chosen) > 0.995 * TO_ALIGN
