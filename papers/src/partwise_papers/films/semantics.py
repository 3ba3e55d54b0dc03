"""What questions about films mean: from the tree of a question to its query graph.

Each phrase for a thing that is not an entity is one variable. Coordinated roles share it;
coordinated verbs and entities distribute over each other. `Was X Y` says of one thing what both
say. `Who` adds the type person.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping

from partwise.domains.films.domain import DIFFERING, TYPE
from partwise.language.query_graph import QueryGraph, Triple
from partwise_papers.films.grammar import (
    ADJECTIVE_LEAVES,
    CLAUSES,
    ENTITY,
    NOUN_LEAVES,
    Tree,
    members,
)
from partwise_papers.films.lexicon import OBJECT_TYPES, SUBJECT_TYPES, Adjective, Noun
from partwise_papers.films.lexicon import Role as RoleWord
from partwise_papers.films.lexicon import Verb as VerbWord

Nodes = tuple[str, ...]
"""One variable, or the entities of a list."""
End = tuple[str, bool]
"""A predicate and whether its object is meant; if not, its subject."""

IMPLIED: Mapping[End, str] = {
    **{(predicate, True): type_ for predicate, type_ in OBJECT_TYPES.items()},
    **{(predicate, False): type_ for predicate, type_ in SUBJECT_TYPES.items()},
}
"""Types that follow from a predicate at a node.

