"""The server's app: the page, and the JSON API with its OpenAPI schema."""

from __future__ import annotations

import math
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.middleware.cors import CORSMiddleware
from fastapi.responses import FileResponse
from fastapi.staticfiles import StaticFiles

from partwise import __version__
from partwise.serve.batching import Batcher, BusyError
from partwise.serve.guard import Access, Guard, SafeHeaders, charge, client_of
from partwise.serve.limits import Limits, RateLimiter
from partwise.serve.logs import Log, RequestLog
from partwise.serve.metrics import Metrics
from partwise.serve.problems import MEDIA_TYPE, Problem, ProblemError, handle_problems
from partwise.serve.schemas import About, Health, Question, Questions, Replies, Reply
from partwise.serve.service import Answerer, Service

PAGE = Path(__file__).with_name("page")
_SAID = {
    400: "The body is no JSON.",
    401: "A key is needed.",
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
    apart: Answerer | None = None,
) -> FastAPI:
    """A web app that answers questions.

    Args:
        service: what answers them; called from two threads, one of them for what costs much.
        apart: what is asked in its place where that costs much.
        log: where requests are noted; on standard error without their texts, if not given.
    """
    limits, log, access = limits or Limits(), log or Log(), access or Access()
    asking = _Asking(service, limits, log, apart)

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
        lifespan=lifespan,
    )
    handle_problems(app)
    _routes(app, asking)
    _page(app)
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
    """Checks what was sent against the limits, asks the service, and notes it for the log."""

    def __init__(self, service: Service, limits: Limits, log: Log, apart: Answerer | None) -> None:
        self.service, self.limits, self.log = service, limits, log
        self.limiter = RateLimiter(math.ceil(limits.rate / limits.workers))
        self.batcher = Batcher(service, limits.batch, limits.waiting, limits.wait, apart)
        self.metrics = Metrics()

    async def __call__(
        self, request: Request, questions: Sequence[str], k: int, run: bool
    ) -> list[dict[str, Any]]:
        facts = request.scope["partwise.facts"]
        facts["questions"] = len(questions)
        if self.log.questions:
            facts["asked"] = [question[: self.limits.characters] for question in questions]
        self._check(questions, k)
        if run and not self.service.about()["runs"]:
            detail = "nothing that answers is served here; POST to /parse for the meaning"
            raise ProblemError(409, detail)
        # The request itself has taken one.
        await charge(self.limiter, request.scope, len(questions) - 1)
        try:
            replies = await self.batcher.ask(questions, k, run, client_of(request.scope))
        except BusyError as error:
            said = f"{error}; ask again in a few seconds"
            raise ProblemError(503, said, max(3.0, error.wait)) from error
        self.metrics.replies(replies)
        return [self._told(request, reply) for reply in replies]

    def _told(self, request: Request, reply: dict[str, Any]) -> dict[str, Any]:
        """A reply without the text of an error that is not for who asks; the log has that."""
        told = dict(reply)
        error, name = told.pop("error", None), request.scope["partwise.request"]
        if error is not None:
            self.log.failure(name, error, text=True)
            told["reason"] = f"it does not run; the server's log says why, under {name}"
        return told

    def _check(self, questions: Sequence[str], k: int) -> None:
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


def _routes(app: FastAPI, asking: _Asking) -> None:
    service, limits = asking.service, asking.limits
    said: dict[str, Any] = {"responses": _PROBLEMS, "response_model_exclude_unset": True}

    @app.post("/ask", response_model=Reply, **said)
    async def ask(request: Request, body: Question) -> Any:
        """Answer a question, and show how the answer came about."""
        return (await asking(request, [body.question], body.k, run=True))[0]

    @app.post("/parse", response_model=Reply, **said)
    async def parse(request: Request, body: Question) -> Any:
        """What a question means, not run."""
        return (await asking(request, [body.question], body.k, run=False))[0]

    @app.post("/batch", response_model=Replies, **said)
    async def batch(request: Request, body: Questions) -> Any:
        """Many questions at once."""
        return {"replies": await asking(request, body.questions, body.k, body.run)}

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
        return {"kind": service.kind, "limits": vars(limits), **service.about()}


def _page(app: FastAPI) -> None:
    @app.api_route("/", methods=["GET", "HEAD"], include_in_schema=False)
    async def page() -> FileResponse:
        return FileResponse(PAGE / "index.html")

    app.mount("/page", StaticFiles(directory=PAGE))


def _describe(app: FastAPI, limits: Limits) -> None:
    """Put the limits and the form of problems into the schema."""
    schema = app.openapi()
    models = schema["components"]["schemas"]
    models["Problem"] = Problem.model_json_schema()
    one, many = models["Question"]["properties"], models["Questions"]["properties"]
    one["question"]["maxLength"] = many["questions"]["items"]["maxLength"] = limits.characters
    one["k"]["maximum"] = many["k"]["maximum"] = limits.k
    many["questions"]["maxItems"] = limits.batch
    for unused in ("HTTPValidationError", "ValidationError"):
        models.pop(unused, None)
