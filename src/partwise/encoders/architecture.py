"""What the files of a transformer may ask for: encoders of the transformers library, with bounds.

Whoever made the files chooses neither code, nor how attention is computed, nor what a tokenizer
spends its time on. Of its regular expressions those are run that cannot take long on any text: the
library that runs them goes back and tries again, so at most one part of a way through the
expression may be of any length and followed by what can fail. Then the steps grow with the square
of the text at most, and the tokenizer never hangs.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from math import prod
from pathlib import Path
from re import _constants as parts  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

from partwise.encoders.storage import read_json
from partwise.errors import PartwiseError

LONGEST, WAYS, SHORT = 512, 32, 16
"""Characters, ways that a choice may go at one place, and the most times of a bounded repeat."""
ONE = (parts.LITERAL, parts.NOT_LITERAL, parts.ANY, parts.IN)
LOOK = (parts.ASSERT, parts.ASSERT_NOT)
# Python does not know classes such as \p{L}; what they hold makes no difference here.
PROPERTY = re.compile(r"\\[pP]\{\^?\w+\}")
ELSEWHERE = re.compile(r"\[\^?\]|&&|\(\?#|\(\?[^:=!i]|\(\?i[^:)]|\[(?:[^\]\\]|\\.)*\[")
"""What the two libraries may read in two ways: odd classes, classes inside classes, flags."""


class _Refused(Exception):
    pass


def check_regex(pattern: str) -> None:
    """Check that an expression takes at most quadratic time. Raises PartwiseError if it may take
    more, or is not understood."""
    plain = PROPERTY.sub(r"\\w", pattern)
    try:
        if len(pattern) > LONGEST or ELSEWHERE.search(plain):
            raise _Refused
        for way in _alternatives(parser.parse(plain)):
            _check_way(way)
    except (_Refused, re.error, ValueError, RecursionError, OverflowError) as error:
        raise PartwiseError(
            f"the regular expression {pattern!r:.60} is not one that is run: it may take too long. "
            "Choose an encoder with a simpler tokenizer"
        ) from error


def _alternatives(tree: Any) -> list[Sequence[Any]]:
    items = list(tree)
    if len(items) == 1 and items[0][0] is parts.SUBPATTERN:
        return _alternatives(items[0][1][3])
    if len(items) == 1 and items[0][0] is parts.BRANCH:
        return [way for one in items[0][1][1] for way in _alternatives(one)]
    return [items]


def _check_way(items: Sequence[Any]) -> None:
    """Parts of any length: one, and a second one if nothing after it can fail."""
    ways, endless = 1, 0
    for kind, value in items:
        if endless == 2 and not (kind is parts.MAX_REPEAT and value[0] == 0):
            raise _Refused
        if kind is parts.MAX_REPEAT and value[1] is parts.MAXREPEAT:
            (part,) = value[2]
            if part[0] not in ONE or value[0] > SHORT or endless == 2:
                raise _Refused
            endless += 1
        else:
            ways *= _ways(kind, value)
    if ways > WAYS:
        raise _Refused


def _ways(kind: Any, value: Any) -> int:
    """In how many ways a part of bounded length can match at one place."""
    if kind in ONE or kind is parts.AT:
        return 1
    if kind in LOOK:
        return _product(value[1])
    if kind is parts.SUBPATTERN:
        return _product(value[3])
    if kind is parts.BRANCH:
        return sum(_product(part) for part in value[1])
    if kind is parts.MAX_REPEAT and value[1] is not parts.MAXREPEAT and value[1] <= SHORT:
        inside = _product(value[2])
        if value[1] > 1 and (len(value[2]) != 1 or value[2][0][0] not in ONE):
            raise _Refused
        return int(inside + value[1] - value[0])
    raise _Refused


def _product(items: Any) -> int:
    return prod(_ways(kind, value) for kind, value in items)


CONFIG, TOKENIZER = "config.json", "tokenizer.json"
LARGEST = 2**25
"""Bytes of a tokenizer's file."""
PARAMETERS = 2**30
"""Of a transformer."""
LAYERS, WIDTH, NUMBER = 64, 2**14, 2**20
"""The most layers, the widest vector, and the largest of all other whole numbers."""
BOUNDS = (
    (re.compile(r"layers?$|^depth$"), LAYERS),
    (re.compile(r"attention_window"), 2**10),
    (re.compile(r"vocab|words|token|position|theta|sliding|_id$"), NUMBER),
    (re.compile(r"^(num|n)_(?!embd|inner)"), 2**10),
    (re.compile(""), WIDTH),
)
"""What is in an entry's name, and its bound: that of the first row that fits."""
ACTIVATION = re.compile(r"(_|^)(act|activation|activation_function|act_fn)$")
ROTARY = ("rope_scaling", "rope_theta")
"""Entries of older files that the library still reads."""
ENDLESS = ("mra", "reformer", "yoso")
"""Kinds that compile code of their own, or read as much as an entry says."""
NEUTRAL: Mapping[str, Any] = {
    **dict.fromkeys(("auto_map", "quantization_config", "attn_implementation"), None),
    **dict.fromkeys(("_attn_implementation", "_attn_implementation_internal"), None),
    **dict.fromkeys(("_experts_implementation", "experts_implementation"), None),
    **dict.fromkeys(("is_decoder", "add_cross_attention", "is_encoder_decoder"), False),
    **{"chunk_size_feed_forward": 0, "position_embedding_type": "absolute", "pruned_heads": {}},
    **dict.fromkeys(("sinusoidal_pos_embds", "sinusoidal_embeddings"), False),
    **{"per_layer_config": None, "dtype": None},
}
"""Entries that would make another network, and the one value that they may have if their kind has
no other."""
STEPS, GROWTH = 32, 64
"""The most steps of a tokenizer, and characters that one may put in the place of another."""


