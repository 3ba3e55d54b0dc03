"""What the score of a tree over a schema is the sum of, by name.

Each step of a tree has one `ScoredPart`: figures with names, which have a weight each, and spans in
roles, which the network scores by their words. Search and training sum the same parts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from sys import intern
from typing import NamedTuple

from partwise.chart.k_best import FromConstant, FromFill, FromJoin, FromSkip, FromUnary, Item
from partwise.database.context import Context, Mention, context_of, nearness
from partwise.database.interpretation import items_of
from partwise.database.phrases import MATCH, SpanConstant
from partwise.database.spans.names import SchemaItem
from partwise.database.spans.text import Word, function_words
from partwise.execution.relational.schema import Schema

FIRST_WEIGHTS: Mapping[str, float] = {
    **{"constant TABLE": -0.9, "constant TABLE exact": 1.0, "constant TABLE covered": 0.8},
    **{"constant TABLE alike": 1.0, "constant TABLE words": 0.6},
    **{"constant COLUMN": -0.9, "constant COLUMN exact": 1.2, "constant COLUMN covered": 0.8},
    **{"constant COLUMN alike": 1.0, "constant COLUMN words": 0.6, "constant COLUMN first": 0.2},
    **{"constant COLUMN rank": 1.0, "constant ORDER rank": 1.0, "constant COLUMN_SIGN rank": 1.0},
    **{"constant VALUE exact": 1.2, "constant VALUE typed": 0.6, "constant VALUE places": 0.5},
    **{"constant VALUE words": 0.8, "constant MEASURE": 0.2, "constant NUMBER": 0.4},
    **{"constant PERIOD": 0.5, "constant TEXT": -0.5, "constant ORDER": -0.2},
    **{"constant COLUMN_SIGN": -0.2, "constant CONDITION": -0.2, "constant CONDITION places": 0.3},
    **{"constant CONDITION rank": 0.5, "constant operation": 0.4, "constant operation words": 0.4},
    **{"skip function": 0.0, "skip content": -1.2, "skip number": -1.5, "skip name": -0.8},
    **{"link": -0.35, "unlinked": -3.0},
}
"""Where learning begins, beside the prices of joins, slots and steps."""
_KINDS = frozenset(name.split()[1] for name in FIRST_WEIGHTS if name.startswith("constant "))
_PRICED = frozenset({"join", "unary", "slot", "step"})
FAR, MOST_LINKS = 9, 4
"""Links behind which two tables count as not linked, and the most that are priced."""


def first_weight(feature: str, prices: Mapping[str, float]) -> float:
    """The weight that a figure has before anything is learned.

    Args:
        prices: of joins, unary steps, slots and implicit steps.
    """
    kind, _, name = feature.partition(" ")
    return prices.get(name, 0.0) if kind in _PRICED else FIRST_WEIGHTS.get(feature, 0.0)


class RoleUse(NamedTuple):
    """A span in a role.

    Attributes:
        item: what its words speak of, if it is a constant.
        named: whether they stand for it, and not for a value that it has.
    """

    start: int
    end: int
    role: str
    item: SchemaItem | None = None
    named: bool = False


class ScoredPart(NamedTuple):
    """What one step adds to a score.

    Attributes:
        step: its name, if the question as a whole has a score for it.
    """

    features: tuple[tuple[str, float], ...]
    uses: tuple[RoleUse, ...] = ()
    step: str = ""


class SchemaQuestion(NamedTuple):
    """A question, and what its words may stand for.

    Attributes:
        words: all of its words.
        context: the names that some of its words may stand for.
        skips: for each word the figure of passing it over.
    """

    words: Sequence[Word]
    constants: Sequence[SpanConstant]
    context: Context
    skips: tuple[str, ...]

    # --- the parts of a score --------------------------------------------------------------

    def constant(self, number: int) -> ScoredPart:
        """Of a constant."""
        known = self.constants[number]
        figures = _constant(known.kind, known.role, known.type)
        figures += tuple(
            (name, value)
            for name, value in zip(_matches(known.kind), known.match, strict=False)
            if value
        )
        named = known.kind != "VALUE" and known.role != "period silent"
        return ScoredPart(
            figures, (RoleUse(known.start, known.end, known.role, known.item, named),)
        )

    def join(self, name: str, left: Item, right: Item) -> ScoredPart:
        """Of a join."""
        step = f"join {name}"
        uses = (
            self._use(left, f"{step} left"),
            self._use(right, f"{step} right"),
            RoleUse(left.start, right.end, step),
        )
        return ScoredPart(((step, 1.0),), uses, step)

    def unary(self, name: str, item: Item) -> ScoredPart:
        """Of a unary step."""
        step = f"unary {name}"
        return ScoredPart(((step, 1.0),), (RoleUse(item.start, item.end, step),), step)

    def fill(self, slot: str, item: Item, last: str, same: str) -> ScoredPart:
        """Of what a modifier does in a frame, behind another."""
        step, pair = f"slot {slot}", f"pair {last} {slot} {same}".rstrip()
        uses = self._use(item, step), RoleUse(item.start, item.end, pair)
        if item.constant < 0:
            return ScoredPart(
                ((step, 1.0), (pair, 1.0), (f"filling {slot} built", 1.0)), uses, step
            )
        known = self.constants[item.constant]
        exact = (f"filling {slot} exact",) if known.match[:1] == (1.0,) else ()
        names = (step, pair, f"filling {slot} of {known.type or known.kind.lower()}", *exact)
        return ScoredPart(tuple((name, 1.0) for name in names), uses, step)

    def skip(self, word: int) -> ScoredPart:
        """Of a word that gives nothing."""
        return ScoredPart(((self.skips[word], 1.0),))

    def _use(self, item: Item, role: str) -> RoleUse:
        known = self.constants[item.constant].item if item.constant >= 0 else None
        return RoleUse(item.start, item.end, role, known)


def links_part(number: int) -> ScoredPart:
    """Of the links between a modifier and its frame."""
    far = (("unlinked", 1.0),) if number >= FAR else ()
    near = (("link", float(min(number, MOST_LINKS))),) if number else ()
    return ScoredPart((*near, *far))


def step_part(name: str) -> ScoredPart:
    """Of an implicit step, or of the shape of a frame."""
    step = f"step {name}"
    return ScoredPart(((step, 1.0),), (), step)


@lru_cache(maxsize=4096)
def _constant(kind: str, role: str, type_: str) -> tuple[tuple[str, float], ...]:
    names = (
        f"constant {_shown(kind)}",
        f"role {role}",
        *((f"{role} of {type_}",) if type_ else ()),
    )
    return tuple((name, 1.0) for name in names)


@lru_cache(maxsize=256)
def _matches(kind: str) -> tuple[str, ...]:
    return tuple(f"constant {_shown(kind)} {name}" for name in MATCH)


def _shown(kind: str) -> str:
    return kind if kind in _KINDS else "operation"


# --- questions -------------------------------------------------------------------------------


def question_of(
    words: Sequence[Word],
    constants: Sequence[SpanConstant],
    rows: Mapping[SchemaItem, Sequence[int]],
    types: Mapping[SchemaItem, str],
    schema: Schema,
) -> SchemaQuestion:
    """A question with the names that it may speak of.

    Args:
        rows: which names of the database are of which item.
        types: what each item is.
    """
    context = context_of(_mentions(constants), rows, types, schema)
    named = {
        word
        for known in constants
        if known.match[:1] == (1.0,)
        for word in range(known.start, known.end)
    }
    skips = tuple(_skip(word, number in named) for number, word in enumerate(words))
    return SchemaQuestion(words, constants, context, skips)


def _mentions(constants: Iterable[SpanConstant]) -> list[Mention]:
    """What constants speak of; those that put several things together only do so by the way."""
    by_name = {"TABLE", "COLUMN", "MEASURE", "CONDITION"}
    made = []
    for known in constants:
        if known.item is not None:
            near = nearness(known.match if known.kind in by_name else ())
            relation = "value" if known.kind == "VALUE" else near
            made.append(Mention(known.start, known.end, known.item, relation))
    return made


def _skip(word: Word, named: bool) -> str:
    if word.plain[:1].isdigit():
        return "skip number"
    if word.stem in function_words() or not word.plain[:1].isalnum():
        return "skip function"
    return "skip name" if named else "skip content"


# --- derivations -----------------------------------------------------------------------------


class SchemaDerivation(NamedTuple):
    """A tree as far as its score goes.

    Attributes:
        uses: of spans, in roles.
        skipped: numbers of the words that gave nothing.
        steps: joins, slots and what else the question as a whole has a score for.
        features: summed, by name.
    """

    uses: tuple[RoleUse, ...]
    skipped: tuple[int, ...]
    steps: tuple[str, ...]
    features: Mapping[str, float]


def derivation_of(item: Item, steps: Iterable[str], question: SchemaQuestion) -> SchemaDerivation:
    """What the score of an interpretation is the sum of.

    Args:
        steps: implicit ones, and the shape of the frame.
    """
    skipped, parts = [], [step_part(name) for name in steps]
    for inner in items_of(item):
        if isinstance(inner.back, FromSkip):
            skipped.append(inner.back.word)
        parts += _parts(inner, question)
    features: Counter[str] = Counter()
    for part in parts:
        for name, value in part.features:
            # Lists of many trees have each name once.
            features[intern(name)] += value  # type: ignore[assignment]
    return SchemaDerivation(
        tuple(use._replace(role=intern(use.role)) for part in parts for use in part.uses),
        tuple(skipped),
        tuple(intern(part.step) for part in parts if part.step),
        dict(features),
    )


def _parts(item: Item, question: SchemaQuestion) -> list[ScoredPart]:
    match item.back:
        case FromConstant(number):
            return [question.constant(number)]
        case FromJoin(name, left, right):
            return [question.join(name, left, right)]
        case FromUnary(name, inner):
            return [question.unary(name, inner)]
        case FromSkip(word):
            return [question.skip(word)]
        case FromFill(slot, links, _, modifier, last, same):
            return [question.fill(slot, modifier, last, same), links_part(links)]
