"""Stored values in questions: exact ones, misspelt ones, parts of long ones, words for places.

The values lie in a folder as arrays that are looked up on the disk. They are read from the source,
without what is private, and read again (`ValueIndex.refresh`) without any training.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from partwise.database.layer.model import SemanticLayer
from partwise.database.source.connections import Source
from partwise.database.source.index_arrays import IndexArrays
from partwise.database.source.index_building import Collected, collect
from partwise.database.source.question_tokens import QuestionTokens
from partwise.database.source.value_search import (
    PersonName,
    ValueMatch,
    ValueSearch,
    is_covered,
    is_respelt,
)
from partwise.interface.files import write_folder_whole

__all__ = ["PersonName", "ValueIndex", "ValueMatch"]


class ValueIndex:
    """Finds the values of a database in questions.

    Args:
        left_out: columns that are not in it, with the reason.
    """

    def __init__(self, arrays: IndexArrays, left_out: tuple[str, ...] = ()) -> None:
        self.left_out = left_out
        self._arrays = arrays
        self._folder: Path | None = None

    def __len__(self) -> int:
        return len(self._arrays)

    @classmethod
    def build(cls, source: Source, layer: SemanticLayer) -> ValueIndex:
        """The index of all texts of a source that are not private.

        Raises:
            DomainError: if the source cannot be opened or reached.
        """
        return cls.of(collect(source, layer))

    @classmethod
    def of(cls, collected: Collected) -> ValueIndex:
        """The index of some values."""
        arrays, groups = collected.builder.build()
        made = IndexArrays(arrays, groups, frozenset(collected.schema_words))
        return cls(made, tuple(collected.left_out))

    @classmethod
    def load(cls, folder: Path | str) -> ValueIndex:
        """The index that was saved to a folder; its arrays are read when they are needed.

        Raises:
            DataError: if the folder has none.
        """
        made = cls(IndexArrays.load(Path(folder)))
        made._folder = Path(folder)
        return made

    def save(self, folder: Path | str) -> None:
        """Write the index to a folder, whole or not at all."""
        write_folder_whole(Path(folder), self._arrays.save)
        self._folder = Path(folder)

    def refresh(self, source: Source, layer: SemanticLayer) -> None:
        """Read all values again, and save them where they were saved before."""
        made = ValueIndex.build(source, layer)
        self._arrays, self.left_out = made._arrays, made.left_out
        if self._folder is not None:
            self.save(self._folder)
            self._arrays = IndexArrays.load(self._folder)

    def find(self, words: Sequence[str]) -> list[ValueMatch]:
        """The stored values that some words of a question may mean, the best of each span first.

        Args:
            words: of the question in order; quotation marks may be words of their own.
        """
        question = QuestionTokens(words)
        made = self._found(question)
        empty = [one for one in question.quoted if not _within(made, question, one)]
        if not any(one[1] > one[0] for one in empty):
            return made
        # No value is all that is in quotes: some may be a part of it.
        plain = QuestionTokens(words, quotes=False)
        found = self._found(plain)
        return made + [one for span in empty for one in _within(found, plain, span)]

    def _found(self, question: QuestionTokens) -> list[ValueMatch]:
        search = ValueSearch(self._arrays, question)
        whole = [*search.whole(), *search.joined(), *search.places()]
        hits = [*whole, *search.parts()]
        likely = (one for one in hits if not is_covered(one, whole))
        return search.matches([one for one in likely if not is_respelt(one, question, whole)])


def _within(
    matches: Sequence[ValueMatch], question: QuestionTokens, span: tuple[int, int]
) -> list[ValueMatch]:
    """The matches inside a span of tokens."""
    if span[0] == span[1]:
        return []
    start, end = question.words(*span)
    return [one for one in matches if start <= one.start and one.end <= end]
