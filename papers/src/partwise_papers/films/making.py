"""Making questions about films that hold of given things.

A phrase is made for a thing of the graph, its witness, by saying of it what holds. So what is
asked always has an answer, and questions are as nested and coordinated as the facts allow.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Sequence

from partwise_papers.films.choices import ENTITIES_SHARE, ENTITY_SHARE, MAX_LISTED, Chooser, Stuck
from partwise_papers.films.grammar import (
    ADJECTIVE_LEAVES,
    NOUN_LEAVES,
    ROLE_LEAVES,
    VERB_LEAVES,
    Tree,
    list_phrases,
    members,
)
from partwise_papers.films.links import NONE, Links, Table, World, choose

RELATIVE_SHARE, LIST_SHARE = 0.45, 0.3
"""How often a noun gets a relative clause, and a clause another one beside it."""
OTHER_PHRASE_SHARE = 0.3
"""How often the rarer of two wordings is taken."""

Clause = Callable[[str, bool], Tree]
Said = tuple[Table, Sequence[str], Sequence[str]]
"""A table, words of it, and those of whom they hold."""


class Maker(Chooser):
    """Makes one question after another."""

    def __init__(self, world: World, rng: random.Random) -> None:
        super().__init__(world, rng)
        self.said: list[Said] = []
        w = world
        self.asking: tuple[tuple[int, Callable[[str], Tree], list[str]], ...] = (
            (24, self.did, _often(w.does)),
            (18, self.was, _often(w.done_by)),
            (14, self.equal, _often(w.bears)),
            (2, self.adjective, [name for name, words in w.adjectives.items() if words]),
        )
        people = [name for name, kind in w.kinds.items() if kind == "person"]
        person = set(people)
        finite = _often(w.does, w.done_by, w.bears)
        gap = _often(w.done)
        self.opening: tuple[tuple[int, Callable[[str], Tree], list[str]], ...] = (
            (10, lambda n: self.open("who", n), [n for n in finite if n in person]),
            (9, lambda n: self.open("what", n), finite),
            (9, lambda n: self.open("what noun", n), finite),
            (9, lambda n: self.open("which noun", n), finite),
            (3, lambda n: self.open("who did", n), [n for n in gap if n in person]),
            (4, lambda n: self.open("what did", n), gap),
            (4, lambda n: self.open("what noun did", n), gap),
            (4, lambda n: self.open("which noun did", n), gap),
        )

    def make(self, asks: bool) -> Tree:
        """A question that asks whether, with "yes" for its answer, or one for something.

        Raises:
            Stuck: if what was begun cannot be ended.
        """
        self.begin()
        self.said = []
        forms = self.asking if asks else self.opening
        weights = [weight for weight, _, _ in forms]
        _, form, names = self.rng.choices(forms, weights)[0]
        return form(choose(self.rng, names))

    # Questions.

    def did(self, n: str) -> Tree:
        """`Did X direct Y and edit Z`."""
        clauses = self.several("VP", n, self.active)
        return Tree("did", (self.subject(n), clauses))

    def was(self, n: str) -> Tree:
        """`Was X directed by Y`; `Were` for several."""
        clauses = self.several("PASS", n, self.passive)
        subject = self.subject(n)
        return Tree("were" if subject.rule == "and DP" else "was", (subject, clauses))

    def equal(self, n: str) -> Tree:
        """`Was X Y 's spouse`, `Was a film director X 's spouse`, in either order."""
        by_role = self.by_role(n, relative=False)
        if self.free(n) and self.rng.random() < ENTITY_SHARE:
            other = self.named(n)
        elif self.rng.random() < 0.3 and n in self.world.bears:
            other = self.by_role(n, relative=False)
        else:
            other = self.noun_phrase(n, relative=False)
        pair = (by_role, other) if self.rng.random() < 0.5 else (other, by_role)
        if pair[0] == pair[1]:
            raise Stuck
        return Tree("was equal", pair)

    def adjective(self, n: str) -> Tree:
        """`Was X 's director French`."""
        leaf = ADJECTIVE_LEAVES[choose(self.rng, self.world.adjectives[n])]
        return Tree("was adjective", (self.thing(n, relative=False), leaf))

    def open(self, rule: str, n: str) -> Tree:
        """A question for n by one of the rules of who, what and which."""
        parts: tuple[Tree, ...] = ()
        if "noun" in rule:
            parts = (self.ask_noun(n),)
        if rule.endswith("did"):
            return Tree(rule, (*parts, self.several("GAP", n, self.gap)))
        return Tree(rule, (*parts, self.several("VPF", n, self.finite)))

    def ask_noun(self, n: str) -> Tree:
        if n in self.world.bears and (self.rng.random() < 0.4 or not self.world.nouns[n]):
            return self.role_of(n, relative=True)
        return self.noun(n, relative=True)

    # Clauses about n: what it does or what is done to it.

    def several(self, symbol: str, n: str, clause: Clause) -> Tree:
        """A clause, or several in coordination; only the last may end in a relative clause.

        Otherwise it would not be clear whether what follows goes on with the relative clause.
        """
        count = 1
        while count < MAX_LISTED and self.left > count and self.rng.random() < LIST_SHARE:
            count += 1
        made: list[Tree] = []
        for place in range(count):
            one = clause(n, place == count - 1)
            if one not in made:
                made.append(one)
        return list_phrases(symbol, made)

    def active(self, n: str, relative: bool) -> Tree:
        """`direct X`."""
        return Tree("active", self.verbal(self.world.does, n, relative))

    def passive(self, n: str, relative: bool) -> Tree:
        """`directed by X`, `directed by , and edited by X`."""
        verbs, agent = self.verbal(self.world.done_by, n, relative)
        if verbs.parts and self.rng.random() < OTHER_PHRASE_SHARE:
            return Tree("passive each", (_each(verbs), agent))
        return Tree("passive", (verbs, agent))

    def finite(self, n: str, relative: bool) -> Tree:
        """`directed X`, `was directed by X`, `was X 's director`."""
        world = self.world
        ways = []
        if n in world.does:
            ways += [0, 0, 0]
        if n in world.done_by:
            ways += [1, 1]
        if n in world.bears:
            ways += [2]
        if not ways:
            raise Stuck
        way = choose(self.rng, ways)
        if way == 0:
            return Tree("active past", self.verbal(world.does, n, relative))
        if way == 1:
            return Tree("was past", (self.passive(n, relative),))
        if world.nouns[n] and self.rng.random() < 0.3:
            return Tree("was noun", (Tree("a", (self.noun(n, relative=False),)),))
        return Tree("was noun", (self.by_role(n, relative),))

    def gap(self, n: str, relative: bool) -> Tree:
        """`X direct` of what X directed."""
        verbs, subject = self.verbal(self.world.done, n, False)
        return Tree("gap", (subject, verbs))

    def gap_past(self, n: str, relative: bool) -> Tree:
        """`X directed` of what X directed, or `X was directed by` of who directed X."""
        world = self.world
        if n in world.done and (n not in world.agent or self.rng.random() < 0.5):
            verbs, subject = self.verbal(world.done, n, False)
            return Tree("gap past", (subject, verbs))
        if n not in world.agent:
            raise Stuck
        verbs, subject = self.verbal(world.agent, n, False)
        rule = "gap were" if subject.rule == "and DP" else "gap was"
        if verbs.parts and self.rng.random() < OTHER_PHRASE_SHARE:
            return Tree(f"{rule} each", (subject, _each(verbs)))
        return Tree(rule, (subject, verbs))

    def verbal(self, table: Table, n: str, relative: bool) -> tuple[Tree, Tree]:
        """Verbs of a table, and for whom they hold with n."""
        links = table[n]
        words, other = self.pick(links)
        thing, others = self.others(links, words, other, relative)
        self.said.append((table, words, others))
        return list_phrases("V", [VERB_LEAVES[word] for word in words]), thing

    # Phrases for n.

    def subject(self, n: str) -> Tree:
        """A phrase for n, or entities of which all holds that was said of n so far."""
        if self.rng.random() < ENTITIES_SHARE / 2 and self.free(n):
            alike = [other for other in self.alike(n) if self.free(other) and other != n]
            if alike:
                return self.entities([n, *self.some(alike, MAX_LISTED - 1)])
        return self.thing(n, relative=True)

    def alike(self, n: str) -> list[str]:
        """All of which holds what was said of n so far, n too."""
        found: list[str] | None = None
        inverse = self.world.inverse
        for table, words, others in self.said_of(n):
            back = next(two for one, two in inverse if one is table)
            for other in others:
                now = back[other].common(words)
                found = now if found is None else [name for name in found if name in now]
        return found or []

    def said_of(self, n: str) -> Iterable[Said]:
        own = [table for table, _ in self.world.inverse]
        return [
            said
            for said in self.said
            if any(said[0] is table for table in own)
            and all(o in said[0].get(n, NONE).common(said[1]) for o in said[2])
        ]

    def thing(self, n: str, relative: bool, owner: bool = False) -> Tree:
        """A phrase for n.

        Args:
            relative: whether it may have a relative clause.
            owner: whether `'s` follows, where neither that nor `of` may stand.
        """
        namable = self.free(n)
        if namable and (self.left <= 0 or self.rng.random() < ENTITY_SHARE):
            return self.named(n)
        nouns, bears = self.world.nouns[n], n in self.world.bears
        if bears and (not nouns or (self.left > 0 and self.rng.random() < 0.5)):
            return self.by_role(n, relative, owner)
        if not nouns:
            raise Stuck
        return self.noun_phrase(n, relative and not owner)

    def noun_phrase(self, n: str, relative: bool) -> Tree:
        """`a film that X directed`."""
        if not self.world.nouns[n]:
            raise Stuck
        return Tree("a", (self.noun(n, relative),))

    def noun(self, n: str, relative: bool) -> Tree:
        """`French film director that X employed`."""
        rng = self.rng
        tree = NOUN_LEAVES[choose(rng, self.world.nouns[n])]
        for word in self.true_adjectives(n):
            tree = Tree("adjective noun", (ADJECTIVE_LEAVES[word], tree))
        if relative and self.left > 0 and rng.random() < RELATIVE_SHARE:
            tree = Tree("relative", (tree, self.relative(n)))
        return tree

    def relative(self, n: str) -> Tree:
        """`that directed X`, `that X directed`, `whose spouse directed X`, `directed by X`."""
        world, way = self.world, self.rng.random()
        if way < 0.2 and n in world.owns:
            return self.whose(n)
        if way < 0.4 and n in world.done_by:
            return Tree("reduced", (self.passive(n, True),))
        if way < 0.65 and (n in world.done or n in world.agent):
            return Tree("that gap", (self.several("GAPF", n, self.gap_past),))
        return Tree("that", (self.several("VPF", n, self.finite),))

    def whose(self, n: str) -> Tree:
        roles, bearer = self.pick(self.world.owns[n])
        tree = self.role_tree(roles, bearer)
        return Tree("whose", (tree, self.several("VPF", bearer, self.finite)))

    def by_role(self, n: str, relative: bool, owner: bool = False) -> Tree:
        """`X 's director` or `a director of X`."""
        if not owner and self.world.nouns[n] and self.rng.random() < OTHER_PHRASE_SHARE:
            return Tree("a", (self.role_of(n, relative),))
        roles, possessor = self.role(n, relative=False, owner=True)
        return Tree("possessive", (possessor, roles))

    def role_of(self, n: str, relative: bool) -> Tree:
        """`director of X`."""
        return Tree("of", self.role(n, relative, owner=False))

    def role(self, n: str, relative: bool, owner: bool) -> tuple[Tree, Tree]:
        """Roles that n has, and for whom."""
        links = self.world.bears[n]
        words, other = self.pick(links)
        thing, _ = self.others(links, words, other, relative, owner)
        return self.role_tree(words, n), thing

    def role_tree(self, words: list[str], bearer: str) -> Tree:
        tree = list_phrases("ROLE", [ROLE_LEAVES[word] for word in words])
        for word in self.true_adjectives(bearer):
            tree = Tree("adjective role", (ADJECTIVE_LEAVES[word], tree))
        return tree

    # Choices.

    def others(
        self, links: Links, words: list[str], other: str, relative: bool, owner: bool = False
    ) -> tuple[Tree, list[str]]:
        """A phrase for the other, or entities of which the words hold as well."""
        if self.rng.random() < ENTITIES_SHARE and self.free(other):
            found = [one for one in links.common(words) if one != other and self.free(one)]
            if found:
                names = [other, *self.some(found, MAX_LISTED - 1)]
                return self.entities(names), names
        return self.thing(other, relative, owner), [other]


def _often(*tables: Table) -> list[str]:
    """Those of whom something can be said, more often where more can be."""
    found: list[str] = []
    for table in tables:
        for name, links in table.items():
            found += [name] * min(8, sum(map(len, links.others.values())))
    return found


def _each(verbs: Tree) -> Tree:
    """`directed by , and edited by` of `directed and edited`."""
    return list_phrases("BY", [Tree("by", (verb,)) for verb in members(verbs)])
