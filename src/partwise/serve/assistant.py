"""A parser and its domain as a server of the Model Context Protocol, for assistants.

The tools only read. A question that is refused gives a result that says so, not an error, so that
an assistant can tell its user or ask in another way.
"""

from dataclasses import replace
from typing import Annotated, Any

from mcp.server import MCPServer
from mcp_types import ToolAnnotations
from pydantic import BaseModel, Field

from partwise import __version__
from partwise.errors import ChoiceError, is_private
from partwise.interface.prediction import (
    JSON_VERSION,
    Answer,
    Cell,
    DomainDescription,
    ExplainingDomain,
    Outcome,
    Prediction,
    TableDescription,
)
from partwise.serve.service import Service

READS = ToolAnnotations(
    read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False
)
LONGEST = 1000
"""Characters of a question."""
MOST = 5
"""Interpretations of one."""
INSTRUCTIONS = (
    "Answers questions in plain English about {name}, with exact figures from the data. Call "
    "schema first to see what can be asked, then ask with one question at a time, in the words of "
    "the schema; follow_up goes on from the last answer. Read outcome: 'answered', 'doubtful' "
    "(show your user the restatement and the alternatives), 'clarify' (put clarification to your "
    "user, then call clarify with the id that was chosen) or 'refused' (there is no answer; reason "
    "says why, suggestions what can be asked). Check that restated is what your user meant. Never "
    "make up figures."
)
Asked = Annotated[str, Field(min_length=1, max_length=LONGEST, description="One question.")]


Program = Annotated[
    str, Field(min_length=1, max_length=4000, description="As it came with the last answer.")
]
Chart = Annotated[bool, Field(description="Whether to give a Vega-Lite chart where one fits.")]


class MeaningResult(BaseModel):
    """One way to understand a question."""

    restated: str | None = Field(description="The question as it was understood, in words.")
    sql: str | None = Field(description="The statement that gives the answer.")
    program: str | None = Field(description="The meaning as Partwise writes it.")
    probability: float | None = Field(description="That this is what was meant.")


class ReadingResult(MeaningResult):
    """One way to understand a question, with its answer."""

    columns: list[str] | None = Field(description="Of the answer; null if there is no table.")
    answer: list[list[Cell]] | list[str] | None = Field(
        description="The rows of a table, or texts; null if there is no answer."
    )


class _QuestionResult(BaseModel):
    version: int
    question: str
    outcome: Outcome
    reason: str | None = Field(description="Why there is no answer.")
    ignored: list[str] = Field(description="Words of the question that gave nothing.")
    suggestions: list[str] = Field(description="What can be asked, where there is no answer.")


class ExplainResult(MeaningResult, _QuestionResult):
    """What a question means."""

    words: list[str] = Field(description="Which words gave which part, a line for each phrase.")
    alternatives: list[MeaningResult] = Field(description="What else the question may mean.")


class OptionResult(BaseModel):
    """One of the meanings that a question back offers."""

    id: str = Field(description="To be given to clarify.")
    text: str = Field(description="What it says where the others say something else.")
    preview: str = Field(description="The beginning of its answer.")
    restated: str | None = Field(description="All of it in words.")
    program: str = Field(description="The meaning as Partwise writes it.")


class ClarificationResult(BaseModel):
    """A question back, which names what differs."""

    question: str
    options: list[OptionResult]
    none: str = Field(description="To be given to clarify where none of them is meant.")


class AskResult(ReadingResult, _QuestionResult):
    """The answer to a question."""

    goes_on: bool = Field(
        default=False, description="Whether it takes something of the last question."
    )
    truncated: bool = Field(description="Whether there are further rows.")
    notes: list[str] = Field(description="What must be said beside the answer.")
    clarification: ClarificationResult | None = Field(description="What is asked back.")
    verified: str | None = Field(description="Who confirmed that this is meant, and when.")
    display: dict[str, Any] | None = Field(
        default=None, description="How the answer is best seen, with a Vega-Lite chart."
    )
    alternatives: list[ReadingResult] = Field(description="What else the question may mean.")


