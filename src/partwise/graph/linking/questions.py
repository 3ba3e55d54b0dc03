"""Names in questions: linked before the parser sees them, and told apart by what it finds."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property

from partwise.errors import PartwiseError
from partwise.graph.derivation import GraphDerivation
from partwise.graph.grammar.tagging import ENTITY, Tagger, Tokens
from partwise.graph.linking.likeliest import likeliest
from partwise.graph.linking.linker import Linked, Linker
from partwise.graph.vocabulary import GraphVocabulary
from partwise.interface.prediction import Prediction
from partwise.language.graph_domain import GraphDomain
from partwise.language.query.graph import ENTITY as PLACEHOLDER
from partwise.language.query.graph import QueryGraph
from partwise.language.tokenizer import FUNCTION_WORDS, only_punctuation

LABELS = 1_000_000
"""Names that are read of a store, to find them in questions."""
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
        names = self.names
        if names is not None and strange and not question.isupper():
            # A query without what it is about would have an answer, and a wrong one.
            return f"nothing in the knowledge graph is called {' '.join(strange)!r}"
        if parse.meaning is None:
            return parse.reason if names is None else f"{parse.reason}{self._hint()}"
        return None if parse.meaning.triples else EMPTY

    def _hint(self) -> str:
        """Which questions are understood, for one who asked another."""
        some = self.domain.examples[:HINTS]
        return f"; it understands questions such as {' or '.join(map(repr, some))}" if some else ""

    def unknown(self, known: GraphVocabulary, tokens: Tokens) -> tuple[str, ...]:
        """The words that neither the domain nor the training questions have, as typed."""
        strange: list[str] = []
        for text, classes, (start, end) in zip(
            tokens.texts, tokens.classes, tokens.spans, strict=True
        ):
            met = text in known.words or text in known.tags or text in self._function_words
            if classes != {text} or classes == {ENTITY} or met or only_punctuation(text):
                continue
            offsets = tokens.question.offsets
            strange.append(tokens.question.text[offsets[start][0] : offsets[end - 1][1]])
        return tuple(dict.fromkeys(strange))
