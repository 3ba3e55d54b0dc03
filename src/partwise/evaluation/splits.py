"""Split makers for any list of examples: at random, by template, by length.

`shuffle_apart`, `random_split`, `grouped_split` and `ordered_split` take examples of any kind, the
others those with a program. All follow the procedure by which GeoQuery's published splits were
made (Herzig and Berant 2021, section 4.1, and the code they released), so that
`geoquery.rebuild_splits` is these functions on the raw corpus.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Literal, TypeVar

from partwise.errors import DataError
from partwise.interface.data import Example
from partwise.language.domain import Domain
from partwise.language.program import Term

X = TypeVar("X")
Parts = tuple[list[Example[Term]], list[Example[Term]], list[Example[Term]]]
"""Train, dev and test."""

Kind = Literal["random", "template", "length"]
KINDS: tuple[Kind, ...] = ("random", "template", "length")


def template(term: Term, domain: Domain | None = None) -> str:
    """A program with each entity replaced by its type: ``state(loc_1(cityid))``.

    An entity is a call with a quoted name as its first argument; with `domain`, also a bare name
    (a number, a colour) that the domain declares as one.
    """

    def anonymous(node: Term) -> Term:
        if node.args is None:
            known = domain is not None and not node.quoted
            bare = domain.vocabulary.find("", node.symbol) if domain and known else None
            return node if bare is None else Term(bare.head)
        return Term(node.symbol) if node.args and node.args[0].quoted else node

    return str(term.map(anonymous))


def program_length(example: Example[Term]) -> int:
    """The number of blank-separated tokens of the spaced program, brackets counted."""
    return example.meaning.token_length


def shuffle_apart(examples: Sequence[X], size: int, seed: int) -> tuple[list[X], list[X]]:
    """All but `size` of the shuffled examples, and those ``[size]`` last ones."""
    order = _shuffled(examples, seed)
    return order[: len(order) - size], order[len(order) - size :]


def random_split(
    examples: Sequence[X], *, dev: int, test: int, seed: int = 0
) -> tuple[list[X], list[X], list[X]]:
    """Parts at random, of `dev` and `test` examples; the rest is for training.

    Raises:
        DataError: if the sizes leave nothing to train on.
    """
    _enough(examples, dev, test)
    rest, last = shuffle_apart(examples, test, seed)
    return rest[: len(rest) - dev], rest[len(rest) - dev :], last


def template_split(
    examples: Sequence[Example[Term]],
    domain: Domain | None = None,
    *,
    dev: int,
    test: int,
    seed: int = 10,
    dev_seed: int = 0,
) -> Parts:
    """No template of the test set is in train or dev; see `grouped_split`.

    Args:
        domain: tells which bare names are entities, and puts programs into its canonical form.

    Raises:
        DataError: if a part would be empty.
    """

    def key(example: Example[Term]) -> str:
        program = example.meaning if domain is None else domain.canonical(example.meaning)
        return template(program, domain)

    return grouped_split(examples, key, dev=dev, test=test, seed=seed, dev_seed=dev_seed)


def grouped_split(
    examples: Sequence[X],
    key: Callable[[X], Hashable],
    *,
    dev: int,
    test: int,
    seed: int = 10,
    dev_seed: int = 0,
) -> tuple[list[X], list[X], list[X]]:
    """No template of the test set is in train or dev; `key` tells an example's template.

    The templates are shuffled and taken whole for training until at most `test` examples are
    left; those are the test set. Then `dev` examples are set apart at random, so that dev shares
    templates with train, as in the published split.

    Raises:
        DataError: if a part would be empty.
    """
    _enough(examples, dev, test)
    groups = _grouped(examples, key)
    known: list[X] = []
    new: list[X] = []
    for name in _shuffled(groups, seed):
        (known if len(known) < len(examples) - test else new).extend(groups[name])
    if not new or len(known) <= dev:
        raise DataError(
            f"{len(groups)} templates over {len(examples)} examples cannot be parted into "
            f"train, {dev} for dev and about {test} for test; choose other sizes"
        )
    return (*shuffle_apart(known, dev, dev_seed), new)


def length_split(
    examples: Sequence[Example[Term]],
    *,
    dev: int,
    test: int,
    seed: int = 0,
    length: Callable[[Example[Term]], int] = program_length,
) -> Parts:
    """The `test` longest programs are the test set; of the others `dev` are set apart at random.

    Among equally long ones the order of `examples` decides.

    Raises:
        DataError: if the sizes leave nothing to train on.
    """
    return ordered_split(examples, length, dev=dev, test=test, seed=seed)


def ordered_split(
    examples: Sequence[X],
    length: Callable[[X], int],
    *,
    dev: int,
    test: int,
    seed: int = 0,
) -> tuple[list[X], list[X], list[X]]:
    """The `test` longest examples are the test set, as in `length_split`.

    Raises:
        DataError: if the sizes leave nothing to train on.
    """
    _enough(examples, dev, test)
    ordered = sorted(examples, key=length)
    border = len(ordered) - test
    return (*shuffle_apart(ordered[:border], dev, seed), ordered[border:])


def inner_split(
    train: Sequence[Example[Term]],
    kind: Kind,
    domain: Domain | None = None,
    *,
    share: float = 0.25,
    seed: int = 0,
) -> tuple[list[Example[Term]], list[Example[Term]]]:
    """Part a training set as the whole set was parted, to choose hyper-parameters on.

    Args:
        share: the part of the examples to test on (as nearly as whole templates allow).

    Returns:
        What to train on, and what to test on.

    Raises:
        DataError: for an unknown kind, or if a part would be empty.
    """
    test = max(1, round(share * len(train)))
    if kind == "random":
        inner, _, held = random_split(train, dev=0, test=test, seed=seed)
    elif kind == "template":
        inner, _, held = template_split(train, domain, dev=0, test=test, seed=seed, dev_seed=seed)
    elif kind == "length":
        inner, _, held = length_split(train, dev=0, test=test, seed=seed)
    else:
        raise DataError(f"no kind of split {kind!r}; there are {', '.join(KINDS)}")
    return inner, held


def _enough(examples: Sequence[object], dev: int, test: int) -> None:
    if dev < 0 or test < 1 or dev + test >= len(examples):
        raise DataError(
            f"{len(examples)} examples cannot be parted into train, {dev} for dev and {test} "
            "for test; choose smaller sizes"
        )


def _shuffled(items: Iterable[X], seed: int) -> list[X]:
    order = list(items)
    random.Random(seed).shuffle(order)
    return order


def _grouped(examples: Iterable[X], key: Callable[[X], Hashable]) -> dict[Hashable, list[X]]:
    """Examples by key, in the order in which the keys first occur."""
    groups: dict[Hashable, list[X]] = {}
    for example in examples:
        groups.setdefault(key(example), []).append(example)
    return groups
