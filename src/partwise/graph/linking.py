"""The entities that a question names: linked before it is parsed, told apart by what is found.

``Did Alien's director edit Heat, Fargo and Alien?`` becomes ``Did M0 's director edit M1 , M2 ,
and M0``. Names are found word by word, the longest at each place; case, diacritics and marks do
not count, except for commas, which part names unless a name has one there or nowhere.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from partwise.errors import PartwiseError
from partwise.graph.derivation import GraphDerivation
from partwise.graph.grammar.phrases import AND, COMMA
from partwise.graph.grammar.tokens import ENTITY, TaggedTokens, Tagger
from partwise.graph.vocabulary import GraphVocabulary
from partwise.interface.budget import TOO_COSTLY
from partwise.interface.prediction import Prediction
from partwise.language.graph_domain import HOW_MANY, GraphDomain, Rewriter
from partwise.language.query_graph import ENTITY as PLACEHOLDER
from partwise.language.query_graph import QueryGraph, Triple
from partwise.language.sparql import bind, write_query
from partwise.language.text import (
    FUNCTION_WORDS,
    QUOTES,
    TypedWord,
    compose,
    is_punctuation,
    key,
    keys,
    only_punctuation,
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


class Linker:
    """Links names in questions to entities.

    A name that is a word or phrase of the language (a film called ``Star``) is taken for it, unless
    it is in quotes or capitalised inside the sentence; of a word that the domain declares with a
    capital only quotes make a name. Longer names (``Star Wars``) always win. Constants of the
    domain's attributes are no entities.

    Args:
        names: name or alias -> IRIs that it may stand for, the likeliest first.
        domain: whose words are the language's, beside function words.
    """

    def __init__(self, names: Mapping[str, Sequence[str]], domain: GraphDomain) -> None:
        # The words of names as a trie; the IRIs that a name may stand for are under no word.
        self._names: dict[str, Any] = {}
        constants = _constants(domain)
        for name, iris in names.items():
            entities = [iri for iri in iris if iri not in constants]
            for words in keys(name) if entities else ():
                node = self._names
                for word in words:
                    node = node.setdefault(word, {})
                node[""] = tuple(dict.fromkeys((*node.get("", ()), *entities)))
        phrases = FUNCTION_WORDS | domain.asking
        phrases |= {phrase for phrases in domain.words.values() for phrase in phrases}
        self._language = {key(phrase) for phrase in phrases}
        self._proper = {key(phrase) for phrase in phrases if phrase != phrase.lower()}
        self._whole = {word for phrase in phrases for word in phrase.lower().split()}

    def link(self, question: str) -> Linked:
        """The question as a pattern, in linear time: no marks but commas and ``'s``, no ``an``."""
        question = compose(question)
        words = read_words(question, self._whole)
        named = _Naming({word.text for word in words if PLACEHOLDER.fullmatch(word.text)})
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
            at = end
        bindings = {placeholder: iri for iri, placeholder in named.of.items()}
        several = {
            placeholder: iris for placeholder, iris in named.choices.items() if len(iris) > 1
        }
        return Linked(" ".join(with_commas(pattern)), bindings, several, named.names)

    def _longest(
        self, words: Sequence[TypedWord], at: int, plain: int
    ) -> tuple[int, tuple[str, ...]]:
        """The end of the longest name from `at` on, and its IRIs; of one word if there is none."""
        end, iris, node = at + 1, (), self._names
        for i in range(at, len(words)) if not PLACEHOLDER.fullmatch(words[at].text) else ():
            if words[i].key in node:
                node = node[words[i].key]
                if "" in node and not self._is_language(words, at, i + 1, plain):
                    end, iris = i + 1, node[""]
            elif i == at or not is_punctuation(words[i].key) or words[i].key == ",":
                break
        return end, iris

    def _is_language(self, words: Sequence[TypedWord], start: int, end: int, plain: int) -> bool:
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
        if iris[0] not in self.of:
            free = (f"M{number}" for number in itertools.count(len(self.of)))
            one = self.of[iris[0]] = next(text for text in free if text not in self.taken)
            self.taken.add(one)
            self.choices[one], self.names[one] = iris, name
        one = self.of[iris[0]]
        # Of two names for one entity, what either rules out is out.
        self.choices[one] = tuple(iri for iri in self.choices[one] if iri in iris)
        return one


