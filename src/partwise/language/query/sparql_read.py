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
the dot beside a FILTER may be left out. Nothing nests, so time and memory grow with the length of
the text and with nothing else.
"""

from __future__ import annotations

import re

from partwise.errors import QueryError, QuerySyntaxError
from partwise.language.query.graph import ANSWER, Head, QueryGraph, Triple

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
    r"|(?P<end>\Z))"
)
_NODES = ("entity", "variable")
_FRAGMENT = "only triples and FILTER ( a != b ) can be read"


class _QueryReader:
    """Reads one text from left to right, a token ahead."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.kind, self.token, self.start, self.after = "", "", 0, 0
        self.edges: set[Triple] = set()
        self.attributes: set[Triple] = set()
        self.filters: dict[tuple[str, str], int] = {}
        self.advance()

    def fail(self, message: str, at: int | None = None) -> QuerySyntaxError:
        return QuerySyntaxError(message, self.text, self.start if at is None else at)

    def expected(self, what: str) -> QuerySyntaxError:
        here = repr(self.token[:40]) if self.token else "the end of the query"
        return self.fail(f"expected {what}, found {here}")

    def advance(self) -> str:
        """Step on; gives the token that was left."""
        left = self.token
        match = _TOKEN.match(self.text, self.after)
        if match is None:
            raise self._unreadable()
        self.kind = kind = match.lastgroup or ""
        self.token = match[kind]
        self.start, self.after = match.span(kind)
        return left

    def _unreadable(self) -> QuerySyntaxError:
        at = self.after
        while self.text[at] in " \t\r\n":
            at += 1
        here = self.text[at]
        if here in "?$":
            return self.fail("variables are named ?x0, ?x1, ...; rename this one", at)
        if here in "\"'" or here.isdigit():
            return self.fail(f"a literal; {_FRAGMENT}", at)
        return self.fail(f"unexpected {here!r}; {_FRAGMENT}", at)

    def word(self, *words: str) -> str:
        """Pass one of these keywords; gives "" if none stands here."""
        if self.kind == "word" and self.token.lower() in words:
            return self.advance().lower()
        return ""

    def expect(self, token: str) -> None:
        if self.token != token:
            raise self.expected(repr(token))
        self.advance()

    def query(self) -> QueryGraph:
        while self.word("prefix"):
            self.prefix()
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

    def prefix(self) -> None:
        if self.kind != "name" or not self.token.endswith(":"):
            raise self.expected("a prefix such as 'wd:'")
        self.advance()
        if self.kind != "iri":
            raise self.expected("an IRI in <>")
        self.advance()

    def head(self) -> Head:
        if self.word("ask"):
            return "ask"
        if not self.word("select"):
            raise self.expected("ASK or SELECT")
        if self.word("count"):
            for mark in "(*)":
                self.expect(mark)
            return "ask"
        if not self.word("distinct"):
            raise self.expected(f"'count(*)' or 'DISTINCT {ANSWER}'")
        self.expect(ANSWER)
        return "select"

    def body(self) -> None:
        free = True  # Whether a clause may follow without a dot.
        while self.token != "}":
            if self.kind == "word" and self.token.upper() == "FILTER":
                self.filter()
                free = True
            elif free:
                self.triple()
                free = False
            else:
                raise self.expected("'.' or '}'")
            if self.token == ".":
                self.advance()
                free = True

    def node(self, what: str) -> str:
        if self.kind not in _NODES:
            raise self.expected(f"{what} such as M0 or {ANSWER} ({_FRAGMENT})")
        return self.advance()

    def filter(self) -> None:
        at = self.start
        self.advance()
        self.expect("(")
        one = self.node("an entity or a variable")
        self.expect("!=")
        other = self.node("an entity or a variable")
        self.expect(")")
        self.filters.setdefault((one, other), at)

    def triple(self) -> None:
        subject = self.node("an entity or a variable")
        predicate = self.path()
        if self.kind in _NODES:
            self.edges.add(Triple(subject, predicate, self.advance()))
        elif self.kind in ("name", "iri"):
            self.attributes.add(Triple(subject, predicate, self.advance()))
        else:
            raise self.expected("an entity, a variable or a constant such as wd:Q5")

    def path(self) -> str:
        steps = [self.step()]
        while self.token in ("/", "|"):
            steps.append(self.advance())
            steps.append(self.step())
        return "".join(steps)

    def step(self) -> str:
        inverse = self.advance() if self.token == "^" else ""
        if self.kind == "variable":
            raise self.fail("a variable as a predicate; query graphs have none")
        if self.kind not in ("name", "iri") and self.token != "a":
            raise self.expected("a predicate such as wdt:P57")
        return inverse + self.advance()


def parse_query(text: str) -> QueryGraph:
    """Read a query; one that counts all matches (as CFQ asks whether) is read as asking.

    A triple whose object is neither a placeholder nor a variable is an attribute. A property path
    is kept as one predicate, without blanks.

    Raises:
        QuerySyntaxError: for whatever is outside of the fragment; with the position and a caret.
    """
    return _QueryReader(text).query()
