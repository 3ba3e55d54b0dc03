"""Names as tries of their words, each name with what it stands for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from partwise_papers.constrained.tokens import split_name

START = 0
"""The node before the first word."""
NOWHERE = -1
"""The node of words that begin no name."""


class NameTrie:
    """Names word by word; sets of kinds are whole numbers, a bit for each kind.

    Args:
        names: each with the number of its kind.
    """

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
