"""Fit when a parser answers: on questions that it was not trained on, and on ones it cannot answer.

The latter are made without a person: held-out questions with words that the domain does not know in
place of their content words, ones with a word more that gives nothing, shuffled ones, and a list of
everyday questions that comes with the package. What is misspelt or asked politely is judged like
any held-out question.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, Protocol, TypeVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from partwise.evaluation.honesty import Honesty, idle_cost
from partwise.evaluation.metrics import score
from partwise.interface.data import Example
from partwise.interface.prediction import Prediction
from partwise.language.lexicon import read_lexicon
from partwise.language.tokenizer import FUNCTION_WORDS, only_punctuation, split

M = TypeVar("M")
FEWEST, MOST, KEPT = 30, 100, 160
"""Held-out questions that are needed, those that are used at most, training questions kept."""
SURE, IDLE, REFUSED_RIGHT, WANTED, DOUBTFUL = 0.8, 0.3, 0.03, 0.9, 0.7
_PLACEHOLDER = re.compile(r"\bM\d+\b")
PRIOR = np.array([0.0, 1.0, -0.5, -1.0, 0.0])
"""Weights where data say nothing."""
STEPS, RATE, DECAY = 3000, 0.05, 0.01
POLITE = ("please tell me {}", "can you tell me {}", "hi , {}", "{} thanks", "i want to know {}")
_OUTSIDE = """
zorbing marmalade saxophone quarterly firmware ballet yogurt invoice trombone kite
"""
OUTSIDE = _OUTSIDE.split()
"""Words that few domains know."""


class Judging(Protocol[M]):
    """A parser whose answers are to be honest; see `partwise.training.neural.NeuralParser`."""

    domain: Any
    honesty: Honesty | None

    def parse(self, questions: Sequence[str]) -> list[Prediction[M]]:
        """Without honesty: predictions as they come."""
        ...

    def noted(self, said: Prediction[M]) -> Prediction[M]:
        """With what gave nothing."""
        ...

    def vectors(self, questions: Sequence[str]) -> list[Tensor] | None:
        """Of questions."""
        ...


class Case(NamedTuple):
    """A question to fit on: that of an example, or one that cannot be answered (None).

    With a word that was `added`, no answer is right that leaves it out, and of other answers
    nothing is known.
    """

    question: str
    example: Example[Any] | None
    added: str = ""


def everyday() -> list[str]:
    """The questions about all kinds of subjects."""
    return [row.phrase for row in read_lexicon("partwise.evaluation", "everyday.txt")]


def fit_honesty(
    parser: Judging[M], train: Sequence[Example[M]], unseen: Sequence[Example[M]]
) -> Honesty | None:
    """Fit when a parser answers; the parser keeps it.

    Args:
        train: what it was trained on.
        unseen: what it was not trained on; at least `FEWEST` questions, or nothing is fitted.
    """
    parser.honesty = None
    if len(unseen) < FEWEST:
        return None
    draw = random.Random(0)
    base = _known(parser, train, draw)
    parser.honesty = base
    some = list(unseen) if len(unseen) <= MOST else draw.sample(list(unseen), MOST)
    if base.vectors is not None:
        near = [
            base.distance(vector) for vector in parser.vectors([e.question for e in some]) or ()
        ]
        base = parser.honesty = replace(base, usual=float(np.quantile(near, 0.9)))
    rows, right, plain = features_of(parser, cases(some, set(base.idle), draw))
    fitted = replace(base, weights=logistic(rows, right))
    shares = np.array([fitted.probability(row) for row in rows.tolist()])
    refused, doubtful = thresholds(shares, right, plain)
    parser.honesty = replace(fitted, refused_below=refused, doubtful_below=doubtful)
    return parser.honesty


def _known(parser: Judging[M], train: Sequence[Example[M]], draw: random.Random) -> Honesty:
    """What is known of the training questions, without weights."""
    some = draw.sample(list(train), min(len(train), 4 * MOST))
    said = parser.parse([example.question for example in some])
    right = right_of(parser.domain, some, said)
    words = sorted({word for example in train for word in split(example.question)})
    idle, met = Counter[str](), Counter[str]()
    for one, good in zip(map(parser.noted, said), right, strict=True):
        if good:
            met.update(word.lower() for word in one.words)
            idle.update(one.words[number].lower() for number in one.unused)
    asked = [
        example.question
        for example, one, good in zip(some, said, right, strict=True)
        # Nobody asks with placeholders.
        if good and one.probability >= SURE and not _PLACEHOLDER.search(example.question)
    ]
    questions = list(dict.fromkeys(asked))[:KEPT]
    vectors = parser.vectors(questions)
    return Honesty(
        words,
        sorted(word for word, count in idle.items() if count >= IDLE * met[word]),
        questions,
        [0.0, 1.0, 0.0, 0.0, 0.0],
        # As they are in the file.
        vectors=torch.stack(vectors).half().float() if vectors else None,
        costs={word: round(idle_cost(met[word], idle[word]), 3) for word in met},
    )


def right_of(
    domain: Any, examples: Sequence[Example[M]], said: Sequence[Prediction[M]]
) -> list[bool]:
    """Whether predictions are right, by their answers if the domain runs them."""
    outcomes = score(domain, examples, [one.meaning for one in said]).outcomes
    return [o.exact_match if o.denotation is None else o.denotation for o in outcomes]


def cases(unseen: Sequence[Example[M]], idle: set[str], draw: random.Random) -> list[Case]:
    """Questions to fit on; as many that cannot be answered as can, more or less."""
    made = [Case(example.question, example) for example in unseen]
    texts = (example.question.split() for example in unseen)
    inside = [words[number] for words in texts for number in _content(words, idle)]
    for example in unseen:
        question = example.question
        changed = (
            draw.choice(POLITE).format(question) if draw.random() < 0.3 else _typo(question, draw)
        )
        made.append(Case(changed, example))
        if odd := _outside(question, idle, draw):
            made.append(Case(odd, None))
        made.append(_too_many(question, inside, draw))
    for example in draw.sample(list(unseen), len(unseen) // 4):
        words = example.question.split()
        draw.shuffle(words)
        made.append(Case(" ".join(words), example))
    return made + [Case(question, None) for question in everyday()[: max(FEWEST, len(unseen))]]


def _content(words: Sequence[str], idle: set[str]) -> list[int]:
    """The numbers of the words that a question cannot do without."""
    return [
        number
        for number, word in enumerate(words)
        if word.lower() not in FUNCTION_WORDS | idle
        and not only_punctuation(word)
        and word.isalpha()
    ]


def _outside(question: str, idle: set[str], draw: random.Random) -> str | None:
    words = question.split()
    content = _content(words, idle)
    if not content:
        return None
    for number in draw.sample(content, draw.randint(1, len(content))):
        words[number] = draw.choice(OUTSIDE)
    return " ".join(words)


def _too_many(question: str, inside: Sequence[str], draw: random.Random) -> Case:
    """The question with a word more, of the domain or of none."""
    word = draw.choice(OUTSIDE if draw.random() < 0.5 else inside or OUTSIDE)
    words = question.split()
    words.insert(draw.randrange(len(words)), word)
    return Case(" ".join(words), None, word)


def _typo(question: str, draw: random.Random) -> str:
    """Two letters of a long word swapped."""
    words = question.split()
    long = [number for number in _content(words, set()) if len(words[number]) > 5]
    if long:
        number = draw.choice(long)
        word, at = words[number], draw.randrange(1, len(words[number]) - 2)
        words[number] = word[:at] + word[at + 1] + word[at] + word[at + 2 :]
    return " ".join(words)


def features_of(
    parser: Judging[M], some: Sequence[Case]
) -> tuple[NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_]]:
    """``[cases, features]`` of those with a meaning; which are right; which are as they came."""
    base, questions = parser.honesty, [case.question for case in some]
    assert base is not None
    parser.honesty = None
    said = parser.parse(questions)
    parser.honesty = base
    vectors: Iterable[Tensor | None] = parser.vectors(questions) or [None] * len(some)
    asked = [(n, case.example) for n, case in enumerate(some) if case.example is not None]
    good = right_of(parser.domain, [e for _, e in asked], [said[n] for n, _ in asked])
    right = {n for (n, _), one in zip(asked, good, strict=True) if one}
    rows: list[list[float]] = []
    labels: list[bool] = []
    plain: list[bool] = []
    for number, (one, vector) in enumerate(zip(said, vectors, strict=True)):
        if one.meaning is not None:
            noted, added = parser.noted(one), some[number].added.lower()
            if added and added not in (noted.words[n].lower() for n in noted.unused):
                continue
            rows.append(base.features(noted, vector))
            labels.append(number in right)
            example = some[number].example
            plain.append(example is not None and example.question == questions[number])
    flags = np.array(labels, dtype=bool), np.array(plain, dtype=bool)
    return np.array(rows).reshape(-1, 5), *flags


def logistic(
    rows: NDArray[np.float64], right: NDArray[np.bool_], prior: NDArray[np.float64] = PRIOR
) -> list[float]:
    """Weights of a logistic regression, by projected descent.

    Args:
        rows: ``[cases, features]``; the first feature is 1.
        prior: weights where data say nothing. The second is never under 0, and later ones never
            over 0.
    """
    if not len(rows):
        return [float(one) for one in prior]
    scale = np.maximum(rows.std(0), 1e-3)
    scale[0] = 1.0
    later = len(prior) - 2
    scaled, moving, prior = rows / scale, np.zeros(len(prior)), prior * scale
    weights, decay = prior.copy(), DECAY * np.array([0.1] + [1] * (later + 1))
    low, high = np.array([-np.inf, 0.0] + [-np.inf] * later), np.array([np.inf] * 2 + [0.0] * later)
    for _ in range(STEPS):
        shares = 1 / (1 + np.exp(-np.clip(scaled @ weights, -50, 50)))
        slope = scaled.T @ (shares - right) / len(rows) + decay * (weights - prior)
        moving = 0.9 * moving + slope
        weights = np.clip(weights - RATE * moving, low, high)
    return [round(float(one), 6) for one in weights / scale]


def thresholds(
    shares: NDArray[np.float64], right: NDArray[np.bool_], plain: NDArray[np.bool_]
) -> tuple[float, float]:
    """Under which probabilities to refuse and to doubt.

    Refused is what keeps all but `REFUSED_RIGHT` of the right answers to questions as they came,
    and at most at even odds; doubted is what is needed for `WANTED` of the answers without a doubt
    to be right, and at least what is under `DOUBTFUL`.
    """
    if not (right & plain).any():
        return 0.5, DOUBTFUL
    refused = min(0.5, float(np.quantile(shares[right & plain], REFUSED_RIGHT)))
    steps = np.arange(DOUBTFUL, 0.9, 0.01)
    enough = (t for t in steps if (shares >= t).any() and right[shares >= t].mean() >= WANTED)
    return round(refused, 3), round(float(next(enough, 0.9)), 3)
