"""The charts are compiled once, in the background if asked, and answer the same meanwhile."""

from __future__ import annotations

import time
from pathlib import Path

import numba
import numpy as np
import pytest
from problems import algebra_of, scores_of

from partwise.chart import compiled, kernels, viterbi, warm_up
from partwise.chart.kernels import KernelCompiler, interpreted, kernel
from partwise.chart.scores import SpanScores


def some_scores(seed: int) -> tuple[SpanScores, object]:
    rng = np.random.default_rng(seed)
    algebra = algebra_of(rng, 4, 5, 0.5)
    return scores_of(rng, int(rng.integers(1, 8)), rng.permutation(4), False, 1.0), algebra


def test_compiling_is_remembered() -> None:
    warm_up()
    assert compiled.COMPILER.is_compiled()
    warm_up(wait=False)
    assert compiled.COMPILER._busy is None


def test_the_interpreter_gives_the_same_results(monkeypatch: pytest.MonkeyPatch) -> None:
    for seed in range(20):
        scores, algebra = some_scores(seed)

        def answers(scores=scores, algebra=algebra):  # type: ignore[no-untyped-def]
            return compiled.kbest(scores, algebra, 4), compiled.best(scores, algebra)

        fast, total = answers(), compiled.marginals(scores, algebra)
        monkeypatch.setattr(compiled.COMPILER, "_busy", lambda: True)
        assert answers() == fast
        slow = compiled.marginals(scores, algebra)
        assert slow.log_partition == pytest.approx(total.log_partition, abs=1e-12)
        assert compiled.log_partition(scores, algebra) == slow.log_partition
        np.testing.assert_allclose(slow.constants, total.constants, atol=1e-12)
        monkeypatch.setattr(compiled.COMPILER, "_busy", None)


def test_the_compiled_kernel_is_used_as_soon_as_it_is_there() -> None:
    steps = iter([True, True, False])
    compiler = KernelCompiler(viterbi.search, lambda: None)
    compiler._busy = lambda: next(steps)
    chosen = [compiler.chosen(viterbi.search) for _ in range(4)]
    assert [one is viterbi.search for one in chosen] == [False, False, True, True]


def test_where_nothing_can_be_kept_a_thread_compiles(monkeypatch: pytest.MonkeyPatch) -> None:
    runs: list[int] = []
    compiler = KernelCompiler(numba.njit(lambda: 0), lambda: runs.append(1))
    assert not compiler.is_compiled()
    compiler.run(wait=False)
    for _ in range(100):
        if compiler.chosen(viterbi.search) is viterbi.search:
            break
        time.sleep(0.01)
    assert runs == [1]


def test_no_writable_folder_is_no_error(monkeypatch: pytest.MonkeyPatch) -> None:
    real = numba.njit

    def unwritable(*, cache: bool = False, **options: bool):  # type: ignore[no-untyped-def]
        if cache:
            raise RuntimeError("no locator available")
        return real(**options)

    monkeypatch.setattr(numba, "njit", unwritable)
    assert kernel(lambda x: x + 1)(1) == 2


def test_interpreted_kernels_call_interpreted_kernels() -> None:
    search = interpreted(viterbi.search)
    inner = search.__wrapped__.__globals__  # type: ignore[attr-defined]
    assert inner["untyped_inside"].__code__ is viterbi.untyped_inside.py_func.__code__


def test_a_process_compiles_in_the_background(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    proof = tmp_path / "done"
    monkeypatch.setattr(kernels, "_JOB", f"open({str(proof)!r}, 'w').close()")
    monkeypatch.setattr(KernelCompiler, "_mark", tmp_path / "mark")
    compiler = KernelCompiler(viterbi.search, lambda: None)
    compiler.run(wait=False)
    deadline = time.monotonic() + 60
    while compiler.chosen(viterbi.search) is not viterbi.search:
        assert time.monotonic() < deadline
        time.sleep(0.02)
    assert proof.exists()
    compiler.run()
    assert (tmp_path / "mark").exists()
