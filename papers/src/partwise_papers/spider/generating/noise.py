"""How people type: lower case, no question mark, misspelt, polite."""

from __future__ import annotations

import random

from partwise_papers.spider.generating.phrases import Phrase, SaidWords, word

_POLITE = ("please", "hi,", "hello,", "hey", "hello there,", "quick question:", "pls")
_ASKED = ("can you", "could you please", "can you please", "would you", "i want you to")
_DOING = ("show", "list", "give", "find", "tell", "count", "get ", "calculate", "compute", "return")
_THANKS = ("please", ", please", "thanks", ", thank you", "pls")
_NEAR = {
    **{"a": "sq", "b": "vn", "c": "xv", "d": "sf", "e": "wr", "f": "dg", "g": "fh", "h": "gj"},
    **{"i": "uo", "j": "hk", "k": "jl", "l": "k", "m": "n", "n": "bm", "o": "ip", "p": "o"},
    **{"q": "w", "r": "et", "s": "ad", "t": "ry", "u": "yi", "v": "cb", "w": "qe", "x": "zc"},
    **{"y": "tu", "z": "x"},
}


def typed(phrase: Phrase, rng: random.Random) -> Phrase:
    """A phrase as somebody types it."""
    pieces = list(phrase)
    if rng.random() < 0.09:
        pieces = [_misspelt(pieces, rng, number) for number in range(len(pieces))]
    style = rng.random()
    if style < 0.55:
        pieces = [one._replace(text=one.text.lower()) for one in pieces]
    elif style < 0.75:
        pieces = [_lower(one) for one in pieces]
    polite = rng.random()
    if polite < 0.04:
        doing = bool(pieces) and pieces[0].text.lower().startswith(_DOING)
        pieces = [*word(rng.choice(_ASKED if doing else _POLITE)), *pieces]
    elif polite < 0.06:
        pieces = [*pieces, *word(rng.choice(_THANKS))]
    if style >= 0.75 and pieces:
        first = pieces[0]
        pieces[0] = first._replace(text=first.text[:1].upper() + first.text[1:])
    asks = pieces and pieces[0].text.lower().startswith(_ASKING)
    if rng.random() < (0.5 if asks else 0.1):
        pieces.append(SaidWords("?"))
    return tuple(pieces)


_ASKING = (
    "how",
    "which",
    "what",
    "who",
    "when",
    "where",
    "is ",
    "are ",
    "do ",
    "does",
    "have",
    "can",
)


def _lower(piece: SaidWords) -> SaidWords:
    """Values keep their case."""
    return piece if piece.part.startswith("value:") else piece._replace(text=piece.text.lower())


def _misspelt(pieces: list[SaidWords], rng: random.Random, number: int) -> SaidWords:
    piece = pieces[number]
    words = piece.text.split()
    long = [one for one in range(len(words)) if len(words[one]) > 4 and words[one].isalpha()]
    if not long or rng.random() < 0.75:
        return piece
    place = rng.choice(long)
    words[place] = misspelt(words[place], rng)
    return piece._replace(text=" ".join(words))


def misspelt(text: str, rng: random.Random) -> str:
    """A word with a letter left out, doubled, exchanged with the next one or with a near key."""
    place = rng.randrange(1, len(text) - 1)
    before, letter, behind = text[:place], text[place], text[place + 1 :]
    match rng.randrange(4):
        case 0:
            return before + behind
        case 1:
            return before + letter * 2 + behind
        case 2:
            return before + behind[0] + letter + behind[1:]
        case _:
            return before + rng.choice(_NEAR.get(letter.lower(), letter)) + behind
