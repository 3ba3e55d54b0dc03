"""Draft questions for programs: phrases in the order, and with the small words, of the examples.

How a predicate and its argument lie to each other is read off the span trees that the examples
have by lexicon ("the first *of the* books by X"). What the examples do not show is put as predicate
first, argument after. A draft is for a person to correct.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping

from partwise.authoring.validation.heads import Dependency, size_of
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
"""Whether the predicate is before its argument, and the words between them."""


class QuestionDrafter:
    """Writes draft questions in the manner of the examples.

    Args:
        examples: whose programs type; those without a tree by lexicon teach nothing.
    """

    def __init__(self, types: TypeAlgebra, examples: Iterable[Example[Term]]) -> None:
        self.types = types
        self.gaps: defaultdict[Dependency, Counter[Gap]] = defaultdict(Counter)
        self.phrases: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self.leads: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self.ends: Counter[str] = Counter()
        annotator = Annotator(types)
        for example in examples:
            try:
                root = read_tree(annotator.annotate(example), types)
                self._learn(root, tokenize(example.question), types.check(example.meaning))
            except PartwiseError:
                continue

    def draft(self, program: Application) -> str:
        """A question for a program, in small letters but for names."""
        lead = _most_common(self.leads[program.constant.head], "")
        return _joined(lead, self._phrase(program), _most_common(self.ends, "?"))

    def _phrase(self, program: Application) -> str:
        constant = program.constant
        text = _most_common(self.phrases[constant.category], "") or _first_phrase(constant)
        before = ""
        for slot, arg in enumerate(program.args):
            if arg is not None:
                first, gap = self._gap(constant, slot, arg.constant)
                if first:
                    text = _joined(text, gap, self._phrase(arg))
                else:
                    before = _joined(before, self._phrase(arg), gap)
        return _joined(before, text)

    def _gap(self, parent: Constant, slot: int, child: Constant) -> Gap:
        """How a predicate and its argument lie to each other: as in the examples, else as a like
        predicate does to this argument, else as this predicate does to any other."""
        find = self.types.domain.vocabulary.find
        ways: dict[int, Counter[Gap]] = {}
        for (head, of, argument), gaps in self.gaps.items():
            mine, same = head == parent.head, argument == child.head
            other = find(head, None)
            like = other is not None and other.signatures == parent.signatures
            if of == slot and (mine or (same and like)):
                place = 0 if mine and same else 1 if same else 2
                ways.setdefault(place, Counter()).update(gaps)
        counts = ways[min(ways)] if ways else Counter[Gap]()
        # Of equally frequent ways the shortest, then the first by text: drafts stay the same.
        return min(counts, key=lambda gap: (-counts[gap], len(gap[1]), gap), default=(True, ""))

    def _learn(self, root: Node, words: Words, program: Application) -> None:
        nodes = sorted((n for n in root.walk() if not n.children), key=lambda n: n.start)
        leaves = {node.label: node for node in nodes}
        if not len(nodes) == len(leaves) == size_of(program):
            # Which of two equal parts is which cannot be told by the leaves alone.
            return
        for part in program.walk():
            leaf = leaves.get(part.constant.category)
            if leaf is None:
                continue
            if not part.constant.is_entity:
                self.phrases[leaf.label][words.span(leaf.start, leaf.end).lower()] += 1
            for slot, arg in enumerate(part.args):
                gap = None if arg is None else _gap_between(leaf, arg, leaves, words)
                if arg is not None and gap is not None:
                    self.gaps[part.constant.head, slot, arg.constant.head][gap] += 1
        self.leads[program.constant.head][" ".join(words.words[: nodes[0].start])] += 1
        last = words.words[-1]
        self.ends[last if last in ENDS else ""] += 1


def _gap_between(
    leaf: Node, program: Application, leaves: Mapping[str, Node], words: Words
) -> Gap | None:
    """How a predicate lies to its argument; None if they overlap or others are between them."""
    nodes = [leaves[p.constant.category] for p in program.walk() if p.constant.category in leaves]
    if not nodes or len(nodes) < size_of(program):
        return None
    start, end = min(node.start for node in nodes), max(node.end for node in nodes)
    first = leaf.end <= start
    low, high = (leaf.end, start) if first else (end, leaf.start)
    if low > high or any(low <= other.start < high for other in leaves.values()):
        return None
    return first, " ".join(words.words[low:high])


def _first_phrase(constant: Constant) -> str:
    if constant.type_shift:
        return ""
    if constant.phrases:
        return constant.phrases[0]
    return str(constant.name) if constant.is_entity else constant.head.replace("_", " ")


def _most_common(counts: Counter[str], otherwise: str) -> str:
    return min(counts, key=lambda text: (-counts[text], len(text), text), default=otherwise)


def _joined(*texts: str) -> str:
    return " ".join(text for text in texts if text)
