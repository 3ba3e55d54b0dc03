"""Published figures of query graphs, and which of our results stand beside them.

Typed here and nowhere else:

- MCWQ in English, exact match on test (%): the leaderboard of Cui, Aralikatte, Lent and
  Hershcovich (2022), "Compositional Generalization in Multilingual Semantic Parsing over Wikidata".
- CFQ, Table 3 (%): Gai, Jain, Zhang, Gonzalez, Song and Stoica (2021), "Grounded Graph Decoding
  Improves Compositional Generalization in Question Answering".
"""

from __future__ import annotations

from typing import NamedTuple

TITLE = (
    "Query graphs: our results, and the published figures of Cui et al. (2022), Compositional "
    "Generalization in Multilingual Semantic Parsing over Wikidata"
)
MCWQ_SOURCE = "Cui et al. 2022"
SPLITS = ("mcd1", "mcd2", "mcd3")
"""Splits of MCWQ and CFQ that figures are published of."""

Three = tuple[float, float, float]
"""Percent for each of `SPLITS`."""
MCWQ: dict[str, Three] = {
    "LSTM": (38.2, 6.3, 13.6),
    "Evolved Transformer": (53.3, 16.5, 18.2),
    "T5-base": (57.4, 14.6, 12.3),
    "mT5-small": (77.6, 13.0, 24.3),
    "mT5-base": (55.5, 27.7, 18.2),
}
"""Model -> exact match on MCWQ in English."""
SIZES = {"T5-base": "220M", "mT5-small": "300M", "mT5-base": "580M"}
"""Parameters of the pretrained ones (Raffel et al. 2020; Xue et al. 2021)."""


class Ablated(NamedTuple):
    """A row of Table 3: what the paper calls it, which switches it stands for, its figures.

    Attributes:
        inputs, grouping, grounding: as in `GraphParserConfig`.
    """

    name: str
    inputs: str
    grouping: bool
    grounding: bool
    figures: Three


TABLE3 = (
    Ablated("Graph decoding only", "words", False, False, (59.1, 25.7, 20.4)),
    Ablated("Syntax-aware graph decoding", "words", True, False, (76.0, 29.0, 32.7)),
    Ablated("Grounded Graph Decoding", "words", True, True, (98.6, 67.9, 77.4)),
)
"""The paper's ablation on CFQ, edges only, tuned on dev. As its text describes the rows, the
encoder reads words, nodes are groups, and the three differ in nothing else."""

ORDER = ("declared", "latent", "flat", "flat-recombined", "flat-paper")
"""Our variants, the main ones first; others follow by name."""
