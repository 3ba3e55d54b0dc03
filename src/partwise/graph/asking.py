"""Questions in plain English to answers: names linked, the question parsed, its query run."""

from __future__ import annotations

import math
import re
import weakref
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Any

from partwise.errors import DataError
from partwise.execution.answer import answer_graph
from partwise.graph.derivation import GraphDerivation
from partwise.graph.linking.likeliest import likeliest
from partwise.graph.linking.linker import Linked, Linker
from partwise.graph.parser import GraphParser
from partwise.graph.phrases.tagging import ENTITY, Tokens
from partwise.graph.result import GraphParse
from partwise.language.graph_domain import GraphDomain
from partwise.language.normalization import FUNCTION_WORDS
from partwise.language.query.answer import GraphAnswer, QueryStore
from partwise.language.query.graph import ENTITY as PLACEHOLDER
from partwise.language.query.graph import QueryGraph
from partwise.language.query.sparql_write import write_query
from partwise.language.tokenizer import only_punctuation

LABELS = 1_000_000
"""Names that are read of a store, to find them in questions."""
HINTS = 2
"""Example questions for one whose question cannot be read."""
EMPTY = "nothing of the question was understood"


@dataclass(frozen=True)
class Reply:
    """How a question was read, and what its query gave.

    Attributes:
        question: as it was asked.
        linked: with its entities as placeholders.
        parse: of the linked question; without a graph where that is not to be trusted.
        result: what its query gave; None if none was asked for, or if nothing can be run.
        unknown: words that the parser has never met, as they were typed.
        reason: why there is no query, or where one was asked for, no answer.
    """

    question: str
    linked: Linked
    parse: GraphParse
    result: GraphAnswer | None = None
    unknown: tuple[str, ...] = ()
    reason: str | None = None

    @property
    def answer(self) -> tuple[str, ...]:
        """For a person: yes, no, or names; empty if there is none."""
        return () if self.result is None or self.reason is not None else self.result.lines

    def __str__(self) -> str:
        """The answer, or why there is none."""
        return "; ".join(self.answer) if self.reason is None else f"no answer: {self.reason}"

    @property
    def graph(self) -> QueryGraph | None:
        """The query, if there is one."""
        return self.parse.graph

    @property
    def words(self) -> list[str]:
        """The words of the linked question, names in place of placeholders."""
        names = self.linked.names
        return [names.get(word.upper(), word) for word in self.parse.words.words]

    @property
    def derivation(self) -> GraphDerivation | None:
        """The query with the words that ground it, if there is one."""
        if self.graph is None:
            return None
        return GraphDerivation(self.graph, self.linked.names, self.words, self.parse.grounding)


@dataclass(frozen=True)
class Asker:
    """Reads questions, and answers them where there is a store.

    Attributes:
        linker: finds the names in questions; without one they must hold placeholders.
        store: the knowledge graph, for answers.
        bindings: IRIs of placeholders that the user types.
        at_least: the probability that a graph must have to be taken.
    """

    parser: GraphParser
    linker: Linker | None = None
    store: QueryStore | None = None
    bindings: Mapping[str, str] = field(default_factory=dict)
    at_least: float = 0.0

    def __call__(self, questions: Sequence[str]) -> list[Reply]:
        """Readings of questions, and their answers where there is a store."""
        linked = [self._linked(question) for question in questions]
        parses = self.parser.parse([one.question for one in linked], explain=True)
        return [
            self._reply(question, one, parse)
            for question, one, parse in zip(questions, linked, parses, strict=True)
        ]

    def _linked(self, question: str) -> Linked:
        found = Linked(question) if self.linker is None else self.linker.link(question)
        return Linked(
            found.question, {**self.bindings, **found.bindings}, found.ambiguous, found.names
        )

    def _reply(self, question: str, linked: Linked, parse: GraphParse) -> Reply:
        unknown = () if parse.tokens is None else unknown_words(self.parser, parse.tokens)
        reason = self._reason(question, linked, parse, unknown)
        if reason is not None:
            parse = GraphParse(parse.words, tree=parse.tree, tokens=parse.tokens, reason=reason)
        if self.store is None or parse.graph is None:
            return Reply(question, linked, parse, None, unknown, reason)
        linked = likeliest(linked, parse.graph, self.store, self.parser.domain)
        found = answer_graph(parse.graph, linked.bindings, self.store, self.parser.domain)
        return Reply(question, linked, parse, found, unknown, found.reason)

    def _hint(self) -> str:
        """Which questions are read, for one who asked another."""
        some = self.parser.domain.examples[:HINTS]
        return f"; it reads questions such as {' or '.join(map(repr, some))}" if some else ""

    def _reason(
        self, question: str, linked: Linked, parse: GraphParse, unknown: Sequence[str]
    ) -> str | None:
        """Why nothing is to be run, if so."""
        first = linked.question.split()[:1]
        strange = [word for word in unknown if word[0].isupper() and [word] != first]
        if self.linker is not None and strange and not question.isupper():
            # A query without what it is about would have an answer, and a wrong one.
            names = " ".join(strange)
            return f"nothing in the knowledge graph is called {names!r}"
        if parse.graph is None:
            return parse.reason if self.linker is None else f"{parse.reason}{self._hint()}"
        if not parse.graph.triples:
            return EMPTY
        return None if parse.probability >= self.at_least else _doubt(parse, self.at_least)