def assistant(service: Service) -> MCPServer:
    """A server with the tools ask, clarify, follow_up, explain and schema; ``run("stdio")``
    serves."""
    domain = service.parser.domain
    server = MCPServer(
        f"partwise {domain.name}",
        title=f"Questions about {domain.name}",
        instructions=INSTRUCTIONS.format(name=domain.name),
        version=__version__,
        log_level="WARNING",
    )

    _asking_tools(server, service)

    @server.tool(annotations=READS, title="Explain a question")
    def explain(question: Asked) -> ExplainResult:
        """Say what a question means and which words gave which part; the data are not asked."""
        (answer,) = service.answers([question], MOST, False)
        return ExplainResult.model_validate(_values(answer, run=False))

    @server.tool(annotations=READS, title="What can be asked about")
    def schema(
        table: Annotated[
            str | None, Field(description="A table by name or label; without it, all in brief.")
        ] = None,
    ) -> DomainDescription:
        """The tables, columns, links and measures that can be asked about, and examples."""
        return _describe(domain, table)

    return server


def _asking_tools(server: MCPServer, service: Service) -> None:
    """Those that give answers."""

    @server.tool(annotations=READS, title="Ask a question")
    def ask(question: Asked, chart: Chart = False) -> AskResult:
        """Answer a question in plain English from the data, exactly, or refuse it with the reason.

        Gives the answer's rows, the question as it was understood, the SQL, the probability that
        this is what was meant, and other interpretations with their answers.
        """
        (answer,) = service.answers([question], MOST, True)
        return AskResult.model_validate(_values(answer, run=True, display=chart))

    @server.tool(annotations=READS, title="Answer a question back")
    def clarify(
        question: Asked,
        option: Annotated[str, Field(description="The id of an option, or none.", max_length=40)],
        last_question: Asked | None = None,
        last_program: Program | None = None,
        chart: Chart = False,
    ) -> AskResult:
        """The answer to the same question in the meaning that was chosen of clarification; with
        none, the next meanings. Give the last question and its program where follow_up had them."""
        after = (last_question, last_program) if last_question and last_program else None
        try:
            answer = service.choose(question, option, after)
        except ChoiceError as error:
            answer = Answer(Prediction(question, reason=str(error)), reason=str(error))
        return AskResult.model_validate(_values(answer, run=True, display=chart))

    @server.tool(annotations=READS, title="Go on from a question")
    def follow_up(
        question: Asked, last_question: Asked, last_program: Program, chart: Chart = False
    ) -> AskResult:
        """Answer a question that may go on from the last one, as "and in 2023?" or "their emails".

        Give the last question and the program of its answer; a question that stands by itself is
        answered as such. restated says the whole of what was understood.
        """
        (answer,) = service.answers([question], MOST, True, (last_question, last_program))
        return AskResult.model_validate(_values(answer, run=True, display=chart))


def _values(answer: Answer[Any], run: bool, display: bool = False) -> dict[str, Any]:
    values = answer.to_json(run, display=display)
    derivation = answer.prediction.derivation
    lines = [] if derivation is None else str(derivation).splitlines()
    # What is for who runs the server alone is not told.
    private = answer.error is not None and is_private(answer.error)
    reason = "it could not be run" if private else answer.reason
    return {**values, "version": JSON_VERSION, "words": lines, "reason": reason}


def _brief(table: TableDescription) -> TableDescription:
    """A table without what is told of it where it is asked for alone."""
    columns = tuple(replace(column, synonyms=(), samples=()) for column in table.columns)
    return replace(table, columns=columns, synonyms=())


def _describe(domain: Any, wanted: str | None) -> DomainDescription:
    if not isinstance(domain, ExplainingDomain):
        return DomainDescription(domain.name, examples=tuple(domain.examples))
    whole = domain.describe()
    if wanted is None:
        return replace(whole, tables=tuple(map(_brief, whole.tables)))
    tables = tuple(
        table
        for table in whole.tables
        if wanted.casefold() in (table.name.casefold(), table.label.casefold())
    )
    names = {table.name for table in tables}
    measures = tuple(measure for measure in whole.measures if measure.table in names)
    return DomainDescription(whole.name, tables, measures, whole.examples)
