"""Meanings that are no programs: a question whose answer a network reads from the scene."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from partwise_papers.domains.scenes.domain import Scenes
from partwise_papers.domains.scenes.scene import Scene

BEGIN = "answer "
"""How the text of an `Asked` begins; no program has a blank outside brackets."""


@dataclass(frozen=True)
class Asked:
    """A question as its own meaning.

    Attributes:
        answer: in the scene that it was asked about, if that is known; else it is found when the
            meaning is run.
    """

    question: str
    answer: str | None = None


class AnsweringDomain:
    """A domain that runs an `Asked` too; all else is as in the domain inside.

    Args:
        domain: the one inside.
        answer: finds the answer of a question in a scene.
    """

    def __init__(self, domain: Scenes, answer: Callable[[str, Scene], str]) -> None:
        self.domain, self.answer = domain, answer

    def __getattr__(self, name: str) -> Any:
        if name == "domain":
            raise AttributeError(name)
        return getattr(self.domain, name)

    def canonical(self, meaning: Any) -> Any:
        """See `Domain`; an `Asked` is equal to no program."""
        return meaning if isinstance(meaning, Asked) else self.domain.canonical(meaning)

    def partial_matches(self, gold: Any, predicted: Any) -> Mapping[str, bool]:
        """See `Domain`; an answer has no parts that are right."""
        return {}

    def run(self, meaning: Any, context: Any = None) -> Any:
        """See `Domain`."""
        if not isinstance(meaning, Asked):
            return self.domain.run(meaning, context)
        if meaning.answer is not None:
            return meaning.answer
        return self.answer(meaning.question, self.domain.about(context).scene().scene)

    def write(self, meaning: Any, context: Any = None) -> str:
        """See `Domain`; that of an `Asked` is its question, and the answer if that is known."""
        if not isinstance(meaning, Asked):
            return self.domain.write(meaning, context)
        return BEGIN + json.dumps([meaning.question, meaning.answer])

    def read(self, text: str) -> Any:
        """See `Domain`."""
        if not text.startswith(BEGIN):
            return self.domain.read(text)
        return Asked(*json.loads(text.removeprefix(BEGIN)))
