"""Our grammar, splits and trees against the published files of SCAN and SCAN-SP."""

from __future__ import annotations

import dataclasses
import gzip
import json
import os
from collections.abc import Sequence
from pathlib import Path

import pytest

from partwise.chart.scores import JOIN, SpanTree
from partwise.chart.semantics import program
from partwise.chart.type_algebra import TypeAlgebra
from partwise.evaluation.metrics import Runner
from partwise.interface.data import Dataset, Span
from partwise.language.program import Term, parse_program
from partwise_papers.datasets.scan import GIVEN, SPLITS, TREES, read_scan_sp, read_trees
from partwise_papers.domains.scan.domain import Scan
from partwise_papers.validation.scan import check_published

ROOT = Path(__file__).parents[3]
REAL = Path(os.environ.get("PARTWISE_DATA", ROOT.parent / "shared" / "data")) / "scan_sp"

pytestmark = pytest.mark.skipif(not REAL.is_dir(), reason="the published SCAN-SP is not here")


@pytest.fixture(scope="module")
def sets() -> dict[str, Dataset[Term]]:
    return {split: read_scan_sp(REAL, split) for split in SPLITS}


def test_all_is_as_published_and_what_is_not_is_found(sets: dict[str, Dataset[Term]]) -> None:
    given = sets["right"]
    wrong = dataclasses.replace(given.dev[7], meaning=parse_program("i_run()"))
    less = given.test[1:]
    spoilt = Dataset("scan_sp", "right", given.train, [*given.dev[:7], wrong], less)
    found = check_published(REAL, {**sets, "right": spoilt}, Runner(Scan()))
    failures = {f.what: [x for split in f.failures.values() for x in split] for f in found}
    programs = failures.pop("programs equal to those of the grammar")
    commands = failures.pop("SCAN-SP's commands equal to those of SCAN")
    sizes = failures.pop("parts of the size that the paper prints")
    assert not any(failures.values())
    assert [failure.where for failure in programs] == ["right/dev.jsonl:8"]
    assert [failure.where for failure in sizes] == ["right/dev", "right/test"]
    assert len(commands) == len(given.dev) - 8 + 1
    assert given.test[0].question in {f.question for f in commands if f.where == "right.test"}
    totals = {f.what: sum(f.total.values()) for f in found}
    assert totals["commands of the grammar that are published"] == 20910
    random_and_templates, primitives, mcd = 2 * 20910 + 4 * 19701, 22376 + 23098, 3 * 9410
    assert totals["actions equal to those of SCAN"] == random_and_templates + primitives + mcd


def test_programs_are_spelt_as_published() -> None:
    for split in GIVEN:
        for part, examples in read_scan_sp(REAL, split).parts().items():
            raw = gzip.decompress((REAL / split / f"{part}.jsonl.gz").read_bytes())
            texts = [json.loads(line)["program"] for line in raw.splitlines()]
            # The files put a blank before commas, too.
            mine = [e.meaning.text(spaced=True).replace(",", " ,") for e in examples]
            assert mine == texts


def test_trees_give_their_programs() -> None:
    types = TypeAlgebra(Scan())
    for split, part in (("simple", "dev"), ("right", TREES[1])):
        found = read_trees(REAL, split, part)
        assert [e.question for e in found] == [
            e.question for e in read_scan_sp(REAL, split).parts()[part]
        ]
        for example in found[::10]:
            assert example.spans is not None
            assert program(_tree(example.spans, types), types) == example.meaning, example.source


def _tree(spans: Sequence[Span], types: TypeAlgebra) -> SpanTree:
    """The tree of a set of spans."""
    start, end, category = max(spans, key=lambda span: span[1] - span[0])
    inner = [s for s in spans if s[:2] != (start, end) and start <= s[0] and s[1] <= end]
    tops = [s for s in inner if not any(_within(s, other) for other in inner)]
    label = JOIN if category == "join" else types.domain.categories[category]
    children = [
        _tree([s for s in inner if s == top or _within(s, top)], types) for top in sorted(tops)
    ]
    return SpanTree(start, end, label, tuple(children))


def _within(span: Span, other: Span) -> bool:
    return span[:2] != other[:2] and other[0] <= span[0] and span[1] <= other[1]