def shipped_asker(parser: GraphParser) -> Asker:
    """Asks the knowledge graph that comes with the package, which is closed with the parser.

    Raises:
        DataError: for a domain whose graph does not come with the package.
        ExecutionError: if the file cannot be loaded.
    """
    domain = parser.domain
    if domain.open_store is None:
        raise DataError(f"the knowledge graph of {domain.name} does not come with the package")
    stack = ExitStack()
    store = stack.enter_context(domain.open_store())
    weakref.finalize(parser, stack.close)
    return Asker(parser, Linker(store.names(LABELS), domain), store)


def unknown_words(parser: GraphParser, tokens: Tokens) -> tuple[str, ...]:
    """The words that neither the domain nor the training questions have, as they were typed."""
    names = parser.reading.vocabularies
    rules = _of_rules(parser.domain)
    found: list[str] = []
    for text, classes, (start, end) in zip(tokens.texts, tokens.classes, tokens.spans, strict=True):
        met = text in names.words or text in names.tags or text in rules
        if classes != {text} or classes == {ENTITY} or met or only_punctuation(text):
            continue
        offsets = tokens.question.offsets
        found.append(tokens.question.text[offsets[start][0] : offsets[end - 1][1]])
    return tuple(dict.fromkeys(found))


def _of_rules(domain: GraphDomain) -> frozenset[str]:
    """Words that hold sentences together: of the phrase rules, and of the language."""
    words = {word for rule in domain.phrases for word in re.findall(r"\w+", rule.lower())}
    return frozenset(words) | domain.asking | FUNCTION_WORDS


def read_bindings(given: Sequence[str]) -> dict[str, str]:
    """``M0=IRI`` texts as bindings.

    Raises:
        DataError: for a text of another form.
    """
    found: dict[str, str] = {}
    for text in given:
        name, equals, iri = text.partition("=")
        if not equals or not iri or not PLACEHOLDER.fullmatch(name):
            raise DataError(f"{text!r} binds nothing; expected M0=IRI, as M0=https://...")
        found[name] = iri
    return found


def query_text(reply: Reply, domain: GraphDomain) -> str | None:
    """The query as SPARQL, its entities by their IRIs as far as they are bound."""
    if reply.graph is None:
        return None
    bindings = {name: iri for name, iri in reply.linked.bindings.items() if "://" in iri}
    return write_query(reply.graph, "sparql", prefixes=domain.prefixes, bindings=bindings)


def reply_json(reply: Reply, domain: GraphDomain, asked: bool) -> dict[str, Any]:
    """A reply as JSON values.

    Args:
        asked: whether an answer was asked for; ``answer`` is then there, and null where there is
            none.
    """
    found: dict[str, Any] = {
        "question": reply.question,
        "linked": reply.linked.question,
        "bindings": dict(reply.linked.bindings),
        "names": dict(reply.linked.names),
        "ambiguous": {name: list(iris) for name, iris in reply.linked.ambiguous.items()},
        "unknown": list(reply.unknown),
        "query": query_text(reply, domain),
        "probability": _finite(reply.parse.probability),
    }
    if asked:
        got = reply.result
        found["answer"] = None if got is None or reply.reason is not None else list(got.lines)
        found["values"] = [] if got is None else list(got.values)
        found["more"] = got is not None and got.more
    found["words"] = list(reply.words)
    found["triples"] = list(_triples(reply))
    found["reason"] = reply.reason
    return found


def _triples(reply: Reply) -> Iterator[dict[str, Any]]:
    """Each triple with the weight of each word that it rests on."""
    for triple in () if reply.graph is None else reply.graph:
        weights = reply.parse.grounding.get(triple)
        yield {
            **triple._asdict(),
            "grounding": None if weights is None else [round(weight, 4) for weight in weights],
        }


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _doubt(parse: GraphParse, at_least: float) -> str:
    """Why a parse that is not probable enough is not taken."""
    return (
        f"the best reading has a probability of {100 * parse.probability:.0f} %, and at least "
        f"{100 * at_least:.0f} % is asked for"
    )