A type that a noun gives is left out of the query iff a verb or role noun gives the same node one
of these predicates. Person, film, company and character never are; nor is a type that a property
path leaves open, as a producer may be a company. This is simpler than CFQ's own habit, which
depends on the noun and on whether a verb or a role gives the predicate.
"""
PERSON = "film:Person"


def query_graph(
    tree: Tree, names: Mapping[str, str], implied: Mapping[End, str] = IMPLIED
) -> QueryGraph:
    """The query of a question, its variables numbered by the order of their phrases.

    Args:
        names: entity -> its placeholder.
        implied: types that are left out where the predicate is there; {} to leave out none.
    """
    reader = _Reader(names)
    select = tree.rule.startswith(("who", "what", "which"))
    reader.read(tree, (reader.new(),) if select else ())
    return QueryGraph(
        "select" if select else "ask",
        frozenset(reader.edges),
        frozenset(_say(reader, implied)),
        frozenset((s, o) for s, p, o in reader.edges if p in DIFFERING),
    )


def _say(reader: _Reader, implied: Mapping[End, str]) -> Collection[Triple]:
    followed = {(s, implied.get((p, False))) for s, p, _ in reader.edges}
    followed |= {(o, implied.get((p, True))) for _, p, o in reader.edges}
    return [t for t in reader.attributes if t.predicate != TYPE or (t[0], t[2]) not in followed]


class _Reader:
    """Reads phrases; what they say of which nodes is gathered."""

    def __init__(self, names: Mapping[str, str]) -> None:
        self.names = names
        self.edges: list[Triple] = []
        self.attributes: list[Triple] = []
        self.variables = 0

    def new(self) -> str:
        """A variable."""
        self.variables += 1
        return f"?x{self.variables - 1}"

    def read(self, tree: Tree, nodes: Nodes) -> None:
        """Say of each of the nodes what a phrase says."""
        MEANINGS[tree.rule](self, tree, nodes)

    def read_all(self, parts: Collection[Tree], nodes: Nodes) -> None:
        """Say of each of the nodes what all these phrases say."""
        for part in parts:
            self.read(part, nodes)

    def nodes(self, tree: Tree) -> Nodes:
        """What a phrase for a thing stands for."""
        if _is_name(tree):
            return tuple(self.names[str(part.word)] for part in members(tree))
        found = (self.new(),)
        self.read(tree, found)
        return found

    def verbs(self, tree: Tree, subjects: Nodes, objects: Nodes) -> None:
        """Say a verb, or each of a list, of each subject with each object."""
        for leaf in members(tree):
            verb = (leaf.parts[0] if leaf.rule == "by" else leaf).word
            assert isinstance(verb, VerbWord)
            self.relate(verb.predicate, verb.subject_first, subjects, objects)

    def roles(self, tree: Tree, bearers: Nodes, owners: Nodes) -> None:
        """Say that each bearer has a role, or all of a list, for each owner."""
        while tree.rule == "adjective role":
            self.read(tree.parts[0], bearers)
            tree = tree.parts[1]
        for leaf in members(tree):
            role = leaf.word
            assert isinstance(role, RoleWord)
            self.relate(role.predicate, role.bearer_first, bearers, owners)

    def relate(self, predicate: str, in_order: bool, ones: Nodes, others: Nodes) -> None:
        """Triples of each of the ones with each of the others."""
        for one in ones:
            for other in others:
                ends = (one, other) if in_order else (other, one)
                self.edges.append(Triple(ends[0], predicate, ends[1]))


def _is_name(tree: Tree) -> bool:
    return members(tree)[0].rule == ENTITY


Meaning = Callable[[_Reader, Tree, Nodes], None]


def _clause(reader: _Reader, tree: Tree, nodes: Nodes) -> None:
    subject, clause = tree.parts
    reader.read(clause, reader.nodes(subject))


def _equal(reader: _Reader, tree: Tree, nodes: Nodes) -> None:
    one, other = tree.parts
    if _is_name(one) or _is_name(other):
        named, other = (one, other) if _is_name(one) else (other, one)
        reader.read(other, reader.nodes(named))
    else:
        reader.read_all(tree.parts, (reader.new(),))


def _who(reader: _Reader, tree: Tree, nodes: Nodes) -> None:
    reader.attributes.append(Triple(nodes[0], TYPE, PERSON))
    _parts(reader, tree, nodes)


def _parts(reader: _Reader, tree: Tree, nodes: Nodes) -> None:
    reader.read_all(tree.parts, nodes)


def _possessive(reader: _Reader, tree: Tree, nodes: Nodes) -> None:
    owner, roles = tree.parts
    reader.roles(roles, nodes, reader.nodes(owner))


def _of(reader: _Reader, tree: Tree, nodes: Nodes) -> None:
    roles, owner = tree.parts
    reader.roles(roles, nodes, reader.nodes(owner))


def _whose(reader: _Reader, tree: Tree, nodes: Nodes) -> None:
    roles, clause = tree.parts
    bearers = (reader.new(),)
    reader.roles(roles, bearers, nodes)
    reader.read(clause, bearers)


def _active(reader: _Reader, tree: Tree, nodes: Nodes) -> None:
    verbs, thing = tree.parts
    reader.verbs(verbs, nodes, reader.nodes(thing))


def _passive(reader: _Reader, tree: Tree, nodes: Nodes) -> None:
    verbs, agent = tree.parts
    reader.verbs(verbs, reader.nodes(agent), nodes)


def _gap(reader: _Reader, tree: Tree, nodes: Nodes) -> None:
    subject, verbs = tree.parts
    reader.verbs(verbs, reader.nodes(subject), nodes)


def _gap_was(reader: _Reader, tree: Tree, nodes: Nodes) -> None:
    subject, verbs = tree.parts
    reader.verbs(verbs, nodes, reader.nodes(subject))


def _noun(reader: _Reader, tree: Tree, nodes: Nodes) -> None:
    assert isinstance(tree.word, Noun)
    reader.attributes += [Triple(node, TYPE, tree.word.type) for node in nodes]


def _adjective(reader: _Reader, tree: Tree, nodes: Nodes) -> None:
    assert isinstance(tree.word, Adjective)
    _, predicate, value = tree.word
    reader.attributes += [Triple(node, predicate, value) for node in nodes]


_GROUPS: Mapping[Meaning, tuple[str, ...]] = {
    _clause: ("did", "was", "were", "was adjective"),
    _equal: ("was equal",),
    _who: ("who", "who did"),
    _parts: (
        *("what", "what noun", "which noun", "what did", "what noun did", "which noun did"),
        *("a", "relative", "adjective noun", "that", "that gap", "reduced"),
        *("was past", "was noun"),
        *(f"and {symbol}" for symbol in CLAUSES),
    ),
    _possessive: ("possessive",),
    _of: ("of",),
    _whose: ("whose",),
    _active: ("active", "active past"),
    _passive: ("passive", "passive each"),
    _gap: ("gap", "gap past"),
    _gap_was: ("gap was", "gap were", "gap was each", "gap were each"),
}
"""Meanings, each with the rules that have it."""

MEANINGS: Mapping[str, Meaning] = {
    **{rule: meaning for meaning, rules in _GROUPS.items() for rule in rules},
    **{leaf.rule: _noun for leaf in NOUN_LEAVES.values()},
    **{leaf.rule: _adjective for leaf in ADJECTIVE_LEAVES.values()},
}
