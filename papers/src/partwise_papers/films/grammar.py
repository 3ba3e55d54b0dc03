"""The grammar of questions about films: what each rule puts together, and the words of a tree.

The language is that of CFQ (Keysers et al. 2020): questions that ask whether (`Did`, `Was`,
`Were`) or for something (`Who`, `What`, `Which`), with possessives, relative clauses and
coordination. Always `a`, never `an`; no question mark; `'s` and the comma are words.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from partwise.interface.data import RuleGraph
from partwise_papers.films.lexicon import ADJECTIVES, NOUNS, ROLES, VERBS
from partwise_papers.films.lexicon import Adjective as AdjectiveWord
from partwise_papers.films.lexicon import Noun as NounWord
from partwise_papers.films.lexicon import Role as RoleWord
from partwise_papers.films.lexicon import Verb as VerbWord


class Rule(NamedTuple):
    """What it makes, and of what: words, and (in capitals) the symbols of its parts."""

    left: str
    right: str


RULES: Mapping[str, Rule] = {
    # Questions.
    "did": Rule("S", "Did DP VP"),
    "was": Rule("S", "Was DP PASS"),
    "were": Rule("S", "Were DP PASS"),
    "was equal": Rule("S", "Was DP DP"),
    "was adjective": Rule("S", "Was DP ADJ"),
    "who": Rule("S", "Who VPF"),
    "what": Rule("S", "What VPF"),
    "what noun": Rule("S", "What NBAR VPF"),
    "which noun": Rule("S", "Which NBAR VPF"),
    "who did": Rule("S", "Who did GAP"),
    "what did": Rule("S", "What did GAP"),
    "what noun did": Rule("S", "What NBAR did GAP"),
    "which noun did": Rule("S", "Which NBAR did GAP"),
    # Phrases for things. An entity's word is its placeholder.
    "a": Rule("DP", "a NBAR"),
    "possessive": Rule("DP", "DP 's ROLE"),
    "of": Rule("NBAR", "ROLE of DP"),
    "relative": Rule("NBAR", "NBAR RC"),
    "adjective noun": Rule("NBAR", "ADJ NBAR"),
    "adjective role": Rule("ROLE", "ADJ ROLE"),
    # Relative clauses.
    "that": Rule("RC", "that VPF"),
    "that gap": Rule("RC", "that GAPF"),
    "whose": Rule("RC", "whose ROLE VPF"),
    "reduced": Rule("RC", "PASS"),
    # Clauses: VP after "did", VPF with a finite verb, GAP and GAPF without their object.
    "active": Rule("VP", "V DP"),
    "active past": Rule("VPF", "VED DP"),
    "was past": Rule("VPF", "was PASS"),
    "was noun": Rule("VPF", "was DP"),
    "passive": Rule("PASS", "VEN by DP"),
    "passive each": Rule("PASS", "BY DP"),
    "by": Rule("BY", "VEN by"),
    "gap": Rule("GAP", "DP V"),
    "gap past": Rule("GAPF", "DP VED"),
    "gap was": Rule("GAPF", "DP was VEN by"),
    "gap were": Rule("GAPF", "DP were VEN by"),
    "gap was each": Rule("GAPF", "DP was BY"),
    "gap were each": Rule("GAPF", "DP were BY"),
}
CLAUSES = ("VP", "VPF", "PASS", "GAP", "GAPF")
LISTED = ("DP", "ROLE", "V", "BY", *CLAUSES)
"""Symbols of which several make one: `X and X`, `X , X , and X`, and so on; see `list_phrases`."""
ENTITY = "entity"
"""Rule of every entity."""

Word = VerbWord | RoleWord | NounWord | AdjectiveWord | str


class Tree(NamedTuple):
    """A phrase: the rule that made it, its parts, and for a word what it is.

    The word of an entity is its name in the graph.
    """

    rule: str
    parts: tuple[Tree, ...] = ()
    word: Word | None = None


def list_phrases(symbol: str, members: list[Tree]) -> Tree:
    """Phrases of one kind as one, by "and"; a single one stays as it is."""
    return members[0] if len(members) == 1 else Tree(f"and {symbol}", tuple(members))


def members(tree: Tree) -> tuple[Tree, ...]:
    """The phrases of a list; of anything else, itself."""
    return tree.parts if tree.rule in _LISTS else (tree,)


def entity(name: str) -> Tree:
    """A phrase for an entity."""
    return Tree(ENTITY, (), name)


def _leaves(words: tuple[Word, ...], kind: str) -> dict[str, Tree]:
    return {str(word[0]): Tree(f"{kind} {word[0]}", (), word) for word in words}


VERB_LEAVES = _leaves(VERBS, "verb")
ROLE_LEAVES = _leaves(ROLES, "role")
NOUN_LEAVES = _leaves(NOUNS, "noun")
ADJECTIVE_LEAVES = _leaves(ADJECTIVES, "adjective")

RULE_NAMES = (
    *RULES,
    *(f"and {symbol}" for symbol in LISTED),
    ENTITY,
    *(leaf.rule for leaf in VERB_LEAVES.values()),
    *(leaf.rule for leaf in ROLE_LEAVES.values()),
    *(leaf.rule for leaf in NOUN_LEAVES.values()),
    *(leaf.rule for leaf in ADJECTIVE_LEAVES.values()),
)
"""Every rule that a question can have been made by."""

_LISTS = frozenset(f"and {symbol}" for symbol in LISTED)
_RIGHT = {name: tuple(rule.right.split()) for name, rule in RULES.items()}
_FORMS = {"V": "base", "VED": "past", "VEN": "participle"}
"""Symbols of verbs, with the form that stands there."""


def words(tree: Tree, names: dict[str, str]) -> list[str]:
    """The words of a phrase.

    Args:
        names: entity -> its placeholder; new ones are numbered on in the order of mention.
    """
    found: list[str] = []
    _spell(tree, "", names, found)
    return found


def _spell(tree: Tree, symbol: str, names: dict[str, str], found: list[str]) -> None:
    rule, parts, word = tree
    if word is not None:
        if isinstance(word, str):
            found.append(names.setdefault(word, f"M{len(names)}"))
        else:
            found.append(getattr(word, _FORMS[symbol]) if symbol in _FORMS else word[0])
        return
    if rule in _LISTS:
        last = len(parts) - 1
        for place, part in enumerate(parts):
            if place and last > 1:
                found.append(",")
            if place and place == last:
                found.append("and")
            _spell(part, symbol, names, found)
        return
    rest = iter(parts)
    for token in _RIGHT[rule]:
        if token.isupper():
            _spell(next(rest), token, names, found)
        else:
            found.append(token)


def rule_graph(tree: Tree) -> RuleGraph:
    """The rules of a tree from the root on, each before its parts, with an edge to each part."""
    rules: list[str] = []
    edges: list[tuple[int, int]] = []
    _gather(tree, rules, edges)
    return RuleGraph(tuple(rules), tuple(edges))


def _gather(tree: Tree, rules: list[str], edges: list[tuple[int, int]]) -> None:
    place = len(rules)
    rules.append(tree.rule)
    for part in tree.parts:
        edges.append((place, len(rules)))
        _gather(part, rules, edges)
