"""The server's app: the page, and the JSON API, whose OpenAPI schema is made of its classes."""

from __future__ import annotations

import asyncio
import math
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

from fastapi import FastAPI, Request, Response
from fastapi.middleware.cors import CORSMiddleware
from fastapi.responses import FileResponse
from fastapi.staticfiles import StaticFiles
from pydantic import BaseModel, ConfigDict, FailFast, Field, model_validator

from partwise import __version__
from partwise.errors import PartwiseError, is_private
from partwise.interface.prediction import (
    JSON_VERSION,
    Answer,
    Cell,
    ColumnKind,
    Completion,
    DomainDescription,
    Outcome,
    Status,
)
from partwise.serve.batching import Batcher, BusyError
from partwise.serve.guard import (
    HANDLERS,
    MEDIA_TYPE,
    Access,
    Guard,
    Limits,
    Problem,
    ProblemError,
    RateLimiter,
    SafeHeaders,
    charge,
    client_of,
)
from partwise.serve.logs import Log, Metrics, RequestLog
from partwise.serve.service import After, Apart, Service

T = TypeVar("T")


class _Given(BaseModel):
    """A request: other fields than these are mistakes, and no type is guessed."""

    model_config = ConfigDict(extra="forbid", strict=True)

    @model_validator(mode="before")
    @classmethod
    def _few(cls, given: Any) -> Any:
        """Without a list of thousands of mistakes, which would take long to make."""
        if isinstance(given, dict) and len(given) > 2 * len(cls.model_fields):
            raise ValueError(f"has {len(given)} fields; an object has {len(cls.model_fields)}")
        return given


LONGEST_PROGRAM = 4000
"""Characters."""
K = Annotated[int, Field(ge=1, description="How many meanings, the most probable first.")]


class Before(_Given):
    """The question before, and the program of the answer that it got."""

    question: str = Field(min_length=1)
    program: str = Field(min_length=1, max_length=LONGEST_PROGRAM)


class Question(_Given):
    """One question."""

    question: str = Field(min_length=1, examples=["which states border ohio?"])
    k: K = 1
    after: Before | None = Field(default=None, description="What it may go on from.")
    display: bool = Field(default=False, description="Whether to say how the answer is seen.")


class Choice(_Given):
    """What was chosen of a question back."""

    question: str = Field(min_length=1, description="As it was asked.")
    option: str = Field(max_length=40, description="An id of what was asked back.")
    after: Before | None = Field(default=None, description="As it was asked.")
    display: bool = Field(default=False, description="As it was asked.")


class Confirmation(_Given):
    """What a question means: what it is taken to mean, an option, or a program."""

    question: str = Field(min_length=1)
    option: str = Field(default="", max_length=40, description="An id of what was asked back.")
    program: str = Field(default="", max_length=20_000, description="As an answer has it.")
    who: str = Field(default="web", min_length=1, max_length=80, description="Who says so.")


class Name(_Given):
    """What a word means."""

    word: str = Field(min_length=1, max_length=100, description="Or words that people say.")
    place: str = Field(
        min_length=1, max_length=300, description="TABLE, TABLE.COLUMN or a measure, as stored."
    )


class Questions(_Given):
    """Many questions."""

    # Its first mistake is enough.
    questions: Annotated[list[Annotated[str, Field(min_length=1)]], FailFast()] = Field(
        min_length=1
    )
    k: K = 1
    run: bool = Field(default=True, description="Whether meanings are run.")


class TreeNode(BaseModel):
    """A node of a span tree."""

    start: int = Field(description="Number of its first word.")
    end: int = Field(description="Number of the word after its last.")
    words: str
    category: str = Field(description="Of a constant; else join.")
    kind: Literal["predicate", "entity", "join"]
    program: str = Field(description="Partial program, · for arguments that are still open.")
    type: str
    score: float | None = Field(description="Of its label on these words, that of none being 0.")
    function: int | None = Field(description="Number of the child that took the others.")
    children: list[TreeNode]


