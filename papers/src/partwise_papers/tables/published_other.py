"""Published figures of systems that neither paper has, in percent of the test questions.

Typed here and nowhere else; `published_span` and `published_graph` have the papers' own.

- T5 and NQG-T5: Shaw, Chang, Pasupat and Toutanova (2021), "Compositional Generalization and
  Natural Language Variation: Can a Semantic Parsing Approach Handle Both?", Table 2. T5 on SCAN is
  from Furrer et al. (2020).
- CSL-Aug: Qiu et al. (2022a), "Improving Compositional Generalization with Latent Structure and
  Data Augmentation". Fine-tuned T5-Base, prompt tuning and PaLM: Qiu et al. (2022b), "Evaluating
  the Impact of Model Scale for Compositional Generalization in Semantic Parsing". Both as Levy,
  Bogin and Berant (2023), "Diverse Demonstrations Improve In-context Compositional
  Generalization", give them in Table 2, with a T5-Large of their own.
- SpanSub and L2S2: Li, Wei and Lian (2023), "Learning to Substitute Spans towards Improving
  Compositional Generalization", Table 1, mean of five runs. Its figures on GeoQuery could not be
  checked, and are left out.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class Published(NamedTuple):
    """A row that others published.

    Attributes:
        model: what it is called there.
        source: who published it.
        figures: percent by split, by our names of the splits.
        encoder: what it reads words with, if that is not in its name.
        data: which data, where a table has figures of several.
    """

    model: str
    source: str
    figures: Mapping[str, float]
    encoder: str = ""
    data: str = ""


SHAW, QIU, SCALE = "Shaw et al. 2021", "Qiu et al. 2022a", "Qiu et al. 2022b"
LEVY, LI = "Levy et al. 2023", "Li et al. 2023"


def _geoquery(model: str, source: str, *figures: float) -> Published:
    return Published(model, source, dict(zip(("iid", "template", "length"), figures, strict=False)))


GEOQUERY = (
    _geoquery("T5-Base", SHAW, 92.9, 87.0, 39.1),
    _geoquery("T5-3B", SHAW, 93.2, 83.1, 36.8),
    _geoquery("NQG-T5-Base", SHAW, 92.9, 88.8, 52.2),
    _geoquery("NQG-T5-3B", SHAW, 93.7, 85.0, 51.4),
    _geoquery("T5-Base", SCALE, 92.9, 84.8, 40.0),
    _geoquery("T5-Base + CSL-Aug", QIU, 93.3, 89.3, 67.8),
    _geoquery("T5-Large", LEVY, 92.5, 83.8, 37.2),
    _geoquery("T5-11B, prompt tuning", SCALE, 93.6, 87.7, 41.5),
    _geoquery("PaLM 540B, in context", SCALE, 86.8, 76.6, 57.9),
)
"""Exact match on GeoQuery."""
GEOQUERY_NOTE = (
    "Shaw et al., Qiu et al. and Levy et al. use splits of their own (in template and length, 440 "
    "questions to train on and 440 to test), with placeholders for names."
)

SCAN_SPLITS = {
    "addjump": "Jump",
    "around_right": "AroundRight",
    "length": "Length",
    **{name: name.upper() for name in ("mcd1", "mcd2", "mcd3")},
}
"""Split of ours -> its name in publications."""


def _scan(model: str, source: str, **figures: float) -> Published:
    return Published(model, source, figures)


SCAN = (
    _scan("T5-Base", "Furrer et al. 2020", addjump=99.5, around_right=33.2, length=14.4),
    _scan("T5-3B", "Furrer et al. 2020", addjump=99.0, length=3.3),
    _scan("T5-11B", LI, addjump=98.3, around_right=49.2, mcd1=7.9, mcd2=2.4, mcd3=16.2),
    _scan("LSTM", LI, addjump=1.3, around_right=10.2, mcd1=8.9, mcd2=11.9, mcd3=6.0),
    _scan("LSTM + SpanSub", LI, addjump=100, around_right=99.9, mcd1=63.4, mcd2=72.9, mcd3=74.0),
    _scan("LSTM + SpanSub, L2S2", LI, addjump=100, around_right=100, mcd1=67.4, mcd2=73, mcd3=80.2),
)
"""Right action sequences on SCAN's splits."""
SCAN_NOTE = (
    "Published models write the action sequence itself. Ours write a program of SCAN's grammar, "
    "which gives it."
)
