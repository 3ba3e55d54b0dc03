"""A whole question as one sequence: entity groups and appended variables are its nodes (paper)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from partwise.graph.config import DECLARED, GraphParserConfig
from partwise.graph.grammar.tagging import ENTITY, TaggedTokens
from partwise.graph.grounding.batch import NodeSequence
from partwise.graph.grounding.groups import TokenGroup, group
from partwise.graph.grounding.labels import NIL, SEPARATOR, GraphLabels, variable_tag
from partwise.language.query_graph import QueryGraph, Triple

ENTITY_WORD = "<entity>"
PART = "#"
"""Before a character of a word: it is not the word of this character."""


@dataclass(frozen=True)
class FlatQuestion:
    """A question as a sequence.

    Attributes:
        groups: the tokens of its first positions; a separator and variables come after.
        members: for each node the entities that it stands for; a variable stands for itself.
        sequence: its words are those of each group, and their characters in a script without
            blanks; entities are all one word, so that numbers tell nothing.
    """

    tokens: TaggedTokens
    groups: tuple[tuple[int, ...], ...]
    members: tuple[tuple[str, ...], ...]
    sequence: NodeSequence[str]


def read_flat(
    tokens: TaggedTokens,
    config: GraphParserConfig,
    variables: int | None = None,
    unspaced: bool = False,
) -> FlatQuestion:
    """Groups and nodes of a question.

    Args:
        variables: how many are appended, if not as the configuration says.
        unspaced: whether the script writes no blanks. Then a word has the vectors of its characters
            beside its own: words that share some mean alike, and where they end is a guess.
    """
    # A learned list word stands in lists alone; a declared comma may part clauses.
    learned = config.word_classes != DECLARED
    groups = group(tokens, config.grouping, config.phrases, open_=learned)
    nodes = _nodes(tokens, groups, config.group_nodes)
    count, start = config.variables if variables is None else variables, len(groups) + 1
    names = [variable_tag(number) for number in range(count)]
    tail = [SEPARATOR, *names, *[NIL] * config.nil]
    rest = ((),) * len(tail)
    words = (_words(tokens, one, unspaced) for one in groups)
    places = (tuple(word for t in g.tokens for word in range(*tokens.spans[t])) for g in groups)
    sequence = NodeSequence(
        (*(one.tag for one in groups), *tail),
        (*words, *rest),
        (*(positions for _, positions in nodes), *((start + n,) for n in range(count))),
        tokens.question,
        (*places, *rest),
    )
    members = (*(entities for entities, _ in nodes), *((name,) for name in names))
    return FlatQuestion(tokens, tuple(one.tokens for one in groups), members, sequence)


def _nodes(
    tokens: TaggedTokens, groups: Sequence[TokenGroup], together: bool
) -> list[tuple[tuple[str, ...], tuple[int, ...]]]:
    """The entities of each node, and the groups that mention them.

    Args:
        together: whether entities that are mentioned in the same groups and nowhere else are one
            node, as nothing tells them apart.
    """
    mentions: dict[str, list[int]] = {}
    for position, one in enumerate(groups):
        for token in one.tokens if one.tag == ENTITY else ():
            mentions.setdefault(tokens.texts[token], []).append(position)
    nodes: dict[tuple[str, tuple[int, ...]], list[str]] = {}
    for entity, positions in mentions.items():
        alone = "" if together else entity
        nodes.setdefault((alone, tuple(positions)), []).append(entity)
    return [(tuple(entities), positions) for (_, positions), entities in nodes.items()]


def _words(tokens: TaggedTokens, one: TokenGroup, unspaced: bool) -> tuple[str, ...]:
    """What a group is encoded by."""
    if one.tag == ENTITY:
        return (ENTITY_WORD,) * len(one.tokens)
    return tuple(part for t in one.tokens for part in _parts(tokens.texts[t], unspaced))


def _parts(word: str, unspaced: bool) -> tuple[str, ...]:
    """A word, and its characters if they count."""
    several = unspaced and len(word) > 1 and not word.isascii()
    return (word, *(f"{PART}{character}" for character in word)) if several else (word,)


def targets(question: FlatQuestion, graph: QueryGraph, labels: GraphLabels) -> NDArray[np.bool_]:
    """``[N, N, labels]``: what the gold graph says of each pair of nodes.

    The graph's variables must be numbered as the sequence's are.
    """
    place = {name: node for node, names in enumerate(question.members) for name in names}
    attributes = {pair: number for number, pair in enumerate(labels.attributes, labels.plus.start)}
    wanted = np.zeros((len(question.members),) * 2 + (labels.size,), dtype=bool)
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
    edges: dict[Triple, tuple[int, int]] = {}
    attributes: dict[Triple, tuple[int, int]] = {}
    for one, other, label in np.argwhere(predicted).tolist():
        if label < labels.plus.start:
            ends = [(labels.relations[label], name) for name in question.members[other]]
            made = edges
        else:
            ends = [labels.attributes[label - labels.plus.start]] if one == other else []
            made = attributes
        made |= {Triple(name, *end): (one, other) for name in question.members[one] for end in ends}
    return set(edges), set(attributes), edges | attributes
