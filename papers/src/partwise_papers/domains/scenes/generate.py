"""Questions of the package's own about random scenes, made by a small synchronous grammar.

Each rule gives words together with their program and what they denote in the scene: descriptions of
objects (`Describer`), questions about these (`Asker`), and the fifteen families of questions
(`Maker`), which are kinds of reference. `BASE` are descriptions by attributes, by up to three
relations, by likeness, and by "and" and "or" of relations, and comparisons of these. `COMBINED`
bring likeness into relations, "and", "or" and comparisons, and relations into likeness; each part
of them occurs in a base family, their combination in none (the idea of CLOSURE, Bahdanau et al.
2019). A rule that would describe something trivially (a condition that changes nothing, an anchor
that is itself described by what it anchors) gives None instead.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from partwise.errors import DataError
from partwise.language.program import Term
from partwise_papers.domains.scenes.scene import (
    ATTRIBUTE_OF,
    ATTRIBUTES,
    RELATIONS,
    Scene,
    random_scene,
)

Forms = Sequence[str]

ADJECTIVES: Mapping[str, Forms] = {
    "small": ("small", "tiny"),
    "large": ("large", "big"),
    "rubber": ("rubber", "matte"),
    "metal": ("metal", "metallic", "shiny"),
    "gray": ("gray", "grey"),
}
"""Words for values; any other value is its own word."""
NOUNS: Mapping[str, Forms] = {
    "cube": ("cube", "block"),
    "sphere": ("sphere", "ball"),
    "cylinder": ("cylinder",),
    "": ("thing", "object"),
}
PLACES: Mapping[str, Forms] = {
    "left": ("left of {x}", "to the left of {x}"),
    "right": ("right of {x}", "to the right of {x}"),
    "front": ("in front of {x}",),
    "behind": ("behind {x}",),
}
"""Where something is with regard to ``{x}``."""
ATTRIBUTE_NAMES: Mapping[str, Forms] = {
    "size": ("size",),
    "color": ("color", "colour"),
    "material": ("material",),
    "shape": ("shape",),
}

# In questions, {many} is a plural, {a} and {the} a singular with its article, {w} an attribute.

COUNT: Forms = (
    "how many {many} can you see?",
    "how many {many} are in the scene?",
    "tell me how many {many} there are.",
    "could you count the {many}?",
    "please count all {many}.",
    "what is the total number of {many}?",
    "what number of {many} does the scene hold?",
)
EXIST: Forms = (
    "is there {a} in the scene?",
    "are there any {many} in view?",
    "can you see any {many}?",
    "do you see {a} anywhere?",
    "does the scene have any {many}?",
    "please check whether there is {a}.",
    "could you tell me if there are any {many}?",
)
QUERY: Forms = (
    "what {w} does {the} have?",
    "which {w} is {the}?",
    "tell me the {w} of {the}.",
    "could you name the {w} of {the}?",
    "i would like to know what {w} {the} has.",
    "what would you say is the {w} of {the}?",
)
QUERY_MORE: Mapping[str, Forms] = {
    "size": ("can you tell how big {the} is?",),
    "material": ("tell me what {the} is made of.",),
}
QUERY_FRONT: Forms = (
    "i see {a}; what {w} does it have?",
    "look at {the}. what is its {w}?",
    "here is {a}: which {w} is it?",
    "there is {a}. could you tell me its {w}?",
)
QUERY_FRONT_MORE: Mapping[str, Forms] = {
    "size": ("i see {a}; how big is it?",),
    "material": ("look at {the}. what is it made of?",),
}
COMPARE_ATTRIBUTE: Forms = (
    "is {the} of the same {w} as {other}?",
    "can you see whether {the} has the same {w} as {other}?",
    "would you say that {the} and {other} have the same {w}?",
    "tell me if {the} is the same {w} as {other}.",
    "are {the} and {other} of the same {w}?",
)
COMPARE_ATTRIBUTE_FRONT: Forms = (
    "i see {a}; has it got the same {w} as {other}?",
    "look at {the}. is it of the same {w} as {other}?",
    "there is {a}. would you say it has the same {w} as {other}?",
)
COMPARE_COUNT: Mapping[str, Forms] = {
    "count_greater": (
        "do you see more {many} than {others}?",
        "does the scene have more {many} than {others}?",
        "tell me if there are more {many} than {others}.",
        "would you say the number of {many} is greater than that of {others}?",
    ),
    "count_less": (
        "do you see fewer {many} than {others}?",
        "does the scene have fewer {many} than {others}?",
        "tell me if there are fewer {many} than {others}.",
        "would you say the number of {many} is less than that of {others}?",
    ),
    "count_equal": (
        "do you see the same number of {many} and {others}?",
        "does the scene have an equal number of {many} and {others}?",
        "does the scene have as many {many} as {others}?",
        "tell me if there are as many {many} as {others}.",
    ),
}
INTRODUCTIONS: Forms = (
    "there is {a}; ",
    "i see {a}. ",
    "look at {the}. ",
    "here is {a}: ",
    "consider {the}; ",
)


def with_article(noun: str) -> str:
    """A singular after "a" or "an"."""
    return f"{'an' if noun[0] in 'aeio' else 'a'} {noun}"


def sentence_case(text: str) -> str:
    """Capitals at the start, after full stops and for "I"."""
    parts = [part[:1].upper() + part[1:] for part in text.split(". ")]
    return ". ".join(parts).replace(" i ", " I ")


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
                return self.narrow(self.noun(values), condition)
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
                return self.narrow(self.noun(values), condition)
        return None

    def narrow(self, noun: Phrase, condition: Condition) -> Phrase:
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

    def of_value(self) -> Condition:
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


FRONTED = 0.25
"""How often a question starts by a sentence on an object, which is then "it"."""


@dataclass(frozen=True)
class Asked:
    """A question with its program, and its answer as CLEVR writes it."""

    text: str
    program: Term
    answer: str


class Asker:
    """Asks about descriptions of the objects of one scene; None for what would be trivial."""

    def __init__(self, scene: Scene, rng: random.Random) -> None:
        self.scene, self.rng = scene, rng

    def count(self, things: Made) -> Asked | None:
        """How many there are."""
        if things is None:
            return None
        text = self.about(COUNT, things)
        return Asked(text, Term("count", (things.term,)), str(len(things.numbers)))

    def exist(self, things: Made) -> Asked | None:
        """Whether there are any."""
        if things is None:
            return None
        text = self.about(EXIST, things)
        return Asked(text, Term("exist", (things.term,)), yes_no(bool(things.numbers)))

    def query(self, thing: Made) -> Asked | None:
        """What an object is like, in an attribute that its description leaves open."""
        kinds = [kind for kind in ATTRIBUTES if thing is not None and kind not in thing.fixed]
        if thing is None or not kinds:
            return None
        kind = self.rng.choice(kinds)
        word = self.rng.choice(ATTRIBUTE_NAMES[kind])
        if self.rng.random() < FRONTED:
            forms = (*QUERY_FRONT, *QUERY_FRONT_MORE.get(kind, ()))
            form = self.rng.choice(forms)
            text = sentence_case(form.format(a=thing.a, the=thing.the, w=word))
        else:
            text = self.about((*QUERY, *QUERY_MORE.get(kind, ())), thing, word)
        (number,) = thing.numbers
        answer = self.scene.objects[number].value(kind)
        return Asked(text, Term("query", (Term(kind), thing.term)), answer)

    def compare_attribute(self, first: Made, second: Made) -> Asked | None:
        """Whether two objects are alike in an attribute that both descriptions leave open."""
        if first is None or second is None or first.numbers == second.numbers:
            return None
        kinds = [kind for kind in ATTRIBUTES if kind not in first.fixed | second.fixed]
        if not kinds:
            return None
        kind = self.rng.choice(kinds)
        forms = COMPARE_ATTRIBUTE_FRONT if self.rng.random() < FRONTED else COMPARE_ATTRIBUTE
        text = self.rng.choice(forms).format(
            a=first.a,
            the=first.the,
            other=second.the,
            w=self.rng.choice(ATTRIBUTE_NAMES[kind]),
        )
        (left,), (right,) = first.numbers, second.numbers
        objects = self.scene.objects
        program = Term("query_attribute_equal", (Term(kind), first.term, second.term))
        alike = objects[left].value(kind) == objects[right].value(kind)
        return Asked(sentence_case(text), program, yes_no(alike))

    def compare_count(self, first: Made, second: Made) -> Asked | None:
        """Whether there are more of one description than of another, fewer, or as many."""
        if first is None or second is None:
            return None
        a, b = first.numbers, second.numbers
        if a <= b or b <= a:
            return None
        name = self.rng.choice(tuple(COMPARE_COUNT))
        form = self.rng.choice(COMPARE_COUNT[name])
        text = sentence_case(form.format(many=first.many, others=second.many))
        true = {
            "count_greater": len(a) > len(b),
            "count_less": len(a) < len(b),
            "count_equal": len(a) == len(b),
        }[name]
        return Asked(text, Term(name, (first.term, second.term)), yes_no(true))

    def about(self, forms: Forms, things: Phrase, word: str = "") -> str:
        """A question about a description, maybe with its anchor in a sentence before it."""
        form = self.rng.choice(forms)
        if things.front is not None and self.rng.random() < FRONTED:
            anchor, one, many = things.front
            start = self.rng.choice(INTRODUCTIONS).format(a=anchor.a, the=anchor.the)
        else:
            start, one, many = "", things.one, things.many
        text = form.format(a=with_article(one), the=f"the {one}", many=many, w=word)
        return sentence_case(start + text)


def yes_no(true: bool) -> str:
    """A truth value as CLEVR writes it."""
    return "yes" if true else "no"


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
        return self.describe.of_value() if self.rng.random() < 0.5 else self.placed(0)

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
    """So many questions, equally many of each family, in random order; no text occurs twice; raises
    ValueError if the scenes do not give that many.

    Args:
        seen: texts that may not occur; those of the new questions are added.
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


def read_shipped_scene(number: str | int) -> Scene:
    """Scene `number` of the shipped questions, from 0; raises DataError if there is no such
    scene."""
    if not str(number).isdecimal() or not 0 <= int(number) < SCENES:
        raise DataError(f"no shipped scene {number!r}; they are numbered from 0 to {SCENES - 1}")
    return random_scene(int(number), f"shipped:{int(number)}")
