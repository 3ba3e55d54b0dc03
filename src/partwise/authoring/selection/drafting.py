"""Draft questions for programs: phrases in the order, and with the small words, of the pairs.

How a predicate and its argument stand to each other is read off the span trees that the pairs have
by lexicon ("the first *of the* books by X"). What the pairs do not show is put as predicate first,
argument after. A draft is for a person to put right.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable

from partwise.authoring.validation.coverage import size_of
from partwise.authoring.validation.heads import Link
from partwise.chart.algebra.type import TypeAlgebra
from partwise.chart.semantics import Node, read_tree
from partwise.errors import PartwiseError
from partwise.interface.data import Example
from partwise.language.domain import Application, Constant
from partwise.language.program import Term
from partwise.language.tokenizer import Words, tokenize
from partwise.span.annotation.builder import Annotator

ENDS = ("?", ".", "!")
Gap = tuple[bool, str]
"""Whether the predicate stands before its argument, and the words between them."""


class Drafter:
    """Writes draft questions in the manner of the pairs.

    Args:
        examples: pairs whose program types; those without a tree by lexicon teach nothing.
    """

    def __init__(self, types: TypeAlgebra, examples: Iterable[Example[Term]]) -> None:
        self.types = types
        self.gaps: defaultdict[Link, Counter[Gap]] = defaultdict(Counter)
        self.phrases: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self.leads: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self.ends: Counter[str] = Counter()
        annotator = Annotator(types)
        for example in examples:
            try:
                tree = annotator.annotate(example)
                self._learn(read_tree(tree, types), tokenize(example.question), example)
            except PartwiseError:
                continue

    def draft(self, program: Application) -> str:
        """A question for a program, in small letters but for names."""
        text = self._phrase(program)
        lead = self._usual(self.leads[program.constant.head], "")
        end = self._usual(self.ends, "?")
        return " ".join(part for part in (lead, text, end) if part)

    def _phrase(self, program: Application) -> str:
        constant = program.constant
        own = self._usual(self.phrases[constant.category], "") or self._first_phrase(program)
        before, after = "", own
        for slot, arg in enumerate(program.args):
            if arg is None:
                continue
            first, gap = self._gap(constant, slot, arg.constant)
            if first:
                after = " ".join(part for part in (after, gap, self._phrase(arg)) if part)
            else:
                before = " ".join(part for part in (before, self._phrase(arg), gap) if part)
        return f"{before} {after}".strip()

    @staticmethod
    def _first_phrase(program: Application) -> str:
        constant = program.constant
        if constant.type_shift:
            return ""
        if constant.phrases:
            return constant.phrases[0]
        return str(constant.name) if constant.is_entity else constant.head.replace("_", " ")

    def _gap(self, parent: Constant, slot: int, child: Constant) -> Gap:
        """How a predicate and its argument stand to each other: as in the pairs, else as a like
        predicate stands to this argument, else as this predicate stands to any other."""
        alike = (
            {link for link in self.gaps if link == (parent.head, slot, child.head)},
            {
                link
                for link in self.gaps
                if link[1:] == (slot, child.head) and self._like(parent, link)
            },
            {link for link in self.gaps if link[:2] == (parent.head, slot)},
        )
        links = next((found for found in alike if found), set())
        counts = sum((self.gaps[link] for link in links), Counter[Gap]())
        # Of equally frequent ways the shortest, then the first by text: drafts stay the same.
        return min(counts, key=lambda gap: (-counts[gap], len(gap[1]), gap), default=(True, ""))

    def _like(self, parent: Constant, link: Link) -> bool:
        """Whether a link's predicate has the signatures of another one."""
        other = self.types.domain.vocabulary.find(link[0], None)
        return other is not None and other.signatures == parent.signatures

    @staticmethod
    def _usual(counts: Counter[str], otherwise: str) -> str:
        return min(counts, key=lambda text: (-counts[text], len(text), text), default=otherwise)

    # --- learning ------------------------------------------------------------------------

    def _learn(self, root: Node, words: Words, example: Example[Term]) -> None:
        program = self.types.check(example.meaning)
        leaves = sorted((n for n in root.walk() if not n.children), key=lambda n: n.start)
        by_category: dict[str, list[Node]] = {}
        for leaf in leaves:
            by_category.setdefault(leaf.label, []).append(leaf)
        if len(leaves) != size_of(program) or any(len(v) > 1 for v in by_category.values()):
            # Which of two equal parts is which cannot be told by the leaves alone.
            return
        places = {name: found[0] for name, found in by_category.items()}
        self._learn_parts(program, places, words)
        lead = " ".join(words.words[: leaves[0].start])
        self.leads[program.constant.head][lead] += 1
        last = words.words[-1] if words.words else ""
        self.ends[last if last in ENDS else ""] += 1

    def _learn_parts(self, program: Application, places: dict[str, Node], words: Words) -> None:
        for part in program.walk():
            leaf = places.get(part.constant.category)
            if leaf is None:
                continue
            if not part.constant.is_entity:
                self.phrases[part.constant.category][words.span(leaf.start, leaf.end).lower()] += 1
            for slot, arg in enumerate(part.args):
                span = None if arg is None else _span(arg, places)
                if arg is not None and span is not None:
                    link = (part.constant.head, slot, arg.constant.head)
                    self._learn_gap(link, leaf, span, places, words)

    def _learn_gap(
        self,
        place: Link,
        leaf: Node,
        span: tuple[int, int],
        places: dict[str, Node],
        words: Words,
    ) -> None:
        start, end = span
        first = leaf.end <= start
        if not first and end > leaf.start:
            return
        low, high = (leaf.end, start) if first else (end, leaf.start)
        if any(low <= other.start < high for other in places.values()):
            return
        self.gaps[place][first, " ".join(words.words[low:high])] += 1


def _span(program: Application, places: dict[str, Node]) -> tuple[int, int] | None:
    """The words from the first to the last part of a program; None if a part has no words."""
    found = [places.get(part.constant.category) for part in program.walk()]
    nodes = [node for node in found if node is not None]
    if not nodes or len(nodes) < size_of(program):
        return None
    return min(node.start for node in nodes), max(node.end for node in nodes)
