"""The SCAN domain: commands such as "jump around left twice" and the actions that they mean.

The language of programs is that of SCAN-SP (Herzig and Berant 2021, appendix B); what the actions
are is the interpretation of SCAN (Lake and Baroni 2018, supplement), and so is the phrase structure
of the synchronous grammar that gives each command with its program. The language is finite: 20,910
commands.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from itertools import product
from typing import Any, ClassVar, NamedTuple, overload

from partwise.errors import DataError, ExecutionError
from partwise.language.domain import Default, Domain, default, entities, predicate
from partwise.language.program import Term, parse_program
from partwise.language.text import tokenize


@dataclass(frozen=True)
class Actions:
    """What a command means: the names of actions, in the order in which they are done."""

    names: tuple[str, ...]


class Action(Actions):
    """A verb with its direction and manner."""


class Repeated(Actions):
    """An action done several times; not to be repeated again."""


class Sequence(Actions):
    """Two commands, one after the other; a whole program."""


@dataclass(frozen=True)
class Direction:
    """Left or right, as the action that turns there."""

    turn: str


@dataclass(frozen=True)
class Manner:
    """How to go in a direction: so many turns before the verb, all of it so many times."""

    turns: int
    times: int


OPEN = default()
"""An argument that a command may go without."""

STRAIGHT = Manner(turns=1, times=1)
DIRECTIONS = {"i_left": Direction("I_TURN_LEFT"), "i_right": Direction("I_TURN_RIGHT")}
MANNERS = {"i_opposite": Manner(turns=2, times=1), "i_around": Manner(turns=1, times=4)}


class Scan(Domain):
    """SCAN's commands.

    A verb takes a direction, or a direction and a manner, in any order of arrival; the manner
    alone leaves it open. Of two commands the first that arrives is the first argument, so that
    "A after B" is read as ``[[A after] B]``.
    """

    name: ClassVar[str] = "scan"
    answers: ClassVar[object | None] = Action | Repeated | Sequence
    infix: ClassVar[tuple[str, ...] | None] = ()

    def denotation(self, value: Any) -> str:
        """The names of the actions, with blanks between them, as SCAN's files write them; raises
        ExecutionError for a direction or a manner, which alone mean no action."""
        return " ".join(_names(value))

    def show(self, value: Any) -> list[str]:
        """One line, the actions in order."""
        return [self.denotation(value)]

    @overload
    def i_walk(self, direction: Direction, manner: Manner = ...) -> Action: ...

    @overload
    def i_walk(self) -> Action: ...

    @predicate("walk")
    def i_walk(self, direction: Any = OPEN, manner: Any = OPEN) -> Any:
        """Walk, maybe somewhere."""
        return _go("I_WALK", direction, manner)

    @overload
    def i_look(self, direction: Direction, manner: Manner = ...) -> Action: ...

    @overload
    def i_look(self) -> Action: ...

    @predicate("look")
    def i_look(self, direction: Any = OPEN, manner: Any = OPEN) -> Any:
        """Look, maybe somewhere."""
        return _go("I_LOOK", direction, manner)

    @overload
    def i_run(self, direction: Direction, manner: Manner = ...) -> Action: ...

    @overload
    def i_run(self) -> Action: ...

    @predicate("run")
    def i_run(self, direction: Any = OPEN, manner: Any = OPEN) -> Any:
        """Run, maybe somewhere."""
        return _go("I_RUN", direction, manner)

    @overload
    def i_jump(self, direction: Direction, manner: Manner = ...) -> Action: ...

    @overload
    def i_jump(self) -> Action: ...

    @predicate("jump")
    def i_jump(self, direction: Any = OPEN, manner: Any = OPEN) -> Any:
        """Jump, maybe somewhere."""
        return _go("I_JUMP", direction, manner)

    @predicate("turn")
    def i_turn(self, direction: Direction, manner: Manner = OPEN) -> Action:
        """Only the turns: there is nothing more to do in a direction."""
        return _towards((), direction, manner)

    @predicate("twice")
    def i_twice(self, action: Action) -> Repeated:
        """Two times."""
        return Repeated(_names(action) * 2)

    @predicate("thrice")
    def i_thrice(self, action: Action) -> Repeated:
        """Three times."""
        return Repeated(_names(action) * 3)

    @predicate("and")
    def i_and(self, first: Action | Repeated, then: Action | Repeated) -> Sequence:
        """One command, then the other."""
        return Sequence(_names(first) + _names(then))

    @predicate("after")
    def i_after(self, last: Action | Repeated, before: Action | Repeated) -> Sequence:
        """A command once the other, which is said later, is done."""
        return Sequence(_names(before) + _names(last))

    @entities(
        names=tuple(DIRECTIONS), aliases={"i_left": ["left"], "i_right": ["right"]}, bare=True
    )
    def direction(self, name: str) -> Direction:
        """Left or right."""
        return DIRECTIONS[name]

    @entities(
        names=tuple(MANNERS),
        aliases={"i_opposite": ["opposite"], "i_around": ["around"]},
        bare=True,
    )
    def manner(self, name: str) -> Manner:
        """Opposite or around."""
        return MANNERS[name]


def _go(verb: str, direction: Any, manner: Any) -> Action:
    if isinstance(direction, Default) and isinstance(manner, Default):
        return Action((verb,))
    return _towards((verb,), direction, manner)


def _towards(verb: tuple[str, ...], direction: Any, manner: Any) -> Action:
    how = STRAIGHT if isinstance(manner, Default) else manner
    if not isinstance(direction, Direction) or not isinstance(how, Manner):
        raise ExecutionError("a verb takes a direction, or a direction and a manner, in this order")
    return Action(((direction.turn,) * how.turns + verb) * how.times)


def _names(value: Any) -> tuple[str, ...]:
    if not isinstance(value, Actions):
        raise ExecutionError(f"{value} is no action: give it to a verb")
    return value.names


RULES = (
    ("COMMAND", "PHRASE", "PHRASE"),
    ("COMMAND", "PHRASE1 and PHRASE2", "i_and ( PHRASE1 , PHRASE2 )"),
    ("COMMAND", "PHRASE1 after PHRASE2", "i_after ( PHRASE1 , PHRASE2 )"),
    ("PHRASE", "ACTION", "ACTION"),
    ("PHRASE", "ACTION twice", "i_twice ( ACTION )"),
    ("PHRASE", "ACTION thrice", "i_thrice ( ACTION )"),
    ("ACTION", "VERB", "VERB ( )"),
    ("ACTION", "MOVE DIRECTION", "MOVE ( DIRECTION )"),
    ("ACTION", "MOVE MANNER DIRECTION", "MOVE ( DIRECTION , MANNER )"),
    ("MOVE", "VERB", "VERB"),
    ("MOVE", "turn", "i_turn"),
    ("VERB", "walk", "i_walk"),
    ("VERB", "look", "i_look"),
    ("VERB", "run", "i_run"),
    ("VERB", "jump", "i_jump"),
    ("MANNER", "opposite", "i_opposite"),
    ("MANNER", "around", "i_around"),
    ("DIRECTION", "left", "i_left"),
    ("DIRECTION", "right", "i_right"),
)
"""What a symbol (in capitals) stands for: words and symbols, and the program made of theirs.

