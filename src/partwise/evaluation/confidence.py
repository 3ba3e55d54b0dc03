"""How probable it is that an answer is right, and when there is none.

A parser's probabilities are divided by a temperature that is fitted on held-out questions (Guo et
al. 2017, *On Calibration of Modern Neural Networks*, whose measures these are). But a parser knows
only the meanings of its domain, and shares out all probability among them, even for questions about
something else. So a logistic model over named `FEATURES` has the last word: words that gave
nothing, words never met, and the distance to the questions of training lower the probability. It
is fitted on questions that the parser was not trained on and on ones that it cannot answer. Those
are made without a person: held-out questions with words that the domain does not know in place of
their content words, ones with a word more that gives nothing, shuffled ones, and a list of everyday
questions that comes with the package.
"""

from __future__ import annotations

import math
import random
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from statistics import fmean
from typing import Any, Generic, NamedTuple, Protocol, TypeVar, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from partwise.encoders.storage import read_arrays, read_made, write_arrays, write_json
from partwise.errors import CheckpointError, PartwiseError
from partwise.evaluation.metrics import score
from partwise.interface.data import Example
from partwise.interface.domain import AnyDomain
from partwise.interface.prediction import Prediction
from partwise.interface.settings import from_dict, to_dict
from partwise.language.lexicon import read_lexicon
from partwise.language.text import FUNCTION_WORDS, only_punctuation, split

M = TypeVar("M")
M_co = TypeVar("M_co", covariant=True)

BINS = 10
Vectors = NDArray[np.float32]
"""Of length one: ``[dim]`` or ``[questions, dim]``."""
TINY = 1e-12
"""Probabilities are kept this far from 0 and 1 where logarithms are taken."""


@dataclass(frozen=True)
class Judgement:
    """A prediction with its probability (0 for none), and whether it was right."""

    probability: float
    right: bool


@dataclass(frozen=True)
class Bin:
    """Predictions of like probability: mean probability, share that was right, how many."""

    probability: float
    accuracy: float
    size: int


def reliability(judged: Sequence[Judgement], bins: int = BINS) -> list[Bin]:
    """The predictions in bins of equal width, the least probable first; empty bins left out."""
    filled: dict[int, list[Judgement]] = {}
    for judgement in judged:
        filled.setdefault(min(bins - 1, int(judgement.probability * bins)), []).append(judgement)
    return [
        Bin(fmean(j.probability for j in some), fmean(j.right for j in some), len(some))
        for _, some in sorted(filled.items())
    ]


def calibration_error(judged: Sequence[Judgement], bins: int = BINS) -> float:
    """Expected calibration error: the mean over predictions of how far their bin is off. Raises
    ValueError for no predictions."""
    if not judged:
        raise ValueError("no predictions to judge")
    off = (b.size * abs(b.probability - b.accuracy) for b in reliability(judged, bins))
    return sum(off) / len(judged)


def chance_error(judged: Sequence[Judgement], draws: int = 200) -> float:
    """The mean calibration error that these probabilities would have if they were all true. It is
    above 0, since few predictions are in each bin: an error near it says nothing against the
    probabilities. Raises ValueError for no predictions."""
    chance = random.Random(0)
    probable = [judgement.probability for judgement in judged]
    drawn = (
        [Judgement(probability, chance.random() < probability) for probability in probable]
        for _ in range(draws)
    )
    return fmean(calibration_error(some) for some in drawn)


def log_loss(judged: Sequence[Judgement]) -> float:
    """Mean negative logarithm of the probability of what was the case."""
    shares = ((min(1 - TINY, max(TINY, j.probability)), j.right) for j in judged)
    return fmean(-math.log(share if right else 1 - share) for share, right in shares)


def at_coverage(judged: Sequence[Judgement], coverage: float = 0.9) -> tuple[float, float]:
    """Accuracy on the most probable share of the predictions, and the probability it begins at.
    Raises ValueError for no predictions, or a coverage that is not in (0, 1]."""
    if not judged or not 0 < coverage <= 1:
        raise ValueError(f"{len(judged)} predictions at a coverage of {coverage}")
    ranked = sorted(judged, key=lambda judgement: -judgement.probability)
    kept = ranked[: max(1, math.floor(coverage * len(ranked) + TINY))]
    return fmean(judgement.right for judgement in kept), kept[-1].probability