def _plain(word: TypedWord, before: Sequence[str]) -> list[str]:
    """A word that names nothing, as the pattern writes it; nothing for most marks."""
    if word.key == "an":
        return ["A" if word.text[0].isupper() else "a"]
    if word.key == "and" and word.text == "&":
        return ["and"]
    if word.text in "'’" and before and PLACEHOLDER.fullmatch(before[-1]) and word.possessive:
        return ["'s"]
    if is_punctuation(word.key) and word.text != ",":
        return []
    return ["'s" if word.key == "'s" else word.text]


def _constants(domain: GraphDomain) -> set[str]:
    iris: set[str] = set()
    for attribute in domain.attributes:
        prefix, _, rest = attribute.constant.partition(":")
        given = domain.prefixes.get(prefix)
        iris.add(given + rest if given is not None else attribute.constant.strip("<>"))
    return iris


def with_commas(words: Sequence[str]) -> list[str]:
    """The words with a comma before the ``and`` that ends a list of three or more. That is the
    first ``and`` after the last comma whose item starts as the one before does: both with an
    entity, or neither. Where a comma stands before a later ``and``, only plain lists get one. The
    comma of ``A , and B`` goes, if no other has begun a list, and commas at the end do."""
    while words and words[-1] == COMMA:
        words = words[:-1]
    commas = [i for i, word in enumerate(words) if word == COMMA]
    closing = {i for i in commas if _is_and(words, i + 1)}
    last = max(closing, default=-1)
    first = next((i for i in commas if i not in closing), len(words))
    written: list[str] = []
    opened: int | None = None
    for i, word in enumerate(words):
        if word == COMMA:
            if i < first:
                continue
            opened = None if i in closing else i
        elif opened is not None and _ends(words, opened, i, last > i):
            written.append(COMMA)
            opened = None
        written.append(word)
    return written


def _ends(words: Sequence[str], comma: int, at: int, later: bool) -> bool:
    """Whether a list with its last comma at `comma` ends with an ``and`` at `at` without one."""
    if not _is_and(words, at) or at - comma < 2 or at + 1 == len(words):
        return False
    alike = _is_entity(words[comma + 1]) == _is_entity(words[at + 1])
    plain = at - comma == 2 and _is_entity(words[comma - 1]) == _is_entity(words[comma + 1])
    return alike and (plain or not later)


def _is_and(words: Sequence[str], i: int) -> bool:
    return i < len(words) and words[i].lower() == AND


def _is_entity(word: str) -> bool:
    return PLACEHOLDER.fullmatch(word) is not None


LABELS = 1_000_000
"""Names that are read of a store, to find them in questions."""
MOST = 20
"""Things of one name that are tried."""
HINTS = 2
"""Example questions for one whose question has no parse."""


