"""Training questions typed in a hurry."""

from random import Random

from partwise.domains.geography import Geography
from partwise.interface.registry import load
from partwise.span.augmentation import HurriedTyping


def test_same_seed_same_questions_and_programs_stay() -> None:
    examples = load("geography", "iid").train[::20]
    typing = HurriedTyping(Geography())
    once = [typing(one, Random(n)) for n, one in enumerate(examples)]
    again = [typing(one, Random(n)) for n, one in enumerate(examples)]
    assert once == again
    assert [one.meaning for one in once] == [one.meaning for one in examples]
    changed = [a.question for a, b in zip(once, examples, strict=True) if a.question != b.question]
    assert len(changed) > len(examples) / 3
