"""Folders of pretrained encoder-decoders, tiny and with random weights."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import torch
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers
from tokenizers.processors import TemplateProcessing
from transformers import (
    BartConfig,
    BartForConditionalGeneration,
    BertConfig,
    BertModel,
    PreTrainedTokenizerFast,
    T5Config,
    T5ForConditionalGeneration,
)

SIZE = 64
NAMES = ("<pad>", "<s>", "</s>", "<unk>")


def _framed(tokenizer: Any, single: str) -> Any:
    numbers = [(name, tokenizer.token_to_id(name)) for name in single.split() if name != "$A"]
    tokenizer.post_processor = TemplateProcessing(single=single, special_tokens=numbers)
    return tokenizer


def bart(texts: Iterable[str]) -> tuple[Any, Any]:
    """Pieces of bytes, as BART has them."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=700, special_tokens=list(NAMES), initial_alphabet=alphabet, show_progress=False
    )
    tokenizer.train_from_iterator(texts, trainer)
    sides = {f"{side}_layers": 1 for side in ("encoder", "decoder")}
    heads = {f"{side}_attention_heads": 2 for side in ("encoder", "decoder")}
    inner = {f"{side}_ffn_dim": 64 for side in ("encoder", "decoder")}
    config = BartConfig(
        **{**sides, **heads, **inner, "d_model": SIZE, "dropout": 0.0, "pad_token_id": 0},
        **{"bos_token_id": 1, "eos_token_id": 2, "decoder_start_token_id": 2},
        **{"vocab_size": tokenizer.get_vocab_size(), "max_position_embeddings": 128},
        init_std=0.1,
    )
    return _framed(tokenizer, "<s> $A </s>"), BartForConditionalGeneration(config)


def t5(texts: Iterable[str]) -> tuple[Any, Any]:
    """Pieces of sentences, as T5 has them; no brackets are among them. The network is of
    version 1.1, which does not scale what the decoder gives."""
    tokenizer = Tokenizer(models.BPE(unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.decoder = decoders.Metaspace()
    trainer = trainers.BpeTrainer(vocab_size=700, special_tokens=list(NAMES), show_progress=False)
    plain = (text.replace("(", "").replace(")", "") for text in texts)
    tokenizer.train_from_iterator(plain, trainer)
    config = T5Config(
        **{"vocab_size": tokenizer.get_vocab_size(), "d_model": SIZE, "d_kv": 32, "d_ff": 64},
        **{"num_layers": 1, "num_heads": 2, "dropout_rate": 0.0, "pad_token_id": 0},
        **{"eos_token_id": 2, "decoder_start_token_id": 0, "tie_word_embeddings": False},
        initializer_factor=0.3,
    )
    return _framed(tokenizer, "$A </s>"), T5ForConditionalGeneration(config)


def bert(texts: Iterable[str]) -> tuple[Any, Any]:
    """Pieces of words without capitals, as BERT has them."""
    special = ["[PAD]", "[CLS]", "[SEP]", "[UNK]"]
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.WordPiece()
    trainer = trainers.WordPieceTrainer(vocab_size=500, special_tokens=special, show_progress=False)
    tokenizer.train_from_iterator(texts, trainer)
    config = BertConfig(
        **{"vocab_size": tokenizer.get_vocab_size(), "hidden_size": SIZE, "num_hidden_layers": 1},
        **{"num_attention_heads": 2, "intermediate_size": 64, "max_position_embeddings": 128},
        **{"hidden_dropout_prob": 0.0, "attention_probs_dropout_prob": 0.0},
        initializer_range=0.1,
    )
    return _framed(tokenizer, "[CLS] $A [SEP]"), BertModel(config)


KINDS: dict[str, Callable[[Iterable[str]], tuple[Any, Any]]] = {
    "bart": bart,
    "t5": t5,
    "bert": bert,
}


def write(kind: str, texts: Iterable[str], folder: Path) -> str:
    """A folder as the hub has them."""
    torch.manual_seed(0)
    tokenizer, model = KINDS[kind](texts)
    model.save_pretrained(folder)
    PreTrainedTokenizerFast(tokenizer_object=tokenizer).save_pretrained(folder)
    return str(folder)
