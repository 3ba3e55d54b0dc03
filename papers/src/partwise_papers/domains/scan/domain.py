"""The SCAN domain: commands such as "jump around left twice" and the actions that they mean.

The language of programs is that of SCAN-SP (Herzig and Berant 2021, appendix B); what the actions
are is the interpretation of SCAN (Lake and Baroni 2018, supplement).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, overload

from partwise.errors import ExecutionError
from partwise.language.domain import Default, Domain, default, entities, predicate


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
        """The names of the actions, with blanks between them, as SCAN's files write them.

        Raises:
            ExecutionError: for a direction or a manner, which alone mean no action.
        """
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
