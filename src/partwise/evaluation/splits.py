"""Splits of training examples: at random, by template, by length; more by plug-ins.

They follow the procedure by which GeoQuery's published splits were made (Herzig and Berant 2021,
section 4.1, and the code they released). A new kind of meaning registers its `template`.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import replace
from functools import singledispatch
from typing import Any, TypeVar

from partwise.errors import DataError
from partwise.interface.data import Dataset, Example
from partwise.interface.registry import Registry
from partwise.language.program import Term
from partwise.language.query_graph import QueryGraph, canonical

X = TypeVar("X")
Halves = tuple[list[X], list[X]]
"""What to train on, and what is held out."""

KINDS = ("random", "template", "length")
"""The kinds of split that need no plug-in."""
ANY_ENTITY = "M"
PART_SEED = "part of train"


SPLITS: Registry[Callable[..., Halves[Example[Any]]]] = Registry("partwise.splits", "kind of split")
"""Kinds of split from elsewhere: called with the examples, the domain, ``share=``, ``seed=`` and
settings, as `inner_split`."""


@singledispatch
def template(meaning: Any, domain: Any = None) -> Hashable:
    """What meanings share that differ in their entities alone. Of a program, its text with each
    entity replaced by its type: ``state(loc_1(cityid))``. An entity is a call with a quoted name as
    its first argument; with `domain`, also a bare name (a number, a colour) that the domain
    declares as one. Of a query graph, the graph with all entities made one and its variables in
    canonical order. Of anything else, itself. Raises QueryError for a query that has no canonical
    form."""
    kept: Hashable = meaning
    return kept


@template.register
def _(meaning: Term, domain: Any = None) -> Hashable:
    def anonymous(node: Term) -> Term:
        if node.args is None:
            known = domain is not None and not node.quoted
            bare = domain.vocabulary.find("", node.symbol) if known else None
            return node if bare is None else Term(bare.head)
        return Term(node.symbol) if node.is_of_name else node

    return str(meaning.map(anonymous))


@template.register
def _(meaning: QueryGraph, domain: Any = None) -> Hashable:
    return canonical(meaning.rename(dict.fromkeys(meaning.entities, ANY_ENTITY)))


def length(example: Example[Any]) -> int:
    """How long an example is: blank-separated tokens of its spaced program, brackets counted. An
    example without a program is as long as its question has words."""
    if isinstance(example.meaning, Term):
        return example.meaning.token_length
    return len(example.question.split())


def shuffle_apart(examples: Iterable[X], size: int, seed: int) -> Halves[X]:
    """All but `size` of the shuffled examples, and those ``[size]`` last ones."""
    order = list(examples)
    random.Random(seed).shuffle(order)
    return order[: len(order) - size], order[len(order) - size :]


def some_of(examples: Sequence[X], size: int) -> list[X]:
    """So many of the examples, always the same and in their order; more have fewer among them.
    Raises DataError if there are fewer."""
    if not 0 < size <= len(examples):
        raise DataError(f"{size} of {len(examples)} examples cannot be taken; choose another size")
    order = list(range(len(examples)))
    random.Random(PART_SEED).shuffle(order)
    return [examples[place] for place in sorted(order[:size])]


def by_template(
    examples: Sequence[X], key: Callable[[X], Hashable], size: int, seed: int
) -> Halves[X]:
    """Hold out at most `size` examples whose templates no other example has. The templates are
    shuffled and taken whole for training until at most `size` examples are left. `key`: the
    template of an example. Raises DataError if a part would be empty."""
    groups: dict[Hashable, list[X]] = {}
    for example in examples:
        groups.setdefault(key(example), []).append(example)
    known, new = list[X](), list[X]()
    for name in shuffle_apart(groups, 0, seed)[0]:
        (known if len(known) < len(examples) - size else new).extend(groups[name])
    if not new or not known:
        raise DataError(
            f"{len(groups)} templates over {len(examples)} examples cannot be parted with about "
            f"{size} for test; choose another size"
        )
    return known, new


def by_length(examples: Sequence[X], key: Callable[[X], int], size: int) -> Halves[X]:
    """Hold out the `size` longest examples; among equally long ones their order decides."""
    ordered = sorted(examples, key=key)
    border = len(ordered) - size
    return ordered[:border], ordered[border:]


def inner_split(
    train: Sequence[Example[Any]],
    kind: str,
    domain: Any = None,
    *,
    share: float = 0.25,
    seed: int = 0,
    **settings: Any,
) -> Halves[Example[Any]]:
    """Part a training set as the whole set was parted, to choose hyper-parameters on: what to train
    on, and what to test on.

    Args:
        kind: one of `KINDS` or of the plug-ins `SPLITS`.
        domain: tells which bare names are entities, and puts meanings into their canonical form.
        share: the part of the examples to test on (as nearly as whole templates allow).
        settings: of the plug-in.

    Raises DataError for an unknown kind or settings, or if a part would be empty.
    """
    if kind in SPLITS:
        return SPLITS[kind](train, domain, share=share, seed=seed, **settings)
    if kind not in KINDS:
        raise DataError(f"no kind of split {kind!r}; there are {', '.join((*KINDS, *SPLITS))}")
    if settings:
        raise DataError(f"a {kind} split takes no {', '.join(settings)}; leave them out")
    size = max(1, round(share * len(train)))
    if size >= len(train):
        raise DataError(f"{len(train)} examples cannot be parted with {size} for test")
    if kind == "random":
        return shuffle_apart(train, size, seed)
    if kind == "template":
        known, new = by_template(train, _template_of(domain), size, seed)
    else:
        known, new = by_length(train, length, size)
    return shuffle_apart(known, 0, seed)[0], new


def inner_dataset(dataset: Dataset[Any], kind: str, domain: Any) -> Dataset[Any]:
    """A data set with its training set parted by `inner_split`; the held-out part stands as test.
    Hyper-parameters chosen on it have not seen the test set. Dev keeps only questions that are like
    the inner training set, as dev is like the whole training set: no template of the held-out part
    for ``template``, nothing longer than what is trained on for ``length``. The split is named as
    ``iid-inner-template``. Raises DataError for an unknown kind, or if a part would be empty."""
    train, held_out = inner_split(dataset.train, kind, domain)
    dev = dataset.dev
    if kind == "template":
        key = _template_of(domain)
        new = {key(example) for example in held_out}
        dev = [example for example in dev if key(example) not in new]
    elif kind == "length":
        longest = max(map(length, train))
        dev = [example for example in dev if length(example) <= longest]
    split = f"{dataset.split}-inner-{kind}"
    return replace(dataset, split=split, train=train, dev=dev or dataset.dev, test=held_out)


def _template_of(domain: Any) -> Callable[[Example[Any]], Hashable]:
    """Tells an example's template, of its meaning in the canonical form of a domain."""
    if domain is None:
        return lambda example: template(example.meaning)
    return lambda example: template(domain.canonical(example.meaning), domain)
