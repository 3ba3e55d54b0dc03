"""Questions to tokens with their word classes, by a domain's word lists."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from partwise.language.graph_domain import GraphDomain
from partwise.language.text import Words, tokenize

ENTITY = "entity"
"""The word class of entities."""
_PLACEHOLDER = re.compile(r"m\d+")


@dataclass(frozen=True)
class TaggedTokens:
    """A question's tokens; a phrase of the word lists is one token.

    Attributes:
        question: its words.
        texts: each token's text in lower case; placeholders of entities as M0, M1, ...
        classes: for each token its word classes, and its text as a literal of the rules.
        spans: for each token the numbers of its words, the end excluded.
    """

    question: Words
    texts: tuple[str, ...]
    classes: tuple[frozenset[str], ...]
    spans: tuple[tuple[int, int], ...]

    def __len__(self) -> int:
        return len(self.texts)


class Tagger:
    """Finds the phrases of a domain's word lists, the longest first.

    Args:
        read: the words of a question.
    """

    def __init__(self, domain: GraphDomain, read: Callable[[str], Words] = tokenize) -> None:
        self.read = read
        self.known: dict[tuple[str, ...], frozenset[str]] = {}
        for name, phrases in domain.words.items():
            for phrase in phrases:
                words = tokenize(phrase).words
                self.known[words] = self.known.get(words, frozenset()) | {name}
        self.longest = max(map(len, self.known), default=1)

    def __call__(self, question: str) -> TaggedTokens:
        """The tokens of a question."""
        words = self.read(question)
        texts: list[str] = []
        classes: list[frozenset[str]] = []
        spans: list[tuple[int, int]] = []
        at = 0
        while at < len(words):
            sizes = range(min(self.longest, len(words) - at), 1, -1)
            size = next((n for n in sizes if words.words[at : at + n] in self.known), 1)
            text = " ".join(words.words[at : at + size])
            if _PLACEHOLDER.fullmatch(text):
                text, known = text.upper(), frozenset({ENTITY})
            else:
                known = self.known.get(tuple(text.split()), frozenset()) | {text}
            texts.append(text)
            classes.append(known)
            spans.append((at, at + size))
            at += size
        return TaggedTokens(words, tuple(texts), tuple(classes), tuple(spans))
