"""What the server asks: a parser, with what all its questions are about."""

from __future__ import annotations

import gc
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from partwise.drawing import draw_json
from partwise.errors import is_private
from partwise.interface.answering import answer
from partwise.interface.parser import Parser
from partwise.interface.prediction import Answer


class Answerer(Protocol):
    """What answers questions."""

    def ask(self, questions: Sequence[str], k: int, run: bool) -> list[dict[str, Any]]:
        """See `Service.ask`."""


@dataclass(frozen=True)
class Service:
    """Parses and answers questions; threads may share it, as they may share its parser.

    Attributes:
        context: what all questions are about, in a domain where that differs.
        at_least: the probability that a meaning must have to be run; None for the parser's own
            choice.
    """

    parser: Parser[Any]
    context: Any = None
    at_least: float | None = None

    @property
    def kind(self) -> str:
        """Of the parser."""
        return self.parser.kind

    def ask(self, questions: Sequence[str], k: int, run: bool) -> list[dict[str, Any]]:
        """A reply to each question, as JSON values; ``error`` among them is not for who asks.

        Args:
            k: interpretations of each question, where the parser gives several.
            run: whether meanings are run.
        """
        return [self._reply(one, run) for one in self.answers(questions, k, run)]

    def answers(self, questions: Sequence[str], k: int, run: bool) -> list[Answer[Any]]:
        """As `ask`, before they are JSON.

        Raises:
            PartwiseError: where the parser cannot read the questions.
        """
        return answer(self.parser, list(questions), k, self.at_least, self.context, run)

    def about(self) -> dict[str, Any]:
        """``domain``, ``runs`` (whether answers can be given) and ``examples`` (questions to begin
        with)."""
        domain = self.parser.domain
        return {"domain": domain.name, "runs": domain.runnable, "examples": list(domain.examples)}

    def warm_up(self) -> None:
        """Do what the first questions would wait for; to be called once, in a process that serves.

        The domain's examples are asked: charts are compiled then, if they were not before. What
        there is afterwards stays, so the garbage collector need not look at it: a full round over
        it takes a fifth of a second, in which nobody is answered.
        """
        about = self.about()
        for k in (1, 2):
            self.ask(about["examples"], k, about["runs"])
        gc.collect()
        gc.freeze()

    def _reply(self, one: Answer[Any], run: bool) -> dict[str, Any]:
        """The answer's JSON, each derivation as a page draws it."""
        values = one.to_json(run)
        shown = (values, *values["alternatives"])
        for part, each in zip(shown, (one, *one.alternatives), strict=True):
            derivation = each.prediction.derivation
            part["derivation"] = None if derivation is None else draw_json(derivation)
        error = {"error": one.error} if one.error and is_private(one.error) else {}
        return {"kind": self.kind, **values, **error}
