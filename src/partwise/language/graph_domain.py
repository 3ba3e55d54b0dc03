"""GraphDomain: the language of a knowledge graph, as plain declared data.

What a domain declares is what holds of the language and of its graph whatever the examples are:
word classes, phrase rules, which nodes must differ, what may stand at a predicate's ends. Which
words mean which predicate is never declared; it is learned.
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Protocol

from partwise.errors import DataError, ExecutionError, QueryError
from partwise.language.query_graph import ENTITY, QueryGraph, canonical
from partwise.language.sparql import Dialect, bind, name_entities, parse_query, write_query

Context = Mapping[str, str] | tuple[tuple[str, str], ...] | None
"""What placeholders stand for: IRIs."""
GraphAnswer = bool | tuple[str, ...]
"""Whether a query has a match, or its values: IRIs and texts of literals, each once."""
Kinds = frozenset[str]
HOW_MANY = "how many"
"""In a context: that the values of an answer are counted."""
ANY: Kinds = frozenset()
"""No demand on a node's kind."""
_OPENING = threading.Lock()


@dataclass(frozen=True)
class Relation:
    """A predicate between nodes, a property path as one text, with the kinds of things that may be
    its subject and object; `differ` says whether these must differ, which queries state as a
    filter."""

    predicate: str
    differ: bool = False
    subject: Kinds = ANY
    object: Kinds = ANY


@dataclass(frozen=True)
class Attribute:
    """A predicate from a node to a constant; `kinds` are those of the things that can have it."""

    predicate: str
    constant: str
    kinds: Kinds = ANY


class QueryStore(Protocol):
    """Answers queries over a knowledge graph; all methods raise ExecutionError."""

    def ask(self, query: str) -> bool:
        """Whether an ``ASK`` query has a match."""

    def select(self, query: str, limit: int) -> list[str]:
        """The first `limit` values of ``?x0``: IRIs, texts of literals, ``_:`` blank nodes."""

    def labels(self, iris: Iterable[str]) -> dict[str, str]:
        """A name for each IRI, its last part where the store has no label."""

    def names(self, limit: int) -> dict[str, list[str]]:
        """Names and aliases -> the IRIs that they may stand for, from at most `limit` labels."""


Names = Mapping[str, Sequence[str]]
"""Names -> the IRIs that they may stand for."""


class Rewriter(Protocol):
    """Puts questions that no phrase rules fit into other words; things are looked for by `names`,
    such as surnames."""

    names: Names

    def mend(self, question: str) -> tuple[str, bool]:
        """The question as it was meant, and whether the values of its answer are counted. Its text
        is empty where nothing can be made of it."""

    def rewrite(self, question: str, things: Names) -> list[str]:
        """A linked question in other words, the likeliest first; `things` has the IRIs that its
        placeholders may stand for."""


