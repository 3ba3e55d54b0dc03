"""The words of a domain's programs: bare names and numbers, and quoted names word by word."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, cached_property

from partwise.language.program import quote, unquote
from partwise_papers.constrained.constraint import Allowed
from partwise_papers.constrained.grammar import TypeGrammar
from partwise_papers.constrained.names import NameTrie
from partwise_papers.constrained.program_state import NameState
from partwise_papers.constrained.tokens import QUOTE


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
    def _patterned(self) -> int:
        found = map(self.grammar.find, self.leaves.patterned())
        return sum({1 << kind for kind in found if kind is not None})

    def leaf(self, head: str | None, token: str) -> int | None:
        """The kind of a token that is a whole leaf: a word, a number, or a name in quotes."""
        if token in self.bare_words:
            return self.bare_words[token]
        if token[:1] != QUOTE or len(token) < 2:
            return self.grammar.find(self.leaves.bare(token, False))
        name = unquote(token)
        if quote(name) != token or self.leaves.is_listed(head, name):
            return None
        return self.grammar.find(self.leaves.named(head, name))

    def literal(self, head: str | None, wanted: int) -> Callable[[str], bool] | None:
        """Says of a token whether it is a number or the like of a kind that is wanted."""
        if not wanted & self._patterned:
            return None

        def is_wanted(token: str) -> bool:
            kind = self.leaf(head, token)
            return kind is not None and bool(wanted >> kind & 1)

        return is_wanted

    def is_whole(self, head: str | None, name: str) -> bool:
        """Whether only a pattern gives a quoted name, so that it is one token."""
        return not self.leaves.is_listed(head, name)

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
