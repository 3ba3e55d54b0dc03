"""What the tests of the papers share: a made-up GeoQuery folder, and a setup with a run."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from hypothesis import settings

from partwise_papers.datasets.geoquery import rebuild_splits
from partwise_papers.results.result import Run, Setup

# No test asserts a time: machines are shared and noisy.
settings.register_profile("partwise", deadline=None)
settings.load_profile("partwise")

ROOT = Path(__file__).parents[2]
REAL = Path(os.environ.get("PARTWISE_DATA", ROOT.parent / "shared" / "data")) / "geoquery"

SHAPES = (
    ("tell me of {} 's rivers .", "answer(river(loc_2(stateid('{}'))))"),
    ("what of {} ?", "answer(loc_1(stateid('{}')))"),
    ("how many cities has {} ?", "answer(count(city(loc_2(stateid('{}')))))"),
    ("what lies by {} ?", "answer(state(next_to_2(stateid('{}'))))"),
)
STATES = ("ohio", "iowa", "utah", "texas", "maine", "nevada", "oregon", "kansas", "idaho")
STATES += ("alaska", "hawaii", "indiana", "georgia", "florida", "vermont", "montana", "delaware")
STATES += ("new york", "new mexico", "missouri", "nebraska", "oklahoma", "virginia", "wyoming")


@pytest.fixture
def real_geoquery() -> Path:
    """The published files; a test that needs them is skipped where they are not."""
    if not REAL.is_dir():
        pytest.skip("the published GeoQuery files are not here")
    return REAL


@pytest.fixture
def made_geoquery(tmp_path: Path) -> Path:
    """A raw corpus of 96 questions, its ids (72 train, 24 test) and the split files."""
    folder = tmp_path / "geoquery"
    folder.mkdir()
    pairs = [(q.format(s), p.format(s)) for s in STATES for q, p in SHAPES]
    entries = (f"id:{i}\nnl:{q}\nmrl:{p}\nproductions:\n" for i, (q, p) in enumerate(pairs))
    (folder / "geoFunql-en.corpus").write_text("\n".join(entries))
    test = [i for i in range(len(pairs)) if i % 4 == i // 4 % 4]
    (folder / "split880.test.ids").write_text("".join(f"{i}\n" for i in test))
    train = sorted(set(range(len(pairs))) - set(test))
    (folder / "split880.train.ids").write_text("".join(f"{i}\n" for i in train))
    for split, dataset in rebuild_splits(folder).items():
        (folder / split).mkdir()
        for part, examples in dataset.parts().items():
            lines = (
                json.dumps({"question": e.question, "program": e.meaning.text(spaced=True)})
                for e in examples
            )
            (folder / split / f"{part}.jsonl").write_text("".join(f"{line}\n" for line in lines))
    return folder


@pytest.fixture
def setup() -> Setup:
    """A setup with settings of its own."""
    return Setup("span", "geoquery", "iid", "base", "dev", "bilstm", 1000, 540, 280, {"rate": 0.1})


@pytest.fixture
def run() -> Run:
    """One seed's figures."""
    return Run({"exact_match": 0.7, "denotation": 0.8}, 12.0, "cpu", "bench --seed 0", "abc")
