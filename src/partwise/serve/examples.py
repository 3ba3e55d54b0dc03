"""Questions about films to begin with; domains of programs have their own (`Domain.examples`)."""

from __future__ import annotations

from collections.abc import Sequence

from partwise.execution.store import RowStore

COUNT = 6
LENGTHS = range(5, 12)
"""Words of a question that is shown."""
POOL, SEED = 300, 1
"""Questions about films that are made to choose from."""


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
