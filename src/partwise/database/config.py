"""Settings of the parser for databases, checked when made."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from partwise.encoders.readers import MINILM
from partwise.errors import PartwiseError
from partwise.interface.settings import check, setting
from partwise.training.store import SavedParser


@dataclass(frozen=True)
class DatabaseSettings:
    """Settings of the parser for databases.

    Attributes:
        encoder: a kind of encoder, or kind:option; its vectors say what words mean.
        cell: how many phrases of each span the chart keeps, and frames from the beginning.
        inner: how many frames of each span inside.
        margin: how far below the best of its span a phrase may score.
        listed: how many interpretations are kept.
        members: how many sets of weights are learned; a score is their mean.
    """

    encoder: str = MINILM
    cell: int = setting(40, least=1, most=1000)
    inner: int = setting(10, least=1, most=1000)
    margin: float = setting(12.0, least=0.0, most=1000.0)
    listed: int = setting(40, least=2, most=1000)
    members: int = setting(3, least=1, most=100)

    def __post_init__(self) -> None:
        check(self)


@dataclass(frozen=True, kw_only=True)
class SavedDatabaseParser(SavedParser):
    """What config.json says.

    Attributes:
        encoder: the encoder's kind and settings.
        vocabulary: roles, steps and features that have scores.
        trust: weights of `confidence.FEATURES`.
        answerable: weights of `confidence.SUBJECT`.
        refused_below, doubtful_below: probabilities.
        asks_above: the gain of a question back above which it is asked; None for none.
        plain: stems of words that add nothing to a question.
        cross_encoder: the rank of its changes; 0 without one.
        follow_up: what `follow_up.FollowUpModel` has; empty without.
    """

    encoder: dict[str, Any]
    vocabulary: dict[str, Any]
    trust: list[float]
    answerable: list[float] = field(default_factory=list)
    refused_below: float = setting(0.0, least=0.0, most=1.0)
    doubtful_below: float = setting(0.0, least=0.0, most=1.0)
    asks_above: float | None = None
    plain: list[str] = field(default_factory=list)
    cross_encoder: int = setting(0, least=0, most=256)
    follow_up: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        super().__post_init__()
        if "shifts" in self.vocabulary or "beam" in self.parser:
            raise PartwiseError(
                "it is a parser for databases of version 0.2, which has other parts: use the one "
                "that is shipped, `database`, or start from it"
            )


def checked_weights(name: str, saved: Sequence[Any], count: int) -> list[float]:
    """Weights of config.json as numbers. Raises PartwiseError if there are more or fewer than
    `count`; none at all are right."""
    if saved and len(saved) != count:
        raise PartwiseError(f"{name}: it has {len(saved)} weights, not {count}")
    return [float(weight) for weight in saved]
