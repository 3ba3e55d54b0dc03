"""Descriptions of objects, made of words, program and what they denote at the same time.

This is a synchronous grammar: each rule gives a `Phrase` of the language together with its term
and its objects in the scene. A rule that would describe something trivially (a condition that
changes nothing, an anchor that is itself described by what it anchors) gives None instead.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

from partwise.language.program import Term
from partwise_papers.domains.scenes.scene import ATTRIBUTE_OF, ATTRIBUTES, RELATIONS, Scene
from partwise_papers.domains.scenes.wording import (
    ADJECTIVES,
    ATTRIBUTE_NAMES,
    NOUNS,
    PLACES,
    with_article,
)

SCENE = Term("scene", ())
KINDS = tuple(ATTRIBUTES)
NOTHING: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Phrase:
    """A description of objects.

    Attributes:
        one, many: its words for one and for several, without an article.
        fixed: attributes whose values it gives away.
        named: objects that it mentions on the way.
        front: with the anchor of its outermost condition as "it": the anchor, then `one` and
            `many`; None if it has no such anchor.
    """

    one: str
    many: str
    term: Term
    numbers: frozenset[int]
    fixed: frozenset[str] = NOTHING
    named: frozenset[int] = frozenset()
    front: tuple[Phrase, str, str] | None = None

    @property
    def the(self) -> str:
        """The words for one, after "the"."""
        return f"the {self.one}"

    @property
    def a(self) -> str:
        """The words for one, after "a" or "an"."""
        return with_article(self.one)


@dataclass(frozen=True)
class Condition:
    """What narrows a noun: the objects that stand somewhere, or are like something.

    Attributes:
        be: words after "is" or "are", with ``{x}`` for the anchor if there is one.
        alike: whether `be` may also follow "has", "have" and "with".
    """

    be: str
    term: Term
    numbers: frozenset[int]
    fixed: frozenset[str] = NOTHING
    named: frozenset[int] = frozenset()
    anchor: Phrase | None = None
    alike: bool = False

    @property
    def text(self) -> str:
        """The words after "is" or "are"."""
        return self.be.format(x=self.anchor.the) if self.anchor is not None else self.be


Made = Phrase | None
Narrowed = Condition | None


class Describer:
    """Makes random descriptions of the objects of one scene."""

    def __init__(self, scene: Scene, rng: random.Random) -> None:
        self.scene, self.rng = scene, rng

    # --- nouns -----------------------------------------------------------------------------

    def noun(self, values: Sequence[str]) -> Phrase:
        """A noun with adjectives, for values in the order of `ATTRIBUTES`."""
        words = [self.word(value) for value in values if value not in NOUNS]
        shape = next((value for value in values if value in NOUNS), "")
        one = " ".join((*words, self.rng.choice(NOUNS[shape])))
        term = Term("filter", (*map(Term, values), SCENE)) if values else SCENE
        fixed = frozenset(ATTRIBUTE_OF[value] for value in values)
        return Phrase(one, one + "s", term, self.fits(values), fixed)

    def word(self, value: str) -> str:
        """An adjective for a value."""
        return self.rng.choice(ADJECTIVES[value]) if value in ADJECTIVES else value

    def fits(self, values: Sequence[str]) -> frozenset[int]:
        """The objects that have all the values."""
        numbers = self.scene.all
        for value in values:
            numbers &= self.scene.having(value)
        return numbers

    def values(self, target: int, without: frozenset[str], least: int) -> list[str]:
        """Some values of an object, at least so many, none of the attributes in `without`."""
        kinds = [kind for kind in KINDS if kind not in without]
        surplus = len(kinds) - self.rng.choice((1, 1, 2, 2, 3, least))
        for _ in range(min(surplus, len(kinds) - least)):
            del kinds[int(self.rng.random() * len(kinds))]
        solid = self.scene.objects[target]
        return [solid.value(kind) for kind in kinds]

    def pick(self, numbers: frozenset[int]) -> int:
        """One of the objects."""
        return self.rng.choice(sorted(numbers))

    # --- descriptions ----------------------------------------------------------------------

    def plain_one(self) -> Made:
        """A noun that fits one object."""
        target = self.pick(self.scene.all)
        for _ in range(3):
            values = self.values(target, NOTHING, 1)
            if len(self.fits(values)) == 1:
                return self.noun(values)
        return None

    def plain_many(self, absent: bool = False) -> Made:
        """A noun that fits some objects, or (if `absent`) none."""
        for _ in range(5):
            values = self.values(self.pick(self.scene.all), NOTHING, 1)
            if absent:
                place = self.rng.randrange(len(values))
                values[place] = self.rng.choice(ATTRIBUTES[ATTRIBUTE_OF[values[place]]])
            if absent != bool(self.fits(values)):
                return self.noun(values)
        return None

    def one(self, condition: Narrowed) -> Made:
        """A noun under a condition that fits one object, and more without the condition."""
        candidates = condition.numbers - condition.named if condition is not None else None
        if condition is None or not candidates:
            return None
        target = self.pick(candidates)
        for _ in range(3):
            values = self.values(target, condition.fixed, 0)
            numbers = self.fits(values)
            if len(numbers) > 1 and numbers & condition.numbers == {target}:
                return self.narrowed(self.noun(values), condition)
        return None

    def many(self, condition: Narrowed, absent: bool = False) -> Made:
        """A noun under a condition that not all it fits fulfil, or (if `absent`) none does."""
        if condition is None or condition.numbers == self.scene.all:
            return None
        for _ in range(3):
            target = self.pick(self.scene.all - condition.numbers)
            values = self.values(target, condition.fixed, 0)
            numbers = self.fits(values)
            if len(numbers) > 1 and absent != bool(numbers & condition.numbers):
                return self.narrowed(self.noun(values), condition)
        return None

    def narrowed(self, noun: Phrase, condition: Condition) -> Phrase:
        """The noun with the condition behind it."""
        concepts = (noun.term.args or ())[:-1]
        term = Term("filter", (*concepts, condition.term)) if concepts else condition.term
        one, many = self.linked(condition)
        anchor = condition.anchor
        front = None
        if anchor is not None:
            it = condition.be.format(x="it")
            front = (
                anchor,
                f"{noun.one} {one.format(be=it)}",
                f"{noun.many} {many.format(be=it)}",
            )
        return Phrase(
            f"{noun.one} {one.format(be=condition.text)}",
            f"{noun.many} {many.format(be=condition.text)}",
            term,
            noun.numbers & condition.numbers,
            noun.fixed | condition.fixed,
            condition.named,
            front,
        )

    def linked(self, condition: Condition) -> tuple[str, str]:
        """How a condition follows a noun, for one and for several; ``{be}`` is the condition."""
        ways = [("that is {be}", "that are {be}")]
        if condition.alike:
            ways += [("with {be}", "with {be}"), ("that has {be}", "that have {be}")]
        elif condition.anchor is not None:
            ways += [("{be}", "{be}")] * 2
        return self.rng.choice(ways)

    # --- conditions ------------------------------------------------------------------------

    def placed(self, anchor: Made) -> Narrowed:
        """Standing left of an object, or in another relation to it."""
        if anchor is None:
            return None
        (number,) = anchor.numbers
        relation = self.rng.choice(RELATIONS)
        return Condition(
            self.rng.choice(PLACES[relation]),
            Term("relate", (Term(relation), anchor.term)),
            self.scene.related(relation, number),
            named=anchor.named | anchor.numbers,
            anchor=anchor,
        )

    def alike(self, anchor: Made) -> Narrowed:
        """Having the same value as an object of an attribute that its words leave open."""
        kinds = [kind for kind in ATTRIBUTES if anchor is not None and kind not in anchor.fixed]
        if anchor is None or not kinds:
            return None
        (number,) = anchor.numbers
        kind = self.rng.choice(kinds)
        return Condition(
            f"the same {self.rng.choice(ATTRIBUTE_NAMES[kind])} as {{x}}",
            Term("relate_attribute_equal", (Term(kind), anchor.term)),
            self.scene.like(kind, number),
            frozenset((kind,)),
            anchor.named | anchor.numbers,
            anchor,
            alike=True,
        )

    def valued(self) -> Condition:
        """Having a colour, or another attribute that an adjective tells."""
        value = self.rng.choice(self.scene.objects).value(
            self.rng.choice(("color", "color", "size"))
        )
        return Condition(
            self.rng.choice(ADJECTIVES.get(value, (value,))),
            Term("filter", (Term(value), SCENE)),
            self.scene.having(value),
            frozenset((ATTRIBUTE_OF[value],)),
        )

    def both(self, first: Narrowed, second: Narrowed) -> Narrowed:
        """Two conditions at once, each of which matters."""
        if first is None or second is None or first.named & second.named:
            return None
        numbers = first.numbers & second.numbers
        if numbers in (first.numbers, second.numbers):
            return None
        word = self.rng.choice(("", "both "))
        return Condition(
            f"{word}{first.text} and {second.text}",
            Term("intersect", (first.term, second.term)),
            numbers,
            first.fixed | second.fixed,
            first.named | second.named,
        )

    def either(self, first: Narrowed, second: Narrowed) -> Narrowed:
        """One condition or another, each of which matters."""
        if first is None or second is None:
            return None
        if first.numbers <= second.numbers or second.numbers <= first.numbers:
            return None
        word = self.rng.choice(("", "either "))
        return Condition(
            f"{word}{first.text} or {second.text}",
            Term("union", (first.term, second.term)),
            first.numbers | second.numbers,
            named=first.named | second.named,
            fixed=first.fixed | second.fixed,
        )

    def alternative(self, first: Made, second: Made) -> Made:
        """Objects of one description or another."""
        if first is None or second is None or first.term == second.term:
            return None
        some = first.numbers | second.numbers
        if some and some in (first.numbers, second.numbers):
            return None
        return Phrase(
            f"{first.one} or {second.a}",
            f"{first.many} or {second.many}",
            Term("union", (first.term, second.term)),
            some,
            first.fixed | second.fixed,
            first.named | second.named,
        )
