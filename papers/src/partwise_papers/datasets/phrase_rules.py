"""``partwise data rules``: the phrase rules that questions and their queries show."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from partwise.errors import DataError
from partwise.graph.grammar.decomposition import ConstituencyParser
from partwise.graph.grammar.tokens import Tagger
from partwise.graph.induction.rules import induce_rules
from partwise.interface.data import Example
from partwise.interface.registry import dataset_info, load, named_domain
from partwise.language.graph_domain import GraphDomain
from partwise.language.query_graph import QueryGraph


def rules_of(
    name: str, split: str | None, folder: Path | None, limit: int | None
) -> tuple[tuple[str, ...], int, int]:
    """Rules from the training questions of a data set with queries; raises DataError for a data set
    without queries, and if nothing can be learned.

    Args:
        limit: how many of the questions are looked at.

    Returns:
        The rules, how many of the questions they fit, and of how many.
    """
    info = dataset_info(name, split)
    language = named_domain(info.domain)
    if not isinstance(language, GraphDomain):
        raise DataError(f"{name} has programs, not queries; phrase rules are of query graphs")
    examples = load(name, split or info.splits[0], folder).train[:limit]
    rules, fit = learn(examples, language)
    return rules, fit, len(examples)


def learn(
    examples: Sequence[Example[QueryGraph]], domain: GraphDomain
) -> tuple[tuple[str, ...], int]:
    """Rules of examples, and how many of them they fit; raises DataError if nothing can be
    learned."""
    tagger = Tagger(domain)
    tokens = [tagger(example.question) for example in examples]
    rules = induce_rules(tokens, [example.meaning for example in examples], domain.words)
    if not rules:
        raise DataError(f"no phrase rules can be learned from {len(examples)} questions")
    reader = ConstituencyParser(rules, 1)
    return rules, sum(bool(reader.trees(some)) for some in tokens)