Digits tell two uses of a symbol apart.
"""

START = "COMMAND"


class Command(NamedTuple):
    """A command of the language: its words, with blanks between them, and its program."""

    text: str
    program: Term


@dataclass(frozen=True)
class _Rule:
    tokens: tuple[str, ...]
    program: Term


_BY_SYMBOL: dict[str, list[_Rule]] = {}
for _symbol, _tokens, _program in RULES:
    _rule = _Rule(tuple(_tokens.split()), parse_program(_program))
    _BY_SYMBOL.setdefault(_symbol, []).append(_rule)

Parts = Mapping[str, Term]
"""The programs of a rule's symbols."""


@cache
def language() -> tuple[Command, ...]:
    """All commands, in the order of the rules."""
    return tuple(Command(" ".join(words), program) for words, program in _derive(START))


def program_of(command: str) -> Term:
    """The program of a command; raises DataError for a text that is no command; says at which word
    and what may stand there."""
    return _program_of(tokenize(command).words)


@cache
def action_sequence(command: str) -> str:
    """The actions that a command means, as ``I_TURN_LEFT I_JUMP``; raises DataError for a text that
    is no command."""
    domain = _domain()
    return domain.denotation(domain.run(program_of(command)))


@cache
def _domain() -> Scan:
    return Scan()


