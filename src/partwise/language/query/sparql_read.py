"""Query graphs from SPARQL text, for the fragment that query graphs can stand for.

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

from partwise.errors import QueryError, QuerySyntaxError
from partwise.language.query.graph import ANSWER, Head, QueryGraph, Triple
from partwise.language.reader import TokenReader

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
        """Pass a keyword, if it stands here."""
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
    """Read a query; one that counts all matches (as CFQ asks whether) is read as asking.

    A triple whose object is neither a placeholder nor a variable is an attribute. A property path
    is kept as one predicate, without blanks.

    Raises:
        QuerySyntaxError: for whatever is outside of the fragment; with the position and a caret.
    """
    return _QueryReader(text).query()