class GraphNode(BaseModel):
    """A node's card in the drawing: its middle and size in pixels."""

    id: str
    name: str
    note: str
    entity: bool
    asked: bool
    attributes: list[int] = Field(description="Numbers of the items that it lists.")
    x: float
    y: float
    width: float
    height: float


class GraphItem(BaseModel):
    """An edge, an attribute, or a pair that must differ."""

    kind: Literal["edge", "attribute", "differ"]
    number: int
    subject: str
    label: str
    target: str
    weights: list[float] = Field(description="One for each word, from 0 to 1.")
    curve: list[tuple[float, float]] | None = Field(description="A Bézier curve's four points.")
    label_at: tuple[float, float] | None


class GraphDrawing(BaseModel):
    """A query graph, laid out, with the weight of each word that an edge rests on."""

    width: float
    height: float
    nodes: list[GraphNode]
    items: list[GraphItem]


class Difference(BaseModel):
    """Words that an alternative takes in another way than the best interpretation."""

    words: str
    mine: list[str] = Field(description="What they give in the best interpretation.")
    other: list[str] = Field(description="What they give in this one.")


class Interpretation(BaseModel):
    """One meaning of a question."""

    meaning: str | None = Field(description="A program or a query; null if there is none.")
    program: str | None = Field(default=None, description="The same, by its newer name.")
    restated: str | None = Field(
        default=None, description="The meaning in words, where the domain gives them."
    )
    sql: str | None = Field(default=None, description="The statement that gives the answer.")
    probability: float | None = Field(description="Among all meanings of the question.")
    score: float | None = Field(description="Of the derivation, before it is a probability.")
    status: Status = Field(
        description="Whether there is an answer, and one that is likely to be right."
    )
    outcome: Outcome | None = Field(
        default=None, description="The status, by its newer name, or that it is asked back."
    )
    answer: list[str] | list[list[Cell]] | None = Field(
        default=None,
        description="Texts, or the rows of a table. Null where nothing could be run; not there if "
        "not asked for.",
    )
    columns: list[str] | None = Field(
        default=None, description="Of the table; null where the answer is none."
    )
    truncated: bool = Field(default=False, description="Whether the table has further rows.")
    notes: list[str] = Field(default=[], description="What must be said beside the answer.")
    derivation: TreeNode | GraphDrawing | dict[str, Any] | None = Field(
        union_mode="left_to_right",
        description="Which words gave which part: a span tree, a graph, or what a plug-in draws.",
    )
    unused: list[int] = Field(description="Numbers of the words that gave nothing.")
    ignored: list[str] = Field(default=[], description="The words that gave nothing.")
    unknown: list[str] = Field(description="Words never met in training.")
    corrections: list[tuple[str, str]] = Field(
        description="Names that are misspelt: what was typed, what it was taken for."
    )
    ambiguous: dict[str, list[str]] = Field(
        description="All that a name may stand for; the first is taken."
    )
    differences: list[Difference] = Field(description="From the best interpretation, by phrase.")
    reason: str | None = Field(description="Why there is no meaning, or no answer.")
    option: str | None = Field(
        default=None, description="Of an alternative: the id by which POST /clarify takes it."
    )
    goes_on: bool = Field(
        default=False, description="Whether it takes something of the question before."
    )


class OfferedOption(BaseModel):
    """One of the meanings that a question back offers."""

    id: str = Field(description="That POST /clarify takes.")
    text: str = Field(description="What it says where the others say something else.")
    preview: str = Field(description="The beginning of its answer.")
    restated: str | None
    program: str


class AskedBack(BaseModel):
    """A question back, where another meaning may well be wanted and has another answer."""

    question: str
    options: list[OfferedOption]
    none: str = Field(description="What POST /clarify takes where none of them is meant.")


class SeenColumn(BaseModel):
    """What a column of an answer holds."""

    name: str
    type: ColumnKind
    unit: str | None = Field(description="A code, as ms; of money that of ISO 4217, as USD.")


