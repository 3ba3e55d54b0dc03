"""Rules learned from MCWQ's own questions fit others of them."""

from __future__ import annotations

import gzip
import os
import random
from pathlib import Path

import pytest

from partwise.graph.grammar.chart import ConstituencyChart
from partwise.graph.grammar.rules import read_grammar
from partwise.graph.grammar.tagging import Tagger
from partwise.graph.induction.rules import induce_rules
from partwise.language.sparql import parse_query
from partwise_papers.domains.wikidata.domain import WIKIDATA

ROOT = Path(__file__).parents[3]
REAL = Path(os.environ.get("PARTWISE_DATA", ROOT.parent / "shared" / "data")) / "mcwq"
TRAIN, OTHERS, SHARE = 3000, 500, 0.97

pytestmark = pytest.mark.skipif(not REAL.is_dir(), reason="the MCWQ files are not here")


def test_learned_rules_fit_other_questions() -> None:
    with gzip.open(REAL / "random.train.tsv.gz", "rt", encoding="utf-8") as file:
        # The file is in the order of its questions: its first ones all begin with "Did".
        lines = random.Random(4).sample(file.readlines(), TRAIN + OTHERS)
    rows = [line.rstrip("\n").split("\t") for line in lines]
    tagger = Tagger(WIKIDATA)
    questions = [tagger(row[0]) for row in rows]
    graphs = [parse_query(row[1]) for row in rows[:TRAIN]]
    rules = induce_rules(questions[:TRAIN], graphs, list(WIKIDATA.words))
    grammar = read_grammar(rules)
    left = [
        row[0]
        for row, tokens in zip(rows[TRAIN:], questions[TRAIN:], strict=True)
        if not ConstituencyChart(grammar, tokens.classes).trees(1)
    ]
    assert len(left) <= (1 - SHARE) * OTHERS, left
