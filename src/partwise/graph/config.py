"""Settings of a graph parser, checked when made."""

from __future__ import annotations

from dataclasses import dataclass

from partwise.errors import PartwiseError
from partwise.graph.grounding.flat import FlatConfig
from partwise.graph.grounding.network import MOST, NetworkConfig

COMPOSITIONS = ("flat", "declared", "latent")
PROTOCOLS = ("full", "paper")


@dataclass(frozen=True)
class GraphParserConfig(FlatConfig, NetworkConfig):
    """How a graph parser is built and trained: a network, sequences, and what is read by them.

    Attributes:
        composition: ``flat``: the whole question at once (the paper); ``declared``: phrase by
            phrase, by the domain's phrase rules; ``latent``: by phrase rules that are learned.
        protocol: ``full``: the whole query, nothing given. ``paper``: edges only, the number of
            variables given from gold, as the paper does; for comparison, with ``flat`` only.
        members: how many decoders learn apart and are averaged.
        constrained: whether prediction is held to the domain's kinds, uses every entity and
            what is asked for, and hangs together; with ``flat``.
        tempering: exponent of how often a piece was seen, as its weight in training.
        analogies: whether pieces that were not seen are completed by analogy (`phrases.analogy`).
        recombine: probability that an entity of a training question that stands alone is replaced
            by a noun phrase of another question, anew in each epoch (`phrases.grafting`); with
            ``flat``, as composing parsers need none.
        trees: how many phrase trees of an ambiguous question are weighed against each other.
        max_words: longer questions give "no parse".

    The others are those of `FlatConfig` and `NetworkConfig`, which this is both of.
    """

    composition: str = "declared"
    protocol: str = "full"
    # Where the paper's sizes are not what works best.
    dropout: float = 0.1
    hidden: int = 64
    lexical: bool = True
    own: float = 1.0
    bias: float = -4.0
    members: int = 1
    constrained: bool = False
    tempering: float = 0.5
    analogies: bool = True
    recombine: float = 0.0
    trees: int = 8
    max_words: int = 120

    def __post_init__(self) -> None:
        if self.composition not in COMPOSITIONS:
            raise PartwiseError(
                f"composition {self.composition!r} is none of {', '.join(COMPOSITIONS)}"
            )
        if self.protocol not in PROTOCOLS:
            raise PartwiseError(f"protocol {self.protocol!r} is none of {', '.join(PROTOCOLS)}")
        if self.protocol == "paper" and self.composition != "flat":
            raise PartwiseError("the paper's protocol is of flat parsing; say composition=flat")
        if self.constrained and self.composition != "flat":
            raise PartwiseError(
                "constrained is for flat parsing; composed graphs use every entity and hang "
                "together as they are put together"
            )
        if not 0.0 <= self.recombine <= 1.0:
            raise PartwiseError(f"recombine must be from 0 to 1, not {self.recombine}")
        if self.recombine and self.composition != "flat":
            raise PartwiseError(
                "recombine is for flat parsing; composed graphs are put together anew anyway"
            )
        if self.members > MOST:
            raise PartwiseError(f"members must be at most {MOST}, not {self.members}")
        for name in ("variables", "members", "trees", "max_words"):
            if getattr(self, name) < 1:
                raise PartwiseError(f"{name} must be at least 1, not {getattr(self, name)}")
        super().__post_init__()
