"""Which words may name which constant in an annotated tree.

A parser's lexicon is a hint, so it may be generous. An annotation places each constant on words,
so its lexicon should hold what a person would point at. A domain may therefore give a lexicon of
its own for annotation, as a class attribute::

    annotation: ClassVar[Mapping[str, Sequence[str]]] = {"count": ("how many", "number of")}

It stands in place of the phrases of the predicates that it lists, and adds to those of entities.
Where it leaves a program without a tree, the domain's own phrases are tried with it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from partwise.errors import DomainError
from partwise.language.domain import Domain
from partwise.language.text import tokenize

Words = tuple[str, ...]
Lexicon = Mapping[str, frozenset[Words]]
"""Category -> its phrases, in words."""


def lexicons(
    domain: Domain, phrases: Mapping[str, Sequence[str]] | None = None
) -> tuple[Lexicon, ...]:
    """The lexicons to try in turn, each with an entry for every category.

    Args:
        phrases: category -> phrases; by default the domain's attribute `annotation`, if any.

    Raises:
        DomainError: for a category that the domain lacks.
    """
    given = domain.annotation if phrases is None else phrases
    unknown = sorted(set(given) - set(domain.categories))
    if unknown:
        raise DomainError(f"{domain.name}: annotation phrases for unknown categories: {unknown}")
    both, narrow = {}, {}
    for constant in domain.constants:
        own, more = in_words(constant.phrases), in_words(given.get(constant.category, ()))
        both[constant.category] = own | more
        narrow[constant.category] = more if more and not constant.is_entity else own | more
    return (narrow, both) if given else (both,)


def in_words(phrases: Iterable[str]) -> frozenset[Words]:
    """Phrases as the tokenizer reads them; empty ones are left out."""
    return frozenset(words for phrase in phrases if (words := tokenize(phrase).words))
