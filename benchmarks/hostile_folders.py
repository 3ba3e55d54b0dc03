"""Hostile model folders: each must load and answer, or be refused with a clear error.

    python benchmarks/hostile_folders.py [--cases 2400] [--seed 1] [--show]

A case is a saved parser with up to three changes: of JSON values, of bytes, of the list of tensors,
of weights, or of what stands at a file's place. Its manifest is then left as it was, made again as
who made the folder would, or taken away. Prints how many were refused and how many answered.
"""

from __future__ import annotations

import argparse
import collections
import contextlib
import json
import os
import random
import resource
import shutil
import struct
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import torch

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))
from library import Library, without_manifest
from partwise.domains.films.domain import FILMS
from partwise.encoders.base import Encoder, make_encoder
from partwise.encoders.distilled import DistilledEncoder
from partwise.encoders.pretrained import PretrainedEncoder
from partwise.errors import PartwiseError
from partwise.language.text import tokenize
from partwise.span.config import SpanParserConfig
from partwise.span.parser import SpanParser
from partwise.training.store import load_parser, write_manifest

FOLDERS = Path(__file__).resolve().parent.parent / "tests" / "compatibility" / "folders"
QUESTIONS = {"library": "which books did austen write ?", "films": "Who directed M0"}
SLOW = 1.0
"""Seconds of processor time that no case may take."""
NUMBERS = (0, 1, -1, 2, 3, 17, 2**16, 10**6, 2**31, 2**63, 10**30, 0.5, 1e308, -1e-308)
VALUES: tuple[Any, ...] = (
    *NUMBERS,
    *(None, True, False, float("nan"), float("inf"), "", "x", "gelu", "x" * 5000, "\ud800", "../x"),
    *("/etc/passwd", [], {}, [[]], ["a", 1], [1.5] * 3, {"": ""}, {"type": "Lowercase"}, "φ"),
    {"type": "Replace", "pattern": {"Regex": "(a+)+$"}, "content": ""},
    {"type": "Replace", "pattern": {"String": "a"}, "content": "aaaaaaaa"},
    {"type": "Precompiled", "precompiled_charsmap": "AAAA"},
    {"type": "Split", "pattern": {"Regex": "(x+x+)+y"}, "behavior": "Isolated", "invert": False},
)
NAMES = (
    *("auto_map", "quantization_config", "_attn_implementation", "attn_implementation", "dtype"),
    *("is_decoder", "num_hidden_layers", "hidden_size", "vocab_size", "model_type", "members"),
    *("layers", "format", "kind", "rules", "temperature", "n_layers", "type", "normalizer"),
    *("torch_dtype", "chunk_size_feed_forward", "tokenizer_class", "pruned_heads", "id2label"),
    *("num_labels", "position_embedding_type", "pad_token_id", "output_attentions", "use_cache"),
)


def small_transformer(place: Path) -> Encoder:
    """A transformer of two layers with a tokenizer of a few words."""
    from tokenizers import Tokenizer, normalizers, pre_tokenizers, processors
    from tokenizers.models import WordPiece
    from transformers import BertConfig, BertModel

    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", *"abcdefghijklmnopqrstuvwxyz?", "##s", "which"]
    pieces = Tokenizer(WordPiece({w: n for n, w in enumerate(words)}, unk_token="[UNK]"))
    pieces.normalizer = normalizers.BertNormalizer()
    pieces.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    pieces.post_processor = processors.TemplateProcessing(
        "[CLS] $A [SEP]", None, [("[CLS]", 2), ("[SEP]", 3)]
    )
    place.mkdir()
    pieces.save(str(place / "tokenizer.json"))
    sizes = {"hidden_size": 8, "num_hidden_layers": 2, "num_attention_heads": 2}
    config = BertConfig(
        vocab_size=len(words), intermediate_size=8, max_position_embeddings=64, **sizes
    )
    BertModel(config).save_pretrained(place)
    return PretrainedEncoder("small", place)


