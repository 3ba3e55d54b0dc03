"""What answers the questions of a server: a parser in this process, or in one beside it.

`Service` is the one way to ask a parser: the commands, the server, assistants and files of
questions all do so by it.
"""

import ctypes
import gc
import os
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from multiprocessing import connection, get_context, parent_process
from typing import Any

from partwise.drawing import draw_json
from partwise.encoders.functions import GraphFunctions
from partwise.errors import ExecutionError, is_private
from partwise.interface.answering import answer, choose, follow_up_of
from partwise.interface.clarification import option_id
from partwise.interface.parser import Parser
from partwise.interface.prediction import (
    Answer,
    Completion,
    DomainDescription,
    ExplainingDomain,
    Turn,
    readable_json,
)

After = tuple[str, str]
"""A question and its program, as text."""


@dataclass(frozen=True)
class Service:
    """Parses and answers questions, all in one `context`; threads may share it. `at_least`: the
    probability that a meaning must have to be run; None for the parser's own choice."""

    parser: Parser[Any]
    context: Any = None
    at_least: float | None = None

    @property
    def kind(self) -> str:
        return self.parser.kind

    def ask(
        self,
        questions: Sequence[str],
        k: int,
        run: bool,
        after: After | None = None,
        display: bool = False,
        asks: bool = True,
    ) -> list[dict[str, Any]]:
        """A reply to each question, as JSON values, with up to `k` interpretations; ``error`` among
        them is not for who asks. `after`: the question before, and its program. `display`: see
        `Answer.to_json`; `asks`: see `answering.answer`."""
        every = self.answers(questions, k, run, after, asks)
        return [self.reply(result, run, display) for result in every]

    def answers(
        self,
        questions: Sequence[str],
        k: int,
        run: bool,
        after: After | None = None,
        asks: bool = True,
    ) -> list[Answer[Any]]:
        """As `ask`, before they are JSON. Raises PartwiseError where the parser cannot read the
        questions."""
        last = None if after is None else self.turn(after)
        given = list(questions)
        return answer(self.parser, given, k, self.at_least, self.context, run, last, asks)

    def turn(self, after: After) -> Turn:
        """The question before, with its program read. Raises PartwiseError if it cannot be read, or
        uses what is private, or if the parser reads each question by itself."""
        follow_up_of(self.parser)
        question, program = after
        return Turn(question, self.parser.domain.read(program))

    def choose(self, question: str, option: str, after: After | None = None) -> Answer[Any]:
        """The answer of an option that a question back offered; see `answering.choose`."""
        last = None if after is None else self.turn(after)
        return choose(self.parser, question, option, self.context, last)

    def confirm(self, question: str, who: str, option: str, program: str) -> Answer[Any]:
        """Write down what a question means, and answer it; see `database.correcting.confirm`."""
        from partwise.database.correcting import confirm

        confirm(self.parser, question, who, program, option or None)
        return self.answers([question], 1, True)[0]

    def name(self, word: str, place: str) -> None:
        """Write down what a word means; see `database.correcting.name_word`."""
        from partwise.database.correcting import name_word

        name_word(self.parser, word, place)

    def about(self) -> dict[str, Any]:
        """``domain``, ``runs`` (whether answers can be given), ``goes_on`` (whether a question may
        go on from another), ``describes`` (whether `schema` says something) and ``examples``
        (questions to begin with)."""
        domain = self.parser.domain
        return {
            "domain": domain.name,
            "runs": domain.runnable,
            "goes_on": getattr(self.parser, "conversation", None) is not None,
            "describes": isinstance(domain, ExplainingDomain),
            "examples": list(domain.examples),
        }

    def optimize(self) -> None:
        """Take some tenths of a second, so that many questions take less."""
        functions = getattr(self.parser, "functions", None)
        if isinstance(functions, GraphFunctions):
            functions.optimize()

    def schema(self) -> DomainDescription:
        """What can be asked about, and what it is called; only its name, if the domain says no
        more."""
        domain = self.parser.domain
        if isinstance(domain, ExplainingDomain):
            return domain.describe()
        return DomainDescription(domain.name)

    def complete(self, text: str, k: int) -> list[Completion]:
        """Names that the last words of a text may be the beginning of."""
        complete = getattr(self.parser.domain, "complete", None)
        return [] if complete is None else complete(text, k)

    def warm_up(self) -> None:
        """Ask the domain's examples, so that first questions need not, and keep those that are
        answered without doubt where the domain made them of its names. The garbage collector, which
        would take a fifth of a second, skips what is there."""
        with suppress(OSError, AttributeError):
            # What threads free in heaps of their own lies in parts that cannot be given back.
            ctypes.CDLL(None).mallopt(M_ARENA_MAX, 1)
        self.optimize()
        self.complete("", 1)
        about = self.about()
        for k in (1, 2):
            replies = self.ask(about["examples"], k, about["runs"])
        sure = [reply["question"] for reply in replies if reply["outcome"] == "answered"]
        if sure and about["describes"]:
            self.parser.domain.examples = tuple(sure)
        gc.collect()
        gc.freeze()
        trim_memory()

    def reply(self, result: Answer[Any], run: bool = True, display: bool = False) -> dict[str, Any]:
        """An answer as JSON values."""
        values = result.to_json(run, display=display)
        shown = (values, *values["alternatives"])
        for part, each in zip(shown, (result, *result.alternatives), strict=True):
            derivation = each.prediction.derivation
            part["derivation"] = (
                None if derivation is None else readable_json(draw_json(derivation))
            )
        for part in values["alternatives"]:
            part["option"] = option_id(part["program"] or "")
        error = {"error": result.error} if result.error and is_private(result.error) else {}
        return {"kind": self.kind, **values, **error}