class Confidence(Protocol[M_co]):
    """The best meaning of a question, and what its probability follows from."""

    @property
    def meaning(self) -> M_co:
        """The meaning."""

    def at(self, temperature: float) -> float:
        """Its probability at a temperature."""


@dataclass(frozen=True)
class ScoredMeaning(Generic[M]):
    """A meaning, and the log probabilities of the outputs that mean it."""

    meaning: M
    scores: tuple[float, ...]

    def at(self, temperature: float) -> float:
        """See `Confidence`; a temperature divides log probabilities."""
        total = math.fsum(math.exp(score / temperature) for score in self.scores)
        # In this order, what is not known stays no number.
        return min(total, 1.0)


@runtime_checkable
class Calibrated(Protocol[M]):
    """A parser whose probabilities a temperature makes more or less certain."""

    temperature: float

    @property
    def domain(self) -> AnyDomain[M]:
        """The language."""

    def confidences(self, questions: Sequence[str]) -> Sequence[Confidence[M] | None]:
        """The best meaning of each question with its confidence; None for none."""


MOST_TO_TEMPER = 200
"""Questions that a temperature is fitted on, at most."""
COLDEST, HOTTEST = 0.2, 20.0
SEARCH_STEPS = 18
_GOLDEN = (math.sqrt(5) - 1) / 2


def fit_temperature(parser: Calibrated[M], examples: Sequence[Example[M]]) -> float:
    """The temperature that makes the outcome on the examples likeliest; the parser keeps it. One
    number is fitted, by golden-section search, to whether the best meaning of each question is the
    gold meaning. Its logarithm has a standard normal prior, without which a parser that makes no
    mistake on a few questions would be certain of everything. Of more than
    `MOST_TO_TEMPER` examples, so many are drawn."""
    many = len(examples) > MOST_TO_TEMPER
    some = random.Random(0).sample(examples, MOST_TO_TEMPER) if many else examples
    parser.temperature = 1.0
    judged = judge(parser, some)

    def cost(log_temperature: float) -> float:
        temperature = math.exp(log_temperature)
        at = [Judgement(confidence.at(temperature), right) for confidence, right in judged]
        return len(at) * log_loss(at) + log_temperature**2 / 2

    if judged:
        best = minimum(cost, math.log(COLDEST), math.log(HOTTEST), SEARCH_STEPS)
        parser.temperature = math.exp(best)
    return parser.temperature


def judge(
    parser: Calibrated[M], examples: Sequence[Example[M]]
) -> list[tuple[Confidence[M], bool]]:
    """The confidence in the best meaning of each question, and whether it is the gold meaning.
    Questions without a prediction are left out."""
    canonical = parser.domain.canonical
    confidences = parser.confidences([example.question for example in examples])
    return [
        (confidence, canonical(confidence.meaning) == canonical(example.meaning))
        for confidence, example in zip(confidences, examples, strict=True)
        if confidence is not None
    ]


def minimum(cost: Callable[[float], float], low: float, high: float, steps: int) -> float:
    """Where a function with one valley is least between two bounds, by golden-section search."""
    left, right = high - _GOLDEN * (high - low), low + _GOLDEN * (high - low)
    at_left, at_right = cost(left), cost(right)
    for _ in range(steps):
        if at_left <= at_right:
            high, right, at_right = right, left, at_left
            left = high - _GOLDEN * (high - low)
            at_left = cost(left)
        else:
            low, left, at_left = left, right, at_right
            right = low + _GOLDEN * (high - low)
            at_right = cost(right)
    return (low + high) / 2


@dataclass(frozen=True)
class ConfidenceMetrics:
    """How far a parser's probabilities can be trusted on some questions.

    A question without a prediction counts as wrong, with a probability of 0.

    Attributes:
        before, after: calibration error of exact match at temperature one, and at the parser's.
        log_loss_before, log_loss_after: the same of the mean log loss.
        accuracy: denotation accuracy on all questions.
        at_90: denotation accuracy where the least probable tenth of the questions is not answered.
        threshold: the least probability among the others.
    """

    temperature: float
    before: float
    after: float
    log_loss_before: float
    log_loss_after: float
    accuracy: float
    at_90: float
    threshold: float
    questions: int


