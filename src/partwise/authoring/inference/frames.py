"""What programs with named arguments say beside their types, as ``give(agent=emma, theme=cake)``.

A call is of a frame, the names of its arguments in their order; what is called is a name of the
frame, so that one frame's types hold for all that is called with it. The words of such a name are
those that it is always called by. Where an argument stands tells it from others of its type.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from partwise.interface.data import Example
from partwise.language.program import Term
from partwise.language.program_spelling import Slot, Spelling, is_frame
from partwise.language.text import tokenize

SAID, SURE, OFTEN = 0.8, 0.98, 3
"""The share of a word's uses with a name that it says; of uses that a rule must hold for; and how
many uses there must be."""
Words = Mapping[str, Sequence[str]]
"""Name or predicate -> the words that say it."""


@dataclass
class Frames:
    """What named arguments say.

    Attributes:
        sides: place -> ``Before`` or ``After``.
        shared: as `Domain.shared`.
        left_out: method -> the arguments that questions need not say, since they are shared.
    """

    sides: dict[Slot, str] = field(default_factory=dict)
    shared: dict[str, dict[str, str]] = field(default_factory=dict)
    left_out: defaultdict[str, dict[int, str]] = field(default_factory=lambda: defaultdict(dict))


def find_frames(
    examples: Sequence[Example[Term]],
    spelling: Spelling,
    heads: Words,
    allowed: Mapping[Slot, Collection[str]],
    arities: Mapping[str, Sequence[int]],
) -> Frames:
    """What is to say of a domain's frames; nothing, where no argument has a name.

    Args:
        examples: with programs in terms of methods.
        heads: of predicates, and of names that take arguments.
        allowed: what may stand where.
        arities: method -> how many arguments it may have.
    """
    methods = {symbol: name for name, symbol in spelling.symbols.items() if is_frame(symbol)}
    if not methods:
        return Frames()
    made = Frames(sides(examples, heads))
    spelled = [spelling.outward(example.meaning) for example in examples]
    for frame, copies in shared_arguments(spelled).items():
        made.shared[methods[frame]] = {
            f"x{place + 1}.x{inner + 1}": f"x{source + 1}"
            for (place, inner), source in copies.items()
        }
        for place, inner in copies:
            for method in allowed[methods[frame], len(frame.split(" ")), place]:
                # Of arguments that may be left out, only the last ones can be.
                if method in methods.values() and arities[method] == [inner + 1]:
                    made.left_out[method][inner] = ""
    return made


def framed_words(examples: Sequence[Example[Term]]) -> dict[str, list[str]]:
    """What is called with named arguments -> the words that it is called by, its own aside."""
    words, heads, both = Counter[str](), Counter[str](), Counter[tuple[str, str]]()
    for example in examples:
        parts = list(example.meaning.walk())
        called = {part.args[0].symbol for part in parts if part.args and is_frame(part.symbol)}
        leaves = {part.symbol.lower() for part in parts if part.args is None}
        free = set(tokenize(example.question).words) - leaves
        words.update(free)
        heads.update(called)
        both.update((word, head) for word in free for head in called)
    best: dict[str, str] = {}
    # A word of several is that of the rarest, which "said" in all its sentences is not.
    for word, head in sorted(both, key=lambda one: (both[one] ** 2 / heads[one[1]], one)):
        if both[word, head] >= SAID * words[word]:
            best[word] = head
    said: defaultdict[str, list[str]] = defaultdict(list)
    for word, head in sorted(best.items()):
        said[head].append(word)
    return dict(said)


def shared_arguments(programs: Sequence[Term]) -> dict[str, dict[tuple[int, int], int]]:
    """Frame -> an argument within one of its arguments -> the argument that is always the same, as
    of ``want(agent=emma, xcomp=sleep(agent=emma))``."""
    counts: defaultdict[tuple[str, tuple[int, int], int], list[bool]] = defaultdict(list)
    calls = (part for one in programs for part in one.walk() if is_frame(part.symbol))
    for call in calls:
        for place, inner, value in _arguments_of_arguments(call):
            for source, other in enumerate(call.operands):
                if source != place:
                    counts[call.symbol, (place, inner), source].append(value == other)
    shared: defaultdict[str, dict[tuple[int, int], int]] = defaultdict(dict)
    for (frame, path, source), same in counts.items():
        if len(same) >= OFTEN and sum(same) >= SURE * len(same):
            shared[frame][path] = source
    return dict(shared)


def _arguments_of_arguments(call: Term) -> Iterator[tuple[int, int, Term]]:
    """Each argument of a frame that is an argument itself, with the places of both."""
    for place, arg in enumerate(call.operands):
        for inner, value in enumerate(arg.operands if is_frame(arg.symbol) else ()):
            yield place, inner, value


def sides(examples: Sequence[Example[Term]], heads: Words) -> dict[Slot, str]:
    """Places whose arguments only stand ``Before`` or ``After`` the word of what takes them.

    Args:
        examples: with programs in terms of methods.
        heads: of predicates, and of names that take arguments.
    """
    counts: defaultdict[Slot, Counter[str]] = defaultdict(Counter)
    for example in examples:
        words = tokenize(example.question).words
        for part in example.meaning.walk():
            args = part.operands
            head = part.args[0].symbol if part.is_of_name and part.args else part.symbol
            here = [place for place, word in enumerate(words) if word in heads.get(head, ())]
            for slot, arg in enumerate(args if len(here) == 1 else ()):
                there = list(_places(arg, words))
                if there:
                    side = _side(here[0], there)
                    counts[part.symbol, len(args), slot][side] += 1
    tops = {slot: count.most_common(1)[0] for slot, count in counts.items()}
    return {
        slot: side
        for slot, (side, count) in tops.items()
        if side and count >= max(OFTEN, SURE * counts[slot].total())
    }


def _side(here: int, there: Sequence[int]) -> str:
    if max(there) < here:
        return "Before"
    return "After" if min(there) > here else ""


def _places(term: Term, words: Sequence[str]) -> Iterator[int]:
    """Where the names in a program stand, of those that stand once."""
    for part in term.walk():
        if part.quoted and words.count(part.symbol.lower()) == 1:
            yield words.index(part.symbol.lower())
