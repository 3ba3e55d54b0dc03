"""Settings of a span parser, checked when made."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from typing import Any

from partwise.errors import PartwiseError

OBJECTIVES = ("marginal", "hard", "crf", "trees")
LEXICONS = ("full", "names")


@dataclass(frozen=True)
class SpanParserConfig:
    """How a span parser is built and trained.

    Attributes:
        objective: ``marginal``: maximum marginal likelihood, exact span posteriors as soft
            targets; ``hard``: hard EM, the best gold tree as target (the paper); ``crf``: marginal
            plus the globally normalised loss (all gold trees against all well-typed trees),
            weighted by `crf_weight`; ``trees``: the labels of given span trees (paper section
            4.4), which questions without one are annotated with by lexicon.
        lexicon: ``full`` phrases as features, or ``names`` of entities only (the paper's
            "-lexicon").
        tied: one output an entity type, its name matched; else one an entity (the paper).
        ternary: whether non-projective joins are on.
        conflicts: whether the scorer sees where a predicate goes against the lexicon.
        swap: probability that a training question gets other entities, anew in each epoch.
        recombine: probability that a phrase of a training question is replaced by a phrase of its
            type from another one, anew in each epoch; not with ``trees``.
        trust: added to the lexicon feature's weight in prediction. On questions like those of
            train the network knows better and the learned weight is low; on new combinations it
            drops words that the lexicon knows. Chosen on inner compositional splits of train.
        keep_mentions: whether prediction must use phrases that can only be names.
        marks: whether marks alone, as a question mark, may mean a predicate of no such phrase.
            Without, readings explain themselves better; a program with more predicates than its
            question has words may then have no tree.
        max_words: longer questions give "no parse".
    """

    encoder: str = "minilm"
    objective: str = "crf"
    lexicon: str = "full"
    tied: bool = True
    ternary: bool = True
    conflicts: bool = True
    swap: float = 0.5
    recombine: float = 0.0
    trust: float = 0.3
    keep_mentions: bool = False
    marks: bool = True
    hidden: int = 250
    dropout: float = 0.1
    frozen_layers: int = 1
    crf_weight: float = 2.0
    max_words: int = 80

    def __post_init__(self) -> None:
        if self.objective not in OBJECTIVES:
            raise PartwiseError(f"objective {self.objective!r} is none of {', '.join(OBJECTIVES)}")
        if self.lexicon not in LEXICONS:
            raise PartwiseError(f"lexicon {self.lexicon!r} is none of {', '.join(LEXICONS)}")
        for name in ("swap", "recombine"):
            if not 0.0 <= getattr(self, name) <= 1.0:
                raise PartwiseError(f"{name} is a probability, not {getattr(self, name)}")
        if self.recombine and self.objective == "trees":
            raise PartwiseError("recombine makes questions without trees; choose another objective")

    def to_dict(self) -> dict[str, Any]:
        """As JSON has it."""
        return asdict(self)

    @staticmethod
    def from_dict(values: dict[str, Any]) -> SpanParserConfig:
        """From JSON; settings of a later version that are unknown here are refused by name."""
        known = {field.name for field in fields(SpanParserConfig)}
        unknown = sorted(set(values) - known)
        if unknown:
            raise PartwiseError(f"unknown parser settings: {', '.join(unknown)}")
        return SpanParserConfig(**values)