def measure_confidence(
    parser: Calibrated[Any], examples: Sequence[Example[Any]]
) -> ConfidenceMetrics:
    """Measure the probabilities of a parser's best meanings. Where the domain cannot run meanings,
    exact match stands for denotation accuracy. Raises DataError if a gold meaning fails to run, and
    ValueError for no examples."""
    confidences = parser.confidences([example.question for example in examples])
    meanings = [None if confidence is None else confidence.meaning for confidence in confidences]
    raw, tempered, answers = [], [], []
    outcomes = score(parser.domain, examples, meanings).outcomes
    for confidence, outcome in zip(confidences, outcomes, strict=True):
        share = 0.0 if confidence is None else confidence.at(parser.temperature)
        right = outcome.exact_match if outcome.denotation is None else outcome.denotation
        raw.append(
            Judgement(0.0 if confidence is None else confidence.at(1.0), outcome.exact_match)
        )
        tempered.append(Judgement(share, outcome.exact_match))
        answers.append(Judgement(share, right))
    at_90, threshold = at_coverage(answers, 0.9)
    return ConfidenceMetrics(
        parser.temperature,
        calibration_error(raw),
        calibration_error(tempered),
        log_loss(raw),
        log_loss(tempered),
        at_coverage(answers, 1.0)[0],
        at_90,
        threshold,
        len(examples),
    )


MODEL_FILE, VECTORS_FILE = "honesty.json", "honesty.safetensors"
"""The files in a parser's folder."""
CERTAIN, MOST_WORDS, SUGGESTED = 6.0, 6, 3


class Features(NamedTuple):
    """What the model knows of a prediction; the parser's log-odds raise the probability, and what
    comes after them lowers it.

    Attributes:
        unused: what the words cost that gave nothing.
        unknown: how many words are new.
        distance: from the training questions, beyond what is usual.
    """

    constant: float
    log_odds: float
    unused: float
    unknown: float
    distance: float


