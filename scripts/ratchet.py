"""The size of the project against `ratchet.toml`; exits with 1 where a figure rose.

``python scripts/ratchet.py`` checks, and ``--tighten`` writes the figures that fell. A figure rises
only by hand: set ``most`` in the file, and say in ``buys`` what the rise buys.
"""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

FILE = Path(__file__).with_name("ratchet.toml")
CORE = "src/partwise/"
SLACK = 0.02
"""A figure that fell by more than this part is to be tightened, so that it cannot rise unseen."""
BRANCHES = (ast.If, ast.For, ast.While, ast.IfExp, ast.ExceptHandler, ast.With, ast.comprehension)
READS_ENGLISH = tuple(
    f"{CORE}{name}/" for name in ("language", "labels", "span", "graph", "database")
)
ENGLISH = re.compile(r"[a-zA-Z][a-zA-Z' ?-]*")
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def tracked(*patterns: str) -> list[str]:
    """Files that git knows and that are there."""
    command = ["git", "ls-files", *patterns]
    found = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split("\n")
    return [file for file in found if file and Path(file).is_file()]


def lines(file: str) -> list[str]:
    return Path(file).read_text(encoding="utf-8").splitlines()


def total(files: list[str]) -> int:
    """Lines of files."""
    return sum(len(lines(file)) for file in files)


def complexity(function: ast.AST) -> int:
    """McCabe's, roughly: one and a half way through each branch."""
    parts = list(ast.walk(function))
    both = sum(len(part.values) - 1 for part in parts if isinstance(part, ast.BoolOp))
    return 1 + sum(isinstance(part, BRANCHES) for part in parts) + both


def english(tree: ast.Module) -> int:
    """Words in the tables of a module: English belongs in files of data, and in few rows."""
    tables = [part for part in tree.body if isinstance(part, ast.Assign | ast.AnnAssign)]
    words = [
        [
            part.value
            for part in ast.walk(table)
            if isinstance(part, ast.Constant)
            and isinstance(part.value, str)
            and ENGLISH.fullmatch(part.value)
        ]
        for table in tables
    ]
    return sum(len(found) for found in words if len(found) > 1)


def imported(tree: ast.Module) -> Iterator[str]:
    """Modules that may be imported when the module is."""
    for part in tree.body:
        if isinstance(part, ast.ImportFrom) and part.module:
            yield part.module
            yield from (f"{part.module}.{name.name}" for name in part.names)
        elif isinstance(part, ast.Import):
            yield from (name.name for name in part.names)


def cycles(graph: dict[str, set[str]]) -> int:
    """Nodes of a graph that reach themselves."""

    def reached(start: str) -> set[str]:
        seen: set[str] = set()
        todo = list(graph[start])
        while todo:
            node = todo.pop()
            if node not in seen:
                seen.add(node)
                todo += graph.get(node, ())
        return seen

    return sum(node in reached(node) for node in graph)


def measure() -> dict[str, int]:
    """Name of each figure -> its value."""
    python = tracked("*.py")
    core = [file for file in python if file.startswith(CORE)]
    trees = {file: ast.parse(Path(file).read_text(encoding="utf-8")) for file in core}
    parts = [part for tree in trees.values() for part in ast.walk(tree)]
    functions = [part for part in parts if isinstance(part, FUNCTIONS)]
    classes = Counter(
        part.name
        for tree in trees.values()
        for part in tree.body
        if isinstance(part, ast.ClassDef) and not part.name.startswith("_")
    )
    modules = {
        file.removeprefix("src/").removesuffix(".py").replace("/", ".").removesuffix(".__init__"): (
            tree
        )
        for file, tree in trees.items()
    }
    graph = {
        name: {other for other in imported(tree) if other in modules and other != name}
        for name, tree in modules.items()
    }
    papers = [file for file in python if file.startswith("papers/") and "tests/" not in file]
    log = iter(re.split(r"(?m)^## ", Path("CHANGELOG.md").read_text(encoding="utf-8"))[1:])
    return {
        "core lines": total(core),
        "core files": len(core),
        "papers lines": total(papers),
        "test lines": total([file for file in python if "tests/" in file]),
        "rows of word files": total(tracked("src/*.txt", "src/*.tsv")),
        "English words in code": sum(
            english(tree) for file, tree in trees.items() if file.startswith(READS_ENGLISH)
        ),
        "files in an import cycle": cycles(graph),
        "functions over 50 lines": sum(
            (part.end_lineno or part.lineno) - part.lineno >= 50 for part in functions
        ),
        "functions over complexity 15": sum(complexity(part) > 15 for part in functions),
        "class names used twice": sum(count > 1 for count in classes.values()),
        "words of documentation": sum(
            len(Path(file).read_text(encoding="utf-8").split())
            for file in tracked("docs/*.md", "README.md")
        ),
        "lines of a version in the changelog": max(len(part.strip().split("\n")) for part in log),
    }


def tighten(figures: dict[str, dict[str, Any]], values: dict[str, int]) -> str:
    """The file with the figures that fell; a reason stays until its figure is the lowest again."""
    parts = []
    for name, value in values.items():
        figure = figures.get(name, {})
        most = min(figure.get("most", value), value)
        lowest = min(figure.get("lowest", value), value)
        parts.append(f'["{name}"]\nmost = {most}\nlowest = {lowest}\n')
        if most > lowest:
            parts[-1] += f"buys = {json.dumps(figure.get('buys', ''))}\n"
    return "\n".join(parts)


def problems(figures: dict[str, dict[str, Any]], values: dict[str, int]) -> Iterator[str]:
    """What does not hold, a line each."""
    for name, value in values.items():
        figure = figures[name]
        most = figure["most"]
        if value > most:
            yield (
                f"{name}: {value:,}, at most {most:,}. Less is better; or set `most` in "
                f"{FILE.name}, and say in `buys` what the rise buys"
            )
        elif value < most * (1 - SLACK):
            yield f"{name}: {value:,}, well below {most:,}: run scripts/ratchet.py --tighten"
        if most > figure["lowest"] and not figure.get("buys"):
            yield f"{name}: say in `buys` in {FILE.name} what its rise buys"


def main() -> int:
    if not (FILE.parents[1] / ".git").exists():
        print("This is no checkout: sizes are not compared.")
        return 0
    figures = tomllib.loads(FILE.read_text(encoding="utf-8")) if FILE.is_file() else {}
    values = measure()
    if "--tighten" in sys.argv:
        FILE.write_text(tighten(figures, values), encoding="utf-8")
        return 0
    found = list(problems(figures, values))
    print("\n".join(found) or "Nothing grew.")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
