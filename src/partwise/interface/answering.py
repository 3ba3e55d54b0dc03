"""Questions to answers, with any parser: parsed, run, and the alternatives that mean otherwise."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any, Generic, TypeVar, overload

from partwise.errors import ChoiceError, DataError, PartwiseError
from partwise.interface.clarification import NONE, OPTIONS, clarify, gain_of, option_id
from partwise.interface.data import Example
from partwise.interface.domain import AnyDomain
from partwise.interface.parser import Parser
from partwise.interface.prediction import (
    Answer,
    Clarification,
    ExplainingDomain,
    Prediction,
    ResultTable,
    Turn,
)

M = TypeVar("M")
Q = TypeVar("Q", str, Example[Any])
SUGGESTED = 3
"""How many questions that can be asked are told where there is no answer."""
READ = 12
"""Interpretations that are looked at for those that a question back may offer."""
SPARE = 2
"""How many meanings are asked for in place of one, as several may have the same answer."""
LIKELY = 0.1
"""How probable another interpretation must be, by that of the best, to be tried in its place."""
EMPTY = 0.5
"""By how much less an interpretation is probable whose answer is empty."""


@overload
def answer(  # type: ignore[overload-overlap]  # a text is a sequence of texts, too
    parser: Parser[M],
    questions: str,
    k: int = 1,
    at_least: float | None = None,
    context: Any = None,
    run: bool = True,
    after: Turn | None = None,
    asks: bool = True,
) -> Answer[M]: ...


@overload
def answer(
    parser: Parser[M],
    questions: Sequence[str],
    k: int = 1,
    at_least: float | None = None,
    context: Any = None,
    run: bool = True,
    after: Turn | None = None,
    asks: bool = True,
) -> list[Answer[M]]: ...


def answer(
    parser: Parser[M],
    questions: str | Sequence[str],
    k: int = 1,
    at_least: float | None = None,
    context: Any = None,
    run: bool = True,
    after: Turn | None = None,
    asks: bool = True,
) -> Answer[M] | list[Answer[M]]:
    """The answer of a question, or those of several. Raises DataError for a parser that reads each
    question by itself, where one is to go on from another.

    Args:
        k: how many interpretations, the best one and ``k - 1`` alternatives whose answers are
            others, or if none is run, whose meanings are.
        at_least: the probability that a meaning must have to be taken; None for what the parser
            takes by itself, which is chosen on held-out questions.
        context: what the questions are about, where a prediction does not say so itself.
        run: whether meanings are run.
        after: the question before, which each of these may go on from.
        asks: whether it may be asked back which meaning is wanted: more of them are run for that.
    """
    if isinstance(questions, str):
        return answer(parser, [questions], k, at_least, context, run, after, asks)[0]
    # A domain may have to hide what became private meanwhile.
    getattr(parser.domain, "notice", tuple)()
    above = getattr(parser, "asks_above", None) if asks and at_least is None else None
    some = SPARE * k if run and k > 1 else k
    if run:
        some = max(some, _tried(parser.domain), 1 if above is None else READ)
    parse = _parse_after(parser, after)
    predictions = _predictions(parser, questions, lambda asked: parse(asked, some, at_least))
    if not run:
        return [unrun(prediction, parser.domain, k) for prediction in predictions]
    return [
        answered(prediction, parser.domain, k, context, at_least, above)
        for prediction in predictions
    ]


def _predictions(
    parser: Parser[M],
    questions: Sequence[str],
    parse: Callable[[list[str]], list[Prediction[M]]],
) -> list[Prediction[M]]:
    """What was confirmed of questions, and what `parse` says of the others."""
    recalled = list(map(getattr(parser.domain, "recall", _nothing), questions))
    new = [asked for asked, known in zip(questions, recalled, strict=True) if known is None]
    parsed = iter(parse_each(parse, new) if new else ())
    examples = tuple(parser.domain.examples)[:SUGGESTED]
    return [
        replace(found, suggestions=examples)
        if found.meaning is None and not found.suggestions
        else found
        for found in (next(parsed) if known is None else known for known in recalled)
    ]


def choose(
    parser: Parser[M],
    question: str,
    option: str,
    context: Any = None,
    after: Turn | None = None,
) -> Answer[M]:
    """The answer of an option that a question back offers, as `chosen` gives it. `after`: see
    `answer`."""
    getattr(parser.domain, "notice", tuple)()
    parse = _parse_after(parser, after)
    (prediction,) = parse_each(lambda asked: parse(asked, READ, None), [question])
    return chosen(prediction, parser.domain, option, context)


def chosen(
    prediction: Prediction[M], domain: AnyDomain[M], option: str, context: Any = None
) -> Answer[M]:
    """The answer of an option that a question back offers; for none of them the next question back,
    or a refusal. Raises ChoiceError for what is no option of this question.

    Args:
        prediction: with `READ` interpretations.
        option: its id.
    """
    if prediction.meaning is None and not prediction.open:
        return _unrun(prediction, domain)
    found = interpretations(prediction, domain, context)
    for answer in found:
        if option == option_id(answer.text or ""):
            sure = replace(answer.prediction, doubtful=False, alternatives=())
            return replace(answer, prediction=sure, differences=())
    if option not in NONE:
        raise ChoiceError(f"{option!r} is no option of this question: ask it again")
    rest = found[OPTIONS:] if option == NONE[0] else []
    if not rest:
        reason = "none of its interpretations is what you mean: say it in other words"
        return Answer(replace(prediction.refused(reason), alternatives=()), reason=reason)
    best = replace(rest[0], differences=())
    rest = [best, *(_beside(best.prediction, other) for other in rest[1:])]
    back = clarify(rest, gain_of([found[0], *rest]), 1) if len(rest) > 1 else None
    return replace(best, clarification=back)


def interpretations(
    prediction: Prediction[M], domain: AnyDomain[M], context: Any = None
) -> list[Answer[M]]:
    """The interpretations that may be offered, each with another answer, in the order in which they
    are; the first is the answer of the question."""
    if prediction.meaning is None and prediction.alternatives:
        best, *others = prediction.alternatives
        prediction = replace(best, alternatives=tuple(others))
    run = _Runs(domain, context)
    prediction, first = _with_answer(prediction, run, None)
    return [first, *islice(_others(prediction, first, run), OPTIONS * len(NONE) - 1)]


def _nothing(question: str) -> None:
    """Domains without confirmed questions recall none."""


def follow_up_of(parser: Parser[M]) -> Callable[..., Prediction[M]]:
    """The method that reads a question behind another one. Raises DataError for a parser that reads
    each question by itself."""
    if getattr(parser, "conversation", None) is None:
        raise DataError(
            f"this parser of kind {parser.kind} reads each question by itself; ask in full"
        )
    return parser.follow_up  # type: ignore[attr-defined,no-any-return]


def _parse_after(
    parser: Parser[M], after: Turn | None
) -> Callable[[Sequence[str], int, float | None], list[Prediction[M]]]:
    """What reads questions, each of which may go on from the one before them."""
    if after is None:
        return parser.parse
    follow_up = follow_up_of(parser)
    return lambda asked, k, at_least: [follow_up(each, after, k, at_least) for each in asked]


def parse_each(
    parse: Callable[[list[Q]], list[Prediction[M]]], asked: Sequence[Q]
) -> list[Prediction[M]]:
    """What `parse` says of questions, or of examples. One that cannot be read is refused, and the
    others are parsed."""
    try:
        return parse(list(asked))
    except Exception as error:
        if len(asked) != 1:
            return [said for one in asked for said in parse_each(parse, [one])]
        known, first = _known(error), asked[0]
        question = first if isinstance(first, str) else first.question
        return [Prediction(question, reason=f"it cannot be read: {known}", error=known)]


def _known(error: Exception) -> PartwiseError:
    """An error of any kind as one of ours; the text of another kind is not for who asks."""
    if isinstance(error, PartwiseError):
        return error
    known = PartwiseError(f"{type(error).__name__}: {error}")
    known.__cause__ = error
    return known


def unrun(prediction: Prediction[M], domain: AnyDomain[M], k: int = 1) -> Answer[M]:
    """A prediction that is not run, with up to ``k - 1`` of its alternatives."""
    others = tuple(
        _beside(prediction, _unrun(other, domain)) for other in prediction.alternatives[: k - 1]
    )
    return replace(_unrun(replace(prediction, alternatives=()), domain), alternatives=others)


def answered(
    prediction: Prediction[M],
    domain: AnyDomain[M],
    k: int = 1,
    context: Any = None,
    at_least: float | None = None,
    asks_above: float | None = None,
) -> Answer[M]:
    """A prediction with its answer, and with those of up to ``k - 1`` of its alternatives. What
    fails to run gives a reason, not an error. An alternative with the answer of one before it is
    left out, and so is one that does not run. Where several are tried the first interpretation is
    one whose answer is not empty, if there is any, as people rarely ask for what does not exist. It
    is doubtful, and at least `LIKELY` times as probable as the best one; what has an empty answer
    becomes less probable."""
    run = _Runs(domain, context)
    prediction, first = _with_answer(prediction, run, at_least)
    some = _others(prediction, first, run)
    others = list(islice(some, k - 1))
    back = _asked_back(prediction, first, others, some, run, asks_above)
    return replace(first, alternatives=tuple(others), clarification=back)


def _asked_back(
    prediction: Prediction[M],
    first: Answer[M],
    others: list[Answer[M]],
    more: Iterator[Answer[M]],
    run: _Runs[M],
    above: float | None,
) -> Clarification | None:
    """What is asked back, if that gains more than `above`."""
    refused = first.reason is not None
    if above is None or (refused and not prediction.open):
        return None
    if refused:
        best = replace(prediction.alternatives[0], alternatives=prediction.alternatives[1:])
        prediction, first = _with_answer(best, run, None)
        others, more = [], _others(prediction, first, run)
    # Most questions are sure enough that no more need to be run.
    if gain_of([first, *map(_unran, prediction.alternatives)], refused) <= above:
        return None
    offered = [first, *others[: OPTIONS - 1]]
    offered += islice(more, OPTIONS - len(offered))
    gain = gain_of(offered, refused)
    return clarify(offered, gain) if gain > above and len(offered) > 1 else None


def _unran(prediction: Prediction[M]) -> Answer[M]:
    return Answer(prediction)


def _others(prediction: Prediction[M], first: Answer[M], run: _Runs[M]) -> Iterator[Answer[M]]:
    """The alternatives of a prediction that run, each with another answer than those before it."""
    seen = {_denotation(first, run.domain)}
    for other in prediction.alternatives:
        result = run(other)
        denotation = _denotation(result, run.domain)
        if result.reason is None and denotation not in seen:
            seen.add(denotation)
            yield _beside(prediction, result)


class _Runs(Generic[M]):
    def __init__(self, domain: AnyDomain[M], context: Any) -> None:
        self.domain, self.context = domain, context
        self._known: dict[int, Answer[M]] = {}

    def __call__(self, said: Prediction[M]) -> Answer[M]:
        known = self._known.get(id(said.meaning))
        if known is None or said.meaning is None:
            known = self._known[id(said.meaning)] = _run(said, self.domain, self.context)
        return replace(known, prediction=said)


def _with_answer(
    prediction: Prediction[M], run: _Runs[M], at_least: float | None
) -> tuple[Prediction[M], Answer[M]]:
    domain = run.domain
    best = replace(prediction, alternatives=())
    first = run(best)
    tried = _tried(domain)
    if tried < 2 or first.reason is not None or not domain.is_empty(first.value):
        return prediction, first
    less = replace(best, probability=EMPTY * best.probability)
    others = prediction.alternatives
    least = max(LIKELY * best.probability, at_least or 0.0)
    for number, other in enumerate(others[: tried - 1]):
        if other.meaning is None or other.probability < least:
            break
        result = run(other)
        if result.reason is None and not domain.is_empty(result.value):
            less = replace(less, probability=min(less.probability, other.probability))
            said = replace(other, doubtful=True, suggestions=best.suggestions)
            rest = (less, *others[:number], *others[number + 1 :])
            return replace(said, alternatives=rest), replace(result, prediction=said)
    return replace(less, alternatives=others), replace(first, prediction=less)


def _tried(domain: AnyDomain[Any]) -> int:
    """How many interpretations are run until one has an answer that is not empty."""
    return int(getattr(domain, "tried", 1))


def _unrun(prediction: Prediction[M], domain: AnyDomain[M]) -> Answer[M]:
    meaning = prediction.meaning
    if meaning is None:
        return Answer(prediction, reason=prediction.reason, error=prediction.error)
    written = Answer(prediction, reason=prediction.reason)
    try:
        written = replace(written, text=domain.write(meaning, prediction.context))
        if isinstance(domain, ExplainingDomain):
            written = replace(written, explanation=domain.explain(meaning))
        return written
    except Exception as error:
        known = _known(error)
        reason = written.reason or f"it cannot be run: {known}"
        return replace(written, reason=reason, error=known)


def _run(prediction: Prediction[M], domain: AnyDomain[M], context: Any) -> Answer[M]:
    if prediction.meaning is None:
        return _unrun(prediction, domain)
    about = context if prediction.context is None else prediction.context
    try:
        value = domain.run(prediction.meaning, about)
        lines = tuple(domain.show(value))
        text = domain.write(prediction.meaning, prediction.context)
    except Exception as error:
        known = _known(error)
        unanswered = _unrun(prediction, domain)
        return replace(unanswered, reason=f"it does not run: {known}", error=known)
    explanation = value.explanation if isinstance(value, ResultTable) else None
    return Answer(prediction, text, lines, value, prediction.reason, explanation=explanation)


def _beside(best: Prediction[M], other: Answer[M]) -> Answer[M]:
    mine, theirs = best.derivation, other.prediction.derivation
    if mine is None or theirs is None:
        return other
    return replace(other, differences=tuple(mine.differences(theirs)))


def _denotation(result: Answer[Any], domain: AnyDomain[Any]) -> Hashable:
    return ("", result.reason) if result.reason is not None else domain.denotation(result.value)
