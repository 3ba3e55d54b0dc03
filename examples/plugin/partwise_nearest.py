"""A parser that answers with the meaning of the most similar training question.

It works for every domain, since it never looks into a meaning. Similarity is the Jaccard index of
the questions' words.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Self

from partwise.encoders.storage import read_json, write_json
from partwise.errors import DataError
from partwise.interface import AnyDomain, Checkpoints, Example, Parser, Prediction, TrainingReport
from partwise.interface.registry import named_domain
from partwise.training.store import find_pretrained, read_config, write_folder

MEMORY = "memory.json"


@dataclass(frozen=True)
class NearestConfig:
    """Settings of a nearest-neighbour parser.

    Attributes:
        least: Similarity, from 0 to 1, that the nearest training question must have.
        lower: Whether upper and lower case are the same.
    """

    least: float = 0.2
    lower: bool = True


class NearestParser(Parser[Any]):
    """Remembers the training questions, and gives the meaning of the nearest one."""

    kind = "nearest"
    Config = NearestConfig

    def __init__(self, domain: AnyDomain[Any], config: NearestConfig) -> None:
        self.domain, self.config = domain, config
        self.memory: list[tuple[str, str]] = []
        """Questions with the texts of their meanings."""

    @classmethod
    def create(cls, domain: AnyDomain[Any], config: NearestConfig) -> Self:
        return cls(domain, config)

    def fit(
        self,
        train: Sequence[Example[Any]],
        dev: Sequence[Example[Any]],
        config: Any,
        checkpoints: Checkpoints,
    ) -> TrainingReport:
        begin = time.perf_counter()
        self.memory = [(one.question, self.domain.write(one.meaning)) for one in train]
        if not self.memory:
            raise DataError("there are no training questions to remember")
        return TrainingReport(usable=len(train), seconds=time.perf_counter() - begin)

    def parse(
        self, questions: Sequence[str], k: int = 1, at_least: float = 0.0
    ) -> list[Prediction[Any]]:
        return [self._parse(question, k).at_least(at_least) for question in questions]

    def _parse(self, question: str, k: int) -> Prediction[Any]:
        words = tuple(question.split())
        mine = self._words(question)
        best: dict[str, float] = {}
        for other, text in self.memory:
            theirs = self._words(other)
            share = len(mine & theirs) / max(1, len(mine | theirs))
            best[text] = max(share, best.get(text, 0.0))
        ranked = sorted(best.items(), key=lambda item: -item[1])[:k]
        near = [(text, share) for text, share in ranked if share >= self.config.least]
        if not near:
            return Prediction(question, words, reason="no training question is similar")
        first, *others = (
            Prediction(question, words, self.domain.read(text), share, share)
            for text, share in near
        )
        return Prediction(
            question, words, first.meaning, first.probability, first.score, None, tuple(others)
        )

    def _words(self, question: str) -> frozenset[str]:
        return frozenset((question.lower() if self.config.lower else question).split())

    def save_pretrained(
        self, folder: str | Path, facts: Mapping[str, Any] | None = None, half: bool = False
    ) -> None:
        config = {
            "kind": self.kind,
            "domain": self.domain.name,
            "about": f"{len(self.memory)} training questions.",
            "parser": asdict(self.config),
            "training": dict(facts or {}),
        }
        example = next(iter(self.domain.examples), "...")
        write_folder(Path(folder), config, lambda f: write_json(f / MEMORY, self.memory), example)

    @classmethod
    def from_pretrained(cls, name: str | Path, domain: AnyDomain[Any] | None = None) -> Self:
        folder = find_pretrained(name)
        saved = read_config(folder, cls.kind)
        language = domain if domain is not None else named_domain(saved["domain"])
        parser = cls(language, NearestConfig(**saved["parser"]))
        parser.memory = [(question, text) for question, text in read_json(folder / MEMORY)]
        return parser
