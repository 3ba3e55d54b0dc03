"""What the files of a transformer may ask for: kinds of it that are known, sizes with bounds.

Whoever made the files chooses neither code, nor how attention is computed, nor what a tokenizer
spends its time on.
"""

from __future__ import annotations

import base64
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Literal, get_args

from partwise.encoders.storage import read_json
from partwise.errors import PartwiseError
from partwise.interface.settings import check, former_names, from_dict, setting

CONFIG, TOKENIZER = "config.json", "tokenizer.json"
LARGEST = 2**25
"""Bytes of a tokenizer's file."""
PARAMETERS = 2**30
"""Of a transformer."""
KINDS = Literal["bert", "camembert", "distilbert", "electra", "mpnet", "roberta", "xlm-roberta"]
AFTER_PADDING = ("camembert", "mpnet", "roberta", "xlm-roberta")
"""Kinds whose positions are counted from after the number of padding."""
NEUTRAL: Mapping[str, Any] = {
    **dict.fromkeys(("auto_map", "quantization_config", "attn_implementation"), None),
    **dict.fromkeys(("_attn_implementation", "_attn_implementation_internal"), None),
    **dict.fromkeys(("is_decoder", "add_cross_attention", "is_encoder_decoder"), False),
    **{"chunk_size_feed_forward": 0, "position_embedding_type": "absolute", "pruned_heads": {}},
    "sinusoidal_pos_embds": False,
}
"""Entries that would make another network, and the one value that they may have."""
SPACES = " {2,}"
"""The only regular expression in published tokenizers of these kinds."""
STEPS, GROWTH = 32, 64
"""The most steps of a tokenizer, and characters that one may put in the place of another."""


@dataclass(frozen=True, kw_only=True)
class Architecture:
    """The entries of a transformer's config.json that are read, by their names there.

    DistilBERT has other names for some.
    """

    model_type: KINDS
    vocab_size: int = setting(least=1, most=2**20)
    hidden_size: int = setting(formerly="dim", least=1, most=4096)
    num_hidden_layers: int = setting(formerly="n_layers", least=1, most=48)
    num_attention_heads: int = setting(formerly="n_heads", least=1, most=64)
    intermediate_size: int = setting(formerly="hidden_dim", least=1, most=2**14)
    max_position_embeddings: int = setting(least=1, most=2**13)
    hidden_act: Literal["gelu", "gelu_new", "relu", "silu"] = setting(formerly="activation")
    hidden_dropout_prob: float = setting(formerly="dropout", least=0, below=1)
    attention_probs_dropout_prob: float = setting(formerly="attention_dropout", least=0, below=1)
    initializer_range: float = setting(least=0, most=1)
    pad_token_id: int = setting(least=0, most=2**20)
    layer_norm_eps: float | None = setting(None, least=0, most=1)
    type_vocab_size: int | None = setting(None, least=1, most=16)
    embedding_size: int | None = setting(None, least=1, most=4096)
    relative_attention_num_buckets: int | None = setting(None, least=4, most=512)
    dtype: str | None = None

    def __post_init__(self) -> None:
        check(self)
        width = self.hidden_size
        layers = self.num_hidden_layers * width * (4 * width + 2 * self.intermediate_size)
        if self.vocab_size * width + layers > PARAMETERS:
            raise PartwiseError(f"it has more than {PARAMETERS:,} parameters")
        if width % self.num_attention_heads:
            raise PartwiseError("hidden_size must be a multiple of num_attention_heads")
        if self.pad_token_id >= self.vocab_size:
            raise PartwiseError("pad_token_id must be below vocab_size")
        if self.longest < 1:
            raise PartwiseError("max_position_embeddings leaves no room for a question")
        if self.dtype not in (None, "float32", "float16", "bfloat16"):
            raise PartwiseError(f"dtype {self.dtype!r:.60} is none of float32, float16, bfloat16")

    @property
    def longest(self) -> int:
        """Pieces of the longest question."""
        before = self.pad_token_id + 1 if self.model_type in AFTER_PADDING else 0
        return min(self.max_position_embeddings - before, 512)


