"""Names in questions: linked before the parser sees them, and told apart by what it finds."""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cached_property

from partwise.errors import PartwiseError
from partwise.graph.derivation import GraphDerivation
from partwise.graph.grammar.tagging import ENTITY, TaggedTokens, Tagger
from partwise.graph.linking.linker import Linked, Linker
from partwise.graph.vocabulary import GraphVocabulary
from partwise.interface.budget import TOO_COSTLY
from partwise.interface.prediction import Prediction
from partwise.language.graph_domain import HOW_MANY, GraphDomain, Rewriter
from partwise.language.query_graph import ENTITY as PLACEHOLDER
from partwise.language.query_graph import QueryGraph, Triple
from partwise.language.sparql import bound, write_query
from partwise.language.text import FUNCTION_WORDS, only_punctuation

LABELS = 1_000_000
"""Names that are read of a store, to find them in questions."""
MOST = 20
"""Things of one name that are tried."""
HINTS = 2
"""Example questions for one whose question has no parse."""
EMPTY = "nothing of the question was understood"


class QuestionLinker:
    """Puts placeholders in the place of names, and the names back into predictions.

    Without a knowledge graph, questions must hold placeholders themselves.
    """

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
        """Puts questions into other words, and finds its names in them; None where the domain or
        the store lacks what is needed for it."""
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
            ambiguous={linked.names[one]: iris for one, iris in linked.ambiguous.items()},
            context=tuple(linked.bindings.items()) or None,
            reason=reason,
        )

    def _reason(
        self,
        question: str,
        linked: Linked,
        parse: Prediction[QueryGraph],
        unknown: Sequence[str],
    ) -> str | None:
        """Why nothing is to be run, if so."""
        first = linked.question.split()[:1]
        strange = [word for word in unknown if word[0].isupper() and [word] != first]
        if self.names is not None and strange and not question.isupper():
            # A query without what it is about would have an answer, and a wrong one.
            return f"nothing in the knowledge graph is called {' '.join(strange)!r}"
        if parse.meaning is not None:
            return None if parse.meaning.triples else EMPTY
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
    """The question with each ambiguous name bound to what the query can be about.

    "Who played Forrest Gump?" means the character and not the film, since nobody plays a film.
    What the query says of a name is asked of each thing of that name, with all else left open.
    Where nothing of the name fits, or the store fails, the name stays as it was bound.
    """
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
            query = bound(about, {name: iri}, domain.prefixes)
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
    attributes = frozenset(one for one in graph.attributes if one.subject == name)
    return QueryGraph("ask", frozenset(edges), attributes)
