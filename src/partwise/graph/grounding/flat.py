"""A whole question as one sequence: entity groups and appended variables are its nodes (paper)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from partwise.graph.grammar.tagging import ENTITY, Tokens
from partwise.graph.grounding.batch import NodeSequence
from partwise.graph.grounding.groups import Group, group
from partwise.graph.grounding.labels import NIL, SEPARATOR, GraphLabels, NameIndex, variable_tag
from partwise.interface.settings import setting
from partwise.language.query.graph import QueryGraph, Triple

ENTITY_WORD = "<entity>"


@dataclass(frozen=True)
class FlatConfig:
    """How a question becomes a sequence.

    Attributes:
        grouping: Whether coordinated tokens are one position.
        phrases: Whether phrases of one shape are grouped too.
        group_nodes: Whether coordinated entities are one node, or each a node of its own.
        nil: Whether a position without meaning is appended, to attend to when nothing grounds.
        variables: How many variables are appended.
    """

    grouping: bool = True
    phrases: bool = True
    group_nodes: bool = True
    nil: bool = True
    variables: int = setting(6, least=1)


@dataclass(frozen=True)
class FlatQuestion:
    """A question as a sequence.

    Attributes:
        groups: its positions; separators and variables come after.
        members: for each node the entities that it stands for; a variable stands for itself.
        mentions: for each node its positions.
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
        for token in one.tokens if one.tag == ENTITY else ():
            places.setdefault(tokens.texts[token], []).append(position)
    nodes: dict[tuple[str, tuple[int, ...]], list[str]] = {}
    for entity, mentions in places.items():
        # Nothing tells entities apart that are mentioned in the same groups and nowhere else: they
        # are one node.
        alone = "" if config.group_nodes else entity
        nodes.setdefault((alone, tuple(mentions)), []).append(entity)
    count, start = config.variables if variables is None else variables, len(groups) + 1
    return FlatQuestion(
        tokens,
        tuple(groups),
        (*map(tuple, nodes.values()), *((variable_tag(number),) for number in range(count))),
        (*(mentions for _, mentions in nodes), *((start + number,) for number in range(count))),
    )


def tags_of(question: FlatQuestion, config: FlatConfig) -> list[str]:
    """The tag of each position."""
    variables = [names[0] for names in question.members if names[0].startswith("?")]
    nil = [NIL] if config.nil else []
    return [*(one.tag for one in question.groups), SEPARATOR, *variables, *nil]


def words_of(question: FlatQuestion) -> list[list[str]]:
    """The words of each group; entities are all one word, so that numbers tell nothing."""
    return [
        [ENTITY_WORD if one.tag == ENTITY else question.tokens.texts[t] for t in one.tokens]
        for one in question.groups
    ]


def encode(
    question: FlatQuestion, config: FlatConfig, tags: NameIndex, words: NameIndex
) -> NodeSequence:
    """The sequence by number."""
    names, spans = tags_of(question, config), question.tokens.spans
    sequence = NodeSequence.of(names, words_of(question), question.mentions, (tags, words))
    places = [
        tuple(word for token in one.tokens for word in range(*spans[token]))
        for one in question.groups
    ]
    rest = ((),) * (len(names) - len(places))
    return replace(sequence, text=question.tokens.question, places=(*places, *rest))


def targets(question: FlatQuestion, graph: QueryGraph, labels: GraphLabels) -> NDArray[np.bool_]:
    """``[N, N, labels]``: what the gold graph says of each pair of nodes.

    The graph's variables must be numbered as the sequence's are.
    """
    place = {name: node for node, names in enumerate(question.members) for name in names}
    attributes = {pair: number for number, pair in enumerate(labels.attributes, labels.plus.start)}
    size = len(question.members)
    wanted = np.zeros((size, size, labels.size), dtype=bool)
    for s, p, o in graph.edges:
        if p in labels.numbers and s in place and o in place:
            wanted[place[s], place[o], labels.numbers[p]] = True
    for s, p, o in graph.attributes:
        if (p, o) in attributes and s in place:
            wanted[place[s], place[s], attributes[p, o]] = True
    return wanted


def graph_of(
    question: FlatQuestion, predicted: NDArray[np.bool_], labels: GraphLabels
) -> tuple[set[Triple], set[Triple], Mapping[Triple, tuple[int, int]]]:
    """Edges and attributes of what is predicted, and the pair of nodes that each comes from."""
    edges: set[Triple] = set()
    attributes: set[Triple] = set()
    pairs: dict[Triple, tuple[int, int]] = {}
    for one, other, label in np.argwhere(predicted).tolist():
        subjects, start = question.members[one], len(labels.relations)
        if label < start:
            objects = question.members[other]
            made = {Triple(s, labels.relations[label], o) for s in subjects for o in objects}
            edges |= made
        elif one == other:
            made = {Triple(name, *labels.attributes[label - start]) for name in subjects}
            attributes |= made
        else:
            continue
        pairs.update(dict.fromkeys(made, (one, other)))
    return edges, attributes, pairs
