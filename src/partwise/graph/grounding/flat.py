"""A whole question as one sequence: entity groups and appended variables are its nodes (paper)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from partwise.graph.grounding.batch import Grounded
from partwise.graph.grounding.groups import Group, group
from partwise.graph.grounding.vocabulary import NIL, SEPARATOR, Labels, Vocabulary, variable_tag
from partwise.graph.phrases.tagging import ENTITY, Tokens
from partwise.language.query.graph import QueryGraph, Triple

ENTITY_WORD = "<entity>"


@dataclass(frozen=True)
class FlatConfig:
    """How a question becomes a sequence.

    Attributes:
        grouping: whether coordinated tokens are one position.
        phrases: whether phrases of one shape are grouped too.
        group_nodes: whether coordinated entities are one node, or each a node of its own.
        nil: whether a position without meaning is appended, to attend to when nothing grounds.
        variables: how many variables are appended.
    """

    grouping: bool = True
    phrases: bool = True
    group_nodes: bool = True
    nil: bool = True
    variables: int = 6


@dataclass(frozen=True)
class FlatQuestion:
    """A question as a sequence.

    Attributes:
        groups: its positions; separators and variables come after.
        members: for each node the entities that it stands for; a variable stands for itself.
    """

    tokens: Tokens
    groups: tuple[Group, ...]
    members: tuple[tuple[str, ...], ...]
    mentions: tuple[tuple[int, ...], ...]


def read_flat(tokens: Tokens, config: FlatConfig, variables: int | None = None) -> FlatQuestion:
    """Groups and nodes of a question.

    Args:
        variables: how many are appended, if not as the configuration says.
    """
    groups = group(tokens, config.grouping, config.phrases)
    places: dict[str, list[int]] = {}
    for position, one in enumerate(groups):
        if one.tag == ENTITY:
            for token in one.tokens:
                places.setdefault(tokens.texts[token], []).append(position)
    nodes: dict[tuple[object, ...], list[str]] = {}
    for entity, mentions in places.items():
        # Entities that are mentioned in the same groups, and nowhere else, are told apart by
        # nothing, and are one node.
        key: tuple[object, ...] = tuple(mentions)
        nodes.setdefault(key if config.group_nodes else (entity, *mentions), []).append(entity)
    members = [tuple(names) for names in nodes.values()]
    found = [tuple(p for p in key if isinstance(p, int)) for key in nodes]
    count = config.variables if variables is None else variables
    start = len(groups) + 1
    return FlatQuestion(
        tokens,
        tuple(groups),
        (*members, *((variable_tag(number),) for number in range(count))),
        (*found, *((start + number,) for number in range(count))),
    )


def tags_of(question: FlatQuestion, config: FlatConfig) -> list[str]:
    """The tag of each position."""
    variables = [names[0] for names in question.members if names[0].startswith("?")]
    return [
        *(one.tag for one in question.groups),
        SEPARATOR,
        *variables,
        *([NIL] if config.nil else []),
    ]


def words_of(question: FlatQuestion) -> list[list[str]]:
    """The words of each group; entities are all one word, so that numbers tell nothing."""
    return [
        [ENTITY_WORD if one.tag == ENTITY else question.tokens.texts[t] for t in one.tokens]
        for one in question.groups
    ]


def encode(
    question: FlatQuestion, config: FlatConfig, tags: Vocabulary, words: Vocabulary
) -> Grounded:
    """The sequence by number."""
    names = tags_of(question, config)
    spelled = [tuple(words[word] for word in some) for some in words_of(question)]
    rest = len(names) - len(spelled)
    spans = question.tokens.spans
    places = [
        tuple(word for token in one.tokens for word in range(*spans[token]))
        for one in question.groups
    ]
    return Grounded(
        tuple(tags[name] for name in names),
        (*spelled, *((),) * rest),
        question.mentions,
        question.tokens.question,
        (*places, *((),) * rest),
    )


def targets(question: FlatQuestion, graph: QueryGraph, labels: Labels) -> NDArray[np.bool_]:
    """``[N, N, labels]``: what the gold graph says of each pair of nodes.

    The graph's variables must be numbered as the sequence's are.
    """
    place: dict[str, int] = {
        name: node for node, names in enumerate(question.members) for name in names
    }
    relations = {name: number for number, name in enumerate(labels.relations)}
    start = len(labels.relations)
    attributes = {pair: start + number for number, pair in enumerate(labels.attributes)}
    size = len(question.members)
    found = np.zeros((size, size, labels.size), dtype=bool)
    for s, p, o in graph.edges:
        if p in relations and s in place and o in place:
            found[place[s], place[o], relations[p]] = True
    for s, p, o in graph.attributes:
        if (p, o) in attributes and s in place:
            found[place[s], place[s], attributes[p, o]] = True
    return found


def graph_of(
    question: FlatQuestion, said: NDArray[np.bool_], labels: Labels
) -> tuple[set[Triple], set[Triple], Mapping[Triple, tuple[int, int]]]:
    """Edges and attributes of what is said, and the pair of nodes that each comes from."""
    edges: set[Triple] = set()
    attributes: set[Triple] = set()
    pairs: dict[Triple, tuple[int, int]] = {}
    start = len(labels.relations)
    for one, other, label in zip(*np.nonzero(said), strict=True):
        if label >= start:
            if one != other:
                continue
            made = {
                Triple(name, *labels.attributes[label - start]) for name in question.members[one]
            }
            attributes |= made
        else:
            made = {
                Triple(s, labels.relations[label], o)
                for s in question.members[one]
                for o in question.members[other]
            }
            edges |= made
        pairs.update(dict.fromkeys(made, (int(one), int(other))))
    return edges, attributes, pairs
