"""Errors as a server tells them: problem details (RFC 9457), with what is wrong and what to do."""

from __future__ import annotations

import math
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel, Field
from starlette.exceptions import HTTPException

MEDIA_TYPE = "application/problem+json"
PATHS = "/ask, /parse or /batch, as /openapi.json says"


class Problem(BaseModel):
    """Why a request was not answered."""

    title: str = Field(description="The kind of problem.")
    status: int = Field(description="The HTTP status.")
    detail: str = Field(description="What is wrong, where, and what to do.")
    request: str | None = Field(description="The request's name in the server's log.")


class ProblemError(Exception):
    """Ends a request with a problem.

    Args:
        wait: seconds after which the request may be sent again.
    """

    def __init__(self, status: int, detail: str, wait: float | None = None) -> None:
        super().__init__(detail)
        self.status, self.detail, self.wait = status, detail, wait


def problem_response(
    scope: Mapping[str, Any], status: int, detail: str, wait: float | None = None
) -> JSONResponse:
    """A problem as a response."""
    problem = Problem(
        title=HTTPStatus(status).phrase,
        status=status,
        detail=detail,
        request=scope.get("partwise.request"),
    )
    headers = {} if wait is None else {"Retry-After": str(max(1, math.ceil(wait)))}
    if status == HTTPStatus.UNAUTHORIZED:
        headers["WWW-Authenticate"] = "Bearer"
    return JSONResponse(problem.model_dump(), status, headers, MEDIA_TYPE)


def handle_problems(app: FastAPI) -> None:
    """Have an app tell the errors of its framework as problems.

    See `partwise.serve.logs` for a `ProblemError`, and for errors of the program itself.
    """
    app.add_exception_handler(HTTPException, _http)
    app.add_exception_handler(RequestValidationError, _invalid)


async def _http(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HTTPException)
    said = {
        400: "the body cannot be read as JSON; send an object",
        404: f"there is nothing at this path; POST to {PATHS}",
        405: f"this path does not take {request.method}; POST to {PATHS}",
    }
    detail = said.get(error.status_code, str(error.detail))
    response = problem_response(request.scope, error.status_code, detail)
    response.headers.update(error.headers or {})
    return response


async def _invalid(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, RequestValidationError)
    wrong = error.errors()
    # What was sent is not repeated: it may be long, or nobody else's business.
    said = [f"{_where(one['loc'])}: {one['msg']}" for one in wrong[:5]]
    more = f" and {len(wrong) - 5} more" if len(wrong) > 5 else ""
    malformed = any(one["type"] == "json_invalid" for one in wrong)
    detail = f"{'; '.join(said)}{more}. Send JSON as /openapi.json says it, its content type too."
    return problem_response(request.scope, 400 if malformed else 422, detail)


def _where(location: tuple[str | int, ...]) -> str:
    """As ``questions[3]``; the body's own name says nothing."""
    text = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in location[1:])
    return text.lstrip(".") or "body"
