"""What a domain may have to declare before a tree over a question can mean its program."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from partwise.language.constants import Application
from partwise.language.domain import Domain
from partwise.language.matcher import Match
from partwise.language.text import Words


def missing(domain: Domain, words: Words, program: Application) -> Iterator[str]:
    """Advice on declarations that the pair seems to need, the likeliest first."""
    matches = domain.matcher.find(words)
    parts = [part for part in program.walk() if not part.constant.type_shift]
    joining = list(dict.fromkeys(_conjunctions(parts)))
    for head in joining:
        yield (
            f"if {head} joins any number of parts and has no word, declare it as @type_shift over "
            "*parts"
        )
    known = {match.number for match in matches}
    silent = [
        part.constant.head
        for part in parts
        if not part.constant.is_entity
        and part.constant.number not in known
        and part.constant.head not in joining
    ]
    if silent and len(parts) > len(words):
        shown = ", ".join(dict.fromkeys(silent))
        yield f"if no word stands for {shown}, declare it as @type_shift(of_phrases=True)"
    yield from _used_twice(parts, matches)
    yield from _crossing(program, matches, words)


def _conjunctions(parts: Sequence[Application]) -> Iterator[str]:
    """Predicates that join like things: their arguments may be swapped, or they hold themselves."""
    for part in parts:
        inner = [arg.constant.head for arg in part.args if arg is not None]
        if len(part.constant.commutes) > 1 or (len(inner) > 1 and part.constant.head in inner):
            yield part.constant.head


def _used_twice(parts: Sequence[Application], matches: Sequence[Match]) -> Iterator[str]:
    """Names that fill more arguments than the question has mentions."""
    wanted = Counter(part.constant.number for part in parts if part.constant.is_entity)
    named = Counter(match.number for match in matches)
    for part in parts:
        number = part.constant.number
        if 0 < named[number] < wanted[number]:
            wanted[number] = 0
            yield (
                f"if one mention of {part.constant.category} fills several arguments, declare "
                "which is a copy of which in `shared`"
            )


def _crossing(program: Application, matches: Sequence[Match], words: Words) -> Iterator[str]:
    """The first phrase whose words have a word of another part between them."""
    several = Counter(part.constant.number for part in program.walk())
    several.update(match.number for match in matches)
    # Only what stands once in both says where its words are.
    places = {match.number: match for match in matches if several[match.number] == 2}
    for part in program.walk():
        own = {inner.constant.number for inner in part.walk()}
        here = [places[number] for number in own if number in places]
        if not here or part is program:
            continue
        start, end = min(m.start for m in here), max(m.end for m in here)
        for other in program.walk():
            match = places.get(other.constant.number)
            if match is not None and other.constant.number not in own and start < match.start < end:
                yield (
                    f"{words.span(match.start, match.end)!r} stands within the words of "
                    f"{part.term()}: if that is how people speak, see `extraction`, `infix` and "
                    'phrases with a gap, as "take ... off"'
                )
                return
