"""Settings of poset parsers, checked when made."""

from __future__ import annotations

from dataclasses import dataclass

from partwise.errors import PartwiseError
from partwise.interface.settings import check, setting


@dataclass(frozen=True)
class PosetConfig:
    """How a poset parser is built.

    Attributes:
        encoder: bilstm, minilm, or a Hugging Face folder or name.
        hidden: Size of vectors.
        dropout: Dropout of all parts but the encoder, which has its own.
        phrase: Words of the longest phrase that may stand for a primitive.
        aligned: The least probability with which a phrase stands for a primitive.
        kept: The least probability of a primitive that a sketch is filled with.
        max_words: Longer questions are not parsed.
        frozen_layers: Lowest layers of a pretrained encoder that are not trained.
    """

    encoder: str = "bilstm"
    hidden: int = setting(256, least=8, most=2**12)
    dropout: float = setting(0.2, least=0, below=1)
    phrase: int = setting(2, least=1, most=5)
    aligned: float = setting(0.1, least=0, most=1)
    kept: float = setting(0.2, least=0, most=1)
    max_words: int = setting(80, least=1, most=1000)
    frozen_layers: int = setting(1, least=0, most=100)

    def __post_init__(self) -> None:
        check(self)
        if self.hidden % 2:
            raise PartwiseError(f"hidden {self.hidden} is odd; it is halved for two directions")