def architecture(given: Any) -> tuple[Architecture, Any]:
    """A transformer's configuration: checked, and as the library that builds it has it.

    Args:
        given: the content of its config.json; entries that say nothing of the network, as its
            author's notes, are left out.

    Raises:
        PartwiseError: for another kind of network, and for entries out of range.
    """
    from transformers.models.auto.configuration_auto import CONFIG_MAPPING

    kind = str(given.get("model_type")) if isinstance(given, Mapping) else ""
    if kind not in get_args(KINDS):
        known = ", ".join(get_args(KINDS))
        raise PartwiseError(f"its model_type is {kind!r:.60}, which is none of {known}")
    for name, only in NEUTRAL.items():
        if given.get(name) not in (only, None):
            raise PartwiseError(f"its {name} must be {only!r} or left out")
    make = CONFIG_MAPPING[kind]
    own = {**make().to_dict(), "dtype": given.get("torch_dtype")}
    own |= {name: value for name, value in given.items() if name in own}
    # DistilBERT says `dim`: checked as hidden_size, passed on as it says.
    names, former = {one.name for one in fields(Architecture)}, former_names(Architecture)
    kept = {name: value for name, value in own.items() if former.get(name, name) in names}
    checked = from_dict(Architecture, kept, "entries")
    return checked, make(**{n: v for n, v in kept.items() if n != "model_type" and v is not None})


def read_tokenizer(file: Path) -> Any:
    """A tokenizer that takes linear time and room.

    Raises:
        PartwiseError: for a file that is missing, damaged, or has steps that others do not have.
    """
    from tokenizers import Tokenizer

    content = read_json(file, LARGEST)
    if not isinstance(content, dict):
        raise PartwiseError(f"{file} is no tokenizer")
    for part in ("normalizer", "pre_tokenizer", "post_processor", "decoder"):
        steps = list(_steps(content.get(part)))
        if len(steps) > STEPS:
            raise PartwiseError(f"{file} has more than {STEPS} steps in its {part}")
        for step in steps:
            _check_step(step)
    with guarded(f"{file} is damaged"):
        return Tokenizer.from_file(str(file))


def _steps(part: Any) -> Iterator[Mapping[str, Any]]:
    """A part of a tokenizer, and all steps inside."""
    if isinstance(part, dict):
        yield part
        for value in part.values():
            yield from _steps(value)
    elif isinstance(part, list):
        for value in part:
            yield from _steps(value)


def _check_step(step: Mapping[str, Any]) -> None:
    if step.get("Regex", SPACES) != SPACES:
        raise PartwiseError(f"the regular expression {step['Regex']!r:.60} is not one that is run")
    if step.get("type") == "Replace":
        pattern = step.get("pattern")
        replaced = next(iter(pattern.values()), "") if isinstance(pattern, dict) else ""
        if not 0 < len(str(step.get("content", ""))) <= len(str(replaced)):
            raise PartwiseError("a tokenizer's step would make texts longer")
    if step.get("type") == "Prepend" and len(str(step.get("prepend"))) > GROWTH:
        raise PartwiseError("a tokenizer's step would make texts longer")
    if step.get("type") == "Precompiled":
        # Four bytes, a table of so many bytes, and the new texts, each with a zero at its end.
        table = base64.b64decode(str(step.get("precompiled_charsmap")))
        texts = table[4 + int.from_bytes(table[:4], "little") :]
        if max(map(len, texts.split(b"\0"))) > GROWTH:
            raise PartwiseError("a tokenizer's table would make texts longer")


@contextmanager
def guarded(what: str) -> Iterator[None]:
    """Errors of the tokenizers library as ours.

    Raises:
        PartwiseError: in their place.
    """
    try:
        yield
    except (PartwiseError, KeyboardInterrupt, SystemExit, GeneratorExit):
        raise
    except BaseException as error:
        # Where its code stops with an assertion, that is no `Exception`.
        raise PartwiseError(f"{what} ({error!s:.200}); copy the encoder again") from error
