"""Training examples made ready for a span parser: checked, with the algebra of their program."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from partwise.chart.algebra.base import Algebra
from partwise.chart.algebra.target import TargetAlgebra
from partwise.chart.algebra.type import TypeAlgebra
from partwise.chart.tree import JOIN, SpanTree
from partwise.errors import DataError, PartwiseError
from partwise.interface.data import Example
from partwise.language.program import Term
from partwise.language.tokenizer import Words
from partwise.span.annotation.builder import Annotator
from partwise.span.annotation.spans import spans_of, tree_of
from partwise.span.labels import Labels, Prepared


@dataclass(frozen=True, eq=False)
class TrainingItem:
    """A question with the algebra of its gold program, and its tree where one is given."""

    question: Prepared
    target: Algebra
    example: Example[Term]
    tree: SpanTree | None = None


@dataclass(frozen=True, eq=False)
class ItemMaker:
    """Makes training items of examples.

    Attributes:
        ternary: whether non-projective joins are on.
        given_trees: whether examples must have span trees; if none has any, they are annotated by
            lexicon.
    """

    types: TypeAlgebra
    labels: Labels
    ternary: bool
    given_trees: bool

    def annotated(self, examples: Sequence[Example[Term]]) -> Sequence[Example[Term]]:
        """The examples with span trees by lexicon, if trees are needed and none are given.

        What cannot be annotated stays as it is.
        """
        if not self.given_trees or any(example.spans is not None for example in examples):
            return examples
        annotator = Annotator(self.types)

        def one(example: Example[Term]) -> Example[Term]:
            try:
                tree = annotator.annotate(example)
            except PartwiseError:
                return example
            return replace(example, spans=spans_of(tree, self.types.domain))

        return [one(example) for example in examples]

    def item(self, example: Example[Term], words: Words) -> TrainingItem:
        """One example made ready.

        Raises:
            PartwiseError: if its program or its tree cannot be used.
        """
        whole = TargetAlgebra(self.types, self.types.check(example.meaning))
        target = whole if self.ternary else whole.without_ternary()
        tree = self._given_tree(example, words) if self.given_trees else None
        return TrainingItem(self.labels.prepare(words), target, example, tree)

    def _given_tree(self, example: Example[Term], words: Words) -> SpanTree:
        if example.spans is None:
            raise DataError("no span tree is given, and none can be made by lexicon")
        domain = self.types.domain
        tree = tree_of(example.spans, domain, words.words)
        for (start, end), label in tree.labels().items():
            if label != JOIN and not self.labels.may_stand(label, words, start, end):
                raise DataError(
                    f"its span tree calls {' '.join(words.words[start:end])!r} "
                    f"{domain.vocabulary[label].category}, but no name of it reads so; "
                    "give the domain this name as an alias, or free the entities"
                )
        return tree
