"""What a domain declares: its predicates and names, how they compose, and what is in vain.

In vain are predicates that no program can use, types that nothing produces, ambiguous phrases, and
predicates without any. All is read off the states of the type algebra.
"""

import difflib
import inspect
import os
import re
import traceback
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from pathlib import Path

from partwise.chart.type_algebra import TypeAlgebra
from partwise.interface.domain import Issue, Severity
from partwise.language.constants import Application, Constant
from partwise.language.domain import Domain
from partwise.language.matcher import GAP
from partwise.language.open_types import close_type
from partwise.language.text import tokenize
from partwise.language.types import AnyOf, Pattern, Type, Var, match


def place_of(domain: Domain, method: str) -> str:
    """``file:line`` of a method, its decorators included; "" if that cannot be told."""
    code = getattr(getattr(type(domain), method, None), "__code__", None)
    return "" if code is None else f"{show_path(code.co_filename)}:{code.co_firstlineno}"


def place_in_message(domain: Domain, message: str) -> str:
    """The line of the first method of the domain that a message names, else that of its class."""
    for name in re.findall(r"\w+", message):
        if not hasattr(Domain, name) and callable(getattr(type(domain), name, None)):
            return place_of(domain, name)
    try:
        file, (_, line) = inspect.getfile(type(domain)), inspect.getsourcelines(type(domain))
    except (OSError, TypeError):
        return ""
    return f"{show_path(file)}:{line}"


def place_of_error(error: BaseException) -> str:
    """The line where the user's code raised an error, or where it cannot be read."""
    cause = error.__cause__ or error
    if isinstance(cause, SyntaxError) and cause.filename:
        return f"{show_path(cause.filename)}:{cause.lineno or 1}"
    library = str(Path(__file__).resolve().parents[2])
    own = [
        frame
        for frame in traceback.extract_tb(cause.__traceback__)
        if not frame.filename.startswith((library, "<frozen"))
        and "site-packages" not in frame.filename
    ]
    inner = [frame for frame in own if not frame.filename.endswith(os.sep + "__init__.py")]
    # The import machinery of the standard library stands around the user's own lines.
    users = [f for f in inner or own if f"{os.sep}lib{os.sep}python" not in f.filename]
    return f"{show_path(users[-1].filename)}:{users[-1].lineno}" if users else ""


def show_path(file: str) -> str:
    """A path as seen from where the user stands, if it is below."""
    path, here = Path(file), Path.cwd()
    return str(path.relative_to(here)) if path.is_absolute() and path.is_relative_to(here) else file


Dependency = tuple[str, int, str]
"""A composition: a predicate, the number of its argument (from 0), and the head of that."""


@dataclass(frozen=True)
class Head:
    """A predicate, or all names that one method makes. `sample` is the predicate or the first of
    the names, `state` what it is in the type algebra, and `where` ``file:line`` of its method, if
    known."""

    name: str
    sample: Constant
    state: int
    where: str

    @property
    def title(self) -> str:
        return f"{'names of' if self.sample.is_entity else 'predicate'} {self.name}"

    @property
    def params(self) -> Iterator[tuple[int, Pattern, bool]]:
        """Slot, type and whether it may be left out, of all arguments in all signatures."""
        return (param for signature in self.sample.signatures for param in signature.params)


class Heads:
    """The heads of a domain, and how the type algebra lets them compose: what no sequence of its
    compositions comes to, no program has."""

    def __init__(self, types: TypeAlgebra) -> None:
        self.types, self.domain = types, types.domain

    @cached_property
    def all(self) -> dict[str, Head]:
        """The heads by name; of names that only a pattern gives, if any was met in a program."""
        known = self.domain.vocabulary
        samples = list(known.predicates)
        samples += [c for place in range(len(known.types)) for c in known.samples(place)[:1]]
        return {
            c.head: Head(c.head, c, self.types.start[c.number], place_of(self.domain, c.method))
            for c in samples
        }

    @cached_property
    def closed(self) -> tuple[Pattern, ...]:
        """The types that complete programs can have, in a fixed order."""
        return self._close(range(self.types.n_states))

    @cached_property
    def used(self) -> frozenset[int]:
        """States that some whole program has in it."""
        parts: dict[int, set[int]] = {}
        both = {**self.types.outer_compositions, **self.types.compositions}
        for pair, how in both.items():
            parts.setdefault(how.state, set()).update(pair)
        return _closure((s for s in range(self.types.n_states) if self.types.final[s]), parts)

    def results(self, head: Head) -> tuple[Pattern, ...]:
        return self._close(_closure([head.state], self._applications))

    def _close(self, states: Iterable[int]) -> tuple[Pattern, ...]:
        kinds = {close_type(self.types.open_types[state]) for state in states}
        return tuple(sorted((kind for kind in kinds if kind is not None), key=str))

    @cached_property
    def _applications(self) -> dict[int, set[int]]:
        """State of a function -> the states that it comes to with one argument more."""
        applied: dict[int, set[int]] = {}
        for (left, right), how in self.types.compositions.items():
            if how.shift_function is None:
                applied.setdefault(left if how.left_is_function else right, set()).add(how.state)
        return applied

    def produces(self, pattern: Pattern) -> bool:
        return any(match(pattern, kind) is not None for kind in self.closed)

    @cached_property
    def dependencies(self) -> frozenset[Dependency]:
        """All compositions that the types allow, in programs that can be whole."""
        usable = [head for head in self.all.values() if head.state in self.used]
        results = {head.name: self.results(head) for head in usable}
        return frozenset(
            (parent.name, slot, child)
            for parent in usable
            for slot, pattern, _ in parent.params
            for child, kinds in results.items()
            if any(match(pattern, kind) is not None for kind in kinds)
        )


