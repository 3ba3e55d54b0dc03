"""The rules by which SCAN's splits were made, over its whole language.

Lake and Baroni (2018) held out longer action sequences (`length`) and new combinations of one
primitive (`addjump`, `addturnleft`); Loula, Baroni and Lake (2018) held out fillers of a template
(`right`, `around_right`, `opposite_right`, `jump_around_right`). The published `simple` split is
random and cannot be made again; here it is random with a fixed seed and the published sizes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from typing import Literal, NamedTuple

from partwise.evaluation.splits import shuffle_apart
from partwise.interface.data import Example
from partwise.language.program import Term
from partwise_papers.domains.scan.domain import action_sequence

Side = Literal["train", "test"]
Rule = Callable[[str], Side | None]
"""Tells where a command belongs; None for one that stands in neither part."""

VERBS = ("jump", "look", "run", "walk")
MAX_ACTIONS = 22


class Sides(NamedTuple):
    """A training set, not yet parted into train and dev, and a test set."""

    train: list[Example[Term]]
    test: list[Example[Term]]


def by_length(command: str) -> Side:
    """Commands of more than `MAX_ACTIONS` actions are for the test."""
    return "train" if len(action_sequence(command).split()) <= MAX_ACTIONS else "test"


def by_primitive(primitive: str, command: str) -> Side:
    """A primitive is trained on alone; all that it is combined in is for the test."""
    return "test" if command != primitive and _has(command, primitive) else "train"


def by_template(verbs: Sequence[str], tail: str, command: str) -> Side | None:
    """Commands with a verb right before `tail` are for the test.

    Those with "turn" there are in neither part, as published.
    """
    if _has(command, f"turn {tail}"):
        return None
    return "test" if any(_has(command, f"{verb} {tail}") for verb in verbs) else "train"


def _has(command: str, phrase: str) -> bool:
    return f" {phrase} " in f" {command} "


PRIMITIVES = {"addjump": "jump", "addturnleft": "turn left"}
RULES: dict[str, Rule] = {
    "right": partial(by_template, VERBS, "right"),
    "around_right": partial(by_template, VERBS, "around right"),
    "length": by_length,
    **{split: partial(by_primitive, primitive) for split, primitive in PRIMITIVES.items()},
    "opposite_right": partial(by_template, VERBS, "opposite right"),
    "jump_around_right": partial(by_template, ("jump",), "around right"),
}
"""The splits that follow from a rule, without chance."""


def sides(split: str, commands: Sequence[Example[Term]], seed: int = 0) -> Sides:
    """The training and test set of a split, in the order of `commands`.

    A primitive that is trained on alone is repeated until it is a tenth of the training set, as
    published.

    Args:
        commands: the whole language.
        seed: for the split `simple`.
    """
    if split not in RULES:
        train, test = shuffle_apart(commands, fifth(len(commands)), seed)
        return Sides(train, test)
    rule = RULES[split]
    found = Sides([], [])
    for example in commands:
        side = rule(example.question)
        if side is not None:
            (found.train if side == "train" else found.test).append(example)
    alone = [e for e in found.train if e.question == PRIMITIVES.get(split)]
    found.train.extend(alone * ((len(found.train) - len(alone)) // 9 - len(alone)))
    return found


def apart(
    train: Sequence[Example[Term]], seed: int = 0
) -> tuple[list[Example[Term]], list[Example[Term]]]:
    """Shuffle a training set and set a fifth of it apart as dev (paper section 4.1).

    A command that occurs several times stays in train with all its copies: dev would otherwise
    hold what was trained on, or a primitive would not be trained on at all.
    """
    copies = Counter(example.question for example in train)
    order, _ = shuffle_apart(train, 0, seed)
    single = [i for i, example in enumerate(order) if copies[example.question] == 1]
    last = set(single[len(single) - fifth(len(order)) :])
    return (
        [example for i, example in enumerate(order) if i not in last],
        [example for i, example in enumerate(order) if i in last],
    )


def fifth(number: int) -> int:
    """A fifth, rounded down, so that four fifths are rounded up as in the published sizes."""
    return number // 5
