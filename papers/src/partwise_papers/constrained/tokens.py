"""Programs as output tokens: symbols, marks, and the words of quoted names.

``cityid('st. louis', _)`` is ``cityid ( ' st ##. louis ' , _ )``: a word of a name that no blank
stands before begins with `GLUED`, as in the vocabularies of BERT. An apostrophe that begins a word
of a name is ``\\'``, since ``'`` alone ends the name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import ClassVar

from partwise.errors import ProgramSyntaxError
from partwise.language.program import TOKEN, TokenReader, quote, unquote
from partwise.language.text import tokenize

GLUED = "##"
"""What a token begins with that continues a name without a blank."""
QUOTE = "'"
"""The token before and after the words of a name."""
_ESCAPED = "\\'"
_MARKS = frozenset("(),")


class _Splitter(TokenReader):
    tokens = TOKEN
    error: ClassVar = ProgramSyntaxError


def split_name(name: str) -> list[str]:
    """The words of a name as tokens; `join_name` gives the name again."""
    pieces: list[str] = []
    end = 0
    for start, stop in tokenize(name).offsets:
        gap, word = name[end:start], name[start:stop]
        if gap not in ("", " "):
            pieces.append(GLUED + gap)
        if pieces and gap != " ":
            pieces.append(GLUED + word)
        else:
            pieces.append(_ESCAPED if word == QUOTE else word)
        end = stop
    return pieces


def join_name(tokens: Iterable[str]) -> str:
    """The name that some tokens spell."""
    name = ""
    for place, token in enumerate(tokens):
        if token.startswith(GLUED) and len(token) > len(GLUED):
            name += token[len(GLUED) :]
        else:
            name += " " * (place > 0) + (QUOTE if token == _ESCAPED else token)
    return name


def _in_words(head: str | None, name: str) -> bool:
    return False


def split_program(text: str, is_whole: Callable[[str | None, str], bool] = _in_words) -> list[str]:
    """The tokens of a program; raises ProgramSyntaxError for a character that no token begins with.

    Args:
        is_whole: whether a quoted name is one token with its quotes, as that of a date may be, by
            the head of the call whose first argument it is (else None) and itself.
    """
    reader = _Splitter(text)
    tokens: list[str] = []
    while reader.kind != "end":
        if reader.kind == "quoted":
            name, head = unquote(reader.token), tokens[-2] if tokens[-1:] == ["("] else None
            whole = is_whole(head, name)
            tokens += [quote(name)] if whole else [QUOTE, *split_name(name), QUOTE]
        else:
            tokens.append("".join(reader.token.split()))
        reader.advance()
    return tokens


def join_program(tokens: Iterable[str]) -> str:
    """The text that some tokens spell, spaced as `Term.text` does."""
    text, before = "", "("
    rest = iter(tokens)
    for token in rest:
        shown = token
        if token == QUOTE:
            name: list[str] = []
            for piece in rest:
                if piece == QUOTE:
                    break
                name.append(piece)
            shown = quote(join_name(name))
        text += " " * _has_blank(before, shown) + shown
        before = shown
    return text


def _has_blank(before: str, token: str) -> bool:
    """Whether a blank stands between two tokens."""
    if before == ",":
        return True
    if before.endswith("=") and before[:-1].isidentifier():
        # An argument after its name; a symbol may itself begin with the sign.
        return token.startswith("=")
    return before not in _MARKS and (token not in _MARKS or before.startswith(":"))