@dataclass(frozen=True)
class ConfidenceModel:
    """A logistic model of right against wrong, with what its features need.

    Attributes:
        words: of the training questions.
        idle: words that often give nothing where the answer is right.
        costs: word -> minus the logarithm of how often it gives nothing where the answer is right;
            None in older files, where each that is not idle costs 1.
        questions: training questions that are answered rightly, to suggest and to compare with.
        weights: of the `Features`.
        usual: the distance of most questions like those of training.
        refused_below, doubtful_below: probabilities, chosen on held-out questions.
        vectors: ``[questions, dim]`` of length one, by the parser's encoder; None if it has none.
    """

    words: list[str]
    idle: list[str]
    questions: list[str]
    weights: list[float]
    usual: float = 0.0
    refused_below: float = 0.0
    doubtful_below: float = 0.0
    vectors: Vectors | None = field(default=None, compare=False)
    costs: dict[str, float] | None = None

    @cached_property
    def _known_words(self) -> frozenset[str]:
        return FUNCTION_WORDS | frozenset(self.words)

    def features(self, prediction: Prediction[Any], vector: Vectors | None = None) -> Features:
        """The features of a prediction. `vector`: of the question; see `pool_vectors`."""
        share = min(max(prediction.probability, 1e-9), 1 - 1e-9)
        odds = math.log(share) - math.log1p(-share)
        return Features(
            1.0,
            max(-CERTAIN, min(CERTAIN, odds)),
            min(self._cost(prediction), MOST_WORDS),
            min(len(prediction.unknown), MOST_WORDS),
            max(0.0, self.distance(vector) - self.usual),
        )

    def unused_words(self, prediction: Prediction[Any]) -> list[str]:
        """The words that gave nothing and that matter, as typed."""
        words = (prediction.words[number] for number in prediction.unused)
        return [word for word in words if word.lower() not in self.idle]

    def _cost(self, prediction: Prediction[Any]) -> float:
        if self.costs is None:
            return len(self.unused_words(prediction))
        new = idle_cost(0, 0)
        return sum(self.costs.get(prediction.words[n].lower(), new) for n in prediction.unused)

    def unknown_words(self, words: Sequence[str], *known: Collection[str]) -> tuple[str, ...]:
        """The words that are not known and not in training questions, numbers left out. `words`: as
        the parser reads them; `known`: names and the like."""
        strange = (
            word
            for word in words
            if not any(word in some for some in (self._known_words, *known))
            and not only_punctuation(word)
            and not word[0].isdigit()
        )
        return tuple(dict.fromkeys(strange))

    def distance(self, vector: Vectors | None) -> float:
        """From the nearest training question, 0 to 2; 0 without vectors."""
        if vector is None or self.vectors is None:
            return 0.0
        return 1.0 - float((self.vectors @ vector).max())

    def probability(self, features: Sequence[float]) -> float:
        """That the meaning is right; never higher for more of what lowers it."""
        total = sum(w * x for w, x in zip(self.weights, features, strict=True))
        return 1 / (1 + math.exp(-total))

    def apply(
        self,
        prediction: Prediction[M],
        vector: Vectors | None = None,
        at_least: float | None = None,
    ) -> Prediction[M]:
        """The prediction with its probability by this model, doubtful or refused if it is low.
        `vector`: of the question; `at_least`: the probability that a meaning must have; None for
        the default."""
        if prediction.meaning is not None:
            features = self.features(prediction, vector)
            share = self.probability(features)
            doubtful = share < self.doubtful_below
            prediction = replace(_scale(prediction, share), doubtful=doubtful)
            threshold = self.refused_below if at_least is None else at_least
            prediction = prediction.at_least(threshold, self._reason(prediction, features))
        if prediction.meaning is None:
            return replace(prediction, suggestions=self.suggestions(prediction, vector))
        return prediction

    def _reason(self, prediction: Prediction[Any], features: Features) -> str:
        reasons = []
        if left := list(dict.fromkeys((*self.unused_words(prediction), *prediction.unknown))):
            reasons.append(f"nothing sure comes of {', '.join(map(repr, left[:MOST_WORDS]))}")
        if features.distance > 0 or features.unknown > 1:
            reasons.append("the question is unlike those that the parser was trained on")
        return "; ".join(reasons)

    def suggestions(self, prediction: Prediction[Any], vector: Vectors | None) -> tuple[str, ...]:
        if vector is not None and self.vectors is not None:
            near = (self.vectors @ vector).tolist()
        else:
            mine = {word for text in prediction.words for word in split(text)}
            others = (set(split(question)) for question in self.questions)
            near = [len(mine & other) / max(1, len(mine | other)) for other in others]
        order = sorted(range(len(near)), key=lambda number: (-near[number], number))
        return tuple(self.questions[number] for number in order[:SUGGESTED])

    # --- saving --------------------------------------------------------------------------

    def write(self, folder: Path) -> None:
        values = {k: v for k, v in to_dict(replace(self, vectors=None)).items() if k != "vectors"}
        write_json(folder / MODEL_FILE, values)
        if self.vectors is not None:
            write_arrays(folder / VECTORS_FILE, {"vectors": self.vectors.astype(np.float16)})

    @classmethod
    def read(cls, folder: Path) -> ConfidenceModel | None:
        """That of a parser's folder; None for a folder without one. Raises CheckpointError if it is
        damaged."""
        if not (folder / MODEL_FILE).exists():
            return None
        model = read_made(folder / MODEL_FILE, cls._made)
        if not (folder / VECTORS_FILE).exists():
            return model
        vectors = read_arrays(folder / VECTORS_FILE, ["vectors"])["vectors"]
        if vectors.ndim != 2 or len(vectors) != len(model.questions):
            raise CheckpointError(f"{folder / VECTORS_FILE} does not fit {MODEL_FILE}; copy it")
        return replace(model, vectors=vectors.astype(np.float32))

    @classmethod
    def _made(cls, given: Any) -> ConfidenceModel:
        """That of what a file says, checked. Raises PartwiseError, or TypeError where a type is
        wrong."""
        model = from_dict(cls, given, "entries")
        costs = {} if model.costs is None else model.costs
        if not isinstance(costs, dict):
            raise PartwiseError("its costs are no object")
        texts = (*model.words, *model.idle, *model.questions, *costs)
        if not (
            len(model.weights) == len(Features._fields)
            and all(map(math.isfinite, model.weights))
            and model.weights[1] >= 0 >= max(model.weights[2:])
            and all(0 <= cost < math.inf for cost in costs.values())
            and all(isinstance(text, str) for text in texts)
        ):
            raise PartwiseError("its weights or words are not what they should be")
        return model


def idle_cost(met: int, idle: int) -> float:
    """What a word costs that gives nothing, by how often right answers had it, and did not use it.
    Minus the logarithm of the share of these, as if the word had been met four times more, and had
    given nothing in one of them."""
    return math.log((met + 4) / (idle + 1))


def _scale(prediction: Prediction[M], share: float) -> Prediction[M]:
    """With another probability, and the alternatives' no higher than it leaves them."""
    before = prediction.probability
    factor = share / before if share < before else (1 - share) / max(1 - before, 1e-9)
    others = (replace(o, probability=o.probability * factor) for o in prediction.alternatives)
    return replace(prediction, probability=share, alternatives=tuple(others))