def architecture(given: Any) -> tuple[Any, Any]:
    """A transformer's configuration, checked, and what builds the network, of the content of its
    config.json; entries that say nothing of the network are left out. Raises PartwiseError for a
    network that is no encoder of texts, and for entries out of range."""
    from transformers import AutoModel, AutoModelForTextEncoding
    from transformers.models.auto import configuration_auto, modeling_auto

    kind = str(given.get("model_type")) if isinstance(given, Mapping) else ""
    encoding = modeling_auto.MODEL_FOR_TEXT_ENCODING_MAPPING_NAMES
    known = {
        *encoding,
        *modeling_auto.MODEL_FOR_TOKEN_CLASSIFICATION_MAPPING_NAMES,
        *modeling_auto.MODEL_FOR_QUESTION_ANSWERING_MAPPING_NAMES,
    }
    if kind not in known or kind in ENDLESS or kind not in configuration_auto.CONFIG_MAPPING:
        raise PartwiseError(
            f"its model_type is {kind!r:.60}, which is no encoder of texts of the transformers "
            "library; choose one of another kind, such as bert, deberta-v2 or modernbert"
        )
    config = configuration(given, kind)
    return config, AutoModelForTextEncoding if kind in encoding else AutoModel


def configuration(given: Mapping[str, Any], kind: str) -> Any:
    """A transformer's configuration of the content of its config.json, checked; see `architecture`.
    `kind` is its model_type, one of the transformers library. Raises PartwiseError for entries out
    of range."""
    from transformers.models.auto import configuration_auto

    make = configuration_auto.CONFIG_MAPPING[kind]
    if make.sub_configs:
        raise PartwiseError(f"its model_type {kind!r} is made of several networks; choose another")
    dtype = given.get("dtype", given.get("torch_dtype"))
    if dtype not in (None, "float32", "float16", "bfloat16"):
        raise PartwiseError(f"dtype {dtype!r:.60} is none of float32, float16, bfloat16")
    config = make(**_keep(given, make), dtype=dtype)
    if (config.pad_token_id or 0) >= config.vocab_size:
        raise PartwiseError("pad_token_id must be below vocab_size")
    return config


def _keep(given: Mapping[str, Any], make: Any) -> dict[str, Any]:
    """The entries that a kind of network, `make`, may read."""
    from transformers import PretrainedConfig

    plain = make()
    own = plain.to_dict()
    left_out = {*NEUTRAL, *vars(PretrainedConfig).keys() - set(ROTARY), "model_type"}
    kept: dict[str, Any] = {}
    for name, value in {**given, "dtype": None}.items():
        if name in NEUTRAL and value not in (NEUTRAL[name], own.get(name), None):
            raise PartwiseError(f"its {name} must be {NEUTRAL[name]!r} or left out")
        ours = name in own or name in make.attribute_map or name in ROTARY
        if name in left_out:
            continue
        # An entry of another name is for older networks, or a note; it must hide no method.
        if name[:1] == "_" or value is None or not (ours or not hasattr(plain, name)):
            continue
        try:
            check_entry(name, value, own.get(make.attribute_map.get(name, name)))
        except PartwiseError:
            if ours:
                raise
            continue
        kept[name] = value
    return kept


