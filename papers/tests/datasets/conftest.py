"""A made-up GeoQuery folder in the published layout, and the place of the real one."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path

import pytest

from partwise_papers.datasets import sizes
from partwise_papers.datasets.geoquery import rebuild_splits

ROOT = Path(__file__).parents[3]
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
def made_geoquery(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A raw corpus of 96 questions, its ids (72 train, 24 test) and the split files."""
    printed = (replace(s, sizes=(12, 60, 24)) for s in sizes.SPLITS if s.dataset == "geoquery")
    monkeypatch.setattr(sizes, "SPLITS", tuple(printed))
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
