"""Questions as tokens with word classes, and coordinated ones as groups.

Tokens of one kind, joined by commas and "and", are a group (Gai et al. 2021, section 3.2). Beyond
the paper, phrases of one shape are grouped too, place by place: "edited by , directed by , and
written by M0" becomes "{edited, directed, written} {by} M0".
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from partwise.graph.grammar.phrases import AND, COMMA
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
    """Finds the phrases of a domain's word lists, the longest first; `read` gives the words."""

    def __init__(self, domain: GraphDomain, read: Callable[[str], Words] = tokenize) -> None:
        self.read = read
        self.known: dict[tuple[str, ...], frozenset[str]] = {}
        for name, phrases in domain.words.items():
            for phrase in phrases:
                words = tokenize(phrase).words
                self.known[words] = self.known.get(words, frozenset()) | {name}
        self.longest = max(map(len, self.known), default=1)

    def __call__(self, question: str) -> TaggedTokens:
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


LONGEST_UNIT = 2
Kinds = frozenset[str]


@dataclass(frozen=True)
class TokenGroup:
    """A position of the sequence: coordinated tokens, or one, with the classes that they have."""

    tag: str
    tokens: tuple[int, ...]


def group(
    tokens: TaggedTokens, grouping: bool = True, phrases: bool = True, open_: bool = False
) -> list[TokenGroup]:
    """The groups of a question, from left to right, each as long as it can be. `grouping`: whether
    coordinated tokens are put together at all; `phrases`: whether phrases of one shape are, too;
    `open_`: whether a list may end without "and", as Chinese ones may."""
    # Of a function word, the word.
    kinds = [
        classes - {text} or frozenset({text})
        for classes, text in zip(tokens.classes, tokens.texts, strict=True)
    ]
    longest = (LONGEST_UNIT if phrases else 1) if grouping else 0
    groups: list[TokenGroup] = []
    at = 0
    while at < len(kinds):
        sizes = range(longest, 0, -1)
        several = ((_unit_starts(kinds, tokens.texts, at, n, open_), n) for n in sizes)
        units, size = next((pair for pair in several if len(pair[0]) > 1), ([at], 1))
        for place in range(size):
            members = tuple(unit + place for unit in units)
            shared = frozenset.intersection(*(kinds[member] for member in members))
            groups.append(TokenGroup("|".join(sorted(shared)), members))
        # The last unit ends the group.
        at = units[-1] + size
    return groups


def _unit_starts(
    kinds: Sequence[Kinds], texts: Sequence[str], at: int, size: int, open_: bool
) -> list[int]:
    """Where the units of a list that begins at a token begin; itself alone if there is none."""
    shared = list(kinds[at : at + size])
    if len(shared) < size or shared[0] == frozenset({texts[at]}):
        return [at]
    # "directed M0 and edited M1" is no group: who is directed is not edited.
    if size > 1 and any(ENTITY in shared[i] or texts[at + i] in (COMMA, AND) for i in range(size)):
        return [at]
    starts, end, last = [at], at + size, False
    while not last:
        begin, last = _after_joint(texts, end)
        following = kinds[begin : begin + size] if begin > end else []
        both = [one & other for one, other in zip(shared, following, strict=False)]
        if len(both) < size or not all(both):
            return starts if open_ else [at]
        shared = both
        starts.append(begin)
        end = begin + size
    return starts


def _after_joint(texts: Sequence[str], at: int) -> tuple[int, bool]:
    """Where the next unit begins after a comma or an "and", and whether it is the last."""
    after = at + (at < len(texts) and texts[at] == COMMA)
    if after < len(texts) and texts[after] == AND:
        return after + 1, True
    return after, False