def _closure(states: Iterable[int], after: Mapping[int, set[int]]) -> frozenset[int]:
    seen = set(states)
    ahead = list(seen)
    while ahead:
        new = after.get(ahead.pop(), set()) - seen
        seen |= new
        ahead += new
    return frozenset(seen)


def dependencies_of(program: Application) -> Iterator[Dependency]:
    for part in program.walk():
        for slot, arg in enumerate(part.args):
            if arg is not None:
                yield part.constant.head, slot, arg.constant.head


class Coverage:
    """What programs use of a language: predicates and entity types (`heads`), and compositions."""

    def __init__(self, known: Heads, programs: Iterable[Application] = ()) -> None:
        self.known = known
        self.heads: set[str] = set()
        self.dependencies: set[Dependency] = set()
        for program in programs:
            self.heads |= {part.constant.head for part in program.walk()}
            self.dependencies.update(dependencies_of(program))

    def to_json(self) -> dict[str, int]:
        return {
            "predicates": len(self.heads),
            "of_predicates": len(self.known.all.keys() | self.heads),
            "compositions": len(self.dependencies),
            "of_compositions": len(self.known.dependencies | self.dependencies),
        }

    def __str__(self) -> str:
        return (
            "{predicates} of {of_predicates} predicates and kinds of names, "
            "{compositions} of {of_compositions} compositions"
        ).format(**self.to_json())


MAX_PHRASES = 200_000
"""Phrases that are looked at."""
SHOWN = 5
"""Phrases of one kind that are named; the others are counted."""


def usage_issues(heads: Heads) -> Iterator[Issue]:
    """Predicates and names that no whole program can have in it, optional arguments that nothing
    fills, and types in hints that nothing produces."""
    for head in heads.all.values():
        if head.state not in heads.used:
            why, advice = _why_unusable(head, heads)
            kind = "unusable-name" if head.sample.is_entity else "unusable-predicate"
            yield Issue("error", kind, head.title, f"can never be used: {why}", advice, head.where)
    for head in heads.all.values():
        for slot, hints in _empty_arguments(head, heads, optional=True):
            what = f"argument {slot + 1} of {head.title}"
            why = f"nothing returns {_name_types(hints)}, so it is always left out"
            yield Issue("warning", "idle-argument", what, why, _nearest(hints, heads), head.where)
    takers: dict[Pattern, dict[str, Head]] = {}
    for head in heads.all.values():
        for part in (part for _, hint, _ in head.params for part in _members(hint)):
            if not heads.produces(part):
                takers.setdefault(part, {})[head.name] = head
    for part, takes in takers.items():
        why = f"nothing produces it, though {', '.join(takes)} would take it"
        what, where = f"type {part}", next(iter(takes.values())).where
        yield Issue("warning", "unproduced-type", what, why, _nearest([part], heads), where)


def _why_unusable(head: Head, heads: Heads) -> tuple[str, str]:
    results = heads.results(head)
    if not results:
        for slot, hints in _empty_arguments(head, heads, optional=False):
            why = f"nothing returns {_name_types(hints)}, which its argument {slot + 1} takes"
            return why, _nearest(hints, heads)
        return (
            "each of its arguments can be filled, but not all together: each of its type variables "
            "stands for one type",
            "look at the type variables in its hints",
        )
    given = ", ".join(map(str, results))
    takers = [
        other.name
        for other in heads.all.values()
        if any(match(hint, kind) is not None for _, hint, _ in other.params for kind in results)
    ]
    if takers:
        stuck = f"only {', '.join(takers)} would take it, which cannot be used either"
        return f"it gives {given}; {stuck}", "see what is said of those"
    root = heads.domain.root_type
    only = "" if root is None else f", and a whole program may only be {root}"
    advice = "let a predicate or the root take it, or remove it"
    return f"it gives {given}, which no predicate takes{only}", advice


def _empty_arguments(
    head: Head, heads: Heads, optional: bool
) -> Iterator[tuple[int, list[Pattern]]]:
    """Arguments that nothing can fill, with the types that they take: of those that are optional
    in all signatures, or required in some."""
    required = {slot for slot, _, may_lack in head.params if not may_lack}
    for slot in sorted({slot for slot, _, _ in head.params}):
        hints = [hint for other, hint, _ in head.params if other == slot]
        if (slot in required) != optional and not any(map(heads.produces, hints)):
            yield slot, hints