def pool_vectors(first: Vectors, lengths: Sequence[int]) -> list[Vectors]:
    """The mean of each question's word vectors, of length one, from those of a padded batch."""
    means = [rows[:n].mean(0) for rows, n in zip(first, lengths, strict=True)]
    return [mean / max(np.linalg.norm(mean), TINY) for mean in means]


# --- fitting the model -------------------------------------------------------------------

FEWEST, MOST, KEPT = 30, 100, 160
"""Held-out questions that are needed, those that are used at most, training questions kept."""
SURE, IDLE, REFUSED_RIGHT, WANTED, DOUBTFUL = 0.8, 0.3, 0.03, 0.9, 0.7
_PLACEHOLDER = re.compile(r"\bM\d+\b")
PRIOR = np.array(Features(0.0, 1.0, -0.5, -1.0, 0.0))
"""Weights where data say nothing."""
FEW: dict[str, Any] = {"weights": [0.8, 0.45, 0.0, -2.3, 0.0], "doubtful_below": 0.7}
"""Where questions are too few to fit on: about the weights of geography; nothing is refused."""
STEPS, RATE, DECAY = 3000, 0.05, 0.01
POLITE = ("please tell me {}", "can you tell me {}", "hi , {}", "{} thanks", "i want to know {}")
_OUTSIDE = "zorbing marmalade saxophone quarterly firmware ballet yogurt invoice trombone kite"
OUTSIDE = _OUTSIDE.split()
"""Words that few domains know."""


class Case(NamedTuple):
    """A question to fit on: that of an example, or one that cannot be answered (None). With a word
    that was `added`, no answer is right that leaves it out, and of other answers nothing is
    known."""

    question: str
    example: Example[Any] | None
    added: str = ""


def everyday() -> list[str]:
    return [row.phrase for row in read_lexicon("partwise.evaluation", "everyday.txt")]


def fit_confidence(
    parser: Any, train: Sequence[Example[M]], unseen: Sequence[Example[M]]
) -> ConfidenceModel:
    """Fit how probable answers are and when there is none; the parser, a
    `partwise.training.neural.NeuralParser`, keeps the model.

    Args:
        train: what it was trained on.
        unseen: what it was not trained on. From less than `FEWEST` questions nothing is learned:
            words that are new make a doubt, by the weights of `FEW`.
    """
    parser.confidence = None
    draw = random.Random(0)
    words = sorted({word for example in train for word in split(example.question)})
    if len(unseen) < FEWEST:
        few = parser.confidence = ConfidenceModel(words, words, [], **FEW)
        return few
    base = parser.confidence = _without_weights(parser, train, words, draw)
    some = list(unseen) if len(unseen) <= MOST else draw.sample(list(unseen), MOST)
    if base.vectors is not None:
        vectors = parser.vectors([example.question for example in some]) or ()
        usual = np.quantile([base.distance(vector) for vector in vectors], 0.9)
        base = parser.confidence = replace(base, usual=float(usual))
    rows, right, plain = features_of(parser, cases(some, set(base.idle), draw))
    fitted = replace(base, weights=logistic(rows, right))
    shares = np.array([fitted.probability(row) for row in rows.tolist()])
    refused, doubtful = thresholds(shares, right, plain)
    fitted = parser.confidence = replace(fitted, refused_below=refused, doubtful_below=doubtful)
    return fitted


def _without_weights(
    parser: Any, train: Sequence[Example[M]], words: list[str], draw: random.Random
) -> ConfidenceModel:
    """What is known of the training questions, without weights; `words`: theirs."""
    some = draw.sample(list(train), min(len(train), 4 * MOST))
    predictions = parser.parse([example.question for example in some])
    right = right_of(parser.domain, some, predictions)
    idle, met = Counter[str](), Counter[str]()
    questions: list[str] = []
    for example, prediction, good in zip(some, predictions, right, strict=True):
        if not good:
            continue
        marked = parser.mark_words(prediction)
        met.update(word.lower() for word in marked.words)
        idle.update(marked.words[number].lower() for number in marked.unused)
        # Nobody asks with placeholders.
        if prediction.probability >= SURE and not _PLACEHOLDER.search(example.question):
            questions.append(example.question)
    questions = list(dict.fromkeys(questions))[:KEPT]
    vectors = parser.vectors(questions)
    return ConfidenceModel(
        words,
        sorted(word for word, count in idle.items() if count >= IDLE * met[word]),
        questions,
        [0.0, 1.0, 0.0, 0.0, 0.0],
        # As they are in the file.
        vectors=np.stack(vectors).astype(np.float16).astype(np.float32) if vectors else None,
        costs={word: round(idle_cost(met[word], idle[word]), 3) for word in met},
    )