M_ARENA_MAX = -8
"""What `mallopt` calls the number of heaps of the C library."""
NICE = 5
"""How much the system prefers other processes."""
_service: Service | None = None


class Apart:
    """Asks the service that `load` makes, in another process, which is started at once, and again
    if it went down: beside a thread that asks what costs much, all others would be late. `loaded`:
    the service, where this process may be forked now; later it may not."""

    def __init__(self, load: Callable[[], Service], loaded: Service | None = None) -> None:
        self._load = load
        self._pool = self._start_pool(loaded)

    def ask(self, questions: Sequence[str], k: int, run: bool, **more: Any) -> list[dict[str, Any]]:
        """As `Service.ask`. Raises ExecutionError if the process went down, perhaps out of
        memory."""
        try:
            return self._pool.submit(_ask, list(questions), k, run, **more).result()
        except BrokenProcessPool:
            self._pool = self._start_pool()
            raise ExecutionError("the process of what costs much went down") from None

    def wait(self) -> None:
        try:
            self._pool.submit(os.getpid).result()
        except BrokenProcessPool:
            raise ExecutionError("the process of what costs much does not start") from None

    def close(self) -> None:
        self._pool.shutdown(cancel_futures=True)

    def _start_pool(self, loaded: Service | None = None) -> ProcessPoolExecutor:
        how = get_context("spawn" if loaded is None else "fork")
        pool = ProcessPoolExecutor(1, how, _begin, (self._load, loaded))
        pool.submit(os.getpid)
        return pool


def _begin(load: Callable[[], Service], loaded: Service | None) -> None:
    global _service
    when_parent_ends(partial(os._exit, 0))
    if hasattr(os, "nice"):
        os.nice(NICE)
    _service = loaded or load()
    if loaded is None:
        _service.warm_up()


def _ask(questions: list[str], k: int, run: bool, **more: Any) -> list[dict[str, Any]]:
    assert _service is not None
    replies = _service.ask(questions, k, run, **more)
    for reply in replies:
        if "error" in reply:
            # Not every error can be sent to another process; the log needs its text alone.
            reply["error"] = ExecutionError(f"{type(reply['error']).__name__}: {reply['error']}")
    trim_memory()
    return replies


def trim_memory() -> None:
    """Give back what was freed, where the C library can; it keeps that else."""
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)


def when_parent_ends(then: Callable[[], object]) -> None:
    """Call `then` in a thread once the process that started this one is gone, even if killed."""
    parent = parent_process()

    def watch(sentinel: int) -> None:
        connection.wait([sentinel])
        then()

    if parent is not None:
        threading.Thread(target=watch, args=(parent.sentinel,), daemon=True).start()
