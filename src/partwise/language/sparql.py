"""Query graphs as text: as CFQ writes them, as MCWQ's canonical form does, and as SPARQL 1.1.

Lines are sorted bytewise in each dialect, so equal graphs give equal texts. Variables keep their
names; see `partwise.language.query_graph.canonical` for texts that are equal up to renaming. Before
a query runs, its placeholders are bound to IRIs, and its terms checked. What can be read:

::

    query  := prefix* head "{" [clause ("." clause)* ["."]] "}"
    prefix := "PREFIX" NAME: <IRI>
    head   := ("ASK" | "SELECT" "count" "(" "*" ")" | "SELECT" "DISTINCT" "?x0") ["WHERE"]
    clause := node path object | "FILTER" "(" node "!=" node ")"
    path   := step (("/" | "|") step)*
    step   := ["^"] (NAME:NAME | <IRI> | "a")
    node   := M0, M1, ... or ?x0, ?x1, ...
    object := node | NAME:NAME | <IRI>

Keywords may be in capitals or not, and what is between tokens may be any blanks. As in SPARQL 1.1,
the dot beside a FILTER may be left out. Nothing nests.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Literal, get_args

from partwise.errors import ExecutionError, QueryError, QuerySyntaxError
from partwise.language.program import TokenReader
from partwise.language.query_graph import ANSWER, ENTITY, Head, QueryGraph, Triple

# The parts of a name are of disjoint characters, so that no match is tried in two ways.
_LOCAL = r"[\w\-]+(?:\.+[\w\-]+)*"
_TOKEN = re.compile(
    r"[ \t\r\n]*(?:"
    r"(?P<variable>\?x(?:0|[1-9][0-9]{0,5})(?!\w))"
    r"|(?P<entity>M[0-9]{1,6}(?![\w:\-]))"
    rf"|(?P<name>(?:[^\W\d][\w\-]*)?:(?:{_LOCAL})?)"
    r"|(?P<word>[^\W\d][\w\-]*)"
    r"|(?P<iri><[^<>\"{}|^`\\\x00-\x20]*>)"
    r"|(?P<mark>!=|[{}().*/|^])"
    r"|(?P<end>\Z)|(?P<other>(?s:.)))"
)
_NODES = ("entity", "variable")
LONGEST_PATH = 200
"""Steps of a property path, which stores may read as deep as it is long."""
_FRAGMENT = "only triples and FILTER ( a != b ) can be read"


class _QueryReader(TokenReader):
    tokens = _TOKEN
    error = QuerySyntaxError

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.edges: set[Triple] = set()
        self.attributes: set[Triple] = set()
        self.filters: dict[tuple[str, str], int] = {}

    def unreadable(self, character: str) -> str:
        if character in "?$":
            return "variables are named ?x0, ?x1, ...; rename this one"
        if character in "\"'" or character.isdigit():
            return f"a literal; {_FRAGMENT}"
        return f"unexpected {character!r}; {_FRAGMENT}"

    def word(self, word: str) -> bool:
        here = self.kind == "word" and self.token.lower() == word
        if here:
            self.advance()
        return here

    def query(self) -> QueryGraph:
        while self.word("prefix"):
            if not self.token.endswith(":"):
                raise self.expected("a prefix such as 'wd:'")
            self.advance()
            self.take("an IRI in <>", "iri")
        asked = self.start
        head = self.head()
        self.word("where")
        self.expect("{")
        self.body()
        self.expect("}")
        if self.kind != "end":
            raise self.expected("nothing more after the query")
        try:
            graph = QueryGraph(
                head, frozenset(self.edges), frozenset(self.attributes), frozenset(self.filters)
            )
        except QueryError as error:
            raise self.fail(str(error), asked) from error
        for pair, at in self.filters.items():
            if not graph.nodes.issuperset(pair):
                raise self.fail("a FILTER on what no triple says anything of", at)
        return graph

    def head(self) -> Head:
        if self.word("ask"):
            return "ask"
        if not self.word("select"):
            raise self.expected("ASK or SELECT")
        if self.word("distinct"):
            self.expect(ANSWER)
            return "select"
        if not self.word("count"):
            raise self.expected(f"'count(*)' or 'DISTINCT {ANSWER}'")
        for mark in "(*)":
            self.expect(mark)
        return "ask"

    def body(self) -> None:
        free = True  # Whether a triple may follow without a dot.
        while self.token != "}":
            at = self.start
            is_filter = self.word("filter")
            if is_filter:
                self.filter(at)
            elif free:
                self.triple()
            else:
                raise self.expected("'.' or '}'")
            free = self.token == "." or is_filter
            if self.token == ".":
                self.advance()

    def node(self) -> str:
        what = f"an entity or a variable such as M0 or {ANSWER} ({_FRAGMENT})"
        return self.take(what, *_NODES)

    def filter(self, at: int) -> None:
        self.expect("(")
        one = self.node()
        self.expect("!=")
        other = self.node()
        self.expect(")")
        self.filters.setdefault((one, other), at)

    def triple(self) -> None:
        subject, steps = self.node(), [self.step()]
        while self.token in ("/", "|"):
            if len(steps) == 2 * LONGEST_PATH - 1:
                raise self.fail(f"a property path of more than {LONGEST_PATH} steps")
            steps += self.advance(), self.step()
        triples = self.edges if self.kind in _NODES else self.attributes
        what = "an entity, a variable or a constant such as wd:Q5"
        triples.add(Triple(subject, "".join(steps), self.take(what, *_NODES, "name", "iri")))

    def step(self) -> str:
        inverse = self.advance() if self.token == "^" else ""
        if self.kind == "variable":
            raise self.fail("a variable as a predicate; query graphs have none")
        kinds = ("word",) if self.token == "a" else ("name", "iri")
        return inverse + self.take("a predicate such as wdt:P57", *kinds)


def parse_query(text: str) -> QueryGraph:
    """Read a query; one that counts all matches (as CFQ asks whether) is read as asking. A triple
    whose object is neither a placeholder nor a variable is an attribute. A property path is kept as
    one predicate, without blanks. Raises QuerySyntaxError for whatever is outside of the fragment;
    with the position and a caret."""
    return _QueryReader(text).query()


Dialect = Literal["cfq", "wikidata", "sparql"]
DIALECTS: tuple[Dialect, ...] = get_args(Dialect)
_ABSOLUTE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:[^\x00-\x20<>\"{}|^`\\]+")
"""An IRIREF of SPARQL 1.1 (grammar rule 139) with a scheme."""
_IRI = rf"<{_ABSOLUTE.pattern}>"
_NAME = r"[\w.-]*:[\w.%-]+"
_STRING = r'"(?:[^"\\\n\r]|\\[tbnrf"\'\\])*"'
_TAG = rf"@[A-Za-z][A-Za-z0-9-]*|\^\^(?:{_IRI}|{_NAME})"
_ALLOWED = {
    "node": re.compile(rf"{_IRI}|{_NAME}|\?x\d+"),
    "predicate": re.compile(rf"(?:{_IRI}|{_NAME}|a|[/|^()*+?!])+"),
    "constant": re.compile(rf"{_IRI}|{_NAME}|{_STRING}(?:{_TAG})?|[+-]?\d+(?:\.\d+)?|true|false"),
}


def heads(dialect: Dialect) -> dict[Head, str]:
    asking = "SELECT count(*)" if dialect == "cfq" else "ASK"
    return {"ask": f"{asking} WHERE {{", "select": f"SELECT DISTINCT {ANSWER} WHERE {{"}


def is_iri(text: str) -> bool:
    """Whether a text is an absolute IRI that can stand between ``<`` and ``>``."""
    return _ABSOLUTE.fullmatch(text) is not None and text.isprintable()


def last_part(iri: str) -> str:
    """What comes after the last ``/``, ``#`` or ``:`` of an IRI; all of it if that is nothing."""
    return re.split(r"[/#:]", iri.rstrip("/#:"))[-1] or iri


