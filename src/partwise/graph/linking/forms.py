"""From the order of word classes in a typed question to a question of the phrase rules.

A question is a text of one letter a word: w (who, what), a (was), d (did), b (by), i (in), o (of,
for, to), s ('s), x (with), & (and), E (a name), X (a name with roles: "M0 's editor"), R (a
role), V (past), B (base form of a verb), N (a noun), J (an adjective), - (nothing of these).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from partwise.graph.linking.typed import Piece

COMPANIES = frozenset({"company", "production company"})
MADE = {"directed": "produced", "direct": "produce"}
"""What companies do, where people direct."""
CRAFTS = frozenset({"composer", "cinematographer", "costume designer", "editor", "writer"})
"""Roles that a person has in films, and not for other persons."""
STAR, ACTOR, PLAYED, PLAY, FILM = "star", "actor", "played", "play", "film"
_CHAINS = (
    re.compile(r"(?P<role>J*R(?:&J*R)*)[oi](?P<name>[EX])"),
    re.compile(r"(?P<name>[EX])s(?P<role>J*R(?:&J*R)*)"),
    re.compile(r"(?P<name>[EX])(?P<role>J*R(?:&J*R)*)$"),
)


class _Form(NamedTuple):
    """A pattern of letters and what is said in its place.

    ``{1}`` is what the first group has, ``{1b}`` the base form of its verb, ``{1p}`` its past, and
    ``{1n}`` the noun of its role. `kind` is the kind of the thing of the group `of`, "" for any,
    and `word` one that must be there.
    """

    pattern: str
    said: str
    kind: str = ""
    of: int = 1
    word: str = ""


_V = "V(?:&V)*"
_TABLE = (
    # Fragments, and what somebody's role is.
    _Form("w?[ad]?w?(X)[ad]?w?", "What was {1}"),
    _Form("a(E)(J*R)", "Was {1} a {2n}"),
    _Form("a(E)V", "Was {1} 's spouse a person", word="married"),
    _Form("d(E)d(J*R)", "Was {1} 's {2} a film", word="sequel"),
    _Form("d(E)d(J*R)", "Was {1} 's {2} a film", word="prequel"),
    _Form("d(E)d(J*R)", "Was {1} 's {2} a person"),
    _Form("w(J*R)d(E)d", "What was {2} 's {1}"),
    _Form("w?(E)(J*R)", "What film whose {2} was {1} was a film", "p"),
    _Form("w?(J*R)b(E)", "What film whose {1} was {2} was a film", "p", 2),
    _Form("w(?:N|R)a?i(E)", "What was {1} 's star", "f"),
    _Form("(E)s?N", "What character did {1} play", "p", word="character"),
    _Form("w?Nw?d*(E)(?:V|B|d)?(?:iE)?", "What character did {1} play", "p", word="character"),
    _Form("wa(E)iE", "What character did {1} play", "p"),
    _Form("w?(N)a?[oi]?(E)", "What {1} produced {2}", "f", 2, "production company"),
    _Form("(E)s?(N)", "What {2} produced {1}", "f", 1, "production company"),
    _Form("wd(B)([EX])", "What {1p} {2}"),
    _Form("(E)w?[ad]?(V)b?", "What {2} {1}", "f"),
    _Form("(E)(V)w", "What did {1} {2b}"),
    _Form("w(N)?d(E)[ad]*(J*R)", "What {1} whose {3} was {2} was a {1}"),
    _Form("w?N?[ad]?(X)a?", "What was {1}"),
    _Form("(X)a?bw", "What was {1}"),
    _Form("w?[ad]?(J*R)([EX])[ad]?", "What was {2} 's {1}"),
    _Form("wa(E)o", "What was {1} 's country of nationality"),
    _Form("w?a?i(E)", "What was {1} 's star", "f"),
    _Form("w(?:N|R)?a?(?:V|R)?i(E)&(E)", "What was {1} 's star and was {2} 's star", "f"),
    _Form("w?(?:N|R)a?i(E)&(E)", "What was {1} 's star and was {2} 's star", "f"),
    _Form("w?N?[ad]?(?:V|R)?i(E)", "What was {1} 's star", "f", word="starred"),
    # Who did what.
    _Form("w?a?[RN]?w?[ad]?(V)(E)(?:[iob]E)?", "What played {2}", "h", 2, PLAYED),
    _Form("wa?(E)", "What played {1}", "h"),
    _Form("wa?(E)i(E)", "What played {1}", "h"),
    _Form(rf"w[ad]?({_V})([EX])", "What {1} {2}"),
    _Form(r"w[ad]?(V)([EX])&([EX])", "What {1} {2} and {3}"),
    _Form(r"w[ad]?(V)([EX])&(V)([EX])", "What {1} {2} and {3} {4}"),
    _Form(rf"w?(N)[ad]?w?({_V})([EX])", "What {1} {2} {3}"),
    _Form("wa(E)(V)b", "What {2} {1}"),
    _Form("(E)a?(V)bw", "What {2} {1}"),
    _Form("bwa(E)(V)", "What {2} {1}"),
    # What was done by somebody.
    _Form(rf"w?a?({_V})b(E)", "What was {1} by {2}"),
    _Form(rf"w?(N)w?[ad]*({_V})b([EX])", "What {1} was {2} by {3}"),
    _Form(
        rf"w?(N)w?[ad]*({_V})b(E)&?[ad]?({_V})b(E)", "What {1} was {2} by {3} and was {4} by {5}"
    ),
    _Form(rf"w?(N)w?[ad]*({_V})b(E)&?w?[xV](E)", "What {1} was {2} by {3} and starred {4}"),
    _Form(r"w?(N)b(E)x(E)", "What {1} was directed by {2} and starred {3}"),
    _Form(r"w?(E)(N)x(E)", "What {2} was directed by {1} and starred {3}", "d"),
    _Form("w?Nw?d*(E)d*(V|B)", "What character did {1} play", "p", word=PLAYED),
    _Form("wd(E)(?:V|B|R)(?:iE)?", "What character did {1} play", "p", word=PLAYED),
    _Form("w?(N)?w?d*(E)d*(?:V|B|R)i?", "What {1} starred {2}", "p", 2, "starred"),
    _Form("w(N)?w?[ad]+(E)[ad]*(?:V|R|B)?i", "What {1} starred {2}", "p", 2),
    _Form("(N)w?[ad]+(E)[ad]*(?:V|R|B)?i", "What {1} starred {2}", "p", 2),
    _Form("w?(N)w?[ad]*(V)b(J+)N?", "What {1} was {2} by a {3} person"),
    _Form("w?(N)b(J+)N?", "What {1} was directed by a {2} person"),
    _Form("w?(N)w?[ad]*(V)b(J*R)", "What {1} was {2} by a {3n}"),
    _Form("w?(N)b(J*R)", "What {1} was directed by a {2n}"),
    _Form("w?(N)[xi](E)(V)b(E)", "What {1} was {3} by {4} and starred {2}"),
    _Form("(E)(E)(N)", "What {3} was directed by {1} and starred {2}", "d"),
    _Form("w?(N)w?(E)[ad]*(?:V|R|B)?i", "What {1} starred {2}", "p", 2),
    _Form("w?(N)w?[xi](E)", "What {1} starred {2}", "p", 2),
    _Form("w?(N)w?[xiV](E)&x?(E)", "What {1} starred {2} and {3}", "p", 2),
    _Form("w?(N)w?a?(E)&(E)a?i", "What {1} starred {2} and {3}", "p", 2),
    _Form("w?(N)w?[xi]?w?(J*R)[ab]*(E)", "What {1} whose {2} was {3} was a {1}"),
    _Form("w?(N)w?[ad]*(E)[ad]*(J*R)", "What {1} whose {3} was {2} was a {1}", "p", 2),
    _Form("w?(N)w?d*(E)d*(V|B)o?", "What {1} did {2} {3b}"),
    _Form("wd*(E)d*(V|B)o?", "What did {1} {2b}"),
    _Form("w?(N)w?d*(E)d*(V|B)&(V|B)", "What {1} did {2} {3b} and {4b}"),
    _Form("w?(E)s?(N)(?:[xi]|V|R|B)(E)", "What {2} was directed by {1} and starred {3}", "d"),
    _Form("w?(N)w?(E)(V)&Vi", "What {1} was {3} by {2} and starred {2}"),
    _Form("w?(R)w?[ad]*(V)b(E)", "What {1n} was {2} by {3}"),
    # A thing and a noun alone: what it is known for.
    *(
        form
        for kind, said in (
            ("d", "What {1} was directed by {2}"),
            ("a", "What {1} starred {2}"),
            ("c", "What {1} was produced by {2}"),
            *(
                (kind, f"What {{1}} whose {role} was {{2}} was a {{1}}")
                for kind, role in (
                    *(("k", "cinematographer"), ("m", "composer"), ("e", "editor")),
                    *(("w", "writer"), ("r", "producer"), ("t", "costume designer")),
                )
            ),
            ("p", "What {1} starred {2}"),
        )
        for form in (
            _Form("w?(N)[ob]?(E)", said, kind, 2),
            _Form("w?(E)s?(N)", said.translate({ord("1"): "2", ord("2"): "1"}), kind),
        )
    ),
    # Whether something is so.
    _Form("[ad](X)([EX])", "Was {1} {2}"),
    _Form("[ad]([EX])(X)", "Was {1} {2}"),
    _Form("a([EX])i(E)", "Was {1} {2} 's star", "f", 2),
    _Form("a([EX])N?b(E)", "Was {1} directed by {2}"),
    _Form("[ad](E)(J*R)o?(E)", "Was {1} {3} 's {2}"),
    _Form("a(E)&(E)(J*R)", "Was {1} {2} 's {3}"),
    _Form("[ad](E)&(E)(?:V|B|R)?i(E)", "Was {1} and {2} {3} 's star", "f", 3),
    _Form("[ad](E)(?:V|B|R)i(E)", "Was {1} {2} 's star", "f", 2),
    _Form("d([EX])(V|B)o?([EX])", "Did {1} {2b} {3}"),
    _Form("a([EX])(V)b([EX])", "Was {1} {2} by {3}"),
    _Form("a([EX])(J+)", "Was {1} {2}"),
    _Form("a([EX])(J*N)", "Was {1} a {2}"),
    # Everybody of a kind.
    _Form("w?a?(J+)(N)", "What {1} {2} was a {2}"),
    _Form("w?(N)wa(J+)", "What {2} {1} was a {1}"),
    _Form("w?a?(J+)(R)", "What {1} {2n} was a {2n}"),
    _Form("w?(N)o(J+)", "What {2} {1} was a {1}"),
    _Form("w?(J*R)o(J+)", "What {2} {1n} was a {1n}"),
    _Form("w?(J+)N?w?(V)N", "What {1} person {2} a film"),
    _Form("w?(R)wa?(J+)", "What {2} {1n} was a {1n}"),
)


class _Forms:
    def __init__(self, table: Sequence[_Form]) -> None:
        self.table = [(re.compile(form.pattern), form) for form in table]

    def question(
        self, pieces: Sequence[Piece], nouns: Mapping[str, str], bases: Mapping[str, str]
    ) -> str | None:
        """The question that the first form that fits says; None if none does."""
        reduced = _phrases(_verbs(list(pieces)))
        letters = "".join(piece.letter for piece in reduced)
        for pattern, form in self.table:
            match = pattern.fullmatch(letters)
            if match is not None and _fits(form, match, reduced):
                return _said(form, match, reduced, nouns, bases)
        return None


def _verbs(pieces: list[Piece]) -> list[Piece]:
    """The pieces with "star" as a verb where it is one: "did M0 star in M1"."""
    letters = "".join(piece.letter for piece in pieces)
    for place, piece in enumerate(pieces):
        asked = re.search(r"[d][^RVB]*E$", letters[:place])
        if piece.text == STAR and asked and not letters[place + 1 :].startswith(("oE", "s")):
            pieces[place] = piece._replace(letter="B")
        elif piece.text in MADE and any(map(_is_company, pieces)):
            pieces[place] = piece._replace(text=MADE[piece.text])
    pieces = [piece for piece in pieces if piece.letter != "-"]
    pieces = [one for place, one in enumerate(pieces) if not place or one != pieces[place - 1]]
    while pieces and pieces[0].letter == "o":
        pieces = pieces[1:]
    ends = "".join(piece.letter for piece in pieces[-2:])
    return pieces[:-1] if ends in ("Ro", "No", "Rb", "Nb", "Eb") else pieces


def _is_company(piece: Piece) -> bool:
    return piece.text in COMPANIES or ("c" in piece.kinds and "p" not in piece.kinds)


def _phrases(pieces: list[Piece]) -> list[Piece]:
    """The pieces with each name and its roles as one: "director of M0" is "M0 's director"."""
    while True:
        letters = "".join(piece.letter for piece in pieces)
        matches = [match for chain in _CHAINS for match in chain.finditer(letters)]
        if re.fullmatch("aEJ*R|wN?dE[ad]*J*R|dEJ*RE|aE&EJ*R", letters):
            return pieces
        if re.fullmatch("w?EJ*R", letters) and pieces[-1].text in CRAFTS:
            (name,) = (piece for piece in pieces if piece.letter == "E")
            if "f" not in name.kinds:
                return pieces
        if re.match(r"[ad]E", letters) and letters.count("E") > 1:
            # Whether one name is what another one with its role is: "is M0 director of M1".
            matches = [match for match in matches if match.start() > 1]
        if not matches:
            return pieces
        match = max(matches, key=lambda one: one.start())
        (name,) = pieces[slice(*match.span("name"))]
        roles = pieces[slice(*match.span("role"))]
        text = " ".join(_role(piece, name) for piece in roles)
        whole = name._replace(letter="X", text=f"{name.text} 's {text}", kinds="")
        pieces = [*pieces[: match.start()], whole, *pieces[match.end() :]]


def _role(piece: Piece, name: Piece) -> str:
    acts = piece.text == ACTOR and "f" in name.kinds and "h" not in name.kinds
    return STAR if acts else piece.text


def _fits(form: _Form, match: re.Match[str], pieces: Sequence[Piece]) -> bool:
    if form.kind and match.span(form.of) != (-1, -1):
        (thing,) = pieces[slice(*match.span(form.of))]
        if form.kind not in thing.kinds:
            return False
    texts = {piece.text for piece in pieces}
    if form.word == PLAYED:
        return not texts.isdisjoint({PLAYED, PLAY})
    if form.word == "starred":
        return not texts.isdisjoint({"starred", STAR})
    return not form.word or form.word in texts


def _said(
    form: _Form,
    match: re.Match[str],
    pieces: Sequence[Piece],
    nouns: Mapping[str, str],
    bases: Mapping[str, str],
) -> str:
    def spoken(slot: re.Match[str]) -> str:
        start, end = match.span(int(slot[1]))
        texts = [piece.text for piece in pieces[max(start, 0) : max(end, 0)]]
        if slot[2] == "b":
            texts = [bases.get(text, text) for text in texts]
        if slot[2] == "p":
            pasts = {base: past for past, base in reversed(list(bases.items()))}
            texts = [pasts.get(text, text) for text in texts]
        if slot[2] == "n":
            texts = [nouns.get(text, text) for text in texts]
        return " ".join(texts) or FILM

    return re.sub(r"\{(\d)([bnp]?)\}", spoken, form.said)


FORMS = _Forms(_TABLE)
