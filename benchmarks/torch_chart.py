"""Times the torch back end of the chart beside the compiled one, on the types of geography.

    python benchmarks/torch_chart.py [--lengths 8 16] [--batches 1 16] [--out [FILE]]

Marginals of whole batches under N(0, 1) scores. The compiled chart computes one question after
another on one CPU core; the torch chart runs on CUDA if there is a device, and on the CPU.
"""

from __future__ import annotations

import argparse
import json
import platform
import statistics
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import torch

from partwise.chart import TreeDistribution, warm_up
from partwise.chart.scores import SpanScores
from partwise.chart.type_algebra import TypeAlgebra
from partwise.domains.geography.domain import Geography
from sentences import Sentences

OUT = Path(__file__).parent / "results" / "torch_chart.json"


@dataclass
class Row:
    """Median seconds of the marginals of one batch.

    Attributes:
        apart: greatest difference of a posterior from the compiled chart's.
    """

    backend: str
    device: str
    dtype: str
    n: int
    batch: int
    seconds: float
    apart: float


def device_name(device: str) -> str:
    """What a row says of its device."""
    if device == "cuda":
        return str(torch.cuda.get_device_name())
    return f"CPU ({platform.machine()}, {torch.get_num_threads()} threads)"


def timed(run: Callable[[], list[np.ndarray]], device: str) -> tuple[float, list[np.ndarray]]:
    """Median seconds of three runs after one to warm up, and what they give."""
    given = run()
    times = []
    for _ in range(3):
        begin = time.perf_counter()
        run()
        if device == "cuda":
            torch.cuda.synchronize()
        times.append(time.perf_counter() - begin)
    return statistics.median(times), given


def measure(types: TypeAlgebra, n: int, size: int) -> list[Row]:
    """All back ends on one batch."""
    sentences = Sentences(types, size)
    scores: list[SpanScores] = [sentences.noise(n, sentences.program(n)) for _ in range(size)]

    def marginals(backend: str, device: str, dtype: torch.dtype) -> list[np.ndarray]:
        trees = TreeDistribution.batch(scores, types, backend, device, dtype)  # type: ignore[arg-type]
        return [one.marginals.constants for one in trees]

    settings = [("compiled", "cpu", torch.float64), ("torch", "cpu", torch.float64)]
    if torch.cuda.is_available():
        settings += [("torch", "cuda", torch.float64), ("torch", "cuda", torch.float32)]
    rows: list[Row] = []
    exact: list[np.ndarray] = []
    for backend, device, dtype in settings:
        seconds, given = timed(lambda b=backend, d=device, t=dtype: marginals(b, d, t), device)  # type: ignore[misc]
        exact = exact or given
        apart = max(float(abs(a - b).max()) for a, b in zip(exact, given, strict=True))
        kind = str(dtype).removeprefix("torch.")
        rows.append(Row(backend, device_name(device), kind, n, size, seconds, apart))
    return rows


def main() -> None:
    """Read the options, measure, print, and keep the rows if asked."""
    parser = argparse.ArgumentParser(description="Time the torch chart.")
    parser.add_argument("--lengths", type=int, nargs="+", default=(8, 12, 20))
    parser.add_argument("--batches", type=int, nargs="+", default=(1, 8, 32))
    parser.add_argument("--out", type=Path, nargs="?", const=OUT, help="write JSON")
    options = parser.parse_args()
    warm_up()
    types = TypeAlgebra(Geography())
    rows: list[Row] = []
    for n in options.lengths:
        for size in options.batches:
            rows += measure(types, n, size)
            for row in rows[-4:]:
                if (row.n, row.batch) == (n, size):
                    print(
                        f"n={row.n:<3} batch={row.batch:<3} {row.backend:<9} {row.dtype} "
                        f"{row.seconds * 1e3:10.2f} ms  apart {row.apart:.1e}  {row.device}"
                    )
    if options.out is not None:
        kept = {"torch": torch.__version__, "rows": [asdict(row) for row in rows]}
        options.out.write_text(json.dumps(kept, indent=2) + "\n")


if __name__ == "__main__":
    main()
