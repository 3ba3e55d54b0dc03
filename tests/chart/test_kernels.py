"""The charts are compiled once, where training or many questions ask for it, with numba."""

from __future__ import annotations

import subprocess
import sys

import numba
import pytest
from hypothesis import given, settings
from problems import Problem, problems

from partwise import chart
from partwise.chart import charts, compiled, recurrence, warm_up
from partwise.chart.kernels import KernelCompiler, kernel

ALONE = """
import sys
from partwise import SpanParser
from partwise.chart import TreeDistribution
parser = SpanParser.from_pretrained("geography")
(found,) = parser.parse(["what is the capital of texas"], k=3)
trees = TreeDistribution(parser.scores("what is the capital of texas"), parser.algebra)
assert trees.argmax.score == found.score, found
assert parser.chart("which rivers cross ohio").marginals.constants.any()
print(found.meaning, {"numba", "llvmlite"} & set(sys.modules) or "no compiler")
"""


def test_a_question_is_answered_without_a_compiler() -> None:
    done = subprocess.run([sys.executable, "-c", ALONE], capture_output=True, text=True)
    wanted = "answer(capital(loc_2(stateid('texas')))) no compiler\n"
    assert done.stdout == wanted, done.stderr


def test_compiling_is_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    warm_up()
    assert KernelCompiler(compiled.search, lambda: 1 / 0).is_compiled()
    monkeypatch.setattr(compiled.COMPILER, "compile_all", lambda: 1 / 0)
    warm_up()


def test_where_nothing_can_be_kept_it_is_compiled_once(monkeypatch: pytest.MonkeyPatch) -> None:
    runs: list[int] = []
    compiler = KernelCompiler(numba.njit(lambda: 0), lambda: runs.append(1))
    assert not compiler.is_compiled()
    compiler.run()
    compiler.run()
    assert runs == [1]
    assert compiler.is_compiled()


def test_compiled_charts_are_for_many_questions(monkeypatch: pytest.MonkeyPatch) -> None:
    warm_up()
    # Where they are loaded, they are for one question, too.
    assert charts() is compiled
    monkeypatch.delitem(sys.modules, chart.COMPILED)
    assert charts() is recurrence
    assert charts(chart.MANY) is compiled
    monkeypatch.setattr(chart, "find_spec", lambda name: None)
    monkeypatch.setattr(KernelCompiler, "run", lambda _: 1 / 0)
    assert charts(chart.MANY) is recurrence
    warm_up()


def test_what_is_not_compiled_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(KernelCompiler, "is_compiled", lambda _: False)
    assert charts(chart.MANY) is recurrence


@settings(max_examples=60, deadline=None)
@given(problems())
def test_both_find_the_best_tree(problem: Problem) -> None:
    wanted = recurrence.best(problem.scores, problem.algebra)
    best = compiled.best(problem.scores, problem.algebra)
    assert (best is None) == (wanted is None) == (not problem.trees)
    if best is not None and wanted is not None:
        assert best.tree in problem.trees
        assert best.score == pytest.approx(wanted.score, abs=1e-9)


def test_no_writable_folder_is_no_error(monkeypatch: pytest.MonkeyPatch) -> None:
    real = numba.njit

    def unwritable(*, cache: bool = False, **options: bool):  # type: ignore[no-untyped-def]
        if cache:
            raise RuntimeError("no locator available")
        return real(**options)

    monkeypatch.setattr(numba, "njit", unwritable)
    assert kernel(lambda x: x + 1)(1) == 2
