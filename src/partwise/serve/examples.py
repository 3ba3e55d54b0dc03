"""Questions to begin with: of the domain itself, or of the data set that comes with the package."""

from __future__ import annotations

from collections.abc import Sequence

from partwise.domain import Domain
from partwise.execution.store import RowStore

COUNT = 6
LENGTHS = range(5, 12)
"""Words of a question that is shown."""
POOL, SEED = 300, 1
"""Questions about films that are made to choose from."""


def span_examples(domain: Domain) -> list[str]:
    """For a domain of programs; none where neither knows any."""
    if domain.examples:
        return list(domain.examples)
    if domain.name != "geography":
        return []
    from partwise.datasets.registry import load

    return chosen([example.question for example in load("geography", "iid").train])


def graph_examples(domain: str, store: RowStore | None) -> list[str]:
    """For a domain of query graphs; names are the store's, so that without one there are none."""
    if domain != "films" or store is None:
        return []
    from partwise.domains.films.generate import generate

    found = generate(POOL, SEED)
    named = store.labels(iri for example in found for _, iri in example.bindings)
    return chosen(
        [
            " ".join(
                named.get(dict(example.bindings).get(word, ""), word)
                for word in example.question.split()
            ).replace(" 's", "'s")
            + "?"
            for example in found
        ]
    )


def chosen(questions: Sequence[str]) -> list[str]:
    """A few short questions that begin differently, from all over the list."""
    short = [question for question in questions if len(question.split()) in LENGTHS]
    step = max(1, len(short) // (4 * COUNT))
    begun: dict[str, str] = {}
    for question in short[::step]:
        begun.setdefault(" ".join(question.split()[:2]), question)
    return list(begun.values())[:COUNT]
