"""Stacks of attention layers by name; what each has to do is said in `base`."""

from __future__ import annotations

from collections.abc import Callable

from partwise_papers.seq2seq.config import Seq2SeqConfig
from partwise_papers.seq2seq.stacks.base import Stack
from partwise_papers.seq2seq.stacks.evolved import EvolvedStack
from partwise_papers.seq2seq.stacks.t5 import T5Stack
from partwise_papers.seq2seq.stacks.transformer import TransformerStack
from partwise_papers.seq2seq.stacks.universal import UniversalStack

__all__ = ["STACKS", "Stack"]

STACKS: dict[str, Callable[[Seq2SeqConfig, bool], Stack]] = {
    "transformer": TransformerStack,
    "universal": UniversalStack,
    "evolved": EvolvedStack,
    "t5": T5Stack,
}
"""Decoder of `Seq2SeqConfig` -> what makes its stack."""