def _members(hint: Pattern) -> Iterator[Pattern]:
    if isinstance(hint, Type):
        yield hint
    elif isinstance(hint, AnyOf | Var):
        for part in hint.members if isinstance(hint, AnyOf) else hint.bounds:
            yield from _members(part)


def _name_types(hints: Iterable[Pattern]) -> str:
    return " or ".join(dict.fromkeys(map(str, hints)))


def _nearest(hints: Iterable[Pattern], heads: Heads) -> str:
    """Which produced types are much like those that are wanted: of the same entities, or so
    spelled."""
    wanted = [part for hint in hints for part in _members(hint)]
    entities = {str(arg) for kind in wanted if isinstance(kind, Type) for arg in kind.args}
    alike = [
        str(kind)
        for kind in heads.closed
        if isinstance(kind, Type) and any(str(arg) in entities for arg in kind.args)
    ]
    for kind in wanted:
        alike += difflib.get_close_matches(str(kind), map(str, heads.closed), 2, 0.7)
    if not alike:
        return "let a predicate return it, or add names of it"
    return f"there is {' and '.join(list(dict.fromkeys(alike))[:3])}: is one of them meant?"


def phrase_issues(heads: Heads, questions: Sequence[str], used: set[str]) -> Iterator[Issue]:
    """Ambiguous phrases, predicates without any, and phrases that no question of the examples has.
    `used`: the heads that their programs have."""
    yield from _ambiguous(heads)
    for head in heads.all.values():
        if head.sample.is_entity or head.sample.phrases:
            continue
        severity: Severity = "note"
        why = "has no phrases; its words are learned from the pairs alone"
        if head.name not in used:
            severity = "warning"
            why = "has no phrases and no pair uses it, so no question can lead to it"
        advice = f'give it words, as @predicate("{head.name.replace("_", " ")}")'
        yield Issue(severity, "no-phrases", head.title, why, advice, head.where)
    if questions:
        yield from _unseen(heads, questions)


def _ambiguous(heads: Heads) -> Iterator[Issue]:
    """Phrases that name several things; those that types tell apart are notes, one for all
    phrases of the same predicates."""
    domain = heads.domain
    told_apart: dict[tuple[str, ...], list[str]] = {}
    between_names: list[str] = []
    for words, numbers in islice(domain.phrases.items(), MAX_PHRASES):
        named = [domain.constants[number] for number in numbers]
        predicates = [constant for constant in named if not constant.is_entity]
        phrase = " ".join(words)
        if len(named) < 2:
            continue
        if not predicates:
            between_names.append(phrase)
        elif len({constant.signatures for constant in predicates}) == len(named):
            told_apart.setdefault(tuple(c.head for c in named), []).append(phrase)
        else:
            yield _ambiguity(phrase, named, heads.all[predicates[0].head].where)
    for names, phrases in told_apart.items():
        why = f"names {', '.join(names)}; their types differ, which often tells them apart"
        where = heads.all[names[0]].where
        yield Issue("note", "ambiguous-phrase", _few(phrases), why, "", where)
    if between_names:
        why = "each names several things; which is meant is learned from the words around it"
        yield Issue("note", "ambiguous-name", _few(between_names), why)


def _few(phrases: Sequence[str]) -> str:
    shown = ", ".join(repr(phrase) for phrase in phrases[:SHOWN])
    more = f" and {len(phrases) - SHOWN} more" if len(phrases) > SHOWN else ""
    return f"phrase{'s' * (len(phrases) > 1)} {shown}{more}"


def _ambiguity(phrase: str, named: Sequence[Constant], where: str) -> Issue:
    shown = ", ".join(constant.category for constant in named[:SHOWN])
    shown += " and more" if len(named) > SHOWN else ""
    why = "types do not tell them apart"
    if any(constant.is_entity for constant in named):
        why = "a predicate, and something of which a question may speak"
    advice = (
        "remove it where it is not needed, or give pairs in which it means the one and pairs in "
        "which it means the other"
    )
    what = f"phrase {phrase!r}"
    return Issue("warning", "ambiguous-phrase", what, f"names {shown}: {why}", advice, where)


def _unseen(heads: Heads, questions: Sequence[str]) -> Iterator[Issue]:
    texts = [tokenize(question).words for question in questions]
    seen = {text[i:k] for text in texts for i in range(len(text)) for k in range(i, len(text) + 1)}
    unseen: dict[str, str] = {}
    for head in heads.all.values():
        phrases = [
            phrase
            for phrase in head.sample.phrases
            if any(tokenize(part).words not in seen for part in phrase.split(GAP))
        ]
        if phrases and not head.sample.is_entity:
            unseen[head.name] = f"{head.name} {', '.join(map(repr, phrases))}"
    if unseen:
        what = f"phrases of {len(unseen)} predicates"
        why = f"no question of the pairs has them: {'; '.join(unseen.values())}"
        advice = "that is no mistake; a pair with each makes the parser surer"
        yield Issue("note", "unseen-phrase", what, why, advice, heads.all[next(iter(unseen))].where)
