"""Programs of a domain, token by token: each that is complete is read and well-typed."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache

from partwise.errors import ProgramTypeError
from partwise.language.domain import Domain
from partwise.language.program import DEEPEST, Term
from partwise_papers.constrained.constraint import Allowed
from partwise_papers.constrained.grammar import TypeGrammar
from partwise_papers.constrained.lexicon import Lexicon
from partwise_papers.constrained.program_state import Frame, NameState, ProgramState
from partwise_papers.constrained.tokens import QUOTE, join_program, split_program


class ProgramConstraint:
    """The constraint of a domain of programs.

    Programs are in canonical text, but for the order of arguments and parts that may be swapped,
    which is free. Copies of shared arguments (`Domain.shared`) are left out; `join` puts them in.

    Args:
        deepest: how many levels of calls a program may have.

    Raises:
        DomainError: for a domain with ever larger types, or without any program.
    """

    def __init__(self, domain: Domain, deepest: int = DEEPEST) -> None:
        self.domain, self.deepest = domain, deepest
        self.grammar = TypeGrammar(domain)
        self.lexicon = Lexicon(self.grammar)
        self._cached: dict[Hashable, Allowed] = {}
        self._heads = cache(self._find_heads)

    def start(self, names: str | Collection[str] = ()) -> ProgramState:
        """The state before the first token; programs do not depend on `names`."""
        return ProgramState("argument")

    def allowed(self, state: ProgramState) -> Allowed:
        """What may come next."""
        frame = state.frame
        key = (state.phase, state.symbol, state.name, frame and frame.local)
        if key not in self._cached:
            self._cached[key] = self._allowed(state)
        return self._cached[key]

    def advance(self, state: ProgramState, token: str) -> ProgramState:
        """The state after one more token.

        Raises:
            ProgramTypeError: if the token is not allowed.
        """
        allowed = self.allowed(state)
        if token not in allowed:
            few = ", ".join(sorted(allowed.tokens)[:10]) or "only the end"
            raise ProgramTypeError(f"{token!r} may not stand here; what may: {few}")
        match state.phase:
            case "name":
                return self._more_name(state, token)
            case "after":
                return self._after(state.frame, token)
            case "symbol" if token == "(":
                return self._opened(state)
            case "symbol":
                kind = self.lexicon.leaf(self._head(state.frame), state.symbol)
                return self._after(self._closed(state.frame, kind).frame, token)
        return self._more_argument(state, token)

    def split(self, meaning: Term) -> list[str]:
        """The tokens of a program."""
        domain = self.domain
        program = domain.canonical(meaning)
        if domain.shared:
            bare = domain.shared_arguments.without_copies(domain.interpret(program)).term()
            program = bare if domain.root_name is None else Term(domain.root_name, (bare,))
        return split_program(domain.write(program), self.lexicon.is_whole)

    def join(self, tokens: Sequence[str]) -> Term:
        """The program that tokens spell.

        Raises:
            ProgramSyntaxError: for tokens that spell none.
        """
        program = self.domain.read(join_program(tokens))
        if not self.domain.shared:
            return program
        return self.domain.wrap(self.domain.interpret(program).term())

    # --- what may come next ----------------------------------------------------------------

    def _allowed(self, state: ProgramState) -> Allowed:
        wanted = self._wanted(state.frame)
        match state.phase:
            case "name":
                return self.lexicon.more(self._head(state.frame), state.name, wanted)
            case "after":
                return Allowed(frozenset(self._marks(state.frame)), end=state.frame is None)
            case "symbol":
                return self._after_symbol(state, wanted)
        tokens = {*self._heads(wanted, self._room(state.frame)), *self.lexicon.words(wanted)}
        head = self._head(state.frame)
        if self.lexicon.more(head, NameState(), wanted).tokens:
            tokens.add(QUOTE)
        if state.phase != "value":
            tokens.update(f"{name}=" for name in self._items(state.frame) if name)
        if state.phase == "first" and self._result(state.frame) is not None:
            tokens.add(")")
        return Allowed(frozenset(tokens), literal=self.lexicon.literal(head, wanted))

    def _after_symbol(self, state: ProgramState, wanted: int) -> Allowed:
        opens = state.symbol in self._heads(wanted, self._room(state.frame))
        tokens = {"("} if opens else set()
        kind = self.lexicon.leaf(self._head(state.frame), state.symbol)
        if kind is None or not wanted >> kind & 1:
            return Allowed(frozenset(tokens))
        frame = self._closed(state.frame, kind).frame
        return Allowed(frozenset(tokens.union(self._marks(frame))), end=frame is None)

    def _marks(self, frame: Frame | None) -> Iterator[str]:
        if frame is not None and self._items(frame):
            yield ","
        if self._result(frame) is not None:
            yield ")"

    def _result(self, frame: Frame | None) -> int | None:
        return None if frame is None else self.grammar.calls[frame.head].result(frame.place)

    def _items(self, frame: Frame | None) -> Mapping[str, int]:
        """Name of the next argument ("" for none) -> the kinds that it may have."""
        if frame is None:
            return {"": self.grammar.start & self._within(self.deepest)}
        return self.grammar.calls[frame.head].items(frame.place, self._within(frame.room))

    def _wanted(self, frame: Frame | None) -> int:
        """The kinds that the part which is read next may have."""
        return self._items(frame).get("" if frame is None else frame.keyword, 0)

    def _within(self, room: int) -> int:
        reach = self.grammar.reach
        return reach[min(room, len(reach) - 1)] if room >= 0 else 0

    def _room(self, frame: Frame | None) -> int:
        """How many levels the arguments of a call within this one may have below them."""
        return (self.deepest if frame is None else frame.room) - 1

    def _find_heads(self, wanted: int, room: int) -> frozenset[str]:
        within = self._within(room)
        calls = self.grammar.calls.items()
        return frozenset(h for h, call in calls if call.open(wanted, within) is not None)

    @staticmethod
    def _head(frame: Frame | None) -> str | None:
        """The head of a call that has no argument yet, which may take a name."""
        return frame.head if frame is not None and frame.is_empty else None

    # --- steps -----------------------------------------------------------------------------

    def _more_argument(self, state: ProgramState, token: str) -> ProgramState:
        frame = state.frame
        if frame is not None and token == ")":
            return self._after(frame, token)
        if token == QUOTE:
            return replace(state, phase="name", name=NameState())
        names = {f"{name}=" for name in self._items(frame) if name}
        if frame is not None and state.phase != "value" and token in names:
            return ProgramState("value", replace(frame, keyword=token[:-1]))
        return ProgramState("symbol", frame, token)

    def _more_name(self, state: ProgramState, token: str) -> ProgramState:
        head, wanted = self._head(state.frame), self._wanted(state.frame)
        if token == QUOTE:
            return self._closed(state.frame, self.lexicon.ended(head, state.name, wanted))
        return replace(state, name=self.lexicon.step(head, state.name, token, wanted))

    def _opened(self, state: ProgramState) -> ProgramState:
        room = self._room(state.frame)
        place = self.grammar.calls[state.symbol].open(self._wanted(state.frame), self._within(room))
        return ProgramState("first", Frame(state.symbol, place, room, state.frame))

    def _closed(self, frame: Frame | None, kind: int | None) -> ProgramState:
        """The state after a part of a kind."""
        assert kind is not None
        if frame is None:
            return ProgramState("after")
        place = self.grammar.calls[frame.head].push(frame.place, frame.keyword, kind)
        return ProgramState("after", replace(frame, place=place, keyword="", is_empty=False))

    def _after(self, frame: Frame | None, token: str) -> ProgramState:
        """The state after a comma or a bracket that ends a call."""
        assert frame is not None
        if token == ",":
            return ProgramState("argument", frame)
        return self._closed(frame.parent, self._result(frame))
