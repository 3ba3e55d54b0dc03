"""COGS: who did what to whom. Verbs are names with arguments, which are called by where they stand,
so that no verb needs to be seen with each of them: `agent` before it, `first` and `second` behind.
`canonical` tells by the order of the roles of a published form how it was said ("gave liam a cake",
"gave a cake to liam", "liam was given a cake").
"""

from __future__ import annotations

from typing import ClassVar, NewType

from partwise.language.domain import Domain, default, entities, predicate
from partwise.language.inflection import forms
from partwise.language.program import Term

CHANGES = """break:broke:broken burn change collapse crumple decompose disintegrate double enlarge
float freeze:froze:frozen grow:grew:grown improve inflate redden roll shatter shorten slide:slid
snap split:split"""
ACTS = """admire adore appreciate attempt bake believe bless call clean confess cook crave crawl
cry dance declare discover draw:drew:drawn dream:dreamed:dreamt dust eat:ate:eaten enjoy examine
expect find:found frown gasp giggle hate hear:heard help hold:held hope hunt imagine intend
investigate itch jog juggle know:knew:known laugh like long love mean:meant miss nap need notice
nurse observe pack paint pierce plan poke prefer:preferred prove read:read respect run:ran say:said
scoff scream see:saw:seen sketch sleep:slept smile smirk sneeze snooze snore squeeze stab study
stutter support talk think:thought throw:threw:thrown tolerate toss touch try value walk want wish
worship:worshipped yearn"""
GIVES = """award bring:brought feed:fed forward give:gave:given hand lend:lent:lended loan mail
offer pass post promise rent return sell:sold send:sent serve ship slip teleport wire"""
ALL = [one.split(":") for one in f"{CHANGES} {ACTS} {GIVES}".split()]
PAST = {
    verb: tuple(past or (one for one in forms(verb) if one.endswith("ed"))) for verb, *past in ALL
}
"""Verb -> how it is written in the past: as given, or by rule."""
CHANGED, GIVEN = ({one.split(":")[0] for one in some.split()} for some in (CHANGES, GIVES))
PLACES = "in", "on", "beside"
OTHERS = ("a", "the", "was", "by", "to", "that", *PLACES, *PAST, *sum(PAST.values(), ()))
Phrase = NewType("Phrase", object)
Clause = NewType("Clause", object)
Simple = NewType("Simple", Phrase)
By = NewType("By", object)
To = NewType("To", object)
Common = NewType("Common", Simple)


class Cogs(Domain):
    """Sentences with their verbs' arguments, and single words."""

    name: ClassVar[str] = "cogs"
    runnable: ClassVar[bool] = False
    answers: ClassVar[object] = Phrase | Clause
    preceding: ClassVar = {
        **{"acts": ["agent"], "gives": ["agent"], "was": ["subject"]},
        **{f"nmod.{place}": ["one"] for place in PLACES},
    }
    directional: ClassVar = {
        **{"acts": ["first", "what", "that"], "gives": ["first", "second", "to"]},
        **{head: ["other"] for head in (*(f"nmod.{place}" for place in PLACES), "*", "by", "to")},
        "was": ["verb", "by"],
    }
    shared: ClassVar = {"acts": {"what.other.agent": "agent"}}

    @entities(bare=True, pattern=r"(?!The\b)[A-Z][a-z]+")
    def person(self, name: str) -> Simple: ...  # type: ignore[empty-body]

    @entities(aliases={"tv": ("TV",)}, bare=True, pattern=rf"(?!(?:{'|'.join(OTHERS)})\b)[a-z]+")
    def noun(self, name: str) -> Common: ...  # type: ignore[empty-body]

    @predicate("the", name="*")
    def definite(self, other: Common) -> Simple: ...  # type: ignore[empty-body]

    @predicate("in", name="nmod.in")
    @predicate("on", name="nmod.on")
    @predicate("beside", name="nmod.beside")
    def placed(self, one: Simple, other: Phrase) -> Phrase: ...  # type: ignore[empty-body]

    @predicate("by")
    def by(self, other: Phrase) -> By: ...  # type: ignore[empty-body]

    @predicate("to")
    def to(self, other: Phrase | Clause) -> To: ...  # type: ignore[empty-body]

    @predicate("was")
    def was(self, subject: Phrase, verb: Clause, by: By = default()) -> Clause: ...  # type: ignore[empty-body]

    @entities([verb for verb in PAST if verb not in GIVEN], aliases=PAST)
    def acts(  # type: ignore[empty-body]
        self,
        name: str,
        *,
        agent: Phrase = default(),
        first: Phrase = default(),
        what: To = default(),
        that: Clause = default(),
    ) -> Clause: ...

    @entities([verb for verb in PAST if verb in GIVEN], aliases=PAST)
    def gives(  # type: ignore[empty-body]
        self,
        name: str,
        *,
        agent: Phrase = default(),
        first: Phrase = default(),
        second: Phrase = default(),
        to: To = default(),
    ) -> Clause: ...

    def canonical(self, program: Term) -> Term:
        """A form in terms of this domain."""
        return super().canonical(program.map(_said))


def _said(term: Term) -> Term:
    """How a clause was said; where something changes, "was" may be left out."""
    args, roles = term.args or (), _roles(term)
    if term.symbol == "was" and len(args) == 2 and args[1].args is not None:
        return _changed(args[1].args[0].symbol, args[1].args[1:], args[0]) or term
    if term.symbol not in PAST or not term.keywords:
        return term
    subject = next(iter(roles), "agent")
    front, agent = roles.pop(subject, None), roles.pop("agent", None)
    if subject != "agent" and agent is None and front is not None:
        changed = _changed(term.symbol, tuple(roles.values()), front)
        if changed is not None:
            return changed
    to = "recipient" in roles and (subject == "theme" or next(iter(roles)) == "theme")
    theme = "second" if "recipient" in roles and not to else "first"
    names = {"xcomp": "what", "ccomp": "that", "recipient": "to" if to else "first", "theme": theme}
    given = {
        names[role]: Term("to", (arg,)) if names[role] in ("to", "what") else arg
        for role, arg in roles.items()
    }
    if subject == "agent":
        return _verb(term.symbol, given if front is None else {"agent": front, **given})
    by = () if agent is None else (Term("by", (agent,)),)
    return Term("was", (front or term, _verb(term.symbol, given), *by))


def _roles(term: Term) -> dict[str, Term]:
    args = (term.args or ())[len(term.args or ()) - len(term.keywords) :]
    return {r: one for r, one in zip(term.keywords, args, strict=True) if one.symbol != "_"}


def _changed(verb: str, others: tuple[Term, ...], what: Term) -> Term | None:
    return _verb(verb, {"agent": what}) if verb in CHANGED and not others else None


def _verb(verb: str, roles: dict[str, Term]) -> Term:
    kind = "gives" if verb in GIVEN else "acts"
    return Term(kind, (Term(verb, quoted=True), *roles.values()), keywords=tuple(roles))
