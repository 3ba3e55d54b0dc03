"""The shipped questions about scenes: made again at each first use, always the same.

The questions are those of `partwise_papers.domains.scenes.generate`. The split "iid" has all
families in all parts; "compositional" trains on the base families and tests on combinations of
them that no training question has.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from functools import lru_cache

from partwise.errors import DataError
from partwise.interface.data import PARTS, Dataset, Example
from partwise.language.program import Term
from partwise_papers.domains.scenes.domain import Scenes
from partwise_papers.domains.scenes.generate import (
    BASE,
    COMBINED,
    FAMILIES,
    Question,
    generate,
    read_shipped_scene,
)

SEED = 1
SIZES = {"train": 3000, "dev": 300, "test": 600}
SCENES = {"train": range(0, 350), "dev": range(350, 400), "test": range(400, 500)}
"""Numbers of the shipped scenes that each part is about."""
SPLITS: dict[str, dict[str, Sequence[str]]] = {
    "iid": dict.fromkeys(PARTS, tuple(FAMILIES)),
    "compositional": {"train": tuple(BASE), "dev": tuple(BASE), "test": tuple(COMBINED)},
}
"""Split -> the families of each part."""


def make(split: str, *, skip_bad: bool = False) -> Dataset[Term]:
    """One split of 3000, 300 and 600 questions; no text and no scene is in two of its parts; raises
    DataError for an unknown split."""
    if split not in SPLITS:
        raise DataError(f"scenes has no split {split!r}; it has {', '.join(SPLITS)}")
    found = {part: list(examples) for part, examples in _make(split).items()}
    return Dataset("scenes", split, found["train"], found["dev"], found["test"])


@lru_cache
def _make(split: str) -> dict[str, tuple[Example[Term], ...]]:
    seen: set[str] = set()
    domain = Scenes()
    made = {}
    for part in PARTS:
        questions = generate(
            SPLITS[split][part],
            SIZES[part],
            [read_shipped_scene(number) for number in SCENES[part]],
            random.Random(f"{split} {part} {SEED}"),
            seen,
        )
        made[part] = tuple(
            _example(question, f"scenes/{split}.{part}:{place}", domain)
            for place, question in enumerate(questions, start=1)
        )
    return made


def _example(question: Question, source: str, domain: Scenes) -> Example[Term]:
    return Example(
        question.text,
        domain.canonical(question.program),
        source,
        context=question.scene,
        answer=question.answer,
        group=question.family,
    )