def check_entry(name: str, value: Any, default: Any = None, depth: int = 0) -> None:
    """Check that an entry of a transformer's config.json is one of a network of common size. Raises
    PartwiseError naming the entry."""
    if isinstance(value, (dict, list)):
        _check_inside(name, value, depth)
    elif isinstance(value, str):
        _check_word(name, value)
    elif isinstance(value, float):
        if isinstance(default, int) and default > 1:
            raise PartwiseError(f"{name} must be a whole number, not {value!r}")
        if not abs(value) < 1e39:
            raise PartwiseError(f"{name} must be a finite number, not {value!r}")
    elif isinstance(value, int):
        most = next(bound for words, bound in BOUNDS if words.search(name))
        if abs(value) > most:
            raise PartwiseError(f"{name} must be at most {most}, not {value!r:.60}")


def _check_inside(name: str, value: Any, depth: int) -> None:
    if len(value) > 4 * LAYERS or depth > 2:
        raise PartwiseError(f"{name} has too many values, or too many inside one another")
    pairs = value.items() if isinstance(value, dict) else [(name, item) for item in value]
    for inside, one in pairs:
        if inside in NEUTRAL or inside == "model_type":
            raise PartwiseError(f"{name} may have no entry {inside}")
        check_entry(str(inside), one, depth=depth + 1)


def _check_word(name: str, value: str) -> None:
    from transformers.activations import ACT2FN

    if ACTIVATION.search(name) and value not in ACT2FN:
        raise PartwiseError(f"{name} {value!r:.60} is none of {', '.join(sorted(ACT2FN))}")
    if not re.fullmatch(r"[\w|,. -]{0,64}", value):
        raise PartwiseError(f"{name} must be a short word, not {value!r:.60}")


def read_tokenizer(file: Path) -> Any:
    """A tokenizer that takes linear time and room. Raises PartwiseError for a file that is missing,
    damaged, or has steps that others do not have."""
    from tokenizers import Tokenizer

    content = read_json(file, LARGEST)
    if not isinstance(content, dict):
        raise PartwiseError(f"{file} is no tokenizer")
    check_steps(content)
    with guard_tokenizers(f"{file} is damaged"):
        return Tokenizer.from_file(str(file))


def check_steps(content: Mapping[str, Any]) -> None:
    """Check the steps of a tokenizer's file. Raises PartwiseError for a step whose work or text is
    not bounded by the question's length."""
    for part in ("normalizer", "pre_tokenizer", "post_processor", "decoder"):
        steps = list(_steps(content.get(part)))
        if len(steps) > STEPS:
            raise PartwiseError(f"the tokenizer has more than {STEPS} steps in its {part}")
        for step in steps:
            _check_step(step)


def _steps(part: Any) -> Iterator[Mapping[str, Any]]:
    if isinstance(part, dict):
        yield part
        for value in part.values():
            yield from _steps(value)
    elif isinstance(part, list):
        for value in part:
            yield from _steps(value)


def _check_step(step: Mapping[str, Any]) -> None:
    if "Regex" in step:
        check_regex(str(step["Regex"]))
    if step.get("type") == "Replace":
        pattern = step.get("pattern")
        replaced = next(iter(pattern.values()), "") if isinstance(pattern, dict) else ""
        most = 1 if isinstance(pattern, dict) and "Regex" in pattern else len(str(replaced))
        if not 0 < len(str(step.get("content", ""))) <= most:
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
def guard_tokenizers(what: str) -> Iterator[None]:
    """Errors of the tokenizers library as ours. Raises PartwiseError in their place."""
    try:
        yield
    except (PartwiseError, KeyboardInterrupt, SystemExit, GeneratorExit):
        raise
    except BaseException as error:
        # Where its code stops with an assertion, that is no `Exception`.
        raise PartwiseError(f"{what} ({error!s:.200}); copy the encoder again") from error
