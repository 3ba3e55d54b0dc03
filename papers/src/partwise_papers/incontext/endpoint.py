"""A language model behind a service that speaks OpenAI's protocol (chat completions)."""

from __future__ import annotations

import json
import math
import os
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Mapping
from typing import Any

from partwise.errors import ExecutionError, PartwiseError
from partwise_papers.incontext.model import Completion

KEY = "PARTWISE_ENDPOINT_KEY"
"""The environment variable that holds the key; it is never written down."""
TASK = (
    "You see questions, each with the program that answers it. Write the program of the last "
    "question in the same language, on one line, and nothing else."
)
FIELDS = {"llama.cpp": "grammar", "vllm": "structured_outputs"}
MAX_BYTES = 1_000_000


class EndpointModel:
    """A model that is asked over the network, once for each question.

    Args:
        url: http or https; ``/chat/completions`` is added.
        model: its name there.
        grammar: how the service takes a grammar: a key of `FIELDS`, or none.
        timeout: seconds for one answer.

    Raises:
        PartwiseError: if the URL cannot be used; later, if the service fails or refuses.
    """

    def __init__(self, url: str, model: str, grammar: str = "none", timeout: float = 60.0) -> None:
        self.url, self.model, self.grammar, self.timeout = url, model, grammar, timeout
        try:
            parts = urllib.parse.urlsplit(url)
            usable = parts.scheme in ("http", "https") and bool(parts.hostname)
        except ValueError:
            usable = False
        if not usable or parts.username is not None:
            raise PartwiseError(
                f"{url!r:.200} is no URL of an endpoint: https://HOST/v1, without a user name"
            )

    @property
    def facts(self) -> Mapping[str, Any]:
        """See `LanguageModel`."""
        return {"name": self.model, "quantisation": "unknown", "endpoint": self.url}

    def fits(self, prompt: str, longest: int) -> bool:
        """True: the service says itself what is too long for it."""
        return True

    def complete(self, prompt: str, grammar: str | None, longest: int) -> Completion:
        """See `LanguageModel.complete`."""
        body: dict[str, Any] = {
            "model": self.model,
            "messages": [
                {"role": "system", "content": TASK},
                {"role": "user", "content": prompt},
            ],
            "temperature": 0,
            "max_tokens": longest,
            "logprobs": True,
        }
        if grammar is not None and self.grammar in FIELDS:
            value: Any = {"grammar": grammar} if self.grammar == "vllm" else grammar
            body[FIELDS[self.grammar]] = value
        answer = self._answer(body)
        try:
            return _completion(answer["choices"][0])
        except (LookupError, TypeError, AttributeError, ValueError):
            shown = json.dumps(answer)
            raise ExecutionError(f"{self.url}: no chat completion: {shown:.200}") from None

    def _answer(self, body: Mapping[str, Any]) -> Any:
        headers = {"Content-Type": "application/json"}
        if os.environ.get(KEY):
            headers["Authorization"] = f"Bearer {os.environ[KEY]}"
        where = self.url.rstrip("/") + "/chat/completions"
        request = urllib.request.Request(where, json.dumps(body).encode(), headers, method="POST")
        opener = urllib.request.build_opener(_NoRedirection())
        try:
            with opener.open(request, timeout=self.timeout) as response:
                return json.loads(response.read(MAX_BYTES))
        except urllib.error.HTTPError as error:
            said = error.read(MAX_BYTES).decode("utf-8", "replace")
            hint = f"; is the key in {KEY} right?" if error.code in (401, 403) else ""
            raise ExecutionError(f"{where}: HTTP {error.code}: {said:.200}{hint}") from None
        except (OSError, ValueError) as error:
            raise ExecutionError(f"{where}: no answer: {error!s:.200}") from None


def _completion(choice: Mapping[str, Any]) -> Completion:
    # Models like to put programs between fences.
    lines = (line.strip().strip("`").strip() for line in choice["message"]["content"].split("\n"))
    text = next((line for line in lines if line), "")
    told = (choice.get("logprobs") or {}).get("content")
    total = sum(float(token["logprob"]) for token in told) if told else math.nan
    return Completion(text, total, choice.get("finish_reason") != "length")


class _NoRedirection(urllib.request.HTTPRedirectHandler):
    """Goes nowhere else: the key is for one service alone."""

    def redirect_request(self, *_: Any) -> None:
        return None
