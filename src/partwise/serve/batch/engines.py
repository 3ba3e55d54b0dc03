"""Where the parts of a batch are computed: here, in processes beside this one, or on Ray."""

from __future__ import annotations

import multiprocessing
import os
import sys
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import Any

from partwise.errors import DataError
from partwise.serve.batch.job import Worker
from partwise.serve.batch.tables import Slice

Parts = Iterator[tuple[int, Slice]]
ATTEMPTS = 3
"""How often a process may die before the batch gives up."""
_worker: Worker | None = None


def here(worker: Worker) -> Callable[[Parts], Iterator[int]]:
    """Compute parts in this process, one after the other."""

    def compute(parts: Parts) -> Iterator[int]:
        for number, where in parts:
            worker(number, where)
            yield number

    return compute


def processes(worker: Worker, count: int) -> Callable[[Parts], Iterator[int]]:
    """Compute parts in `count` processes, each with a parser of its own.

    Where one of them is killed, all are replaced, and what was under way is computed again.
    """

    def compute(parts: Parts) -> Iterator[int]:
        waiting, attempts = deque(parts), ATTEMPTS
        while waiting:
            under_way: dict[Future[int], tuple[int, Slice]] = {}
            try:
                yield from _pool(worker, count, waiting, under_way)
            except BrokenProcessPool:
                attempts -= 1
                if not attempts:
                    raise DataError(
                        f"{ATTEMPTS} times a process died, perhaps out of memory; what is done "
                        "is kept: use fewer --workers, and give the same command again"
                    ) from None
                waiting.extendleft(under_way.values())

    return compute


def _pool(
    worker: Worker,
    count: int,
    waiting: deque[tuple[int, Slice]],
    under_way: dict[Future[int], tuple[int, Slice]],
) -> Iterator[int]:
    """Compute what waits; `under_way` has what was handed out and is not done."""
    from concurrent.futures import FIRST_COMPLETED, wait

    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(count, context, initializer=_take, initargs=(worker,)) as pool:
        while waiting or under_way:
            while waiting and len(under_way) < 2 * count:
                part = waiting.popleft()
                under_way[pool.submit(_compute, *part)] = part
            done, _ = wait(under_way, return_when=FIRST_COMPLETED)
            for future in done:
                future.result()
                yield under_way.pop(future)[0]


def _take(worker: Worker) -> None:
    global _worker
    _worker = worker


def _compute(number: int, where: Slice) -> int:
    assert _worker is not None
    return _worker(number, where)


class _Actor:
    """A worker as Ray Data calls it: with batches of one part."""

    def __init__(self, worker: Worker, folder: str) -> None:
        # Paths are those of the process that started the batch.
        os.chdir(folder)
        self.worker = worker

    def __call__(self, part: dict[str, Any]) -> dict[str, Any]:
        """Compute a part; its number, again."""
        self.worker(part["number"], Slice(part["start"], part["size"], part["group"]))
        return {"number": part["number"]}


def on_ray(worker: Worker, count: int, address: str | None) -> Callable[[Parts], Iterator[int]]:
    """Compute parts with Ray Data in `count` actors, on this machine or on a cluster.

    The input, the output's folder and the parser must have the same paths on all its machines. An
    actor that dies is started again with the part that it had.

    Args:
        address: of a cluster; without it, one on this machine is started for the batch.

    Raises:
        DataError: if Ray is not there.
    """
    try:
        import ray
        import ray.data
    except ImportError:
        raise DataError("--engine ray needs Ray: pip install 'partwise[ray]'") from None

    def compute(parts: Parts) -> Iterator[int]:
        items = [{"number": number, **where._asdict()} for number, where in parts]
        if not items:
            return
        # What can be imported here, as a domain of one's own, can be there.
        environment = {"env_vars": {"PYTHONPATH": os.pathsep.join(sys.path)}}
        with ray.init(address, runtime_env=environment, log_to_driver=False):
            # The stubs know functions alone, not classes of which each actor has one.
            actor: Any = _Actor
            done = ray.data.from_items(items, override_num_blocks=len(items)).map(
                actor,
                fn_constructor_args=(worker, os.getcwd()),
                compute=ray.data.ActorPoolStrategy(size=count),
            )
            for row in done.iter_rows():
                yield int(row["number"])

    return compute
