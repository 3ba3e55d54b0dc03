"""One form for programs that mean the same, whatever the order in which they are written."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from partwise.language.declare import Constant
from partwise.language.program import Term


class CanonicalOrder:
    """Puts arguments in order: those with names as they are declared, those that may be swapped
    by text. A conjunction within one of its kind becomes a part of it.

    Args:
        constants: of a domain, one of each head.
    """

    def __init__(self, constants: Iterable[Constant]) -> None:
        self.constants = {
            one.head: one for one in constants if one.commutes or one.keywords or one.variadic
        }

    def __call__(self, program: Term) -> Term:
        """The canonical form of a program."""
        return program.map(self._ordered) if self.constants else program

    def _ordered(self, term: Term) -> Term:
        constant = self.constants.get(term.symbol)
        if constant is None or term.args is None:
            return term
        if constant.variadic:
            parts = sorted(_parts(term.symbol, term.args), key=str)
            return parts[0] if len(parts) == 1 else replace(term, args=tuple(parts))
        return _swapped(constant, _by_name(constant, term))


def _parts(head: str, args: Iterable[Term]) -> Iterator[Term]:
    for arg in args:
        yield from arg.args if arg.symbol == head and arg.args else (arg,)


def _by_name(constant: Constant, term: Term) -> Term:
    """The arguments with names as they are declared; unknown names last."""
    ordered = len(term.args or ()) - len(term.keywords)
    declared = {name: place for place, name in enumerate(constant.keywords)}
    named = zip(term.keywords, (term.args or ())[ordered:], strict=True)
    ranked = sorted(named, key=lambda one: (declared.get(one[0], len(declared)), one[0]))
    args = (*(term.args or ())[:ordered], *(arg for _, arg in ranked))
    return replace(term, args=args, keywords=tuple(name for name, _ in ranked))


def _swapped(constant: Constant, term: Term) -> Term:
    args, first = list(term.args or ()), len(constant.defaults) - len(constant.keywords)
    ordered = len(args) - len(term.keywords)
    places = {slot: slot for slot in range(min(first, ordered))}
    for place, name in enumerate(term.keywords, ordered):
        if name in constant.keywords:
            places[first + constant.keywords.index(name)] = place
    swaps = [places[slot] for slot in constant.commutes if slot in places]
    if len(swaps) < len(constant.commutes):
        return term
    for place, arg in zip(swaps, sorted((args[p] for p in swaps), key=str), strict=True):
        args[place] = arg
    return replace(term, args=tuple(args))