class Seen(BaseModel):
    """How an answer is best seen."""

    kind: Literal["number", "table", "bar", "grouped", "stacked", "line", "pie", "scatter"]
    columns: list[SeenColumn]
    chart: dict[str, Any] | None = Field(
        description="A Vega-Lite specification with its data; null for numbers and tables."
    )
    note: str | None = Field(description="What is left out of the chart, which says so, too.")


class Reply(Interpretation):
    """A question with its best interpretation and others."""

    clarification: AskedBack | None = Field(default=None, description="What is asked back.")
    verified: str | None = Field(
        default=None, description="Who confirmed that this is meant, and when."
    )

    display: Seen | None = Field(
        default=None, description="How the answer is best seen, where that is asked for."
    )
    kind: str = Field(description="Of the parser, as span or graph.")
    version: int = Field(default=JSON_VERSION, description="Of this form.")
    question: str
    words: list[str]
    suggestions: list[str] = Field(description="Questions that can be asked, where there is none.")
    alternatives: list[Interpretation]


class Replies(BaseModel):
    """Replies in the order of the questions."""

    replies: list[Reply]


class Health(BaseModel):
    """That the server is up, and with what."""

    status: Literal["ok"]
    version: str
    kind: str
    domain: str


class AllowedSizes(BaseModel):
    """The server's limits."""

    characters: int = Field(description="Of a question.")
    batch: int = Field(description="Questions of one request.")
    k: int
    rate: int = Field(description="Questions of a client in a minute; 0 for any number.")
    body: int = Field(description="Bytes of a request.")


class About(BaseModel):
    """What can be asked, and how."""

    kind: str
    domain: str
    runs: bool = Field(description="Whether answers can be given, or only meanings.")
    goes_on: bool = Field(default=False, description="Whether a question may go on from another.")
    describes: bool = Field(default=False, description="Whether GET /schema says something.")
    confirms: bool = Field(default=False, description="Whether POST /confirm is taken.")
    examples: list[str]
    limits: AllowedSizes


PAGE = Path(__file__).with_name("page")
COMPLETIONS = 8
_SAID = {
    400: "The body is no JSON.",
    401: "A key is needed.",
    403: "The server was not started to do this.",
    408: "The body came too slowly.",
    413: "The body is too large.",
    422: "The body is not as it should be, or over a limit.",
    429: "Too many questions; Retry-After says when to come again.",
    500: "The server failed.",
    503: "Too many questions wait; Retry-After says when to come again.",
}
_PROBLEMS: dict[int | str, dict[str, Any]] = {
    status: {
        "description": said,
        "content": {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}},
    }
    for status, said in _SAID.items()
}


def create_app(
    service: Service,
    limits: Limits | None = None,
    log: Log | None = None,
    access: Access | None = None,
    apart: Apart | None = None,
) -> FastAPI:
    """A web app that answers questions. `service` is called from two threads, one of them for what
    costs much, which asks `apart` in its place if that is given."""
    limits, log, access = limits or Limits(), log or Log(), access or Access()
    asking = _Asking(service, limits, log, apart)
    asking.confirms = access.confirms

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        yield
        asking.batcher.close()

    app = FastAPI(
        title="Partwise",
        summary="Questions, what they mean, and their answers.",
        version=__version__,
        # The usual pages about the API load scripts from elsewhere.
        docs_url=None,
        redoc_url=None,
        exception_handlers=HANDLERS,
        lifespan=lifespan,
    )
    _question_routes(app, asking)
    _routes(app, asking)
    _describe(app, limits)
    # The last one added is the first that a request comes to.
    app.add_middleware(Guard, limits=limits, limiter=asking.limiter, access=access)
    app.add_middleware(RequestLog, log=log, metrics=asking.metrics)
    app.add_middleware(SafeHeaders)
    if access.origins:
        app.add_middleware(
            CORSMiddleware,
            allow_origins=access.origins,
            allow_methods=["GET", "POST"],
            allow_headers=["Authorization"],
        )
    return app