def right_of(
    domain: Any, examples: Sequence[Example[M]], predictions: Sequence[Prediction[M]]
) -> list[bool]:
    """Whether predictions are right, by their answers if the domain runs them."""
    outcomes = score(domain, examples, [prediction.meaning for prediction in predictions]).outcomes
    return [o.exact_match if o.denotation is None else o.denotation for o in outcomes]


def cases(unseen: Sequence[Example[M]], idle: set[str], draw: random.Random) -> list[Case]:
    """Questions to fit on; as many that cannot be answered as can, more or less."""
    made = [Case(example.question, example) for example in unseen]
    texts = (example.question.split() for example in unseen)
    inside = [words[number] for words in texts for number in _content(words, idle)]
    for example in unseen:
        question, polite = example.question, draw.random() < 0.3
        changed = draw.choice(POLITE).format(question) if polite else _typo(question, draw)
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
    words = question.split()
    long = [number for number in _content(words, set()) if len(words[number]) > 5]
    if long:
        number = draw.choice(long)
        word, at = words[number], draw.randrange(1, len(words[number]) - 2)
        words[number] = word[:at] + word[at + 1] + word[at] + word[at + 2 :]
    return " ".join(words)


def features_of(
    parser: Any, some: Sequence[Case]
) -> tuple[NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_]]:
    """``[cases, features]`` of those with a meaning; which are right; which are as they came."""
    base, questions = parser.confidence, [case.question for case in some]
    assert base is not None
    parser.confidence = None
    predictions = parser.parse(questions)
    parser.confidence = base
    vectors: Iterable[Vectors | None] = parser.vectors(questions) or [None] * len(some)
    asked = [(n, case.example) for n, case in enumerate(some) if case.example is not None]
    good = right_of(parser.domain, [e for _, e in asked], [predictions[n] for n, _ in asked])
    right = {n for (n, _), correct in zip(asked, good, strict=True) if correct}
    rows: list[Features] = []
    labels: list[tuple[bool, bool]] = []
    for number, (case, prediction, vector) in enumerate(
        zip(some, predictions, vectors, strict=True)
    ):
        if prediction.meaning is None:
            continue
        marked, added = parser.mark_words(prediction), case.added.lower()
        if added and added not in (marked.words[n].lower() for n in marked.unused):
            continue
        rows.append(base.features(marked, vector))
        plain = case.example is not None and case.example.question == case.question
        labels.append((number in right, plain))
    flags = np.array(labels, dtype=bool).reshape(-1, 2)
    return np.array(rows, dtype=float).reshape(-1, len(Features._fields)), flags[:, 0], flags[:, 1]


def logistic(
    rows: NDArray[np.float64], right: NDArray[np.bool_], prior: NDArray[np.float64] = PRIOR
) -> list[float]:
    """Weights of a logistic regression, by projected descent. The first of the features, ``[cases,
    features]``, is 1; `prior`: weights where data say nothing. The second is never under 0, and
    later ones never over 0."""
    if not len(rows):
        return [float(weight) for weight in prior]
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
    return [round(float(weight), 6) for weight in weights / scale]


def thresholds(
    shares: NDArray[np.float64], right: NDArray[np.bool_], plain: NDArray[np.bool_]
) -> tuple[float, float]:
    """Under which probabilities to refuse and to doubt. Refused is what keeps all but
    `REFUSED_RIGHT` of the right answers to questions as they came, and at most at even odds;
    doubted is what is needed for `WANTED` of the answers without a doubt to be right, and at least
    what is under `DOUBTFUL`."""
    if not (right & plain).any():
        return 0.5, DOUBTFUL
    refused = min(0.5, float(np.quantile(shares[right & plain], REFUSED_RIGHT)))
    steps = np.arange(DOUBTFUL, 0.9, 0.01)
    enough = (t for t in steps if (shares >= t).any() and right[shares >= t].mean() >= WANTED)
    return round(refused, 3), round(float(next(enough, 0.9)), 3)
