"""Questions about films as people type them, put into the forms that phrase rules have.

A question that no phrase rules fit is tried once more: small talk goes, names may be surnames or
misspelt, other words are put in the place of those that the domain lacks, and fragments ("director
of M0", "movies with M1") become questions. What holds a word that nothing knows stays unread.

A question is a text of one letter a word: w (who, what), a (was), d (did), b (by), i (in), o (of,
for, to), s ('s), x (with), & (and), E (a name), X (a name with roles: "M0 's editor"), R (a
role), V (past), B (base form of a verb), N (a noun), J (an adjective), - (nothing of these).
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from partwise.language.graph_domain import GraphDomain
from partwise.language.lexicon import LexiconRow, read_lexicon
from partwise.language.query_graph import ENTITY, QueryGraph, Triple
from partwise.language.text import FUNCTION_WORDS, inflections, spelt_like, split
from partwise.language.typed import MOST_WORDS, plain

MOST_THINGS = 1_000_000
"""Things of a type that are read."""
LETTERS = 5
"""Letters of a word in which an error is forgiven, at least; two from `LONG` on."""
LONG = 7
PARTICLES = frozenset({"de", "di", "del", "la", "van", "von", "der", "le"})
GENERIC = frozenset(
    {"Studios", "Studio", "Pictures", "Productions", "Entertainment", "Company", "Films", "Bros"}
    | {"Cinema", "Picture", "Animation", "Media", "Group", "Corporation", "Inc", "Classics"}
)
"""Words in the names of companies that are left out."""
_FIXED = {
    **dict.fromkeys(("who", "what", "which", "whom", "where", "whose"), "w"),
    **dict.fromkeys(("is", "was", "are", "were", "be", "been", "being"), "a"),
    **dict.fromkeys(("did", "does", "do", "has", "have", "had"), "d"),
    **dict.fromkeys(("of", "for", "to", "on", "from", "at", "behind", "about"), "o"),
    **dict.fromkeys(("a", "an", "the", "all", "any", "some", "both", "ever", "that"), "-"),
    **dict.fromkeys(("there", "their", "his", "her", "it", "this"), "-"),
    **{"by": "b", "in": "i", "'s": "s", "and": "&", ",": "&", "with": "x", "between": "x"},
}
_CLASSES = {"role": "R", "past": "V", "verb": "B", "noun": "N", "adjective": "J"}
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
    """A pattern of letters, and what is said in its place; see words.tsv."""

    pattern: re.Pattern[str]
    text: str
    kind: str = ""
    of: int = 1
    word: str = ""


def _form(row: LexiconRow) -> _Form:
    pattern, _, condition = row.phrase.partition(" / ")
    kind, _, word = condition.partition(" ")
    return _Form(re.compile(pattern), row.meaning, kind[:1].strip("-"), int(kind[1:] or 1), word)


_ROWS = read_lexicon("partwise.domains.films", "words.tsv")
WORDS = {phrase: row.meaning for row in _ROWS if row.section == "words" for phrase in row.phrases}
FORMS = [_form(row) for row in _ROWS if row.section == "forms"]
PERSONS = ("film:Person", "film:Character")
"""Types of what is also called by a surname alone."""
KINDS = {
    "f": "film:Film",
    "p": "film:Person",
    "h": "film:Character",
    "c": "film:Company",
    "d": "film:FilmDirector",
    "a": "film:Actor",
    "k": "film:Cinematographer",
    "m": "film:Composer",
    "e": "film:FilmEditor",
    "w": "film:Screenwriter",
    "r": "film:FilmProducer",
    "t": "film:CostumeDesigner",
    "u": "film:FilmDistributor",
}
"""The letter that things of a type have in forms."""
NOUNS = {
    **{"director": "film director", "editor": "film editor", "producer": "film producer"},
    **{"writer": "screenwriter", "star": "actor", "distributor": "film distributor"},
}
"""Role -> the noun for whoever has it."""


class Piece(NamedTuple):
    """Words of a question and the letter of their class."""

    letter: str
    text: str
    kinds: str = ""


class FilmQuestions:
    """Rewrites questions; see `partwise.language.graph_domain.Rewriter`."""

    def __init__(self, domain: GraphDomain, names: Mapping[str, Sequence[str]]) -> None:
        def of_type(name: str) -> frozenset[str]:
            about = QueryGraph("select", frozenset(), frozenset({Triple("?x0", "a", name)}))
            return frozenset(domain.knowledge.select(domain.query(about), MOST_THINGS))

        classes = domain.words
        self.kinds = {letter: of_type(kind) for letter, kind in KINDS.items()}
        self.letters = _letters(classes)
        self.normal = dict(_bases(classes))
        self.bases = {
            past: base
            for base in classes["verb"]
            for past in classes["past"]
            if past in _pasts(base)
        }
        self.words = {tuple(split(phrase)): other for phrase, other in WORDS.items()}
        language = {word for phrase in (*self.words, *self.letters) for word in phrase}
        self.language = language | FUNCTION_WORDS | {w for w in _FIXED if _FIXED[w] != "-"}
        persons = frozenset().union(*map(of_type, PERSONS))
        self.names: Mapping[str, Sequence[str]] = _shorter(names, persons, self.language)
        self.known = self.language | {word for name in self.names for word in split(name)}
        self.targets = sorted(word for word in self.known if len(word) >= LETTERS)

    def mend(self, question: str) -> tuple[str, bool]:
        """The words without small talk and slips, and whether the values are to be counted."""
        words = plain(question, {})
        if len(words) > MOST_WORDS:
            return "", False
        text = " ".join(self._mend(word) for word in words)
        counting = re.match(r"(how many|(total )?(number|count) of( the)?) ", text)
        return (f"what {text[counting.end() :]}", True) if counting else (text, False)

    def rewrite(self, question: str, things: Mapping[str, Sequence[str]]) -> list[str]:
        """The question in other words, the closest first; none where nothing can be made of it."""
        pieces = self._pieces(question, things)
        if pieces is None:
            return []
        spoken = " ".join(piece.text for piece in pieces)
        bare = [piece for piece in pieces if piece.letter != "-"]
        made = self._fitting(_phrases(_verbs(bare)))
        return [text for text in (made, spoken) if text]

    def _mend(self, word: str) -> str:
        if word in self.known or len(word) < LETTERS or not word.isalpha():
            return word
        if word.endswith("s") and word[:-1] in self.known:
            return word[:-1] if word[:-1] in self.language else f"{word[:-1]} 's"
        alike = [
            (errors, known[-1] != word[-1], known)
            for errors, known in spelt_like(word, self.targets, 5, LONG)
            if known[0] == word[0]
        ]
        return min(alike)[2] if alike else word

    def _pieces(self, question: str, things: Mapping[str, Sequence[str]]) -> list[Piece] | None:
        """The words by their classes; None if there is one that nothing knows."""
        words = [w if ENTITY.fullmatch(w) else w.lower() for w in question.split()]
        words = _replace(words, self.words)
        gathered: list[Piece] = []
        at = 0
        while at < len(words):
            size = next((n for n in (4, 3, 2, 1) if tuple(words[at : at + n]) in self.letters), 1)
            text = " ".join(words[at : at + size])
            piece = self._piece(text, things)
            if piece is None:
                return None
            gathered.append(piece)
            at += size
        return gathered

    def _piece(self, text: str, things: Mapping[str, Sequence[str]]) -> Piece | None:
        if ENTITY.fullmatch(text):
            iris = things.get(text, ())
            kinds = (k for k, some in self.kinds.items() if not some.isdisjoint(iris))
            return Piece("E", text, "".join(kinds))
        if text in _FIXED:
            return Piece(_FIXED[text], text)
        text = self.normal.get(text, text)
        letter = self.letters.get(tuple(text.split()))
        return None if letter is None else Piece(letter, text)

    def _fitting(self, pieces: Sequence[Piece]) -> str | None:
        """The question that the first form that fits says; None if none does."""
        letters = "".join(piece.letter for piece in pieces)
        for form in FORMS:
            match = form.pattern.fullmatch(letters)
            if match is not None and _fits(form, match, pieces):
                return _word(form, match, pieces, self.bases)
        return None


def _verbs(pieces: list[Piece]) -> list[Piece]:
    """The pieces with "star" as a verb where it is one: "did M0 star in M1"."""
    letters = "".join(piece.letter for piece in pieces)
    for place, piece in enumerate(pieces):
        asked = re.search(r"[d][^RVB]*E$", letters[:place])
        if piece.text == STAR and asked and not letters[place + 1 :].startswith(("oE", "s")):
            pieces[place] = piece._replace(letter="B")
        elif piece.text in MADE and any(
            one.text in COMPANIES or ("c" in one.kinds and "p" not in one.kinds) for one in pieces
        ):
            pieces[place] = piece._replace(text=MADE[piece.text])
    pieces = [one for place, one in enumerate(pieces) if not place or one != pieces[place - 1]]
    while pieces and pieces[0].letter == "o":
        pieces = pieces[1:]
    ends = "".join(piece.letter for piece in pieces[-2:])
    return pieces[:-1] if ends in ("Ro", "No", "Rb", "Nb", "Eb") else pieces


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
        starred = "f" in name.kinds and "h" not in name.kinds
        texts = (STAR if starred and role.text == ACTOR else role.text for role in roles)
        text = " ".join(texts)
        whole = name._replace(letter="X", text=f"{name.text} 's {text}", kinds="")
        pieces = [*pieces[: match.start()], whole, *pieces[match.end() :]]


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


def _word(
    form: _Form, match: re.Match[str], pieces: Sequence[Piece], bases: Mapping[str, str]
) -> str:
    """What a form says, with the words of the question."""

    def fill_slot(slot: re.Match[str]) -> str:
        start, end = match.span(int(slot[1]))
        texts = [piece.text for piece in pieces[max(start, 0) : max(end, 0)]]
        if slot[2] == "b":
            texts = [bases.get(text, text) for text in texts]
        if slot[2] == "p":
            pasts = {base: past for past, base in reversed(list(bases.items()))}
            texts = [pasts.get(text, text) for text in texts]
        if slot[2] == "n":
            texts = [NOUNS.get(text, text) for text in texts]
        return " ".join(texts) or FILM

    return re.sub(r"\{(\d)([bnp]?)\}", fill_slot, form.text)


def _letters(classes: Mapping[str, Sequence[str]]) -> dict[tuple[str, ...], str]:
    """The letter of each phrase; one in several classes has that of the first."""
    letters: dict[tuple[str, ...], str] = {}
    for name, letter in _CLASSES.items():
        for phrase in classes.get(name, ()):
            letters.setdefault(tuple(phrase.lower().split()), letter)
    for phrase, base in _bases(classes):
        letters.setdefault(tuple(phrase.split()), letters[tuple(base.split())])
    return letters


def _bases(classes: Mapping[str, Sequence[str]]) -> Iterable[tuple[str, str]]:
    """Inflected form -> the form that the classes have: plurals to nouns, present to past."""
    taken = {phrase.lower() for phrases in classes.values() for phrase in phrases}
    for name in ("role", "noun"):
        for phrase in classes.get(name, ()):
            plural = _plural(phrase)
            if plural not in taken:
                yield plural, phrase
    pasts = classes.get("past", ())
    for base in classes.get("verb", ()):
        words = base.split()
        past = next((one for one in pasts if one in _pasts(base)), None)
        for form in inflections(words[-1]) if past else ():
            inflected = " ".join((*words[:-1], form))
            if inflected not in taken and past:
                yield inflected, past


def _pasts(base: str) -> set[str]:
    words = base.split()
    regular = {" ".join((*words[:-1], form)) for form in inflections(words[-1])}
    return regular | {{"write": "wrote"}.get(base, "")}


def _plural(phrase: str) -> str:
    *before, last = phrase.split()
    irregular = {"person": "people", "child": "children", "country": "countries"}
    if " of " in phrase:
        return phrase
    return " ".join((*before, irregular.get(last, inflections(last)[0])))


def _replace(words: Sequence[str], table: Mapping[tuple[str, ...], str]) -> list[str]:
    """The words with those of the table replaced, the longest first."""
    longest = max(map(len, table), default=1)
    made: list[str] = []
    at = 0
    while at < len(words):
        sizes = range(min(longest, len(words) - at), 0, -1)
        size = next((n for n in sizes if tuple(words[at : at + n]) in table), 0)
        made += table[tuple(words[at : at + size])].split() if size else [words[at]]
        at += size or 1
    return made


def _shorter(
    names: Mapping[str, Sequence[str]], persons: frozenset[str], language: set[str]
) -> dict[str, tuple[str, ...]]:
    """The names, and what is short for them: surnames, titles without article or subtitle."""
    short: dict[str, list[str]] = {name: list(iris) for name, iris in names.items()}
    first: dict[str, list[str]] = {}
    for name, iris in names.items():
        people = [iri for iri in iris if iri in persons]
        words = name.split()
        if people and len(words) > 1:
            for surname in _surnames(words):
                _add(short, surname, people, language)
            _add(first, words[0], people, language)
        if len(people) < len(iris):
            rest = [iri for iri in iris if iri not in persons]
            for part in _titles(name, words):
                _add(short, part, rest, language)
            _add(short, f"the {name}", rest, set())
    for word, people in first.items():
        if word not in short and len(set(people)) == 1:
            short[word] = people
    return {name: tuple(dict.fromkeys(iris)) for name, iris in short.items()}


def _surnames(words: Sequence[str]) -> Iterator[str]:
    yield words[-1]
    if len(words) > 2 and words[0] not in ("The", "A"):
        yield f"{words[0]} {words[-1]}"
    if words[-2].lower() in PARTICLES:
        yield " ".join(words[-2:])


def _titles(name: str, words: Sequence[str]) -> Iterator[str]:
    dots = "".join(re.findall(r"\b([A-Z])\.", name))
    specific = [word for word in words if word not in GENERIC]
    alone = specific[-1] if len(specific) < len(words) and specific else name
    for part in (_without_article(name), name.split(":")[0], dots, alone):
        if part and part != name:
            yield from (part, _without_article(part))


def _without_article(title: str) -> str:
    return re.sub(r"^(The|A) ", "", title)


def _add(table: dict[str, list[str]], name: str, iris: Sequence[str], language: set[str]) -> None:
    if len(name) > 1 and name.lower() not in language:
        table.setdefault(name, []).extend(iris)
