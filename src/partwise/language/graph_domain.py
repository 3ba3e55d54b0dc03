"""GraphDomain: the language of a knowledge graph, as plain declared data.

What a domain declares is what holds of the language and of its graph whatever the examples are:
word classes, phrase rules, which nodes must differ, what may stand at a predicate's ends. Which
words mean which predicate is never declared; it is learned.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

Kinds = frozenset[str]
ANY: Kinds = frozenset()
"""No demand on a node's kind."""


@dataclass(frozen=True)
class Relation:
    """A predicate between nodes.

    Attributes:
        predicate: as queries write it, a property path as one text.
        differ: whether its two ends must differ, which queries state as a filter.
        subject, object: kinds of things that may stand there; `ANY` for no demand.
    """

    predicate: str
    differ: bool = False
    subject: Kinds = ANY
    object: Kinds = ANY


@dataclass(frozen=True)
class Attribute:
    """A predicate from a node to a constant.

    Attributes:
        predicate, constant: as queries write them.
        kinds: what kinds of things can have it; `ANY` for no demand.
    """

    predicate: str
    constant: str
    kinds: Kinds = ANY


@dataclass(frozen=True)
class GraphDomain:
    """The language of questions over a knowledge graph.

    Attributes:
        dialect: how queries are written: ``cfq``, ``wikidata`` (one line, canonical) or ``sparql``.
        words: word class -> its phrases, in lower case; a phrase may be in several classes.
        phrases: rules of the phrases that stand for one node, and of the clauses around them; see
            `partwise.graph.phrases.grammar`.
        asking: first words of questions that ask whether; all others ask for something.
        prefixes: of IRIs, for queries that are to run.
        examples: questions to begin with, shown to people who ask.
    """

    name: str
    dialect: Literal["cfq", "wikidata", "sparql"]
    relations: tuple[Relation, ...] = ()
    attributes: tuple[Attribute, ...] = ()
    words: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    phrases: tuple[str, ...] = ()
    asking: frozenset[str] = frozenset({"did", "was", "were", "is", "are", "does", "do", "has"})
    prefixes: Mapping[str, str] = field(default_factory=dict)
    examples: tuple[str, ...] = ()

    @property
    def differing(self) -> frozenset[str]:
        """Predicates whose ends must differ."""
        return frozenset(r.predicate for r in self.relations if r.differ)