def name_entities(
    graph: QueryGraph, bindings: Mapping[str, str], prefixes: Mapping[str, str] | None = None
) -> QueryGraph:
    """The graph with ``<its IRI>`` in the place of each placeholder that has a binding, an IRI or a
    name with one of the `prefixes`. Raises ExecutionError for a binding that is no absolute IRI."""
    iris: dict[str, str] = {}
    prefixes = prefixes or {}
    for node in (node for node in graph.entities if node in bindings):
        prefix, colon, rest = bindings[node].partition(":")
        iri = prefixes[prefix] + rest if colon and prefix in prefixes else bindings[node]
        if not is_iri(iri):
            raise ExecutionError(f"{node} is bound to {bindings[node]!r}, which is no absolute IRI")
        iris[node] = f"<{iri}>"
    return graph.rename(iris)


def bind(
    graph: QueryGraph, bindings: Mapping[str, str], prefixes: Mapping[str, str] | None = None
) -> QueryGraph:
    """The graph with each placeholder bound, as `name_entities` does, and all its terms checked.
    Raises ExecutionError for a placeholder without an IRI, or a term that no query may have."""
    made = name_entities(graph, bindings, prefixes)
    terms = [("node", node) for node in sorted(made.nodes.union(*made.filters))]
    terms += [("predicate", triple.predicate) for triple in made.triples]
    terms += [("constant", attribute.object) for attribute in made.attributes]
    for what, text in terms:
        if ENTITY.fullmatch(text) and what == "node":
            raise ExecutionError(f"{text} stands for no entity: give its IRI in the bindings")
        if not _ALLOWED[what].fullmatch(text) or not text.isprintable():
            raise ExecutionError(f"{text!r} cannot stand in a query as a {what}")
    return made


def write_query(
    graph: QueryGraph, dialect: Dialect, prefixes: Mapping[str, str] | None = None
) -> str:
    """The text of a query. In ``cfq`` ``SELECT count(*)`` asks whether, and all lines are sorted
    together; ``wikidata`` is one line, triples sorted, then FILTERs; ``sparql`` has the same order,
    a line each, and runs once all placeholders are bound. `prefixes` (-> IRI) are for ``sparql``.
    Raises QueryError for an unknown dialect, or a prefix that stands for no IRI."""
    if dialect not in DIALECTS:
        raise QueryError(f"no dialect {dialect!r}; there are {', '.join(DIALECTS)}")
    triples = sorted(map(str, graph.triples))
    filters = sorted(f"FILTER ( {one} != {other} )" for one, other in graph.filters)
    head = heads(dialect)[graph.head]
    if dialect == "cfq":
        return "\n".join([head, " .\n".join(sorted(triples + filters)), "}"])
    if dialect == "wikidata":
        return " ".join(part for part in (head, " . ".join(triples + filters), "}") if part)
    for name, iri in (prefixes or {}).items():
        if not is_iri(iri):
            raise QueryError(f"{name} stands for {iri!r:.80}, which is no IRI; give a full one")
    lines = [f"PREFIX {name}: <{iri}>" for name, iri in (prefixes or {}).items()]
    return "\n".join([*lines, head, *(f"  {line} ." for line in triples + filters), "}"])
