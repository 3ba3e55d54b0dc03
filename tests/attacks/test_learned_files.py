"""Pairs from elsewhere become Python code: nothing in them may run, or break the file."""

from __future__ import annotations

import ast
import importlib.util
import sys
from pathlib import Path

import pytest

from cases import rows
from partwise.authoring.files import domain_text
from partwise.authoring.inference import infer
from partwise.interface.data import Example
from partwise.language.program import Term, is_symbol

EVIL = tuple(rows(globals(), "EVIL"))


def pairs() -> list[Example[Term]]:
    """Pairs with each of the texts as question, symbol, name, constant and number of a line."""
    made = []
    for text in EVIL:
        name, leaf = Term(text, quoted=True), Term(text)
        bare = (Term(text, (leaf,)), Term("f", (leaf, name)), leaf) if is_symbol(text) else ()
        for program in (Term(text, (name,)), Term("f", (name, name)), *bare):
            made += [Example(text, program, "1"), Example(f"the {text}", program, "2")]
    return made


def test_a_written_file_holds_declarations_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OWNED", raising=False)
    file = tmp_path / "made.py"
    text = domain_text(infer(pairs(), "functional"), "made", "Made")
    file.write_text(text, encoding="utf-8")
    calls = {
        node.func.id
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    }
    assert calls <= {
        "Spelling",
        "Uses",
        "TypeVar",
        "unknown_names",
        "predicate",
        "entities",
        "default",
    }
    spec = importlib.util.spec_from_file_location("made", file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert "OWNED" not in __import__("os").environ
    assert "made" not in sys.modules
    domain = module.Made()
    for example in pairs():
        program = domain.canonical(example.meaning)
        assert domain.spelling.outward(program) == example.meaning
