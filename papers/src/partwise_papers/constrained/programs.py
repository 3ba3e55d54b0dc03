"""Programs of a domain, token by token: each that is complete is read and well-typed."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import Literal

from partwise.errors import ProgramTypeError
from partwise.language.domain import Domain
from partwise.language.program import DEEPEST, Term, quote, unquote
from partwise_papers.constrained.grammar import Place, TypeGrammar
from partwise_papers.constrained.tokens import QUOTE, join_program, split_name, split_program


@dataclass(frozen=True)
class Allowed:
    """What may come next; ``token in allowed`` says it of one token.

    Attributes:
        tokens: the tokens that can be listed.
        end: whether the text may end here.
        literal: says of any other token whether it is a number, a date or the like that may stand
            here; None where there are none.
    """

    tokens: frozenset[str]
    end: bool = False
    literal: Callable[[str], bool] | None = None

    def __contains__(self, token: str) -> bool:
        return token in self.tokens or (self.literal is not None and self.literal(token))


START = 0
"""The node before the first word."""
NOWHERE = -1
"""The node of words that begin no name."""


class NameTrie:
    """Names word by word; sets of kinds are whole numbers, a bit for each kind (`names`: each with
    the number of its kind)."""

    def __init__(self, names: Iterable[tuple[str, int]]) -> None:
        self._children: list[dict[str, int]] = [{}]
        self._below: list[int] = [0]
        self._ends: list[int] = [0]
        for name, kind in names:
            self._add(split_name(name), 1 << kind)

    def _add(self, words: Iterable[str], bit: int) -> None:
        node = START
        self._below[node] |= bit
        for word in words:
            node = self._children[node].setdefault(word, len(self._children))
            if node == len(self._children):
                self._children.append({})
                self._below.append(0)
                self._ends.append(0)
            self._below[node] |= bit
        self._ends[node] |= bit

    def step(self, node: int, word: str, kinds: int) -> int:
        """The node after one more word of a name of some kinds; `NOWHERE` if there is none."""
        after = NOWHERE if node == NOWHERE else self._children[node].get(word, NOWHERE)
        return after if after != NOWHERE and self._below[after] & kinds else NOWHERE

    def words(self, node: int, kinds: int) -> Iterator[str]:
        """The words with which names of some kinds go on."""
        for word, after in self._children[node].items() if node != NOWHERE else ():
            if self._below[after] & kinds:
                yield word

    def ended(self, node: int, kinds: int) -> int:
        """The kinds, of some, of a name that ends at a node."""
        return 0 if node == NOWHERE else self._ends[node] & kinds


Phase = Literal["argument", "first", "value", "symbol", "name", "after"]
"""What comes next: an argument; the first one or ``)``; an argument after its name; what follows a
symbol; more words of a name; what follows a part."""


@dataclass(frozen=True)
class Frame:
    """A call whose arguments are not all there.

    Attributes:
        place: of the automaton of its head.
        room: how many levels its arguments may have below them.
        keyword: the name of the argument that is being read, if it has one.
        is_empty: whether it has no argument yet.
    """

    head: str
    place: Place
    room: int
    parent: Frame | None
    keyword: str = ""
    is_empty: bool = True

    @property
    def local(self) -> Hashable:
        """All but the calls around it."""
        return self.head, self.place, self.room, self.keyword, self.is_empty


@dataclass(frozen=True)
class NameState:
    """How far a quoted name is read.

    Attributes:
        named, bare: nodes in the trie of names that the call around takes, and that of names that
            stand alone.
    """

    named: int = START
    bare: int = START


@dataclass(frozen=True)
class ProgramState:
    """A place in a program; `frame` is None outside of all calls.

    Attributes:
        symbol: what was read last, in the phase of that name; it may be a whole name in quotes.
        name: the quoted name that is being read.
    """

    phase: Phase
    frame: Frame | None = None
    symbol: str = ""
    name: NameState = NameState()


class Lexicon:
    """What stands at the leaves of programs. Sets of kinds are whole numbers, a bit for each.

    A head, as an argument of its methods, is that of a call whose first argument is read; None
    elsewhere.
    """

    def __init__(self, grammar: TypeGrammar) -> None:
        self.grammar, self.leaves = grammar, grammar.leaves
        self.words = cache(self._find_words)
        self._trie = cache(self._build_trie)

    @cached_property
    def bare_words(self) -> dict[str, int]:
        """The words that stand alone, without quotes, with their kinds."""
        numbered = ((word, self.grammar.find(kind)) for word, kind in self.leaves.words())
        return {word: kind for word, kind in numbered if kind is not None}

    @cached_property
    def _pattern_kinds(self) -> int:
        found = map(self.grammar.find, self.leaves.kinds_of_patterns())
        return sum({1 << kind for kind in found if kind is not None})

    def leaf(self, head: str | None, token: str) -> int | None:
        """The kind of a token that is a whole leaf: a word, a number, or a name in quotes."""
        if token in self.bare_words:
            return self.bare_words[token]
        if token[:1] != QUOTE or len(token) < 2:
            return self.grammar.find(self.leaves.bare(token, False))
        name = unquote(token)
        if quote(name) != token or self.leaves.has_listed(head, name):
            return None
        return self.grammar.find(self.leaves.named(head, name))

    def literal(self, head: str | None, wanted: int) -> Callable[[str], bool] | None:
        """Says of a token whether it is a number or the like of a kind that is wanted."""
        if not wanted & self._pattern_kinds:
            return None

        def fits(token: str) -> bool:
            kind = self.leaf(head, token)
            return kind is not None and bool(wanted >> kind & 1)

        return fits

    def is_whole(self, head: str | None, name: str) -> bool:
        """Whether only a pattern gives a quoted name, so that it is one token."""
        return not self.leaves.has_listed(head, name)

    def more(self, head: str | None, name: NameState, wanted: int) -> Allowed:
        """What may come next within quotes; nothing if no quoted name may stand here."""
        named, bare = self._tries(head)
        tokens = {*named.words(name.named, wanted), *bare.words(name.bare, wanted)}
        if self.ended(head, name, wanted) is not None:
            tokens.add(QUOTE)
        return Allowed(frozenset(tokens))

    def step(self, head: str | None, name: NameState, word: str, wanted: int) -> NameState:
        """The name with one more word."""
        named, bare = self._tries(head)
        return NameState(named.step(name.named, word, wanted), bare.step(name.bare, word, wanted))

    def ended(self, head: str | None, name: NameState, wanted: int) -> int | None:
        """The kind of the name if it may end here."""
        named, bare = self._tries(head)
        kinds = named.ended(name.named, wanted) or bare.ended(name.bare, wanted)
        return kinds.bit_length() - 1 if kinds else None

    def _tries(self, head: str | None) -> tuple[NameTrie, NameTrie]:
        head = head if head and head in self.leaves.constructors else None
        return self._trie(head, True), self._trie(head, False)

    def _build_trie(self, head: str | None, constructed: bool) -> NameTrie:
        """The names that a head constructs, or those that may stand alone in its place."""
        if constructed and head is None:
            return NameTrie(())
        names = self.leaves.listed(head if constructed else None)
        # What a head constructs is that, even if its name might stand alone as well.
        kept = ((n, k) for n, k in names if constructed or self.leaves.named(head, n) == k)
        numbered = ((name, self.grammar.find(kind)) for name, kind in kept)
        return NameTrie((name, kind) for name, kind in numbered if kind is not None)

    def _find_words(self, wanted: int) -> frozenset[str]:
        return frozenset(word for word, kind in self.bare_words.items() if wanted >> kind & 1)


class ProgramConstraint:
    """The constraint of a domain of programs; raises DomainError for a domain with ever larger
    types, or without any program.

    Programs are in canonical text, but for the order of arguments that may be swapped, which is
    free. States are immutable and hashable. Whatever is allowed can be continued to a text that the
    domain reads as a well-typed program, so decoding never comes to a dead end.

    Args:
        deepest: how many levels of calls a program may have.
    """

    def __init__(self, domain: Domain, deepest: int = DEEPEST) -> None:
        self.domain, self.deepest = domain, deepest
        self.grammar = TypeGrammar(domain)
        self.lexicon = Lexicon(self.grammar)
        self._cached: dict[Hashable, Allowed] = {}
        self._heads = cache(self._find_heads)

    def start(self) -> ProgramState:
        """The state before the first token."""
        return ProgramState("argument")

    def allowed(self, state: ProgramState) -> Allowed:
        """What may come next."""
        frame = state.frame
        key = (state.phase, state.symbol, state.name, frame and frame.local)
        if key not in self._cached:
            self._cached[key] = self._allow(state)
        return self._cached[key]

    def advance(self, state: ProgramState, token: str) -> ProgramState:
        """The state after one more token; raises ProgramTypeError if the token is not allowed."""
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
                return self._open(state)
            case "symbol":
                kind = self.lexicon.leaf(self._head(state.frame), state.symbol)
                return self._after(self._close(state.frame, kind).frame, token)
        return self._more_argument(state, token)

    def split(self, meaning: Term) -> list[str]:
        """The tokens of a program."""
        domain = self.domain
        return split_program(domain.write(domain.canonical(meaning)), self.lexicon.is_whole)

    def join(self, tokens: Sequence[str]) -> Term:
        """The program that tokens spell; raises ProgramSyntaxError for tokens that spell none."""
        return self.domain.read(join_program(tokens))

    # --- what may come next ----------------------------------------------------------------

    def _allow(self, state: ProgramState) -> Allowed:
        wanted = self._wanted_kinds(state.frame)
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
        frame = self._close(state.frame, kind).frame
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

    def _wanted_kinds(self, frame: Frame | None) -> int:
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
        head, wanted = self._head(state.frame), self._wanted_kinds(state.frame)
        if token == QUOTE:
            return self._close(state.frame, self.lexicon.ended(head, state.name, wanted))
        return replace(state, name=self.lexicon.step(head, state.name, token, wanted))

    def _open(self, state: ProgramState) -> ProgramState:
        room = self._room(state.frame)
        place = self.grammar.calls[state.symbol].open(
            self._wanted_kinds(state.frame), self._within(room)
        )
        assert place is not None
        return ProgramState("first", Frame(state.symbol, place, room, state.frame))

    def _close(self, frame: Frame | None, kind: int | None) -> ProgramState:
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
        return self._close(frame.parent, self._result(frame))