class _Asking:
    def __init__(self, service: Service, limits: Limits, log: Log, apart: Apart | None) -> None:
        self.service, self.limits, self.log = service, limits, log
        self.limiter = RateLimiter(math.ceil(limits.rate / limits.workers))
        self.batcher = Batcher(service, limits.batch, limits.waiting, limits.wait, apart)
        self.metrics = Metrics()
        self.confirms = False

    async def __call__(
        self,
        request: Request,
        questions: Sequence[str],
        k: int,
        run: bool,
        before: Before | None = None,
        **more: bool,
    ) -> list[dict[str, Any]]:
        facts = request.scope["partwise.facts"]
        facts["questions"] = len(questions)
        if self.log.questions:
            facts["asked"] = [question[: self.limits.characters] for question in questions]
        self.check(questions, k, run)
        after = None if before is None else self.read(before)
        # The request itself has taken one.
        await charge(self.limiter, request.scope, len(questions) - 1)
        try:
            client = client_of(request.scope)
            replies = await self.batcher.ask(questions, k, run, client, after=after, **more)
        except BusyError as error:
            said = f"{error}; ask again in a few seconds"
            raise ProblemError(503, said, max(3.0, error.wait)) from error
        self.metrics.replies(replies)
        return [self._hide_private(request, reply) for reply in replies]

    async def single(
        self,
        request: Request,
        question: str,
        work: Callable[[], Answer[Any]],
        display: bool = False,
    ) -> dict[str, Any]:
        """The answer that some work of the service gives to a question."""
        reply = self.service.reply(await self.work(question, work), display=display)
        self.metrics.replies([reply])
        return self._hide_private(request, reply)

    async def work(self, question: str, work: Callable[[], T]) -> T:
        """What some work of the service about a question gives."""
        self.check([question], 1, run=True)
        quick = self.batcher.quick
        if not quick.takes():
            raise ProblemError(503, f"{quick.ahead()} questions wait", quick.expected())
        try:
            return await asyncio.get_running_loop().run_in_executor(quick.thread, work)
        except PartwiseError as error:
            if is_private(error):
                raise
            raise ProblemError(422, str(error)) from error

    def read(self, before: Before) -> After:
        """The question before. Raises ProblemError if its program cannot be read."""
        self.check([before.question], 1, run=False)
        after = before.question, before.program
        try:
            self.service.turn(after)
        except PartwiseError as error:
            raise ProblemError(422, f"after: {error}") from error
        return after

    def _hide_private(self, request: Request, reply: dict[str, Any]) -> dict[str, Any]:
        """A reply without the text of an error that is not for who asks; the log has that."""
        told = dict(reply)
        error, name = told.pop("error", None), request.scope["partwise.request"]
        if error is not None:
            self.log.failure(name, error, text=True)
            told["reason"] = f"it does not run; the server's log says why, under {name}"
        return told

    def check(self, questions: Sequence[str], k: int, run: bool) -> None:
        limits = self.limits
        if len(questions) > limits.batch:
            detail = f"{len(questions)} questions; send at most {limits.batch} at once"
            raise ProblemError(422, detail)
        for number, question in enumerate(questions):
            if len(question) > limits.characters:
                where = f"questions[{number}]" if len(questions) > 1 else "question"
                raise ProblemError(
                    422,
                    f"{where} has {len(question)} characters; at most {limits.characters} are "
                    "read, so ask something shorter",
                )
        if k > limits.k:
            raise ProblemError(422, f"k is {k}; ask for at most {limits.k} interpretations")
        if run and not self.service.about()["runs"]:
            detail = "nothing that answers is served here; POST to /parse for the meaning"
            raise ProblemError(409, detail)