@dataclass(frozen=True)
class GraphDomain:
    """The language of questions over a knowledge graph.

    Attributes:
        dialect: how queries are written: ``cfq``, ``wikidata`` (one line, canonical) or ``sparql``.
        words: word class -> its phrases, in lower case; a phrase may be in several classes.
        phrases: rules of the phrases that stand for one node, and of the clauses around them; see
            `partwise.graph.grammar.phrases`.
        asking: first words of questions that ask whether; all others ask for something.
        prefixes: of IRIs, for queries that are to run.
        examples: questions to begin with, shown to people who ask.
        parser: name of the parser that is trained for it where nothing else is asked for.
        open_store: opens the knowledge graph that comes with the domain; None if there is none.
        store: what queries are run on; without one, what `open_store` opens.
        limit: how many values of a selecting query are read.
        rewriter: made of the domain and the names of its graph, puts what people type into the
            domain's words; without it only these are read.
    """

    name: str
    dialect: Dialect
    relations: tuple[Relation, ...] = ()
    attributes: tuple[Attribute, ...] = ()
    words: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    phrases: tuple[str, ...] = ()
    asking: frozenset[str] = frozenset({"did", "was", "were", "is", "are", "does", "do", "has"})
    prefixes: Mapping[str, str] = field(default_factory=dict)
    examples: tuple[str, ...] = ()
    parser: str = "graph"
    open_store: Callable[[], AbstractContextManager[QueryStore]] | None = None
    store: QueryStore | None = field(default=None, compare=False)
    limit: int = 1000
    rewriter: Callable[[GraphDomain, Names], Rewriter] | None = field(default=None, compare=False)

    @property
    def differing(self) -> frozenset[str]:
        """Predicates whose ends must differ."""
        return frozenset(r.predicate for r in self.relations if r.differ)

    def read(self, text: str) -> QueryGraph:
        """The query graph that a SPARQL text spells, in any dialect; see `parse_query`."""
        return parse_query(text)

    def write(self, graph: QueryGraph, context: Context = None) -> str:
        """The text of a query graph in the domain's dialect. With a context it is SPARQL that any
        store can run, with the IRIs of placeholders that have one."""
        if not context:
            return write_query(graph, self.dialect)
        bindings = {name: iri for name, iri in dict(context).items() if "://" in iri}
        return write_query(name_entities(graph, bindings), "sparql", self.prefixes)

    def canonical(self, graph: QueryGraph) -> QueryGraph:
        """The graph with its variables named by what it says alone; see `query_graph`."""
        return canonical(graph)

    def query(self, graph: QueryGraph, context: Context = None) -> str:
        """The SPARQL text that `run` runs. Raises PartwiseError for a placeholder without an IRI,
        for terms that no query may have, and for a query without triples, which would be true of
        every graph."""
        if not graph.triples:
            raise QueryError("the query says nothing")
        made = bind(graph, dict(context or ()), self.prefixes)
        query = write_query(made, "sparql", self.prefixes)
        return query if graph.head == "ask" else f"{query}\nLIMIT {self.limit + 1}"

    def with_store(self, store: QueryStore) -> GraphDomain:
        """The same domain on another knowledge graph; its example questions are not about that."""
        return replace(self, store=store, examples=())

    def with_limit(self, limit: int) -> GraphDomain:
        """The same domain on the same knowledge graph, reading so many values of an answer."""
        return replace(self, limit=limit, store=self.knowledge)

    def run(self, graph: QueryGraph, context: Context = None) -> GraphAnswer:
        """What a query graph gives, one value more than the limit at most; `show` names them.
        Raises PartwiseError if the query cannot be written or run, or there is no store."""
        query = self.query(graph, context)
        if graph.head == "ask":
            return self.knowledge.ask(query)
        values = tuple(dict.fromkeys(self.knowledge.select(query, self.limit + 1)))
        return (str(len(values)),) if HOW_MANY in dict(context or ()) else values

    def show(self, value: GraphAnswer) -> list[str]:
        """Yes, no, or a name for each value up to the limit, in the order of the names."""
        if isinstance(value, bool):
            return ["yes" if value else "no"]
        names = self.knowledge.labels(value[: self.limit])
        return [
            names[name] for name in sorted(names, key=lambda name: (names[name].casefold(), name))
        ]

    def denotation(self, value: GraphAnswer) -> bool | frozenset[str]:
        """What two answers are compared by: whether there is a match, or the set of values. Raises
        DataError if there are more values than the limit."""
        if isinstance(value, bool):
            return value
        if len(value) > self.limit:
            raise DataError(
                f"the query gives more than {self.limit:,} values; raise the domain's limit"
            )
        return frozenset(value)

    def read_context(self, text: str) -> Mapping[str, str]:
        """Placeholders with what they stand for, as ``M0=IRI,M1=IRI``. Raises DataError for a text
        of another form."""
        context: dict[str, str] = {}
        for part in text.split(","):
            name, equals, iri = part.partition("=")
            if not equals or not iri or not ENTITY.fullmatch(name):
                raise DataError(f"{part!r} binds nothing; expected M0=IRI, as M0=https://...")
            context[name] = iri
        return context

    def is_empty(self, value: GraphAnswer) -> bool:
        """Whether an answer has no values; yes and no say something."""
        return value == ()

    @property
    def runnable(self) -> bool:
        """Whether there is a store to run queries on."""
        return self.store is not None or self.open_store is not None

    def partial_matches(self, gold: QueryGraph, predicted: QueryGraph) -> dict[str, bool]:
        """Whether the edges alone match (the reduced target of Gai et al. 2021, section 4), all
        triples, the head, what is asked for, and the filters."""

        def equal(part: Callable[[QueryGraph], QueryGraph]) -> bool:
            one, other = part(gold), part(predicted)
            try:
                return one == other or canonical(one) == canonical(other)
            except QueryError:
                # Variables too many or too much alike to be named: nobody can say they are equal.
                return False

        return {
            "edges": equal(lambda graph: QueryGraph("ask", graph.edges)),
            "attributes": equal(lambda graph: QueryGraph("ask", graph.edges, graph.attributes)),
            "head": gold.head == predicted.head,
            "asked node": equal(lambda graph: replace(graph, filters=frozenset())),
            "filters": equal(lambda graph: graph),
        }

    def is_possible(self, graph: QueryGraph) -> bool:
        """Whether each variable can be something, by the kinds that the domain declares."""
        ends = {relation.predicate: relation for relation in self.relations}
        known = {
            (attribute.predicate, attribute.constant): attribute.kinds
            for attribute in self.attributes
        }
        demands: dict[str, list[Kinds]] = {}
        for edge in graph.edges:
            if edge.predicate in ends:
                demands.setdefault(edge.subject, []).append(ends[edge.predicate].subject)
                demands.setdefault(edge.object, []).append(ends[edge.predicate].object)
        for attribute in graph.attributes:
            demands.setdefault(attribute.subject, []).append(
                known.get((attribute.predicate, attribute.object), ANY)
            )
        some = (list(filter(None, kinds)) for kinds in demands.values())
        return all(frozenset.intersection(*kinds) for kinds in some if kinds)

    def question_group(self, graph: QueryGraph) -> str:
        """The number of variables, which tells how hard a question is."""
        count = len(graph.variables)
        return "1 variable" if count == 1 else f"{count} variables"

    @cached_property
    def knowledge(self) -> QueryStore:
        """The store that was given, or the domain's own, opened once."""
        if self.store is not None:
            return self.store
        if self.open_store is None:
            raise ExecutionError(
                f"the knowledge graph of {self.name} does not come with it: give a store"
            )
        with _OPENING:
            # Another thread may have opened it meanwhile.
            if "knowledge" not in vars(self):
                stack = ExitStack()
                vars(self)["knowledge"] = stack.enter_context(self.open_store())
                weakref.finalize(self, stack.close)
            store: QueryStore = vars(self)["knowledge"]
        return store
