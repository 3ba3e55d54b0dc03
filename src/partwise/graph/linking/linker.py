"""Linker: the entities that a question names, and the question as a pattern over placeholders.

``Did Alien's director edit Heat, Fargo and Alien?`` becomes ``Did M0 's director edit M1 , M2 ,
and M0``. Names are found word by word, the longest at each place; case, diacritics and marks do
not count, except for commas, which part names unless a name has one there or nowhere.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from partwise.graph.linking.listing import listed
from partwise.language.graph_domain import GraphDomain
from partwise.language.query.graph import ENTITY
from partwise.language.tokenizer import (
    FUNCTION_WORDS,
    QUOTES,
    Word,
    composed,
    is_punctuation,
    key,
    keys,
    read_words,
)


@dataclass(frozen=True)
class Linked:
    """A question with its entities linked.

    Attributes:
        question: words with a blank between, as typed, entities as placeholders.
        bindings: placeholder -> IRI; placeholders that the user typed have none.
        ambiguous: placeholder -> all IRIs that its name may stand for, the bound one first, for
            those that have several.
        names: placeholder -> the name, as the question first writes it.
    """

    question: str
    bindings: dict[str, str] = field(default_factory=dict)
    ambiguous: dict[str, tuple[str, ...]] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)


class _Node:
    """A place in the trie of names."""

    __slots__ = ("iris", "next")

    def __init__(self) -> None:
        self.next: dict[str, _Node] = {}
        self.iris: tuple[str, ...] = ()


class Linker:
    """Links names in questions to entities.

    A name that reads like a word or phrase of the language (a film called ``Star`` or ``Her``) is
    taken for that word, unless it is in quotes, or each word of it is capitalised inside the
    sentence (not at its start, and not where the whole question is in capitals). Names of which
    the language's words are only a part (``Star Wars``) always win. Of a word that the domain
    declares with a capital (``Spanish``) a capital says nothing; only quotes make it a name. The
    constants of the domain's attributes are no entities, whatever they are called.

    Args:
        names: name or alias -> IRIs that it may stand for, the likeliest first.
        domain: whose words are the language's; without one only function words are.
    """

    def __init__(
        self, names: Mapping[str, Sequence[str]], domain: GraphDomain | None = None
    ) -> None:
        self._root = _Node()
        constants = _constants(domain)
        for name, iris in names.items():
            entities = [iri for iri in iris if iri not in constants]
            for words in keys(name) if entities else ():
                self._add(words, entities)
        phrases = _phrases(domain)
        self._language = {key(phrase) for phrase in phrases}
        self._proper = {key(phrase) for phrase in phrases if phrase != phrase.lower()}
        self._whole = {word for phrase in phrases for word in phrase.lower().split()}

    def link(self, question: str) -> Linked:
        """The question as a pattern with its entities; linear in its length.

        A trailing question mark and other marks go, but for commas and ``'s``; ``an`` becomes
        ``a``, ``&`` becomes ``and``; lists get the commas of ``A , B , and C``.
        """
        question = composed(question)
        words = read_words(question, self._whole)
        named = _Naming({word.text for word in words if ENTITY.fullmatch(word.text)})
        # Up to here a capital says nothing.
        plain = next((i + 1 for i, word in enumerate(words) if not is_punctuation(word.key)), 0)
        plain = len(words) if question.isupper() else plain
        pattern: list[str] = []
        at = 0
        while at < len(words):
            end, iris = self._longest(words, at, plain)
            if iris:
                text = question[words[at].start : words[end - 1].end]
                pattern.append(named.placeholder(iris, text))
            else:
                pattern += _plain(words[at], pattern)
                end = at + 1
            at = end
        return named.linked(" ".join(listed(pattern)))

    def _add(self, words: Sequence[str], iris: Iterable[str]) -> None:
        node = self._root
        for word in words:
            node = node.next.setdefault(word, _Node())
        node.iris = tuple(dict.fromkeys((*node.iris, *iris)))

    def _longest(self, words: Sequence[Word], at: int, plain: int) -> tuple[int, tuple[str, ...]]:
        """The end of the longest name from `at` on, and its IRIs; none if there is none."""
        if ENTITY.fullmatch(words[at].text):
            return at, ()
        end, node = at, self._root
        iris: tuple[str, ...] = ()
        for i in range(at, len(words)):
            step = node.next.get(words[i].key)
            if step is None:
                if i > at and is_punctuation(words[i].key) and words[i].key != ",":
                    continue
                break
            node = step
            if node.iris and not self._is_language(words, at, i + 1, plain):
                end, iris = i + 1, node.iris
        return end, iris

    def _is_language(self, words: Sequence[Word], start: int, end: int, plain: int) -> bool:
        """Whether a name over start..end is rather a word or phrase of the language."""
        name = words[start:end]
        said = tuple(word.key for word in name if not is_punctuation(word.key))
        if said not in self._language:
            return False
        before = words[start - 1] if start else None
        if before is not None and before.text in QUOTES and not before.possessive:
            return False
        capital = all(word.text[0].isupper() for word in name if word.text[0].isalpha())
        return start < plain or not capital or said in self._proper


class _Naming:
    """Hands out placeholders: the same one for the same entity, none that is taken."""

    def __init__(self, taken: set[str]) -> None:
        self.taken = taken
        self.of: dict[str, str] = {}
        self.choices: dict[str, tuple[str, ...]] = {}
        self.names: dict[str, str] = {}

    def placeholder(self, iris: tuple[str, ...], name: str) -> str:
        """The placeholder of the first IRI."""
        if iris[0] not in self.of:
            number = len(self.of)
            while f"M{number}" in self.taken:
                number += 1
            one = self.of[iris[0]] = f"M{number}"
            self.taken.add(one)
            self.choices[one], self.names[one] = iris, name
        one = self.of[iris[0]]
        # Of two names for one entity, what either rules out is out.
        self.choices[one] = tuple(iri for iri in self.choices[one] if iri in iris)
        return one

    def linked(self, question: str) -> Linked:
        """All that was handed out."""
        bindings = {placeholder: iri for iri, placeholder in self.of.items()}
        several = {p: choices for p, choices in self.choices.items() if len(choices) > 1}
        return Linked(question, bindings, several, self.names)


def _plain(word: Word, before: Sequence[str]) -> list[str]:
    """A word that names nothing, as the pattern writes it; nothing for most marks."""
    if word.key == "an":
        return ["A" if word.text[0].isupper() else "a"]
    if word.key == "and" and word.text == "&":
        return ["and"]
    if word.text in "'’" and before and ENTITY.fullmatch(before[-1]) and word.possessive:
        return ["'s"]
    if is_punctuation(word.key) and word.text != ",":
        return []
    return ["'s" if word.key == "'s" else word.text]


def _phrases(domain: GraphDomain | None) -> set[str]:
    if domain is None:
        return set(FUNCTION_WORDS)
    classes = domain.words.values()
    return {phrase for phrases in classes for phrase in phrases} | FUNCTION_WORDS | domain.asking


def _constants(domain: GraphDomain | None) -> set[str]:
    """The IRIs of the domain's constants."""
    iris: set[str] = set()
    for attribute in domain.attributes if domain is not None else ():
        prefix, _, rest = attribute.constant.partition(":")
        given = domain.prefixes.get(prefix) if domain is not None else None
        iris.add(given + rest if given is not None else attribute.constant.strip("<>"))
    return iris