def _question_routes(app: FastAPI, asking: _Asking) -> None:
    service = asking.service
    said: dict[str, Any] = {"responses": _PROBLEMS, "response_model_exclude_unset": True}

    @app.post("/ask", response_model=Reply, **said)
    async def ask(request: Request, body: Question) -> Any:
        """Answer a question, and show how the answer came about."""
        replies = await asking(
            request, [body.question], body.k, True, body.after, display=body.display
        )
        return replies[0]

    @app.post("/clarify", response_model=Reply, **said)
    async def clarify(request: Request, body: Choice) -> Any:
        """Answer a question in the meaning that was chosen of a question back."""
        after = None if body.after is None else asking.read(body.after)
        work = partial(service.choose, body.question, body.option, after)
        return await asking.single(request, body.question, work, body.display)

    @app.post("/confirm", response_model=Reply, **said)
    async def confirm(request: Request, body: Confirmation) -> Any:
        """Write down what a question means, if the server was started to, and answer it."""
        if not asking.confirms:
            raise ProblemError(403, "nothing can be confirmed here: serve with --confirm")
        work = partial(service.confirm, body.question, body.who, body.option, body.program)
        return await asking.single(request, body.question, work)

    @app.post("/synonym", response_model=Name, responses=_PROBLEMS)
    async def synonym(body: Name) -> Any:
        """Write down what a word means, if the server was started to, for all who ask from then on.
        `partwise synonym NAME --undo` takes it back."""
        if not asking.confirms:
            raise ProblemError(403, "nothing can be named here: serve with --confirm")
        await asking.work(body.word, partial(service.name, body.word, body.place))
        return body

    @app.post("/parse", response_model=Reply, **said)
    async def parse(request: Request, body: Question) -> Any:
        """What a question means, not run."""
        return (await asking(request, [body.question], body.k, False, body.after))[0]

    @app.post("/batch", response_model=Replies, **said)
    async def batch(request: Request, body: Questions) -> Any:
        """Many questions at once."""
        return {"replies": await asking(request, body.questions, body.k, body.run, asks=False)}


def _routes(app: FastAPI, asking: _Asking) -> None:
    service, limits = asking.service, asking.limits

    @app.get("/health")
    async def health() -> Health:
        """Whether the server is up."""
        domain = service.about()["domain"]
        return Health(status="ok", version=__version__, kind=service.kind, domain=domain)

    @app.get("/ready", responses={503: _PROBLEMS[503]})
    async def ready() -> Health:
        """Whether a question would be taken now."""
        quick = asking.batcher.quick
        if not quick.takes():
            raise ProblemError(503, f"{quick.ahead()} questions wait", quick.expected())
        return await health()

    @app.get("/metrics", response_class=Response)
    async def metrics() -> Response:
        """Figures of all workers, for Prometheus."""
        asking.metrics.waiting(asking.batcher.ahead)
        return Response(asking.metrics.text(), media_type="text/plain; version=0.0.4")

    @app.get("/about", response_model=About)
    async def about() -> Any:
        """What can be asked, with examples and limits."""
        told = {"kind": service.kind, "limits": vars(limits), "confirms": asking.confirms}
        return told | service.about()

    @app.get("/schema", responses={401: _PROBLEMS[401]})
    def schema() -> DomainDescription:
        """What can be asked about, and what it is called."""
        return service.schema()

    @app.get("/complete", responses={401: _PROBLEMS[401], 422: _PROBLEMS[422]})
    def complete(text: str) -> list[Completion]:
        """Names that the last words of a text may be the beginning of, eight at most."""
        asking.check([text], 1, run=False)
        return service.complete(text, COMPLETIONS)

    @app.api_route("/", methods=["GET", "HEAD"], include_in_schema=False)
    async def page() -> FileResponse:
        return FileResponse(PAGE / "index.html")

    @app.get("/docs", include_in_schema=False)
    async def docs() -> FileResponse:
        return FileResponse(PAGE / "docs.html")

    app.mount("/page", StaticFiles(directory=PAGE))


def _describe(app: FastAPI, limits: Limits) -> None:
    schema = app.openapi()
    models = schema["components"]["schemas"]
    models["Problem"] = Problem.model_json_schema()
    one, many = models["Question"]["properties"], models["Questions"]["properties"]
    one["question"]["maxLength"] = many["questions"]["items"]["maxLength"] = limits.characters
    one["k"]["maximum"] = many["k"]["maximum"] = limits.k
    many["questions"]["maxItems"] = limits.batch
    for unused in ("HTTPValidationError", "ValidationError"):
        models.pop(unused, None)