def bases(place: Path) -> list[Path]:
    """Small parsers of all kinds, saved, their weights at random."""
    torch.manual_seed(0)
    words = [tokenize(QUESTIONS["library"])]
    encoders = {
        "bilstm": make_encoder("bilstm", words),
        "distilled": DistilledEncoder(["which"], ["books"], width=4, size=8, layers=1),
        "transformer": small_transformer(place / "small"),
    }
    for name, encoder in encoders.items():
        config = SpanParserConfig(encoder=name, hidden=8)
        SpanParser(Library(), config, encoder).eval().save_pretrained(place / name)
    shutil.copytree(FOLDERS / "graph-0.2.0", place / "graph")
    (place / "graph" / "expected.json").unlink()
    shutil.copytree(
        Path(sys.modules["partwise.domains"].__path__[0]) / "pretrained" / "films",
        place / "composed",
    )
    return [place / name for name in (*encoders, "graph", "composed")]


# --- changes ---------------------------------------------------------------------------------


def places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Every container inside of a JSON value, with a key; of long lists a few."""
    keys = list(value) if isinstance(value, dict) else list(range(len(value)))
    for key in keys if len(keys) < 50 else [*keys[:20], *keys[-20:]]:
        yield value, key
        if isinstance(value[key], (dict, list)):
            yield from places(value[key])


def change_value(value: Any, rng: random.Random) -> Any:
    """A JSON value with one change inside, or another one."""
    known = list(places(value)) if isinstance(value, (dict, list)) else []
    if not known or rng.random() < 0.02:
        return rng.choice(VALUES)
    inside, key = rng.choice(known)
    how = rng.randrange(6)
    if how < 3:
        inside[key] = rng.choice(VALUES)
    elif how == 3:
        del inside[key]
    elif how == 4 and isinstance(inside, dict):
        inside[rng.choice(NAMES)] = rng.choice(VALUES)
    elif isinstance(inside[key], bool) or not isinstance(inside[key], (int, float)):
        other, there = rng.choice(known)
        inside[key], other[there] = other[there], inside[key]
    else:
        inside[key] = inside[key] * rng.choice((-1, 0, 2, 1000, 10**9)) + rng.choice((0, 1, -1))
    return value


def change_json(file: Path, rng: random.Random) -> None:
    """Change a value in a JSON file."""
    made = change_value(json.loads(file.read_text(encoding="utf-8")), rng)
    text = json.dumps(made)
    if rng.random() < 0.05:
        text = text.replace(",", ',"kind": 7,', 1)
    file.write_text(text, encoding="utf-8")


def change_bytes(file: Path, rng: random.Random) -> None:
    """Change the bytes of a file, whatever it is."""
    data = bytearray(file.read_bytes()[: 1 << 20])
    start = rng.randrange(len(data) + 1)
    hostile = (
        *(b"", b"[" * 10**5, b'{"a":' * 10**5, b"9" * 5000, b"\xff\xfe", b"\xef\xbb\xbf{}", b"NaN"),
        *(
            b"null",
            b"1e999",
            "[1]".encode("utf-16"),
            b"\0" * 100,
            b'"\\ud800"',
            b"[" + b"0," * 10**5,
        ),
    )
    how = rng.randrange(5)
    if how == 0:
        data = bytearray(rng.choice(hostile))
    elif how == 1:
        del data[start:]
    elif how == 2:
        data[start:start] = rng.choice(hostile)
    else:
        for _ in range(rng.choice((1, 1, 10))):
            if data:
                data[rng.randrange(len(data))] = rng.randrange(256)
    file.write_bytes(data)


def change_tensors(file: Path, rng: random.Random) -> None:
    """Change the list of tensors of a file, its length, or what the tensors hold."""
    data = file.read_bytes()
    (length,) = struct.unpack("<Q", data[:8])
    listed, rest = json.loads(data[8 : 8 + length]), data[8 + length :]
    name = rng.choice([one for one in listed if one != "__metadata__"])
    how = rng.randrange(7)
    if how == 0:
        listed[name]["shape"] = rng.choice(([], [0], [2**62, 4], [-1], ["2"], [2**31] * 9, None))
    elif how == 1:
        types = ("F64", "F8_E4M3", "C64", "I64", "BOOL", "F4", "", None, "BF16")
        listed[name]["dtype"] = rng.choice(types)
    elif how == 2:
        listed[name]["data_offsets"] = rng.choice(([0, 0], [-1, 5], [5, 1], [0, 2**63], [0], None))
    elif how == 3:
        listed[rng.choice((*NAMES, "x" * 10**5, "../x"))] = listed.pop(name)
    elif how == 4:
        listed = change_value(listed, rng)
    elif how == 5:
        bits = rng.choice((b"\xff", b"\x7f\x80", b"\0", b"\x7f\x7f", rng.randbytes(7)))
        rest = (bits * (len(rest) // len(bits) + 1))[: len(rest)]
    packed = json.dumps(listed).encode()
    packed += b" " * (-len(packed) % 8)
    length = len(packed) if how < 6 else rng.choice((0, 2**63, 2**40, 10**8, len(packed) + 8, 7))
    file.write_bytes(struct.pack("<Q", length) + packed + rest)


def change_place(file: Path, rng: random.Random) -> None:
    """Put something else at a file's place."""
    how = rng.randrange(8)
    if how != 7:
        file.unlink()
    if how < 4:
        file.symlink_to(rng.choice(("/dev/zero", "/etc/passwd", file.name, "nowhere", "/", "..")))
    elif how == 4:
        file.mkdir()
    elif how == 5:
        os.mkfifo(file)
    elif how == 7:
        os.truncate(file, rng.choice((0, 1, 7, 8, 2**20, 2**33, 2**40)))


