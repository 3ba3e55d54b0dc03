"""Writes what users read into one file, to be read aloud: python scripts/words.py [--check].

The messages of errors, refusals and notes as they stand in the code, values in braces, and how the
gold queries of every third typed question are restated. `--check` fails where the file is another
one than what it would write: who changes a sentence sees it beside the others.
"""

from __future__ import annotations

import ast
import difflib
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

from partwise.database.restating import restate
from partwise.errors import PartwiseError
from partwise_papers.databases.questions import read_typed_database
from partwise_papers.spider.converter import candidates
from partwise_papers.typed_databases.check import database_folders, read_typed_questions

ROOT = Path(__file__).resolve().parent.parent
OUT = ROOT / "tests" / "golden" / "words.txt"
SPOKEN = ("reason", "note", "notes", "why", "problem")
"""Names of what is told."""
EVERY = 3
"""Of so many typed questions one is restated."""


def messages() -> list[str]:
    """Sentences in the code of the package, each once."""
    found = set[str]()
    for file in sorted((ROOT / "src" / "partwise").rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            found |= {text for value in _told(node) for text in _texts(value) if " " in text}
    return sorted(found)


def _told(node: ast.AST) -> Iterator[ast.expr]:
    """What a node tells: the message of an error, or a value of a name of `SPOKEN`."""
    match node:
        case ast.Raise(exc=ast.Call(func=ast.Name(id=name), args=[*told])) if "Error" in name:
            yield from told
        case ast.Call(keywords=keywords):
            yield from (each.value for each in keywords if each.arg in SPOKEN)
        case ast.Assign(targets=[ast.Name(id=name)], value=value) if name in SPOKEN:
            yield value


def _texts(value: ast.expr) -> Iterator[str]:
    match value:
        case ast.Constant(value=str(text)):
            yield text
        case ast.JoinedStr(values=parts):
            each = (next(_texts(part), "{}") for part in parts)
            yield "".join(each)
        case ast.IfExp(body=first, orelse=second):
            yield from (*_texts(first), *_texts(second))


def restatements(work: Path) -> Iterator[str]:
    """Typed questions, and their gold queries in words."""
    for folder in database_folders():
        with closing(read_typed_database(folder, work)) as database:
            layer = database.domain.layer
        yield f"\n# {folder.name}"
        for question in read_typed_questions(folder / "questions.jsonl")[::EVERY]:
            try:
                program = candidates(question.sql or "", layer.schema)[0]
            except (PartwiseError, LookupError, AttributeError):
                # Some queries no program says.
                continue
            yield f"{question.question}\n    {restate(program, layer, spoken=True)}"


def main() -> int:
    """Write, or check."""
    with TemporaryDirectory() as work:
        restated = list(restatements(Path(work)))
    text = "\n".join(["# messages", *messages(), *restated, ""])
    if "--check" not in sys.argv:
        OUT.write_text(text, encoding="utf-8")
        return 0
    lines = difflib.unified_diff(
        OUT.read_text("utf-8").splitlines(), text.splitlines(), lineterm="", n=0
    )
    changed = list(lines)
    print(*changed[:40], sep="\n")
    return int(bool(changed))


if __name__ == "__main__":
    raise SystemExit(main())
