"""Published figures of query graphs, and which of our results stand beside them.

Typed here and nowhere else:

- MCWQ in English, exact match on test (%): the leaderboard of Cui, Aralikatte, Lent and
  Hershcovich (2022), "Compositional Generalization in Multilingual Semantic Parsing over Wikidata";
  mBART50* of Wang and Hershcovich (2023), "On Evaluating Multilingual Compositional Generalization
  with Translated Datasets": a Transformer over a frozen mBART50, mean of three runs.
- CFQ, Tables 1 to 3 (%): Gai, Jain, Zhang, Gonzalez, Song and Stoica (2021), "Grounded Graph
  Decoding Improves Compositional Generalization in Question Answering".
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
    "mBERT": (49.5, 13.4, 17.0),
    "T5-base": (57.4, 14.6, 12.3),
    "mT5-small": (77.6, 13.0, 24.3),
    "mT5-base": (55.5, 27.7, 18.2),
    "mBART50*": (75.4, 35.9, 54.4),
}
"""Model -> exact match on MCWQ in English."""
MCWQ_SOURCES = {"mBART50*": "Wang and Hershcovich 2023"}
"""Who published a model's figures, if not `MCWQ_SOURCE`."""
RANDOM = {
    **{"LSTM": 96.6, "Evolved Transformer": 99.0, "mBERT": 98.7, "T5-base": 98.5},
    **{"mT5-small": 98.6, "mT5-base": 99.1, "mBART50*": 98.9},
}
"""Model -> exact match on the random split of MCWQ in English."""
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


CFQ: dict[str, tuple[str, Three]] = {
    "LSTM": ("Keysers et al. 2020", (28.9, 5.0, 10.8)),
    "Transformer": ("Keysers et al. 2020", (34.9, 8.2, 10.6)),
    "Universal Transformer": ("Keysers et al. 2020", (37.4, 8.1, 11.3)),
    "Evolved Transformer": ("Keysers et al. 2020", (42.4, 9.3, 10.8)),
    "T5-base": ("Furrer et al. 2020", (57.6, 19.5, 16.6)),
    "T5-large": ("Furrer et al. 2020", (63.3, 22.2, 18.8)),
    "T5-11B": ("Furrer et al. 2020", (61.4, 30.1, 31.2)),
    "T5-11B (modified)": ("Furrer et al. 2020", (61.6, 31.3, 33.3)),
    "Grounded Graph Decoding": ("Gai et al. 2021", (97.9, 47.1, 50.8)),
    "Hierarchical Poset Decoding": ("Guo et al. 2020, tuned on dev", (79.6, 59.6, 67.8)),
    "CBR-KBQA": ("Das et al. 2021, tuned on dev", (87.9, 61.3, 60.6)),
    "T5-3B": ("Herzig et al. 2021, tuned on dev", (65.0, 41.0, 42.6)),
    "LIR + RIR, T5-3B": ("Herzig et al. 2021, tuned on dev", (88.4, 85.3, 77.9)),
    "Grounded Graph Decoding, tuned": ("Gai et al. 2021, tuned on dev", (98.6, 67.9, 77.4)),
}
"""Tables 1 and 2: model -> who published it, and the accuracy on CFQ."""

TABLE3 = (
    Ablated("Graph decoding only", "words", False, False, (59.1, 25.7, 20.4)),
    Ablated("Syntax-aware graph decoding", "words", True, False, (76.0, 29.0, 32.7)),
    Ablated("Grounded Graph Decoding", "words", True, True, (98.6, 67.9, 77.4)),
)
"""The paper's ablation on CFQ, edges only, tuned on dev. As its text describes the rows, the
encoder reads words, nodes are groups, and the three differ in nothing else."""

ORDER = ("declared", "latent", "flat", "flat-recombined", "flat-paper")
"""Our variants, the main ones first; others follow by name."""
