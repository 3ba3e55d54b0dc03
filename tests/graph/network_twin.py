"""Section 3 of Gai et al. (2021), a pair and a position at a time.

Only the sequence encoder is taken from the network, over one sequence without padding.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

from partwise.graph.config import GraphParserConfig
from partwise.graph.grounding.network import GroundedDecoder
from partwise.graph.grounding.sequences import NodeSequence


def paper_config(**switches: object) -> GraphParserConfig:
    """The network's sizes in the paper, but for some settings."""
    paper = {"dropout": 0.5, "hidden": 0, "lexical": False, "self_position_bias": 0.0, "bias": 0.0}
    return GraphParserConfig(**{**paper, **switches})


def twin(network: GroundedDecoder, item: NodeSequence[int]) -> tuple[Tensor, Tensor | None]:
    """Logits ``[N, N, labels]`` and attention ``[N, N, L]`` of one sequence."""
    config = network.config
    values = [value(network, words) for words in item.words]
    inputs = []
    for tag, words, of_words in zip(item.tags, item.words, values, strict=True):
        of_tag = network.tag_vectors.weight[tag]
        if config.inputs == "tags":
            inputs.append(of_tag)
        elif config.inputs == "both":
            inputs.append(of_tag + of_words)
        else:
            inputs.append(of_words if words else of_tag)
    hidden = network.sequence(torch.stack(inputs)[None])[0]
    nodes = [sum((hidden[p] for p in set(mentions)), torch.zeros(config.dh))
             for mentions in item.nodes]  # fmt: skip
    logits, shares = [], []
    for s, first in enumerate(nodes):
        for o, second in enumerate(nodes):
            pair = (s, first), (o, second)
            ground, shown = grounding(network, item, hidden, values, *pair)
            kinds = None
            if network.lexical is not None:
                own = [value(network, words, network.kind_vectors) for words in item.words]
                kinds, _ = grounding(network, item, hidden, own, *pair)
            logits.append(labels(network, first, second, ground, kinds))
            shares.append(shown)
    n = len(nodes)
    found = torch.stack(logits).reshape(n, n, -1)
    return found, torch.stack(shares).reshape(n, n, -1) if config.grounding else None


def value(
    network: GroundedDecoder, words: tuple[int, ...], table: nn.Embedding | None = None
) -> Tensor:
    """Sum of the word vectors of a group."""
    total = torch.zeros(network.config.dx)
    for word in words:
        total = total + (table or network.word_vectors).weight[word]
    return total


def grounding(
    network: GroundedDecoder,
    item: NodeSequence[int],
    hidden: Tensor,
    values: list[Tensor],
    one: tuple[int, Tensor],
    other: tuple[int, Tensor],
) -> tuple[Tensor, Tensor]:
    """z of a pair, all its heads side by side, and the largest share of each position."""
    config = network.config
    if not config.grounding:
        return torch.zeros(0), torch.zeros(0)
    (s, first), (o, second) = one, other
    query = network.query(torch.cat([first, second]))
    found, shares = [], []
    for head in range(config.heads):
        mine = slice(head * config.dh, (head + 1) * config.dh)
        scores = []
        for position, vector in enumerate(hidden):
            key = network.key(vector)[mine]
            score = torch.dot(query[mine], key) / math.sqrt(config.dh)
            own = (position in item.nodes[s]) + (position in item.nodes[o])
            scores.append(score + network.own.reshape(-1)[head] * own)
        if config.sigmoid_attention:
            weights = [1.0 / (1.0 + torch.exp(-score)) for score in scores]
        else:
            total = sum(torch.exp(score) for score in scores)
            weights = [torch.exp(score) / total for score in scores]
        found.append(sum(w * v for w, v in zip(weights, values, strict=True)))
        shares.append(torch.stack(weights))
    return torch.cat(found), torch.stack(shares).max(0).values


def labels(
    network: GroundedDecoder, first: Tensor, second: Tensor, ground: Tensor, kinds: Tensor | None
) -> Tensor:
    """Logits of all labels of a pair (equation 3, with z of section 3.3)."""
    pair = torch.cat([first, second])
    ways = torch.tanh(network.narrow(pair)) if network.config.bottleneck else pair
    whole = torch.cat([ways, ground])
    if network.rise is not None:
        raised = network.rise(whole)
        whole = torch.where(raised > 0, raised, torch.zeros_like(raised))
    logits = network.out(whole).clone()
    for place, label in enumerate(network.structural):
        logits[label] = torch.dot(network.structure.weight[place], pair)
        logits[label] += network.structure.bias[place]
    if kinds is not None:
        takes = torch.sigmoid(torch.dot(network.takes.weight[0], pair) + network.takes.bias[0])
        for place, label in enumerate(range(len(logits))[network.lexical]):
            said = torch.dot(network.by_words.weight[place], kinds) + network.by_words.bias[place]
            logits[label] = torch.logit(takes * torch.sigmoid(said))
    return logits
