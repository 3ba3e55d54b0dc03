"""A small language of our own, about who planted, watered and guarded what; questions with graphs.

Of its words, "guard" and "fence" are verbs and nouns, "gardener" is a noun and a role.
"""

from __future__ import annotations

import random
from itertools import count, product

from languages import domain

from partwise.graph.grammar.tokens import TaggedTokens, Tagger
from partwise.graph.induction.patterns import Occurrence, Pattern, Patterns, read_patterns
from partwise.language.query_graph import QueryGraph, Triple

GARDEN = domain("garden")
CLASSES = tuple(GARDEN.words)
SAID = {"plant": "planted", "water": "watered"}
"""Verbs of generated questions, with their other form, which is their predicate too."""


def tokens(question: str) -> TaggedTokens:
    """The tokens of a question about gardens."""
    return Tagger(GARDEN)(question)


def read(*questions: str) -> Patterns:
    """The patterns of questions."""
    return read_patterns([tokens(question) for question in questions], CLASSES)


def pattern(text: str) -> Pattern:
    """``("did", "Thing")`` of "did Thing"."""
    return tuple(text.split())


def patterns(*texts: str, times: int = 1, coordinated: str = "") -> Patterns:
    """Patterns as they are given, each of so many questions, with a token for each symbol."""
    number = count()
    occurrences = {
        pattern(text): [
            Occurrence(next(number), tuple((at, at + 1) for at in range(len(pattern(text)))))
            for _ in range(times)
        ]
        for text in texts
    }
    return Patterns(occurrences, {}, frozenset(coordinated.split()), frozenset(CLASSES))


def graph(*edges: str, attributes: tuple[str, ...] = (), selects: bool = False) -> QueryGraph:
    """``graph("?x1 planted M0")``."""
    return QueryGraph(
        "select" if selects else "ask",
        frozenset(Triple(*edge.split()) for edge in edges),
        frozenset(Triple(*attribute.split()) for attribute in attributes),
    )


def generate(number: int, seed: int, most: int = 1) -> tuple[list[TaggedTokens], list[QueryGraph]]:
    """Different questions, with their graphs.

    Args:
        most: of the adjectives of a noun.
    """
    rng = random.Random(f"garden {seed}")
    found: dict[str, QueryGraph] = {}
    while len(found) < number:
        text, made = _Making(rng, most).question()
        found.setdefault(text, made)
    return [tokens(text) for text in found], list(found.values())


class _Making:
    """Makes one question.

    Things are entities, "a red tree", "M0 's owner" and "a tree that watered M0".
    """

    def __init__(self, rng: random.Random, most: int) -> None:
        self.rng, self.most = rng, most
        self.entities, self.variables = count(), count(1)
        self.edges: set[Triple] = set()
        self.attributes: set[Triple] = set()

    def question(self) -> tuple[str, QueryGraph]:
        selects = self.rng.random() < 0.5
        if selects:
            text = f"who {self.clauses(['?x0'], past=True)}"
        else:
            subjects, subject = self.thing(2)
            text = f"did {subject} {self.clauses(subjects, past=False)}"
        edges, attributes = frozenset(self.edges), frozenset(self.attributes)
        return text, QueryGraph("select" if selects else "ask", edges, attributes)

    def clauses(self, subjects: list[str], past: bool) -> str:
        """``plant M0``, or ``plant M0 , water a tree , and plant M1``."""
        return listed([self.clause(subjects, past) for _ in range(self.some())])

    def clause(self, subjects: list[str], past: bool) -> str:
        verbs = self.rng.sample(list(SAID), 1 + (self.rng.random() < 0.3))
        objects, text = self.thing(2)
        self.edges |= {
            Triple(*edge) for edge in product(subjects, [SAID[verb] for verb in verbs], objects)
        }
        return f"{listed([SAID[verb] if past else verb for verb in verbs])} {text}"

    def thing(self, depth: int) -> tuple[list[str], str]:
        """A noun phrase no deeper than that: its nodes, and its text."""
        kind = self.rng.random()
        if kind < 0.5 or not depth:
            names = [f"M{next(self.entities)}" for _ in range(self.some())]
            return names, listed(names)
        node = f"?x{next(self.variables)}"
        if kind < 0.7:
            owned, text = self.thing(depth - 1)
            roles = self.rng.sample(["owner", "neighbour"], 1 + (self.rng.random() < 0.3))
            self.edges |= {Triple(one, role, node) for one in owned for role in roles}
            return [node], f"{text} 's {listed(roles)}"
        adjectives = self.rng.sample(["old", "red", "tall"], self.rng.randint(0, self.most))
        text = " ".join(["a", *adjectives, self.rng.choice(["tree", "rose"])])
        self.attributes |= {Triple(node, "is", word) for word in text.split()[1:]}
        if kind < 0.85:
            return [node], text
        return [node], f"{text} that {self.clause([node], past=True)}"

    def some(self) -> int:
        return self.rng.choice((1, 1, 1, 2, 3))


def listed(words: list[str]) -> str:
    """``X``, ``X and Y``, or ``X , Y , and Z``."""
    if len(words) < 3:
        return " and ".join(words)
    return f"{' , '.join(words[:-1])} , and {words[-1]}"