def hostile(base: Path, place: Path, seed: object) -> None:
    """Make a hostile copy of a saved parser."""
    rng = random.Random(str(seed))
    if place.exists():
        shutil.rmtree(place)
    shutil.copytree(base, place)
    how = rng.randrange(10)
    if how > 5:
        without_manifest(place)
    files = sorted(file for file in place.rglob("*") if file.is_file() and file.suffix != ".md")
    for file in rng.sample(files, rng.choice((1, 1, 1, 2, 3))):
        ways: list[Callable[[Path, random.Random], None]] = [change_bytes, change_place]
        own = {".safetensors": change_tensors, ".json": change_json}
        ways += 6 * [own.get(file.suffix, change_bytes)]
        rng.choice(ways)(file, rng)
    if 0 < how <= 5:
        # As who made it would have made it; else every change is told by its hash alone.
        sizes = [f.stat().st_size for f in place.rglob("*") if f.is_file()]
        with contextlib.suppress(PartwiseError, LookupError, TypeError, OSError, ValueError):
            if max(sizes) < 2**24:
                write_manifest(place)


class Hostile:
    """Makes and tries cases.

    Args:
        place: a folder for them.
    """

    def __init__(self, place: Path) -> None:
        self.place, self.bases = place, bases(place)
        for base in self.bases:
            self.ask(base, base)

    def __call__(self, seed: object) -> None:
        """Try one case.

        Raises:
            PartwiseError: if the folder is refused.
        """
        base = self.bases[random.Random(f"base {seed}").randrange(len(self.bases))]
        hostile(base, self.place / "case", seed)
        self.ask(self.place / "case", base)

    def ask(self, folder: Path, base: Path) -> None:
        """Load a folder and ask it."""
        domain: Any = Library() if base.name in ("bilstm", "distilled", "transformer") else FILMS
        for trainable in (False, True):
            load_parser(folder, domain, trainable=trainable)(QUESTIONS[domain.name], 2)


def main() -> None:
    """Try as many cases as the options say."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--cases", type=int, default=2400)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--show", action="store_true", help="print each message")
    given = options.parse_args()
    warnings.simplefilter("ignore")
    counts, slowest, wrong = collections.Counter[str](), 0.0, 0
    with tempfile.TemporaryDirectory(
        dir="/dev/shm" if os.path.isdir("/dev/shm") else None
    ) as place:
        attack = Hostile(Path(place))
        used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        for number in range(given.cases):
            seed, begin = f"{given.seed} {number}", time.process_time()
            try:
                attack(seed)
                what, text = "answered", ""
            except PartwiseError as error:
                what, text = "refused", str(error)
            except Exception as error:
                what, text = "RAW", f"{seed}: {type(error).__name__}: {error!s:.200}"
                wrong += 1
                print(text, flush=True)
            counts[what] += 1
            spent = time.process_time() - begin
            slowest = max(slowest, spent)
            if spent > SLOW:
                wrong += 1
                print(f"SLOW {seed}: {spent:.1f} s: {text:.200}", flush=True)
            if given.show:
                print(f"{seed}: {what} {text:.300}")
        grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - used) / 1024
    print(f"{dict(counts)}; slowest {slowest:.2f} s; memory grew by {grown:.0f} MiB")
    sys.exit(wrong > 0)


if __name__ == "__main__":
    main()