def _derive(symbol: str) -> list[tuple[tuple[str, ...], Term]]:
    """All that a symbol may stand for: words with their program."""
    found = []
    for rule in _BY_SYMBOL[symbol]:
        choices = [
            _derive(_symbol_of(token)) if token.isupper() else [((token,), Term(token))]
            for token in rule.tokens
        ]
        for chosen in product(*choices):
            words = tuple(word for part, _ in chosen for word in part)
            parts = dict(zip(rule.tokens, (program for _, program in chosen), strict=True))
            found.append((words, _fill(rule.program, parts)))
    return found


def _symbol_of(token: str) -> str:
    return token.rstrip("12")


def _fill(pattern: Term, parts: Parts) -> Term:
    """A rule's program with the symbols in it, also that of a call, replaced by theirs."""
    if pattern.args is None:
        return parts.get(pattern.symbol, pattern)
    head = parts.get(pattern.symbol, pattern).symbol
    return Term(head, tuple(_fill(arg, parts) for arg in pattern.args))


@cache
def _program_of(words: tuple[str, ...]) -> Term:
    parse = _Parse(words)
    for end, program in parse.symbol(START, 0):
        if end == len(words):
            return program
        parse.miss(end, "the end")
    raise DataError(parse.message())


class _Parse:
    """Recursive descent over words, all alternatives in parallel; keeps how far it came."""

    def __init__(self, words: tuple[str, ...]) -> None:
        self.words = words
        self.reached = 0
        self.expected: list[str] = []
        self._known: dict[tuple[str, int], list[tuple[int, Term]]] = {}

    def symbol(self, symbol: str, start: int) -> list[tuple[int, Term]]:
        """Where the symbol may end, with its program."""
        key = symbol, start
        if key not in self._known:
            self._known[key] = [
                (end, _fill(rule.program, parts))
                for rule in _BY_SYMBOL[symbol]
                for end, parts in self._rule(rule, start)
            ]
        return self._known[key]

    def _rule(self, rule: _Rule, start: int) -> list[tuple[int, Parts]]:
        found: list[tuple[int, Parts]] = [(start, {})]
        for token in rule.tokens:
            found = [
                (end, {**parts, token: program})
                for at, parts in found
                for end, program in self._token(token, at)
            ]
        return found

    def _token(self, token: str, at: int) -> list[tuple[int, Term]]:
        if token.isupper():
            return self.symbol(_symbol_of(token), at)
        if self.words[at : at + 1] == (token,):
            return [(at + 1, Term(token))]
        self.miss(at, token)
        return []

    def miss(self, at: int, token: str) -> None:
        """Remember what would have gone on from the last word reached."""
        if at > self.reached:
            self.reached, self.expected = at, []
        if at == self.reached and token not in self.expected:
            self.expected.append(token)

    def message(self) -> str:
        """Why the words are no command."""
        shown = " ".join(self.words)
        where = "at its end" if self.reached == len(self.words) else f"at word {self.reached + 1}"
        there = "" if self.reached == len(self.words) else f", not {self.words[self.reached]!r}"
        return f"{shown!r} is no SCAN command: {where} expected {', '.join(self.expected)}{there}"
