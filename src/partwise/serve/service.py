"""What the server asks: a parser with what it takes to answer, as one thing for both kinds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, Protocol

import torch

from partwise.drawing.graph_places import drawing_json
from partwise.execution.store import QueryStore
from partwise.linking.linker import Linker
from partwise.parsers.answer import answer, to_json
from partwise.parsers.base import Parse
from partwise.parsers.graph.asking import Asker, Reply, reply_json
from partwise.parsers.graph.parser import GraphParser
from partwise.parsers.span import SpanParser

Kind = Literal["span", "graph"]


class Service(Protocol):
    """Reads and answers questions; called from one thread at a time."""

    @property
    def kind(self) -> Kind:
        """Of the replies."""
        ...

    def ask(self, questions: Sequence[str], k: int, run: bool) -> list[dict[str, Any]]:
        """A reply to each question, as JSON values.

        Args:
            k: readings of each question, where the parser gives several.
            run: whether programs or queries are run.
        """
        ...

    def about(self) -> dict[str, Any]:
        """``domain``, ``runs`` (whether answers can be given), ``alternatives`` (whether several
        readings can) and ``examples`` (questions to begin with)."""
        ...


@dataclass(frozen=True)
class SpanService:
    """Programs and their trees.

    Attributes:
        context: what all questions are about, in a domain where that differs.
        examples: questions to begin with.
    """

    parser: SpanParser
    context: Any = None
    examples: Sequence[str] = ()
    kind: Kind = "span"

    def ask(self, questions: Sequence[str], k: int, run: bool) -> list[dict[str, Any]]:
        """A reply to each question; see `partwise.parsers.answer.to_json`."""
        with torch.inference_mode():
            # Only a list of readings has probabilities, so that two are the least to ask for.
            parses = self.parser.parse(list(questions), k=max(2, k))
        return [
            self._reply(replace(parse, alternatives=parse.alternatives[: k - 1]), run)
            for parse in parses
        ]

    def _reply(self, parse: Parse, run: bool) -> dict[str, Any]:
        readings = (parse, *parse.alternatives) if run else ()
        answers = [answer(one, self.parser.domain, self.context) for one in readings]
        first, others = (answers[0], answers[1:]) if run else (None, ())
        return {"kind": self.kind, **to_json(parse, self.parser.types, first, others)}

    def about(self) -> dict[str, Any]:
        """What the parser is for."""
        return {
            "domain": self.parser.domain.name,
            "runs": True,
            "alternatives": True,
            "examples": list(self.examples),
        }


@dataclass(frozen=True)
class GraphService:
    """Query graphs with what grounds them.

    Attributes:
        linker: finds the names in questions; without one they must hold placeholders.
        store: the knowledge graph; without one there are queries and no answers.
        examples: questions to begin with.
    """

    parser: GraphParser
    linker: Linker | None = None
    store: QueryStore | None = None
    examples: Sequence[str] = ()
    kind: Kind = "graph"

    def ask(self, questions: Sequence[str], k: int, run: bool) -> list[dict[str, Any]]:
        """A reply to each question; see `partwise.parsers.graph.asking.reply_json`."""
        asker = Asker(self.parser, self.linker, self.store if run else None)
        # What a triple rests on is found by gradients, so that inference mode cannot be on.
        return [self._reply(reply, run) for reply in asker(list(questions))]

    def _reply(self, reply: Reply, run: bool) -> dict[str, Any]:
        graph, parse = reply.graph, reply.parse
        drawing = None
        if graph is not None:
            drawing = drawing_json(graph, reply.linked.names, reply.words, parse.grounding)
        found = reply_json(reply, self.parser.domain, run)
        return {"kind": self.kind, **found, "drawing": drawing}

    def about(self) -> dict[str, Any]:
        """What the parser is for."""
        return {
            "domain": self.parser.domain.name,
            "runs": self.store is not None,
            "alternatives": False,
            "examples": list(self.examples),
        }
