"""Training items of query graphs made anew in each epoch: noun phrases in the place of entities."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from partwise.graph.flat import FlatItem, FlatReading
from partwise.graph.phrases.grafting import Grafting
from partwise.graph.phrases.tagging import Tagger

Vary = Callable[[Any, random.Random], Any]


class GraphVariation:
    """Draws another item from a training item, as `GraphParserConfig` says how often."""

    def __init__(self, reading: FlatReading) -> None:
        self.reading, self.share = reading, reading.config.recombine
        self.tagger = Tagger(reading.domain)
        self.grafting = Grafting(reading.examples, reading.domain)

    def __call__(self, item: FlatItem, draw: random.Random) -> FlatItem:
        """Another item, or the item itself."""
        assert item.example is not None
        example = self.grafting(item.example, self.share, draw)
        return item if example is item.example else self.reading.item(self.tagger, example)


def item_recombination(reading: FlatReading) -> Vary:
    """What draws another item of a flat parser in an item's place."""
    return GraphVariation(reading)
