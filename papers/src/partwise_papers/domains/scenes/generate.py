"""Questions of the package's own about random scenes, made by a small synchronous grammar.

The fifteen families are kinds of reference: `BASE` are descriptions by attributes, by up to three
relations, by likeness, and by "and" and "or" of relations, and comparisons of these. `COMBINED`
bring likeness into relations, "and", "or" and comparisons, and relations into likeness; each part
of them occurs in a base family, their combination in none (the idea of CLOSURE, Bahdanau et al.
2019).
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from partwise.errors import DataError
from partwise.language.program import Term
from partwise_papers.domains.scenes.asking import Asked, Asker
from partwise_papers.domains.scenes.phrases import Describer, Made, Narrowed
from partwise_papers.domains.scenes.random_scenes import random_scene
from partwise_papers.domains.scenes.scene import Scene

SCENES = 500
"""How many scenes the shipped questions are about."""
TRIES = 4
"""How often a question is tried for on one scene before the next one."""
MAX_SHARE = {"yes": 0.53, "no": 0.53}
"""How much of the answers to one kind of question may be the same; `OTHER_SHARE` for the rest."""
OTHER_SHARE = 0.4

Ask = Callable[["Maker"], Asked | None]


@dataclass(frozen=True)
class Question:
    """A question about a scene with its program, its answer as CLEVR writes it, and its family."""

    text: str
    program: Term
    scene: Scene
    answer: str
    family: str


class Maker:
    """The rules of the grammar, on one scene."""

    def __init__(self, scene: Scene, rng: random.Random) -> None:
        self.rng = rng
        self.describe = Describer(scene, rng)
        self.ask = Asker(scene, rng)

    def chain(self, hops: int) -> Made:
        """One object by a row of relations."""
        if hops == 0:
            return self.describe.plain_one()
        return self.describe.one(self.placed(hops - 1))

    def placed(self, hops: int) -> Narrowed:
        """Standing somewhere with regard to an object that is described by so many relations."""
        return self.describe.placed(self.chain(hops))

    def alike(self, hops: int = 0) -> Narrowed:
        """Being like an object that is described by so many relations."""
        return self.describe.alike(self.chain(hops))

    def simple(self) -> Narrowed:
        """Having a value, or standing somewhere."""
        return self.describe.valued() if self.rng.random() < 0.5 else self.placed(0)

    def shuffled(self, first: Narrowed, second: Narrowed) -> tuple[Narrowed, Narrowed]:
        """Two conditions in any order."""
        return (first, second) if self.rng.random() < 0.5 else (second, first)

    def asked(self, condition: Narrowed, single: bool = True) -> Asked | None:
        """A count, a question for existence, or (if `single`) one for an attribute."""
        if single and self.rng.random() < 1 / 3:
            return self.ask.query(self.describe.one(condition))
        return self.counted(lambda absent: self.describe.many(condition, absent))

    def counted(self, things: Callable[[bool], Made]) -> Asked | None:
        """A count, or a question for existence, of what is there or (if told so) absent."""
        if self.rng.random() < 0.5:
            return self.ask.count(things(self.rng.random() < 0.2))
        return self.ask.exist(things(self.rng.random() < 0.5))

    def zero_hop(self) -> Asked | None:
        """A question about a noun."""
        if self.rng.random() < 1 / 3:
            return self.ask.query(self.describe.plain_one())
        return self.counted(self.describe.plain_many)

    def alternative(self, other: Narrowed) -> Asked | None:
        """A question about one thing or another, the second of them under a condition."""
        describe = self.describe
        if self.rng.random() < 0.5:
            return self.asked(describe.either(self.simple(), other), single=False)
        return self.counted(
            lambda absent: describe.alternative(
                describe.plain_many(absent), describe.many(other, absent)
            )
        )

    def alternatives(self) -> Asked | None:
        """A question about one noun or another, or about one under a relation."""
        describe = self.describe
        if self.rng.random() < 0.6:
            return self.alternative(self.placed(0))
        return self.counted(
            lambda absent: describe.alternative(
                describe.plain_many(absent), describe.plain_many(absent)
            )
        )

    def some(self) -> Made:
        """Objects by a noun or a relation."""
        if self.rng.random() < 0.6:
            return self.describe.plain_many()
        return self.describe.many(self.placed(0))

    def pair(self, first: Made, second: Made, number: bool) -> Asked | None:
        """A comparison of two descriptions, in any order."""
        pair = (first, second) if self.rng.random() < 0.5 else (second, first)
        return self.ask.compare_count(*pair) if number else self.ask.compare_attribute(*pair)

    def single(self) -> Made:
        """One object by a noun or a relation."""
        return self.chain(int(self.rng.random() < 0.4))


BASE: Mapping[str, Ask] = {
    "zero_hop": Maker.zero_hop,
    "one_hop": lambda m: m.asked(m.placed(0)),
    "two_hop": lambda m: m.asked(m.placed(1)),
    "three_hop": lambda m: m.asked(m.placed(2)),
    "same": lambda m: m.asked(m.alike()),
    "and": lambda m: m.asked(m.describe.both(m.placed(0), m.placed(int(m.rng.random() < 0.3)))),
    "or": Maker.alternatives,
    "compare_attribute": lambda m: m.pair(m.single(), m.single(), False),
    "compare_count": lambda m: m.pair(m.some(), m.some(), True),
}
COMBINED: Mapping[str, Ask] = {
    "relation_of_same": lambda m: m.asked(m.describe.placed(m.describe.one(m.alike()))),
    "same_of_relation": lambda m: m.asked(m.alike(1)),
    "and_same": lambda m: m.asked(m.describe.both(*m.shuffled(m.placed(0), m.alike()))),
    "or_same": lambda m: m.alternative(m.alike()),
    "compare_attribute_same": lambda m: m.pair(m.describe.one(m.alike()), m.single(), False),
    "compare_count_same": lambda m: m.pair(m.describe.many(m.alike()), m.some(), True),
}
FAMILIES = {**BASE, **COMBINED}


def generate(
    families: Sequence[str],
    count: int,
    scenes: Sequence[Scene],
    rng: random.Random,
    seen: set[str] | None = None,
) -> list[Question]:
    """So many questions, equally many of each family, in random order; no text occurs twice.

    Args:
        seen: texts that may not occur; those of the new questions are added.

    Raises:
        ValueError: if the scenes do not give that many.
    """
    seen = set() if seen is None else seen
    found: list[Question] = []
    for place, family in enumerate(families):
        wanted = count * (place + 1) // len(families) - count * place // len(families)
        found += _family(family, wanted, scenes, rng, seen)
    rng.shuffle(found)
    return found


def _family(
    family: str, wanted: int, scenes: Sequence[Scene], rng: random.Random, seen: set[str]
) -> list[Question]:
    found: list[Question] = []
    answers: Counter[tuple[str, str]] = Counter()
    kinds: Counter[str] = Counter()
    makers = [Maker(scene, rng) for scene in scenes]
    rng.shuffle(makers)
    for turn in range(100 * wanted + 100):
        if len(found) == wanted:
            return found
        maker = makers[turn % len(makers)]
        for _ in range(TRIES):
            asked = FAMILIES[family](maker)
            if asked is None or asked.text in seen:
                continue
            kind, answer = asked.program.symbol, asked.answer
            share = MAX_SHARE.get(answer, OTHER_SHARE)
            if answers[kind, answer] > share * kinds[kind]:
                continue
            answers[kind, answer] += 1
            kinds[kind] += 1
            seen.add(asked.text)
            scene = maker.describe.scene
            found.append(Question(asked.text, asked.program, scene, answer, family))
            break
    raise ValueError(f"{len(scenes)} scenes give {len(found)} questions of {family}, not {wanted}")


def shipped_scene(number: str | int) -> Scene:
    """Scene `number` of the shipped questions, from 0.

    Raises:
        DataError: if there is no such scene.
    """
    if not str(number).isdecimal() or not 0 <= int(number) < SCENES:
        raise DataError(f"no shipped scene {number!r}; they are numbered from 0 to {SCENES - 1}")
    return random_scene(int(number), f"shipped:{int(number)}")
