"""WordClasses: what is learned of a language's words, as plain data that a person can correct."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from partwise.encoders.storage import read_json
from partwise.errors import CheckpointError
from partwise.graph.classes.affixes import Affixes
from partwise.graph.classes.segmentation import words_of
from partwise.graph.grammar.rules import AND, COMMA
from partwise.language.graph_domain import GraphDomain, Relation
from partwise.language.query_graph import Head
from partwise.language.text import Words

Cue = tuple[str, str, Head]
"""Where a word stands (``first``, ``last``, ``has``; ``any`` for all questions), the word, and the
head of the queries of such questions. In a script without blanks a character may be the word."""


@dataclass(frozen=True)
class WordClasses:
    """What training pairs say of the words of a language.

    Attributes:
        words: word class -> its words and terms; a word may be in several classes.
        joints: words of lists -> the comma or "and" that they are read as.
        cues: what tells the head of a query; the first that fits decides.
        differ: predicates whose ends must differ.
        pieces: words of a script without blanks.
        affixes: of words in other scripts, that are words of their own.
    """

    words: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    joints: Mapping[str, str] = field(default_factory=dict)
    cues: tuple[Cue, ...] = ()
    differ: tuple[str, ...] = ()
    pieces: tuple[str, ...] = ()
    affixes: Affixes = field(default_factory=Affixes)

    @property
    def unspaced(self) -> bool:
        """Whether the script writes no blanks between words."""
        return bool(self.pieces)

    def read(self, question: str) -> Words:
        """The words of a question, those of lists as the phrase rules have them."""
        words = self._plain(question)
        return replace(words, words=tuple(self.joints.get(word, word) for word in words.words))

    def _plain(self, question: str) -> Words:
        return self.affixes.split(words_of(question, self.pieces))

    def head(self, question: str) -> Head:
        """What the query of a question gives."""
        cues = cues_of(self._plain(question).words, self.unspaced)
        fits = (head for where, word, head in self.cues if where == "any" or (where, word) in cues)
        return next(fits, "select")

    def applied(self, domain: GraphDomain) -> GraphDomain:
        """The domain with these words and filters, and nothing that it declares of language."""
        relations = tuple(Relation(predicate, differ=True) for predicate in self.differ)
        return replace(
            domain, words=dict(self.words), phrases=(), relations=relations, attributes=()
        )

    def to_dict(self) -> dict[str, Any]:
        """The classes as JSON values."""
        return asdict(self)

    @staticmethod
    def from_dict(values: Mapping[str, Any]) -> WordClasses:
        """Read the output of `to_dict`.

        Raises:
            ValueError: for what is none.
        """
        joints = {str(word): str(joint) for word, joint in values["joints"].items()}
        cues = [(str(where), str(word), head) for where, word, head in values["cues"]]
        if not set(joints.values()) <= {COMMA, AND}:
            raise ValueError(f"list words are read as {COMMA!r} or {AND!r}")
        if not {head for *_, head in cues} <= {"ask", "select"}:
            raise ValueError("a cue's head is ask or select")
        return WordClasses(
            {str(name): tuple(map(str, some)) for name, some in values["words"].items()},
            joints,
            tuple(cues),
            tuple(map(str, values["differ"])),
            tuple(map(str, values["pieces"])),
            # Files of earlier versions have none.
            Affixes(**{k: tuple(map(str, v)) for k, v in values.get("affixes", {}).items()}),
        )


def read_word_classes(file: Path) -> WordClasses:
    """The word classes of a saved parser, or corrected ones.

    Raises:
        PartwiseError: if the file cannot be read, or has another form.
    """
    values = read_json(file)
    try:
        return WordClasses.from_dict(values)
    except (LookupError, TypeError, ValueError, AttributeError) as error:
        raise CheckpointError(
            f"{file} is damaged ({type(error).__name__}: {error}); copy, correct or learn it again"
        ) from error


def cues_of(words: Sequence[str], unspaced: bool = False) -> frozenset[tuple[str, str]]:
    """What may tell the head of a question: its words, and those at its ends.

    Args:
        unspaced: whether the script writes no blanks. Then each character may tell it too: "which"
            may be merged with the noun after it, and stand before others in other questions.
    """
    if not words:
        return frozenset()
    ends = {("first", words[0]), ("last", words[-1])}
    parts = "".join(words) if unspaced else ()
    return frozenset(ends | {("has", word) for word in (*words, *parts)})
