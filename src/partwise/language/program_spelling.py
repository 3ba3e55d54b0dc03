"""Programs as files spell them, and as a domain's Python methods spell them; and what stood where
in programs that people wrote.

A program from elsewhere may be functional, ``answer(state(loc_2('texas')))``, or an s-expression,
``(answer (state (loc_2 "texas")))``. Its symbols need be no Python names, and its names need stand
in no call of their own. A `Spelling` says how to get from the one to the other and back; `Uses`
says how surprising it is what never stood somewhere."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar, Literal

from partwise.errors import ExecutionError, ProgramSyntaxError
from partwise.language.domain import Domain
from partwise.language.program import Term, is_symbol, parse_program, quote
from partwise.language.text import FUNCTION_WORDS, split

Syntax = Literal["functional", "s-expressions"]
Place = tuple[str, int]
"""A symbol, and which of its arguments, from 0."""


def syntax_of(text: str) -> Syntax:
    return "s-expressions" if text.lstrip().startswith("(") else "functional"


def read_spelled(text: str) -> Term:
    """A program as it is spelled. Raises ProgramSyntaxError with the position and a caret under it;
    also for arguments with names where they cannot be learned."""
    term = parse_program(text, colons=False)
    for part in term.walk():
        if part.keywords and (
            text.lstrip()[:1] == "(" or len(part.keywords) < len(part.args or ())
        ):
            raise ProgramSyntaxError(
                "arguments with names cannot be learned in s-expressions or beside arguments "
                "without names; leave the names out",
                text,
                0,
            )
    return term.map(_frame)


def _frame(term: Term) -> Term:
    """A call whose arguments have names as one of its frame, which is all the names in their order:
    of ``give(agent=x, theme=y)`` the frame ``agent= theme=`` is called with 'give', x and y."""
    if not term.keywords:
        return term
    frame = " ".join(f"{name}=" for name in term.keywords)
    return Term(frame, (Term(term.symbol, quoted=True), *(term.args or ())))


def is_frame(symbol: str) -> bool:
    """Whether a symbol is a frame, which no symbol of a file can be."""
    return symbol.endswith("=") and not is_symbol(symbol)


def write_spelled(term: Term, syntax: Syntax) -> str:
    if term.args is None:
        return quote(term.symbol) if term.quoted else term.symbol
    inner = [write_spelled(arg, syntax) for arg in term.args]
    if is_frame(term.symbol):
        named = map(str.__add__, term.symbol.split(" "), inner[1:])
        return f"{term.args[0].symbol}({', '.join(named)})"
    if syntax == "s-expressions":
        return f"({' '.join([term.symbol, *inner])})"
    return f"{term.symbol}({', '.join(inner)})"


@dataclass(frozen=True)
class Spelling:
    """How programs spell what a domain declares.

    Attributes:
        symbols: method -> the symbol of its calls, where that is another name.
        constants: method without arguments -> all that programs write for it, as ``all``, or
            ``country('usa')`` where a name never stands in questions.
        constructors: methods whose calls begin with a name, as ``country('france')``.
        quoted, bare: method of entities -> the places where programs write their names alone, in
            quotes or without.
    """

    syntax: Syntax = "functional"
    symbols: Mapping[str, str] = field(default_factory=dict)
    constants: Mapping[str, str] = field(default_factory=dict)
    constructors: Sequence[str] = ()
    quoted: Mapping[str, Sequence[Place]] = field(default_factory=dict)
    bare: Mapping[str, Sequence[Place]] = field(default_factory=dict)

    @cached_property
    def _method(self) -> dict[str, str]:
        return {symbol: method for method, symbol in self.symbols.items()}

    @cached_property
    def _terms(self) -> dict[str, Term]:
        return {name: read_spelled(text) for name, text in self.constants.items()}

    @cached_property
    def _constant(self) -> dict[Term, Term]:
        return {term: Term(name, ()) for name, term in self._terms.items()}

    @cached_property
    def _kind(self) -> dict[tuple[bool, Place], str]:
        kinds = ((True, self.quoted), (False, self.bare))
        return {
            (quoted, (symbol, slot)): method
            for quoted, given in kinds
            for method, places in given.items()
            for symbol, slot in places
        }

    def read(self, text: str) -> Term:
        return self.inward(read_spelled(text))

    def write(self, term: Term) -> str:
        return write_spelled(self.outward(term), self.syntax)

    def inward(self, term: Term, place: Place = ("", 0)) -> Term:
        """A program as it is spelled in terms of methods; one that is so already stays."""
        if term in self._constant:
            return self._constant[term]
        if term.args is None:
            kind = self._kind.get((term.quoted, place))
            return term if kind is None else Term(kind, (Term(term.symbol, quoted=True),))
        method = self._method.get(term.symbol, term.symbol)
        name = method in {*self.constructors, *self.quoted, *self.bare}
        args = (
            self.inward(arg, (term.symbol, slot))
            for slot, arg in enumerate(term.args)
            if not name or slot
        )
        return Term(method, (*term.args[:name], *args))

    def outward(self, term: Term) -> Term:
        if term.args is None:
            return term
        if not term.args and term.symbol in self._terms:
            return self._terms[term.symbol]
        for quoted, given in ((True, self.quoted), (False, self.bare)):
            if term.symbol in given:
                return Term(term.args[0].symbol, quoted=quoted)
        symbol = self.symbols.get(term.symbol, term.symbol)
        return Term(symbol, tuple(map(self.outward, term.args)))


class SpelledDomain(Domain):
    """A domain whose programs come from elsewhere, with a spelling of their own."""

    runnable: ClassVar[bool] = False
    spelling: ClassVar[Spelling] = Spelling()
    uses: ClassVar[Uses | None] = None

    def read(self, text: str) -> Term:
        return self.spelling.read(text)

    def write(self, program: Term, context: Any = None) -> str:
        return self.spelling.write(program)

    def canonical(self, program: Term) -> Term:
        """A program in terms of methods, with arguments that may be swapped sorted by text."""
        return super().canonical(self.spelling.inward(program))

    def surprise(self, program: Term) -> float:
        return 0.0 if self.uses is None else self.uses.surprise(program)

    @staticmethod
    def unwritten(method: str) -> ExecutionError:
        """What a method raises whose body nobody has written yet."""
        return ExecutionError(
            f"{method} cannot be run: its body is not written yet; write it, and set runnable = "
            "True once all are"
        )


def unknown_names(names: Iterable[str], words: Iterable[str]) -> str:
    r"""A pattern of names that are in no list: words beside each other that are neither words of
    the language nor listed names.

    A name may begin as a listed one does, as "new haven" where "new york" is listed, and its other
    words may be those of listed ones, as in "south dakota" where "north dakota" is listed. Function
    words are always among the words of the language.
    """
    parts = [split(name) for name in names]
    language = FUNCTION_WORDS | {word.lower() for word in words}
    later = {word for part in parts for word in part[1:]} - {""}
    known = language | later | {" ".join(part) for part in parts}
    later -= language
    word = rf"(?<!\w)(?!{_either(known)})[^\W\d_]+"
    rest = rf"(?:{word}|{_either(later)})" if later else word
    return rf"(?i:{word}(?:\s+{rest})*)"


def _either(phrases: Collection[str]) -> str:
    """A pattern of whole phrases; by letters, lest thousands of words are tried at each place."""
    by_letter: dict[str, list[str]] = {}
    for phrase in sorted(set(phrases) - {""}, key=lambda word: (-len(word), word)):
        rest = re.escape(phrase[1:]).replace(r"\ ", r"\s+")
        by_letter.setdefault(re.escape(phrase[0]), []).append(rest)
    either = "|".join(f"{letter}(?:{'|'.join(rest)})" for letter, rest in by_letter.items())
    return rf"(?:{either})(?!\w)"


Slot = tuple[str, int, int]
"""A method, how many arguments it has, and which of them."""
WHOLE: Slot = ("", 1, 0)
"""Where a whole program stands."""
NUMBER = "number"
"""What numbers are called."""

STEEP = 4
"""The power of likeness that counts: what is not quite alike says little."""


@dataclass(frozen=True)
class CallNode:
    """A call in a program: the arguments that are left out are None."""

    method: str
    args: tuple[CallNode | None, ...]

    def walk(self) -> Iterator[CallNode]:
        yield self
        for arg in self.args:
            if arg is not None:
                yield from arg.walk()


def node_of(term: Term, defaults: Mapping[tuple[str, int], str]) -> CallNode:
    """The calls of a program in terms of methods; `defaults` has the constant that stands for an
    argument left out, by method and slot."""
    if term.args is None:
        return CallNode(NUMBER, ())
    return CallNode(
        term.symbol,
        tuple(
            None
            if arg == Term(defaults.get((term.symbol, slot), ""), ())
            else node_of(arg, defaults)
            for slot, arg in enumerate(term.operands)
        ),
    )


@dataclass
class Uses:
    """What stood where. `seen`: place -> method -> how often what it returns stood there;
    `through`: method and number of arguments -> the argument whose type it returns, and for which
    it stands; `defaults`: method and slot -> the constant that stands for an argument left out."""

    seen: Mapping[Slot, Mapping[str, int]] = field(default_factory=dict)
    through: Mapping[tuple[str, int], int] = field(default_factory=dict)
    defaults: Mapping[tuple[str, int], str] = field(default_factory=dict)

    def return_of(self, node: CallNode) -> str:
        slot = self.through.get((node.method, len(node.args)))
        inner = None if slot is None else node.args[slot]
        return node.method if inner is None else self.return_of(inner)

    def of(self, programs: Iterable[CallNode]) -> Iterator[tuple[Slot, CallNode]]:
        for program in programs:
            yield WHOLE, program
            for node in program.walk():
                for slot, arg in enumerate(node.args):
                    if arg is not None:
                        yield (node.method, len(node.args), slot), arg

    @cached_property
    def _totals(self) -> tuple[dict[Slot, int], Counter[str], int]:
        places = {slot: sum(kinds.values()) for slot, kinds in self.seen.items()}
        things = Counter[str]()
        for kinds in self.seen.values():
            things.update(kinds)
        return places, things, max(1, things.total())

    def chance(self, slot: Slot, kind: str) -> float:
        """How often something would have stood at a place by chance."""
        places, things, total = self._totals
        return places.get(slot, 0) * things[kind] / total

    @cached_property
    def _places(self) -> dict[str, dict[Slot, float]]:
        """Where each method's results stood; a place where much stands weighs little."""
        things = len(self._totals[1])
        places: dict[str, dict[Slot, float]] = {}
        for slot, kinds in self.seen.items():
            for kind in kinds:
                places.setdefault(kind, {})[slot] = math.log((things + 1) / len(kinds))
        return places

    def likeness(self, slot: Slot, kind: str) -> float:
        """How far something that stood at a place stood wherever this did, from 0 to 1."""
        mine = self._places.get(kind, {})
        shared = (
            sum(weight for place, weight in mine.items() if place in self._places[other])
            for other in self.seen.get(slot, {})
        )
        return max(shared, default=0.0) / max(sum(mine.values()), 1e-9)

    def surprise(self, program: Term) -> float:
        """How surprising a program is: for everything that stands where it never did, the logarithm
        of how often it would have stood there by chance, and one. It is no surprise where something
        else stood that stands wherever it does."""
        places = self.of([node_of(program, self.defaults)])
        kinds = ((slot, self.return_of(node)) for slot, node in places)
        return sum(
            math.log1p(self.chance(slot, kind) * (1 - self.likeness(slot, kind) ** STEEP))
            for slot, kind in kinds
            if not self.seen.get(slot, {}).get(kind)
        )