class QuestionLinker:
    """Puts placeholders in the place of names, and the names back into predictions. Without a
    knowledge graph, questions must hold placeholders themselves."""

    def __init__(self, domain: GraphDomain) -> None:
        self.domain, self.tagger = domain, Tagger(domain)

    @cached_property
    def names(self) -> Linker | None:
        """Finds the names of the knowledge graph; None where there is none, or it has no names."""
        if not self.domain.runnable:
            return None
        try:
            return Linker(self.domain.knowledge.names(LABELS), self.domain)
        except PartwiseError:
            return None

    @cached_property
    def _rewriter(self) -> tuple[Rewriter, Linker] | None:
        """Puts questions into other words and finds names in them; None where that cannot be."""
        if self.domain.rewriter is not None and self.names is not None:
            with suppress(PartwiseError):
                made = self.domain.rewriter(self.domain, self.domain.knowledge.names(LABELS))
                return made, Linker(made.names, self.domain)
        return None

    def rewrite(self, question: str) -> list[Linked]:
        """The question in other words, linked, the likeliest first; none where there are none."""
        rewriter, linker = self._rewriter or (None, None)
        text, counted = rewriter.mend(question) if rewriter else ("", False)
        if rewriter is None or linker is None or not text:
            return []
        linked = linker.link(text)
        things = {name: (iri,) for name, iri in linked.bindings.items()} | linked.ambiguous
        if counted:
            linked = replace(linked, bindings={**linked.bindings, HOW_MANY: ""})
        return [
            replace(linked, question=made) for made in rewriter.rewrite(linked.question, things)
        ]

    @cached_property
    def _function_words(self) -> frozenset[str]:
        """Words that hold sentences together: of the phrase rules, and of the language."""
        rules = self.domain.phrases
        words = {word for rule in rules for word in re.findall(r"\w+", rule.lower())}
        return frozenset(words) | self.domain.asking | FUNCTION_WORDS

    def link(self, question: str) -> Linked:
        """The question with placeholders; as it is if it has some already."""
        if any(PLACEHOLDER.fullmatch(word) for word in question.split()) or self.names is None:
            return Linked(question)
        return self.names.link(question)

    def prediction(
        self, question: str, linked: Linked, parse: Prediction[QueryGraph], known: GraphVocabulary
    ) -> Prediction[QueryGraph]:
        """What the parse of a linked question says of the question as it was typed."""
        unknown = self.unknown(known, self.tagger(linked.question))
        reason = self._reason(question, linked, parse, unknown)
        graph = None if reason is not None else parse.meaning
        if graph is not None and linked.ambiguous:
            linked = likeliest(linked, graph, self.domain)
        words = tuple(linked.names.get(word.upper(), word) for word in parse.words)
        derivation = None
        if graph is None:
            parse = Prediction(question)
        elif isinstance(parse.derivation, GraphDerivation):
            derivation = replace(parse.derivation, names=linked.names, words=words)
        return replace(
            parse,
            question=question,
            words=words,
            derivation=derivation,
            unknown=unknown,
            ambiguous={
                linked.names[placeholder]: iris for placeholder, iris in linked.ambiguous.items()
            },
            context=tuple(linked.bindings.items()) or None,
            reason=reason,
        )

    def _reason(
        self, question: str, linked: Linked, parse: Prediction[QueryGraph], unknown: Sequence[str]
    ) -> str | None:
        first = linked.question.split()[:1]
        strange = [word for word in unknown if word[0].isupper() and [word] != first]
        if self.names is not None and strange and not question.isupper():
            # A query without what it is about would have an answer, and a wrong one.
            return f"nothing in the knowledge graph is called {' '.join(strange)!r}"
        if parse.meaning is not None:
            return None if parse.meaning.triples else "nothing of the question was understood"
        some = " or ".join(map(repr, self.domain.examples[:HINTS]))
        if self.names is None or not some or parse.reason == TOO_COSTLY:
            return parse.reason
        return f"{parse.reason}; it understands questions such as {some}"

    def unknown(self, known: GraphVocabulary, tokens: TaggedTokens) -> tuple[str, ...]:
        """The words that neither the domain nor the training questions have, as typed."""
        met = known.words, known.tags, self._function_words, {ENTITY}
        strange = (
            tokens.question.span(*span)
            for text, classes, span in zip(tokens.texts, tokens.classes, tokens.spans, strict=True)
            if classes == {text}
            and not any(text in some for some in met)
            and not only_punctuation(text)
        )
        return tuple(dict.fromkeys(strange))


def likeliest(linked: Linked, graph: QueryGraph, domain: GraphDomain) -> Linked:
    """The question with each ambiguous name bound to what the query can be about. "Who played
    Forrest Gump?" means the character and not the film, since nobody plays a film. What the query
    says of a name is asked of each thing of that name, with all else left open. Where nothing of
    the name fits, or the store fails, the name stays as it was bound."""
    for name, iris in linked.ambiguous.items():
        about = _about(name, graph)
        if not about.triples or linked.bindings.get(name) != iris[0]:
            continue
        chosen = _first(name, iris[:MOST], about, domain)
        if chosen is not None:
            first = (chosen, *(iri for iri in iris if iri != chosen))
            linked = replace(
                linked,
                bindings={**linked.bindings, name: chosen},
                ambiguous={**linked.ambiguous, name: first},
            )
    return linked


def _first(name: str, iris: Sequence[str], about: QueryGraph, domain: GraphDomain) -> str | None:
    with suppress(PartwiseError):
        for iri in iris:
            query = bind(about, {name: iri}, domain.prefixes)
            if domain.knowledge.ask(write_query(query, "sparql", prefixes=domain.prefixes)):
                return iri
    return None


def _about(name: str, graph: QueryGraph) -> QueryGraph:
    """The edges and attributes of a node, the other ends left open."""
    edges = set()
    for number, edge in enumerate(graph.edges):
        ends = (edge.subject, edge.object)
        if name in ends and ends != (name, name):
            subject, target = (end if end == name else f"?x{number}" for end in ends)
            edges.add(Triple(subject, edge.predicate, target))
    attributes = frozenset(attribute for attribute in graph.attributes if attribute.subject == name)
    return QueryGraph("ask", frozenset(edges), attributes)
