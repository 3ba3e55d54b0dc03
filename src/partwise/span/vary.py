"""Training items made anew in each epoch: names swapped, phrases recombined."""

from __future__ import annotations

import random
from collections.abc import Sequence

from partwise.interface.data import Example
from partwise.language.program import Term
from partwise.span.augment import EntitySwap
from partwise.span.items import TrainingItem
from partwise.span.parser import SpanParser
from partwise.span.recombine import Recombination


class Variation:
    """Draws another item from a training item, as `SpanParserConfig` says how often.

    Args:
        examples: the training examples, whose phrases are recombined.
    """

    def __init__(self, parser: SpanParser, examples: Sequence[Example[Term]]) -> None:
        self.parser, self.config = parser, parser.config
        self.swap = EntitySwap(parser.domain)
        self.recombination = (
            Recombination(parser.types, examples) if self.config.recombination else None
        )

    def __call__(self, item: TrainingItem, draw: random.Random) -> TrainingItem:
        """Another item, or the item itself."""
        example = item.example
        if self.recombination is not None and draw.random() < self.config.recombination:
            example = self.recombination(example, draw)
        if draw.random() < self.config.entity_augmentation:
            example = self.swap(example, draw)
        if example is item.example:
            return item
        made, _ = self.parser.training_items([example])
        # What was made may not fit, as a question that has become too long.
        return made[0] if made else item
