"""Settings of sequence-to-sequence parsers, checked when made, and the systems of the papers that
are combinations of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from partwise.errors import PartwiseError
from partwise.interface.settings import check, setting, to_record, variant_of

STACK = "stack"
"""The encoder that is built like the decoder."""


@dataclass(frozen=True)
class Seq2SeqConfig:
    """How a sequence-to-sequence parser is built.

    Attributes:
        system: Which system of the papers it is; the other settings are those of the system where
            they are not given. See partwise_papers.seq2seq.config.
        decoder: lstm: an LSTM with attention and input feeding. transformer, universal, evolved,
            t5: stacks of attention layers, see partwise_papers.seq2seq.stacks.
        encoder: bilstm, minilm, or a Hugging Face folder or name. stack: layers like those of the
            decoder over word vectors, with a decoder of attention layers.
        contextual: A frozen encoder whose vectors are added to the word vectors of a bilstm, as
            minilm; none if empty.
        copy: Whether words of the question may be copied (pointer-generator).
        form: What is written: text is the program or the query as it is. Others are named in
            partwise_papers.seq2seq.parser; rules are always constrained.
        constrained: Whether only well-typed programs are written.
        hidden: Size of vectors.
        layers: Layers of the decoder, and of an encoder that is a stack; a universal one has one,
            however many are set, and an evolved one has cells, each as deep as two layers.
        heads: Heads of attention layers.
        feedforward: Size of the inner layers of attention layers.
        act_steps: How often a universal stack uses its layer, at most.
        act_penalty: What a universal stack adds to the loss for each time, on the mean.
        dropout: Dropout of the decoder and of stacks; other encoders have their own.
        smoothing: Label smoothing.
        beam: Width of the search; 1 is greedy.
        longest: Tokens of the longest output.
        max_words: Longer questions are not parsed.
        frozen_layers: Lowest layers of a pretrained encoder that are not trained.
        pretrained: A pretrained encoder-decoder that is fine-tuned in place of all parts above, all
            of it and with its own tokenizer: a Hugging Face folder or name of a BART or a T5, or of
            a BERT, as minilm, which is then on both sides. Only form, smoothing, beam, longest and
            max_words say something beside it. None if empty.
    """

    system: str = "seq2seq"
    decoder: Literal["lstm", "transformer", "universal", "evolved", "t5"] = "lstm"
    encoder: str = "bilstm"
    contextual: str = ""
    copy: bool = True
    form: str = "text"
    constrained: bool = False
    hidden: int = setting(256, least=8, most=2**12)
    layers: int = setting(2, least=1, most=48)
    heads: int = setting(4, least=1, most=64)
    feedforward: int = setting(512, least=8, most=2**14)
    act_steps: int = setting(6, least=1, most=100)
    act_penalty: float = setting(0.01, least=0)
    dropout: float = setting(0.2, least=0, below=1)
    smoothing: float = setting(0.0, least=0, below=1)
    beam: int = setting(4, least=1, most=64)
    longest: int = setting(300, least=2, most=2000)
    max_words: int = setting(80, least=1, most=1000)
    frozen_layers: int = setting(1, least=0, most=100)
    pretrained: str = ""

    def __post_init__(self) -> None:
        check(self)
        if self.hidden % self.heads:
            raise PartwiseError(f"hidden {self.hidden} is no multiple of heads {self.heads}")
        if self.decoder == "lstm" and self.encoder == STACK:
            raise PartwiseError("an lstm decoder has no stack; choose the encoder bilstm")
        if self.decoder == "evolved":
            self._check_cells()
        if self.contextual and self.encoder != "bilstm":
            raise PartwiseError("contextual vectors are added to those of the encoder bilstm")
        if self.constrained and self.form in {"rir", "lir"}:
            raise PartwiseError(
                f"outputs of the form {self.form} are no programs, and cannot be constrained to "
                "well-typed ones; leave out constrained, or take another form"
            )
        if self.pretrained and (self.contextual or self.constrained):
            raise PartwiseError(
                "a pretrained encoder-decoder is neither constrained nor has contextual vectors "
                "beside it; leave out pretrained, or these"
            )

    def _check_cells(self) -> None:
        """Check what the cells need: an attention of twice the heads, and a branch to fill up."""
        if self.hidden % (2 * self.heads):
            raise PartwiseError(
                f"hidden {self.hidden} is no multiple of twice heads {self.heads}, which an "
                "evolved decoder needs"
            )
        if self.feedforward < self.hidden // 2:
            raise PartwiseError(
                f"feedforward {self.feedforward} is less than half of hidden {self.hidden}, which "
                "an evolved encoder needs"
            )


STACKED = ("transformer", "universal", "evolved", "t5")
"""Systems that are a stack over a stack, without copying."""
SYSTEMS: dict[str, Mapping[str, Any]] = {
    "seq2seq": {},
    "contextual": {"contextual": "minilm"},
    "bert2seq": {"encoder": "minilm", "decoder": "transformer"},
    "grammar": {"form": "rules"},
    "bart": {"pretrained": "facebook/bart-base"},
    "bert2bert": {"pretrained": "minilm"},
    "lstm": {"copy": False},
    **{name: {"decoder": name, "encoder": STACK, "copy": False} for name in STACKED},
    **{
        f"{form}-{name}": {"decoder": name, "encoder": STACK, "copy": False, "form": form}
        for form in ("rir", "lir")
        for name in ("transformer", "t5")
    },
    "cbr": {"decoder": "transformer", "encoder": STACK},
}
"""Name of a system -> its settings where they are not the defaults."""
FEW = 2000
"""With fewer training questions than this, more passes in smaller batches are needed."""


def presets(given: Mapping[str, Any], usual: str, size: int) -> dict[str, Any]:
    """Settings to use where the user gives none; raises PartwiseError for a system that is not
    known.

    Args:
        given: what the user gave; `system` says whose settings they are.
        usual: the system, if that is not given.
        size: number of training examples.
    """
    name = given.get("system", usual)
    if name not in SYSTEMS:
        raise PartwiseError(f"system {name!r} is none of {', '.join(SYSTEMS)}")
    steps: dict[str, Any]
    steps = {"epochs": 50, "batch_size": 8} if size < FEW else {"epochs": 10, "batch_size": 32}
    if SYSTEMS[name].get("pretrained") or given.get("pretrained"):
        few = size < FEW
        steps = {"epochs": 30, "batch_size": 16} if few else {"epochs": 10, "batch_size": 32}
        # The side of the decoder of a BERT is far from what it was trained for.
        slow = 2e-4 if name == "bert2bert" else 1e-4
        steps |= {"encoder_rate": slow, "head_rate": 1e-3, "precision": "auto"}
    return {**SYSTEMS[name], **steps, "keep": "last"}


def variant(config: Seq2SeqConfig) -> str:
    """The name of the system, and whatever is not as it has it: ``lstm-beam1``."""
    usual = {
        **to_record(type(config)()),
        **SYSTEMS.get(config.system, {}),
        "system": config.system,
    }
    return variant_of(config.system, config, usual)
