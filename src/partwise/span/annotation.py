"""Span trees for training programs (Herzig and Berant 2021, section 4.4).

Of all ways to put the constants of a program on phrases of a lexicon, the chart says which have a
tree that means the program, and the conventions of docs/reference/data.md choose among them. Gaps
are where all charts have them: after the constant on their left, or before the whole tree.

A parser's lexicon is a hint, so it may be generous; an annotation's should hold what a person would
point at. A domain may therefore give one of its own, as a class attribute::

    annotation: ClassVar[Mapping[str, Sequence[str]]] = {"count": ("how many", "number of")}

It stands in place of the phrases of the predicates that it lists, and adds to those of entities.
Where it leaves a program without a tree, the domain's own phrases are tried with it.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import combinations, groupby, pairwise, product

import numpy as np

from partwise.chart import charts
from partwise.chart.algebra import NONE, Algebra
from partwise.chart.scores import JOIN, NEVER, FloatArray, SpanScores, SpanTree
from partwise.chart.target_algebra import TargetAlgebra
from partwise.chart.type_algebra import TypeAlgebra
from partwise.errors import DataError, DomainError, PartwiseError
from partwise.interface.data import JOIN_LABEL, Example, Span
from partwise.language.constants import Application
from partwise.language.domain import Domain
from partwise.language.program import Term
from partwise.language.text import tokenize


def spans_of(tree: SpanTree, domain: Domain) -> tuple[Span, ...]:
    """The labelled spans of a tree, parents before children, left before right."""
    return tuple(
        (
            node.start,
            node.end,
            JOIN_LABEL if node.label == JOIN else domain.vocabulary[node.label].category,
        )
        for node in tree.walk()
    )


def tree_of(spans: Sequence[Span], domain: Domain, words: Sequence[str]) -> SpanTree:
    """The tree that has these spans, in whatever order; it need not mean anything. `words`: what
    the spans are over; the tree is over all of them. Raises DataError for spans that are no tree
    (outside the words, twice the same, crossing, none over all words, a constant over others, a
    join over none) or a category that the domain lacks."""
    ordered = sorted(spans, key=lambda span: (span[0], -span[1]))
    _check(ordered, domain, words)
    tree = SpanTree.of_labels(
        {
            (start, end): JOIN if category == JOIN_LABEL else domain.categories[category]
            for start, end, category in ordered
        }
    )
    for node, (start, end, category) in zip(tree.walk(), ordered, strict=True):
        if (category == JOIN_LABEL) != bool(node.children):
            what = "other spans" if node.children else "nothing"
            text = " ".join(words[start:end])
            raise DataError(f"{text!r} is labelled {category} but holds {what}")
    return tree


def _check(ordered: Sequence[Span], domain: Domain, words: Sequence[str]) -> None:
    for start, end, category in ordered:
        if not 0 <= start < end <= len(words):
            raise DataError(
                f"span {start}..{end} ({category}) is not within the {len(words)} words of "
                f"{' '.join(words)!r}; ends are excluded and starts count from 0"
            )
        if category != JOIN_LABEL and category not in domain.categories:
            raise DataError(
                f"span {start}..{end} has the category {category!r}, which {domain.name} lacks; "
                f"composed spans are {JOIN_LABEL!r}"
            )
    for (start, end, one), (begin, stop, two) in combinations(ordered, 2):
        text, other = " ".join(words[start:end]), " ".join(words[begin:stop])
        if (start, end) == (begin, stop):
            raise DataError(f"the words {text!r} are labelled twice, as {one} and as {two}")
        if start < begin < end < stop:
            raise DataError(f"the spans {text!r} and {other!r} cross")
    if not ordered or ordered[0][:2] != (0, len(words)):
        raise DataError(f"no span covers all the words of {' '.join(words)!r}; label it, too")


Words = tuple[str, ...]
Lexicon = Mapping[str, frozenset[Words]]
"""Category -> its phrases, in words."""


def lexicons(
    domain: Domain, phrases: Mapping[str, Sequence[str]] | None = None
) -> tuple[Lexicon, ...]:
    """The lexicons to try in turn, each with an entry for every category. `phrases`: category ->
    phrases; by default the domain's attribute `annotation`, if any. Raises DomainError for a
    category that the domain lacks."""
    given = domain.annotation if phrases is None else phrases
    unknown = sorted(set(given) - set(domain.categories))
    if unknown:
        raise DomainError(f"{domain.name}: annotation phrases for unknown categories: {unknown}")
    both, narrow = {}, {}
    for constant in domain.constants:
        own, more = in_words(constant.phrases), in_words(given.get(constant.category, ()))
        both[constant.category] = own | more
        narrow[constant.category] = more if more and not constant.is_entity else own | more
    return (narrow, both) if given else (both,)


def in_words(phrases: Iterable[str]) -> frozenset[Words]:
    """Phrases as the tokenizer reads them; empty ones are left out."""
    return frozenset(words for phrase in phrases if (words := tokenize(phrase).words))


Placement = tuple[Span, ...]
"""The words of each constant of a program, from left to right."""

Place = tuple[int, int]

MAX_PLACEMENTS = 20_000
TOO_MANY = f"more than {MAX_PLACEMENTS} ways to place its constants"


class AnnotationError(PartwiseError):
    """A question whose words do not say which tree its program has; says why."""


def places(words: Sequence[str], phrases: Iterable[Words]) -> set[Place]:
    """Where phrases stand in a question, as ``(start, end)`` with the end excluded."""
    given = tuple(words)
    return {
        (start, start + len(phrase))
        for phrase in phrases
        for start in range(len(given) - len(phrase) + 1)
        if given[start : start + len(phrase)] == phrase
    }


def maximal(all_places: set[Place]) -> set[Place]:
    """The places that lie in no other."""
    return {
        (start, end)
        for start, end in all_places
        if not any(a <= start and end <= b and (a, b) != (start, end) for a, b in all_places)
    }


def placements(
    words: Sequence[str], counts: Mapping[str, int], lexicon: Lexicon, *, whole: bool
) -> list[Placement]:
    """All placements of so many constants of each category, the most plausible ones first. `whole`:
    leave out places that lie within another of the same category ("population" in "population
    density"). Raises AnnotationError if there are more than `MAX_PLACEMENTS`."""
    choices: list[list[Placement]] = []
    for category, count in counts.items():
        here = places(words, lexicon[category])
        spans = [(*place, category) for place in sorted(maximal(here) if whole else here)]
        if math.comb(len(spans), count) > MAX_PLACEMENTS:
            raise AnnotationError(TOO_MANY)
        choices.append([pick for pick in combinations(spans, count) if _apart(pick)])
    chosen: list[Placement] = [()]
    tries = 0
    # Few choices first, so that clashes show early.
    for options in sorted(choices, key=len):
        tries += len(chosen) * len(options)
        if tries > MAX_PLACEMENTS:
            raise AnnotationError(TOO_MANY)
        joined = (tuple(sorted(placement + more)) for placement in chosen for more in options)
        chosen = [placement for placement in joined if _apart(placement)]
    return sorted(chosen, key=lambda placement: (rank(placement), placement))


def rank(placement: Placement) -> tuple[int, int, int]:
    """How plausible a placement is, less being more. Minus the words that it covers, the words
    between its constants that have no meaning, and the number of runs of such words: constants
    cover long phrases, and stand together."""
    gaps = [two[0] - one[1] for one, two in pairwise(placement)]
    covered = sum(end - start for start, end, _ in placement)
    return -covered, sum(gaps), sum(gap > 0 for gap in gaps)


def _apart(ordered: Placement) -> bool:
    return all(one[1] <= two[0] for one, two in pairwise(ordered))


Phrases = Mapping[str, Sequence[str]]
Leaf = tuple[int, int, int]
"""A constant on words: ``(start, end, category number)``, end excluded."""


class Annotator:
    """Builds the trees of a domain's programs. `phrases`: category -> phrases, for annotation; by
    default the domain's own, see `partwise.span.annotation`. Raises DomainError for phrases of a
    category that the domain lacks."""

    def __init__(self, types: TypeAlgebra, phrases: Phrases | None = None) -> None:
        self.types = types
        self.lexicons = lexicons(types.domain, phrases)

    def annotate(self, example: Example[Term]) -> SpanTree:
        """The tree of one example. Raises UnknownConstantError or ProgramTypeError if the program
        does not type, AnnotationError if no tree fits, or too many placements do equally well."""
        words = tokenize(example.question).words
        program = self.types.check(example.meaning)
        named = (part.constant.category for part in program.walk())
        counts = Counter(name for name in named if name in self.types.domain.categories)
        phrases = self.lexicons[-1]
        missing = [c for c, count in counts.items() if len(places(words, phrases[c])) < count]
        if missing:
            raise AnnotationError(f"no words, or too few, for {', '.join(missing)}")
        target = TargetAlgebra(self.types, program)
        algebras = target.without_ternary(), target
        groups = _argument_groups(program)
        for lexicon, whole in product(self.lexicons, (True, False)):
            choices = placements(words, counts, lexicon, whole=whole)
            for algebra in algebras:
                tree = self._first(algebra, choices, groups, len(words))
                if tree is not None:
                    return tree
        raise AnnotationError("no tree over its words means the program")

    def with_spans(self, example: Example[Term]) -> Example[Term]:
        """One example with its tree; raises as `annotate`."""
        return replace(example, spans=spans_of(self.annotate(example), self.types.domain))

    def _first(
        self, algebra: Algebra, choices: Sequence[Placement], groups: Sequence[set[str]], n: int
    ) -> SpanTree | None:
        """The tree of the most plausible placement (they are in order), if any has one."""
        numbers = self.types.domain.categories
        for _, equal in groupby(choices, rank):
            trees = []
            for placement in equal:
                leaves = [(start, end, numbers[name]) for start, end, name in placement]
                tree = best_over(algebra, leaves, _join_scores(placement, groups, n))
                trees += [] if tree is None else [tree]
            if len(trees) > 2:
                number = len(trees)
                raise AnnotationError(f"{number} ways to place its constants are equally plausible")
            if trees:
                return trees[0]
        return None


def _argument_groups(program: Application) -> list[set[str]]:
    """For each implied predicate, the constants that stand in it as they are."""
    groups: defaultdict[str, set[str]] = defaultdict(set)
    for part in program.walk():
        if part.constant.type_shift:
            groups[part.constant.category].update(
                arg.constant.category for arg in part.args if arg is not None and not any(arg.args)
            )
    return list(groups.values())


def _join_scores(placement: Placement, groups: Sequence[set[str]], n: int) -> FloatArray:
    """``[n+1, n+1]``: one for each join, so that ternary ones are avoided, and less than one
    over the whole tree for how it branches: to the right over constants of one group alone, with
    or without the gap at their end."""
    sign = -np.ones((n + 1, n + 1))
    gap_ends = [start for start, _, _ in placement[1:]] + [n]
    for first, (start, _, _) in enumerate(placement):
        for group in groups:
            for (_, end, name), gap_end in zip(placement[first:], gap_ends[first:], strict=True):
                if name not in group:
                    break
                sign[start, end : gap_end + 1] = 1.0
    return 1.0 + sign * np.arange(n + 1)[:, None] / (4.0 * (n + 1) ** 2)


def leaves_of(tree: SpanTree) -> frozenset[Leaf]:
    return frozenset((n.start, n.end, n.label) for n in tree.walk() if not n.children)


def best_over(algebra: Algebra, leaves: Collection[Leaf], join: FloatArray) -> SpanTree | None:
    """The tree with the most score that has exactly these constants, None if there is none. `join`:
    ``[n+1, n+1]``, the score of a composed span; constants score zero."""
    columns = np.unique([category for _, _, category in leaves])
    if (algebra.starts(columns) == NONE).any():
        return None
    constants = np.full((*join.shape, len(columns)), NEVER)
    for start, end, category in leaves:
        constants[start, end, np.searchsorted(columns, category)] = 0.0
    best = charts().best(SpanScores.of(constants, join, columns=columns), algebra)
    return best.tree if best is not None and leaves_of(best.tree) == frozenset(leaves) else None
