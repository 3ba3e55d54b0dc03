"""Writes what was inferred as a domain file that a person can read, correct and extend.

All that comes from the examples is written as Python strings, or as text in which nothing ends the
string or the comment that it is in.
"""

from __future__ import annotations

import pprint
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence

from partwise.authoring.inference.infer import Inferred, Method
from partwise.authoring.inference.names import NUMBER, NameKind

WIDTH = 96
WORDS, NAMED = "WORDS", "NAMES"
HEAD = '''"""What questions may mean, inferred from {count} pairs of questions and programs.

Types say what may stand where; each class is what some predicates return. Lines with "unsure" are
guesses: correct them, add phrases to the decorators, and train with `partwise train --domain`.
"""

from __future__ import annotations

from typing import Any, ClassVar, TypeVar, overload

from partwise.language.domain import After, Before, default, entities, predicate, root
from partwise.language.program_spelling import SpelledDomain, Spelling, unknown_names
from partwise.language.program_spelling import Uses
'''


def domain_text(inferred: Inferred, name: str, class_name: str) -> str:
    """The content of a domain's file."""
    uses = inferred.uses
    lines = [HEAD.format(count=inferred.count)]
    for title, producers in inferred.classes.items():
        lines += [f"\nclass {title}:", f'    """Returned by {_listed(producers)}."""\n']
    for title, members in inferred.unions.items():
        lines.append(_wrapped(f"{title} = ({' | '.join(members)})"))
    for variable, members in inferred.variables.items():
        limits = f"bound={members[0]}" if len(members) == 1 else ", ".join(members)
        lines.append(f'T_{variable} = TypeVar("T_{variable}", {limits})')
    lines += ["", f"{WORDS} = {_value(tuple(inferred.words), 0)}"]
    lines.append('"""Words that are no part of a name."""')
    for kind in inferred.naming.kinds:
        lines.append(f"{NAMED}_{kind.method} = {_value(tuple(kind.names), 0)}")
    if inferred.naming.kinds:
        listed = " + ".join(f"{NAMED}_{kind.method}" for kind in inferred.naming.kinds)
        lines.append(_wrapped(f"OTHER = unknown_names({listed}, {WORDS})"))
    lines.append(f"SEEN = {_value({slot: dict(kinds) for slot, kinds in uses.seen.items()}, 0)}")
    lines.append('"""How often what stood where: as which argument of a method with so many."""')
    lines += ["", "", f"class {class_name}(SpelledDomain):"]
    lines.append(f'    """Programs as in {_safe(inferred.samples[0][1])}."""\n')
    lines.append(f"    name: ClassVar[str] = {name!r}")
    lines.append(f"    spelling: ClassVar[Spelling] = {_spelling(inferred)}")
    given = f"SEEN, {dict(uses.through)!r}, {dict(uses.defaults)!r}"
    lines.append(f"    uses: ClassVar[Uses] = Uses({given})")
    if inferred.shared:
        lines.append(f"    shared: ClassVar = {_value(inferred.shared, 4)}")
    lines.append(f"    examples: ClassVar[tuple[str, ...]] = {_value(inferred.questions, 4)}")
    if inferred.root is None:
        lines.append(f"    answers: ClassVar[object] = {' | '.join(inferred.answers)}")
    for method in inferred.methods:
        lines += ["", *_method(inferred, method)]
    return "\n".join(lines) + "\n"


def _spelling(inferred: Inferred) -> str:
    spelling = inferred.naming.spelling
    given: Mapping[str, object] = {
        "syntax": spelling.syntax,
        "symbols": dict(spelling.symbols),
        "constants": dict(spelling.constants),
        "constructors": tuple(spelling.constructors),
        "quoted": {method: tuple(places) for method, places in spelling.quoted.items()},
        "bare": {method: tuple(places) for method, places in spelling.bare.items()},
    }
    lines = [f"        {name}={_value(value, 8)}," for name, value in given.items() if value]
    return "\n".join(["Spelling(", *lines, "    )"])


def _method(inferred: Inferred, method: Method) -> Iterator[str]:
    several = len(method.signatures) > 1
    for number, (hints, returns) in enumerate(method.signatures):
        # The first parameters of a signature are those that it has.
        given = [
            f"x{slot + 1}: {hint}" + (" = ..." if slot in method.defaults else "")
            for slot, hint in enumerate(hints)
        ]
        if several:
            yield "    @overload"
            yield f"    def {method.name}({_parameters(method, given)}) -> {returns}: ...\n"
        elif number == 0:
            single = [
                f"x{slot + 1}: {hint}" + _default(method, slot) for slot, hint in enumerate(hints)
            ]
            single_returns = returns
    if several:
        least = min(len(hints) for hints, _ in method.signatures)
        single = [
            f"x{slot + 1}: Any"
            + (_default(method, slot) or (" = default()" if slot >= least else ""))
            for slot in range(method.arity)
        ]
        single_returns = "Any"
    for note in method.unsure:
        yield f"    # unsure: {_plain(note)}"
    yield from _decorator(inferred, method)
    yield f"    def {method.name}({_parameters(method, single)}) -> {single_returns}:"
    yield f'        """{_safe(method.about)}'
    yield ""
    yield from (f"        - {_safe(question)}" for question in method.questions)
    yield '        """'
    yield f"        raise self.unwritten({method.name!r})"


def _default(method: Method, slot: int) -> str:
    text = method.defaults.get(slot)
    if not text:
        return "" if text is None else " = default()"
    return f" = default({text + '()'!r})"


def _parameters(method: Method, given: Sequence[str]) -> str:
    return ", ".join(
        ["self", *(["name: str"] if method.kind is not None or method.number else []), *given]
    )


def _decorator(inferred: Inferred, method: Method) -> Iterator[str]:
    if method.name == inferred.root:
        yield "    @root"
    elif method.number:
        yield f"    @entities(bare=True, pattern={NUMBER!r})"
    elif method.kind is not None:
        yield f"    @entities({_entities(method.kind)})"
    else:
        phrases = [repr(phrase) for phrase in method.phrases]
        more = [f"commutes={method.commutes!r}"] if method.commutes else []
        yield f"    @predicate({', '.join([*phrases, *more])})"


def _entities(kind: NameKind) -> str:
    given = [f"names={NAMED}_{kind.method}"]
    if kind.phrases:
        given.append(f"aliases={_value(kind.phrases, 4)}")
    return ", ".join([*given, "pattern=OTHER, guess=True"])


def _listed(names: Iterable[str]) -> str:
    return ", ".join(names)


def _value(value: object, indent: int) -> str:
    """A literal over several lines, where it is long."""
    text = pprint.pformat(value, width=WIDTH - indent, compact=True, sort_dicts=False)
    return text.replace("\n", "\n" + " " * indent)


def _wrapped(line: str) -> str:
    """A statement in brackets over several lines, where it is long."""
    return textwrap.fill(line, WIDTH, subsequent_indent="    ", break_long_words=False)


def _plain(text: str) -> str:
    """A text in one line of signs that can be printed."""
    return " ".join("".join(sign if sign.isprintable() else " " for sign in text).split())


def _safe(text: str) -> str:
    """A text within a docstring."""
    return _plain(text).replace("\\", "\\\\").replace('"', '\\"')
