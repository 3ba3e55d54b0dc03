"""The files of ``partwise learn``: pairs that are read, the folder of a domain that is written.

Pairs are JSON Lines, or CSV and TSV with a header. The domain's file is for a person to read,
correct and extend. All in it that comes from the pairs is written as Python strings, or as text in
which nothing ends the string or the comment that it is in.
"""

import csv
import io
import json
import pprint
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from partwise.authoring.declarations import Heads
from partwise.authoring.inference import Inferred, Method
from partwise.authoring.names import NUMBER
from partwise.authoring.new import check_free, check_name, class_name, write_package
from partwise.authoring.validation import Reach, check_reach, type_examples
from partwise.chart.type_algebra import TypeAlgebra
from partwise.errors import DataError
from partwise.interface.data import Example
from partwise.interface.domain import Issue
from partwise.interface.jsonl import FORMAT, examples_of_lines, line_reader, lines_of, text_of
from partwise.language.domain import Domain
from partwise.language.program import Term
from partwise.language.program_spelling import Syntax, read_spelled, syntax_of, write_spelled

FEWEST = 10
"""With fewer pairs there is nothing to learn from."""
SEPARATORS = {".csv": ",", ".tsv": "\t"}
TABLE = "a header with the columns question and program"


def read_pairs(
    path: Path, skip_bad: bool = False, syntax: Syntax | None = None, fewest: int = FEWEST
) -> tuple[list[Example[Term]], list[str], Syntax]:
    """Pairs with their programs as they are spelled, messages, and how programs are written: by the
    first, unless `syntax` says so. With `skip_bad`, what cannot be read is left out and has a
    message. Raises DataError for a file with fewer than `fewest` pairs, or a pair that cannot be
    read."""
    known = [] if syntax is None else [syntax]

    def read(text: str) -> Term:
        known.append(syntax_of(text))
        return read_spelled(text)

    one = line_reader(read)
    separator = SEPARATORS.get(path.with_suffix("").suffix if path.suffix == ".gz" else path.suffix)
    lines = lines_of(path, FORMAT if separator is None else TABLE)
    if separator is None:
        examples, skipped = examples_of_lines(lines, one, path, path.name, FORMAT, skip_bad)
    else:
        examples, skipped = _of_table(lines, separator, one, path, skip_bad)
    if len(examples) < fewest:
        more = f", and {len(skipped)} that cannot be read" if skipped else ""
        raise DataError(f"{path}: holds {len(examples)} pairs{more}; give at least {fewest}")
    return examples, skipped, known[0] if known else "functional"


def _of_table(
    lines: Iterator[bytes],
    separator: str,
    one: Callable[[bytes, str], Example[Term]],
    path: Path,
    skip_bad: bool,
) -> tuple[list[Example[Term]], list[str]]:
    try:
        text = "".join(map(text_of, lines))
        table = csv.DictReader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
        columns = list(table.fieldnames or ())
    except (DataError, csv.Error) as error:
        raise DataError(f"{path}: cannot be read ({error}); expected UTF-8 with {TABLE}") from error
    if "question" not in columns:
        raise DataError(f"{path}:1: the columns are {', '.join(columns)}; expected {TABLE}")
    examples: list[Example[Term]] = []
    skipped: list[str] = []
    while True:
        try:
            row = next(table, None)
            if row is None:
                return examples, skipped
            fields = {name: value for name, value in row.items() if name and value}
            examples.append(one(json.dumps(fields).encode(), f"{path.name}:{table.line_num}"))
        except (DataError, csv.Error) as error:
            message = f"{path}:{table.line_num}: {error}"
            if not skip_bad:
                raise DataError(message) from error
            skipped.append(message)


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
    uses = inferred.uses
    lines = [HEAD.format(count=inferred.count)]
    for title, producers in inferred.classes.items():
        lines += [f"\nclass {title}:", f'    """Returned by {", ".join(producers)}."""\n']
    for title, members in inferred.unions.items():
        lines.append(_wrap(f"{title} = ({' | '.join(members)})"))
    for variable, members in inferred.variables.items():
        limits = f"bound={members[0]}" if len(members) == 1 else ", ".join(members)
        lines.append(f'T_{variable} = TypeVar("T_{variable}", {limits})')
    lines += ["", f"{WORDS} = {_value(tuple(inferred.words), 0)}"]
    lines.append('"""Words that are no part of a name."""')
    for kind in inferred.naming.kinds:
        lines.append(f"{NAMED}_{kind.method} = {_value(tuple(kind.names), 0)}")
    if inferred.naming.kinds:
        listed = " + ".join(f"{NAMED}_{kind.method}" for kind in inferred.naming.kinds)
        lines.append(_wrap(f"OTHER = unknown_names({listed}, {WORDS})"))
    lines.append(f"SEEN = {_value({slot: dict(kinds) for slot, kinds in uses.seen.items()}, 0)}")
    lines.append('"""How often what stood where: as which argument of a method with so many."""')
    lines += ["", "", f"class {class_name}(SpelledDomain):"]
    lines.append(f'    """Programs as in {_safe(inferred.sample)}."""\n')
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
        given = f"names={NAMED}_{method.kind.method}"
        if method.kind.phrases:
            given += f", aliases={_value(method.kind.phrases, 4)}"
        yield f"    @entities({given}, pattern=OTHER, guess=True)"
    else:
        yield f"    @predicate({', '.join(map(repr, method.phrases))})"


def _value(value: object, indent: int) -> str:
    text = pprint.pformat(value, width=WIDTH - indent, compact=True, sort_dicts=False)
    return text.replace("\n", "\n" + " " * indent)


def _wrap(line: str) -> str:
    return textwrap.fill(line, WIDTH, subsequent_indent="    ", break_long_words=False)


def _plain(text: str) -> str:
    return " ".join("".join(sign if sign.isprintable() else " " for sign in text).split())


def _safe(text: str) -> str:
    return _plain(text).replace("\\", "\\\\").replace('"', '\\"')


def check_folder(folder: Path) -> str:
    """The Python module of a folder that is to be written below the current one. Raises DataError
    if it exists already, or its name cannot be a module's."""
    try:
        inside = folder.resolve().relative_to(Path.cwd().resolve())
    except ValueError:
        raise DataError(
            f"{folder} is not below the current folder, from where its domain is imported; name a "
            "folder here"
        ) from None
    for part in inside.parts or (str(folder),):
        check_name(part, folder.parent)
    check_free(folder)
    return ".".join(inside.parts)


def write_folder(
    folder: Path, inferred: Inferred, parts: dict[str, Sequence[Example[Term]]]
) -> None:
    """Write a domain's folder, whole or not at all; `parts` has pairs, whose programs are as they
    are spelled, by file. Raises DataError if it cannot be written."""
    syntax = inferred.naming.spelling.syntax
    texts = {"domain.py": domain_text(inferred, folder.name, class_name(folder.name))}
    for part, examples in parts.items():
        pairs = ((e.question, write_spelled(e.meaning, syntax)) for e in examples)
        lines = ({"question": question, "program": program} for question, program in pairs)
        texts[part] = "".join(f"{json.dumps(line, ensure_ascii=False)}\n" for line in lines)
    write_package(folder, texts, "place")


def find_unreached(domain: Domain, examples: Sequence[Example[Term]]) -> Iterator[Issue]:
    """The pairs that no tree reaches, each with the reason. `examples`: with programs in terms of
    the domain's methods."""
    types = TypeAlgebra(domain)
    typed, issues = type_examples(Heads(types), examples)
    yield from issues
    reach = Reach(types)
    for example, program in typed:
        yield from check_reach(reach, example, program)
