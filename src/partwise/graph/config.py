"""Settings of a graph parser, checked when made."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from partwise.errors import PartwiseError
from partwise.graph.grounding.flat import FlatConfig
from partwise.graph.grounding.network import MOST, NetworkConfig
from partwise.interface.settings import setting

COMPOSITIONS = ("flat", "declared", "latent")


@dataclass(frozen=True)
class GraphParserConfig(FlatConfig, NetworkConfig):
    """How a graph parser is built and trained: a network, sequences, and what is read by them.

    Attributes:
        composition: declared: phrase by phrase, by the domain's phrase rules. latent: by phrase
            rules that are learned. flat: the whole question at once (the paper).
        protocol: full: the whole query, nothing given. paper: edges only, the number of variables
            given from gold, as the paper does; for comparison, with flat only.
        members: How many decoders are trained separately and averaged.
        constrained: Whether prediction is held to the domain's kinds, uses every entity and what is
            asked for, and is connected; with flat.
        tempering: Exponent of a fragment's frequency, as its weight in training.
        paradigm_completion: Whether fragments that were not seen are completed from those of other
            words with the same forms.
        recombination: Probability that an entity of a training question that stands alone is
            replaced by a noun phrase of another question, anew in each epoch; with flat, as
            composing parsers need none.
        trees: How many phrase trees of an ambiguous question are weighed against each other.
        max_words: Longer questions are not parsed.

    The others are those of `FlatConfig` and `NetworkConfig`, which this is both of.
    """

    composition: Literal["flat", "declared", "latent"] = "declared"
    protocol: Literal["full", "paper"] = "full"
    # Where the paper's sizes are not what works best.
    dropout: float = setting(0.1, least=0, below=1)
    hidden: int = setting(64, least=0)
    lexical: bool = True
    self_position_bias: float = setting(1.0, formerly="own")
    bias: float = -4.0
    members: int = setting(1, least=1, most=MOST)
    constrained: bool = False
    tempering: float = 0.5
    paradigm_completion: bool = setting(True, formerly="analogies")
    recombination: float = setting(0.0, formerly="recombine", least=0, most=1)
    trees: int = setting(8, least=1)
    max_words: int = setting(120, least=1)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.composition == "flat":
            return
        if self.protocol == "paper":
            raise PartwiseError("the paper's protocol is of flat parsing; say composition=flat")
        if self.constrained:
            raise PartwiseError(
                "constrained is for flat parsing; composed graphs use every entity and hang "
                "together as they are put together"
            )
        if self.recombination:
            raise PartwiseError(
                "recombination is for flat parsing; composed graphs are put together anew anyway"
            )
