"""COGS: who did what to whom. Verbs take their arguments by where they stand, so that no verb needs
to be seen with each of them. `canonical` tells by the order of the roles of a published form how it
was said ("gave liam a cake", "gave a cake to liam", "liam was given a cake").
"""
# mypy: disable-error-code="empty-body"

from __future__ import annotations

from typing import ClassVar, NewType

from partwise.language.domain import After, Before, Domain, default, entities, predicate
from partwise.language.program import Term
from partwise.language.text import inflections


def pasts(verbs: str) -> dict[str, list[str]]:
    """Verb -> its past forms, as in ``walk eat:ate:eaten``, or by rule where none are given."""
    listed = (verb.split(":") for verb in verbs.split())
    return {
        verb: past or [form for form in inflections(verb) if form.endswith("ed")]
        for verb, *past in listed
    }


CHANGED = pasts("""break:broke:broken burn change collapse crumple decompose disintegrate double
enlarge float freeze:froze:frozen grow:grew:grown improve inflate redden roll shatter shorten
slide:slid snap split:split""")
ACTED = CHANGED | pasts("""admire adore appreciate attempt bake believe bless call clean confess
cook crave crawl cry dance declare discover draw:drew:drawn dream:dreamed:dreamt dust eat:ate:eaten
enjoy examine expect find:found frown gasp giggle hate hear:heard help hold:held hope hunt imagine
intend investigate itch jog juggle know:knew:known laugh like long love mean:meant miss nap need
notice nurse observe pack paint pierce plan poke prefer:preferred prove read:read respect run:ran
say:said scoff scream see:saw:seen sketch sleep:slept smile smirk sneeze snooze snore squeeze stab
study stutter support talk think:thought throw:threw:thrown tolerate toss touch try value walk want
wish worship:worshipped yearn""")
GIVEN = pasts("""award bring:brought feed:fed forward give:gave:given hand lend:lent:lended loan
mail offer pass post promise rent return sell:sold send:sent serve ship slip teleport wire""")
VERBS = ACTED | GIVEN
WAS = {verb: [f"was {participle}" for participle in past] for verb, past in VERBS.items()}
MARKS = {"agent": "by", "recipient": "to", "xcomp": "to"}
Phrase = NewType("Phrase", object)
Simple = NewType("Simple", Phrase)
Clause = NewType("Clause", object)
Verb = NewType("Verb", object)
Marked = NewType("Marked", object)
Who = Before[Phrase]
What = After[Phrase | Marked]


class Cogs(Domain):
    """Sentences with their verbs' arguments, and single words."""

    name: ClassVar[str] = "cogs"
    runnable: ClassVar[bool] = False
    infix: ClassVar = ()

    @entities(bare=True, pattern=r"(?!The\b)[A-Z][a-z]+")
    def person(self, name: str) -> Simple: ...

    @entities(bare=True, pattern=r"(?:^|(?<=\b[Aa] )|(?<=[Tt]he ))(?:[a-z]+|TV)", normal=str.lower)
    def noun(self, name: str) -> Simple: ...

    @predicate("the", name="*")
    def definite(self, noun: After[Simple]) -> Simple: ...

    @predicate("in", name="nmod.in")
    @predicate("on", name="nmod.on")
    @predicate("beside", name="nmod.beside")
    def placed(self, one: Before[Simple], other: After[Phrase]) -> Phrase: ...

    @predicate("by", name="by")
    @predicate("to", name="to")
    def marked(self, other: After[Phrase | Verb]) -> Marked: ...

    @entities(VERBS)
    def verb(self, name: str) -> Verb: ...

    @entities(ACTED, ACTED)
    def acts(
        self, name: str, who: Who, one: After[Clause | Phrase | Marked] = default()
    ) -> Clause: ...

    @entities(GIVEN, GIVEN)
    def gives(self, name: str, who: Who, one: After[Phrase], two: What) -> Clause: ...

    @entities(VERBS, WAS)
    def was(self, name: str, who: Who, one: What = default(), two: What = default()) -> Clause: ...

    def canonical(self, program: Term) -> Term:
        """A form in terms of this domain; where something changes, "was" may be left out."""
        return super().canonical(program.map(_say))


def _say(term: Term) -> Term:
    args, roles = term.args or (), term.keywords
    if term.symbol == "was" and len(args) == 2 and args[0].symbol in CHANGED:
        return Term("acts", args)
    if term.symbol not in VERBS or not roles:
        return term
    said = [Term(term.symbol, quoted=True)]
    if args[0].symbol == "_":
        return Term("verb", tuple(said))
    for place, (role, arg) in enumerate(zip(roles, args, strict=True)):
        if role == "xcomp" and arg.args and arg.args[1:] == args[:1]:
            arg = Term("verb", arg.args[:1])
        marked = place and role in MARKS and roles[place + 1 :] != ("theme",)
        said.append(Term(MARKS[role], (arg,)) if marked else arg)
    changed = roles == ("theme",) and term.symbol in CHANGED
    active = "gives" if term.symbol in GIVEN else "acts"
    return Term(active if roles[0] == "agent" or changed else "was", tuple(said))
