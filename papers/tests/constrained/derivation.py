"""A recogniser of texts by GBNF, for tests: all ends of each part, from left to right."""

from __future__ import annotations

import re
from functools import cache

TOKEN = re.compile(
    r'\s*(?:(?P<text>"(?:[^"\\]|\\.)*")|(?P<set>\[(?:[^\]\\]|\\.)*\])|(?P<times>\{\d*,?\d*\})'
    r"|(?P<name>[a-z][a-z0-9-]*)|(?P<mark>[()|+*?]))"
)
Part = tuple[str, object]


class Derivation:
    """The language of a grammar without left recursion."""

    def __init__(self, grammar: str) -> None:
        self.rules: dict[str, Part] = {}
        for line in grammar.splitlines():
            name, _, rule = line.partition(" ::= ")
            assert name not in self.rules
            self.tokens = [(m.lastgroup or "", m[m.lastgroup or 0]) for m in TOKEN.finditer(rule)]
            assert "".join(t for _, t in self.tokens).replace(" ", "") == rule.replace(" ", "")
            self.rules[name] = self._choice()
            assert not self.tokens

    def derives(self, text: str) -> bool:
        """Whether the root derives all of a text."""

        @cache
        def ends(part: Part, at: int) -> frozenset[int]:
            kind, value = part
            if kind == "name":
                return ends(self.rules[str(value)], at)
            if kind == "text":
                return frozenset({at + len(str(value))} if text.startswith(str(value), at) else ())
            if kind == "set":
                hit = re.compile(str(value)).match(text, at)
                return frozenset({at + 1} if hit else ())
            assert isinstance(value, tuple)
            if kind == "choice":
                return frozenset(end for one in value for end in ends(one, at))
            if kind == "times":
                inner, low, high = value
                found, now = {at} if low == 0 else set(), frozenset({at})
                for count in range(1, min(high, len(text) + 1) + 1):
                    now = frozenset(end for here in now for end in ends(inner, here))
                    found |= now if count >= low else set()
                return frozenset(found)
            reached = frozenset({at})
            for one in value:
                reached = frozenset(end for here in reached for end in ends(one, here))
            return reached

        return len(text) in ends(("name", "root"), 0)

    def _choice(self) -> Part:
        options = [self._sequence()]
        while self.tokens and self.tokens[0][1] == "|":
            self.tokens.pop(0)
            options.append(self._sequence())
        return "choice", tuple(options)

    def _sequence(self) -> Part:
        parts: list[Part] = []
        while self.tokens and self.tokens[0][1] not in ("|", ")"):
            kind, token = self.tokens.pop(0)
            if token == "(":
                parts.append(self._choice())
                assert self.tokens.pop(0)[1] == ")"
            elif kind == "text":
                parts.append((kind, re.sub(r"\\(.)", r"\1", token[1:-1])))
            elif kind in ("times", "mark"):
                parts[-1] = "times", (parts[-1], *_bounds(token))
            else:
                parts.append((kind, token))
        return "sequence", tuple(parts)


def _bounds(token: str) -> tuple[int, int]:
    if token in "+*?":
        return int(token == "+"), 1 if token == "?" else 10**6
    low, comma, high = token[1:-1].partition(",")
    return int(low), int(high or 10**6) if comma else int(low)
