"""Questions about descriptions: their words, program and answer at the same time."""

from __future__ import annotations

import random
from dataclasses import dataclass

from partwise.language.program import Term
from partwise_papers.domains.scenes.phrases import Made, Phrase
from partwise_papers.domains.scenes.scene import ATTRIBUTES, Scene
from partwise_papers.domains.scenes.wording import (
    ATTRIBUTE_NAMES,
    COMPARE_ATTRIBUTE,
    COMPARE_ATTRIBUTE_FRONT,
    COMPARE_COUNT,
    COUNT,
    EXIST,
    INTRODUCTIONS,
    QUERY,
    QUERY_FRONT,
    QUERY_FRONT_MORE,
    QUERY_MORE,
    Forms,
    sentence_case,
    with_article,
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
