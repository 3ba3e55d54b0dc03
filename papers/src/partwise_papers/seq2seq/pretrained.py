"""Parsers that are pretrained encoder-decoders, fine-tuned: BART, T5, and a BERT on both sides
(Rothe et al. 2020). Questions and outputs are pieces of the tokenizer; output tokens that the
pieces do not give back have a number each."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from itertools import groupby
from pathlib import Path
from typing import Any, Self

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from partwise.encoders.architecture import configuration
from partwise.encoders.pretrained import (
    REFUSED,
    TENSORS,
    build_filled,
    check_parameters,
    question_tokenizer,
    read_entries,
    source_of,
)
from partwise.encoders.storage import read_json, read_names, write_json
from partwise.encoders.tensors import bound_building, without_memory
from partwise.errors import PartwiseError
from partwise.evaluation.confidence import Vectors, pool_vectors
from partwise.interface.data import Example
from partwise.language.text import Words, tokenize
from partwise.training.neural import Unusable
from partwise.training.store import ENCODER
from partwise.training.trainer import LossReport
from partwise_papers.seq2seq.config import Seq2SeqConfig
from partwise_papers.seq2seq.decoding import Hypothesis
from partwise_papers.seq2seq.parser import FORM, FORMS, TOKENS, Item, Seq2SeqParser, form_of

NONE = -1
"""What is no number of a piece."""


class PieceVocabulary:
    """Tokens of outputs as pieces; those that the pieces do not give back have a number each.

    The numbers of pieces come first, in the order of the tokenizer; behind them stand the added
    tokens.

    Args:
        tokenizer: of the tokenizers library.
        pieces: how many numbers the tokenizer has.
        added: tokens that are no sequence of pieces.
        kept: the pieces that are written; none for all. In the place of others stands the piece for
            what is unknown, which is among them.

    Raises:
        PartwiseError: if the tokenizer lacks a piece that is kept, or one that it puts around texts
            is not kept.
    """

    def __init__(
        self,
        tokenizer: Any,
        pieces: int,
        added: Sequence[str] = (),
        kept: Sequence[str] = (),
    ) -> None:
        self.tokenizer, self.added, self.names = tokenizer, tuple(added), tuple(kept)
        self.kept = [_number(tokenizer, name) for name in kept] if kept else range(pieces)
        self.pieces = len(self.kept)
        self._places = {piece: place for place, piece in enumerate(self.kept)}
        self._unknown = self._places.get(unknown(tokenizer), 0)
        self.numbers = {token: self.pieces + number for number, token in enumerate(self.added)}
        self.begin, self.end = self._frame()

    @classmethod
    def of(
        cls,
        tokenizer: Any,
        pieces: int,
        outputs: Iterable[Sequence[str]],
        read: Iterable[int] | None = None,
    ) -> PieceVocabulary:
        """That of training outputs: what pieces do not give back is added.

        Args:
            read: the pieces of training questions. If given, these and those of the outputs are
                kept, and no others.
        """
        plain = cls(tokenizer, pieces)
        tokens = dict.fromkeys(token for output in outputs for token in output)
        added = [token for token in tokens if not plain.gives_back(token)]
        if read is None:
            return cls(tokenizer, pieces, added)
        written = (piece for token in tokens for piece in plain.token_numbers(token))
        frame = [*plain.begin, plain.end, unknown(tokenizer)]
        kept = sorted({*frame, *read, *written} - {NONE})
        return cls(tokenizer, pieces, added, [tokenizer.id_to_token(number) for number in kept])

    def _frame(self) -> tuple[list[int], int]:
        """The pieces that stand before every text, and the one behind."""
        frame = self.tokenizer.encode("").ids
        if not self._places.keys() >= {*frame}:
            raise PartwiseError("pieces that frame a text are not kept; train the parser again")
        *begin, end = (self._places[number] for number in frame)
        return begin, end

    def __len__(self) -> int:
        return self.pieces + len(self.added)

    def gives_back(self, token: str) -> bool:
        """Whether the pieces of a token are read as this token."""
        return self.output(self.token_numbers(token), ()) == [token]

    def token_numbers(self, token: str) -> list[int]:
        """The numbers of a token."""
        if token in self.numbers:
            return [self.numbers[token]]
        # As it is read inside a text.
        ids = self.tokenizer.encode(f" {token}", add_special_tokens=False).ids
        return [self._places.get(number, self._unknown) for number in ids]

    def output_numbers(self, output: Sequence[str], words: Sequence[str]) -> list[int]:
        """Numbers of an output, with the tokenizer's own pieces before and behind it."""
        inside = (number for token in output for number in self.token_numbers(token))
        return [*self.begin, *inside, self.end]

    def output(self, numbers: Iterable[int], words: Sequence[str]) -> list[str]:
        """The tokens of numbers, without the tokenizer's own pieces."""
        made: list[str] = []
        for plain, some in groupby(numbers, lambda number: number < self.pieces):
            if plain:
                made += self.tokenizer.decode([self.kept[number] for number in some]).split()
            else:
                made += (self.added[number - self.pieces] for number in some)
        return made


def _number(tokenizer: Any, name: str) -> int:
    number = tokenizer.token_to_id(name)
    if number is None:
        raise PartwiseError(f"the tokenizer has no piece {name!r:.60}; train the parser again")
    return int(number)


def unknown(tokenizer: Any) -> int:
    """The number that a WordPiece tokenizer has for what it does not know; `NONE` for others."""
    name = getattr(tokenizer.model, "unk_token", None)
    found = None if name is None else tokenizer.token_to_id(name)
    return NONE if found is None else int(found)


def lossless(tokenizer: Any) -> Any:
    """The tokenizer, its decoder changed so that it joins no words, as that of BERT does."""
    from tokenizers.decoders import WordPiece

    if isinstance(tokenizer.decoder, WordPiece):
        tokenizer.decoder = WordPiece(prefix=tokenizer.decoder.prefix, cleanup=False)
    return tokenizer


Loaded = tuple[Any, Any, Any]
"""A network, its tokenizer, and its configuration as it was read."""
Part = Callable[[Any, Any], nn.Module]
"""Makes a network: a class of transformers that chooses by configuration, and that."""


def _whole(part: Part, config: Any) -> nn.Module:
    from transformers import AutoModelForSeq2SeqLM

    return part(AutoModelForSeq2SeqLM, config)


def _both_sides(part: Part, config: Any) -> nn.Module:
    from transformers import AutoModel, AutoModelForCausalLM, EncoderDecoderModel

    encoder: Any = part(AutoModel, config)
    # The sentence vector is not used.
    encoder.pooler = None
    entries = {**config.to_dict(), "is_decoder": True, "add_cross_attention": True}
    decoder: Any = part(AutoModelForCausalLM, type(config)(**entries))
    return EncoderDecoderModel(encoder=encoder, decoder=decoder)


WRITERS: Mapping[str, Callable[[Part, Any], nn.Module]] = {
    **dict.fromkeys(("bart", "t5"), _whole),
    "bert": _both_sides,
}
"""model_type of a config.json -> what makes the network."""
NEW = ("crossattention", "predictions.transform")
"""In the names of what a BERT lacks on the side of the decoder."""
LACKING = (*NEW, "cls.predictions", "pooler", "lm_head", "final_logits_bias")
"""In the names of all that a checkpoint need not have."""


def load_writer(name: str, folder: Path | None = None) -> Loaded:
    """A network that writes, its tokenizer, and its configuration; raises PartwiseError if it
    cannot be loaded.

    Args:
        name: minilm, a folder, or a hub name.
        folder: where the tokenizer and the configuration are read from; weights are random if
            given (a checkpoint fills them in).
    """
    source = source_of(name, folder)
    try:
        entries = read_entries(source)
        kind = str(entries.get("model_type"))
        if kind not in WRITERS:
            raise PartwiseError(f"its model_type {kind!r:.60} is none of {', '.join(WRITERS)}")
        config = configuration(entries, kind)
        tokenizer = lossless(question_tokenizer(source, folder is not None, config))
        return _network(source, config, folder is None), tokenizer, config
    except Exception as error:
        raise PartwiseError(
            f"cannot load the pretrained encoder-decoder {name!r}: {error}. Give a folder with "
            "config.json, tokenizer.json and model.safetensors"
        ) from error


def _network(source: str, config: Any, weights: bool) -> nn.Module:
    def empty(auto: Any, config: Any) -> nn.Module:
        made: nn.Module = auto.from_config(config, **REFUSED)
        return made

    def load(auto: Any, config: Any) -> nn.Module:
        made: nn.Module = build_filled(auto, source, config, LACKING)
        return made

    make = WRITERS[config.model_type]
    bare = torch.get_default_device().type == "meta"
    if weights and not bare:
        with without_memory(), bound_building(TENSORS):
            check_parameters(make(empty, config))
        return make(load, config)
    network = make(empty, config)
    check_parameters(network)
    return network


def save_writer(tokenizer: Any, config: Any, folder: Path) -> None:
    """Write what `load_writer` reads beside the weights."""
    os.makedirs(folder, exist_ok=True)
    tokenizer.save(str(folder / "tokenizer.json"), pretty=False)
    config.save_pretrained(folder)


LONGEST = 512
"""The most pieces of a question or an output."""
LEFT_OUT = -100
"""What torch's cross entropy takes for padding."""


class PretrainedNetwork(nn.Module):
    """A pretrained encoder-decoder, whose output vocabulary has more tokens than its pieces.

    Args:
        folder: of a saved one, its weights still to be filled in; None to load pretrained weights.
        added: tokens that have no pieces.
        kept: the pieces that are written; see `PieceVocabulary`.
    """

    def __init__(
        self,
        config: Seq2SeqConfig,
        folder: Path | None = None,
        added: Sequence[str] = (),
        kept: Sequence[str] = (),
    ) -> None:
        super().__init__()
        from transformers import GenerationConfig

        self.config = config
        self.model, tokenizer, self.source = load_writer(config.pretrained, folder)
        self.vocabulary = PieceVocabulary(tokenizer, int(self.source.vocab_size), added, kept)
        self._resize()
        # Settings that came with the weights are for other tasks.
        self.model.generation_config = GenerationConfig()  # type: ignore[no-untyped-call]

    @classmethod
    def of(
        cls, config: Seq2SeqConfig, outputs: Sequence[Sequence[str]], questions: Iterable[Words]
    ) -> Self:
        """With the tokens of training outputs; a new one begins as the mean of its pieces.

        A BERT's decoder, whose embeddings are not those of its encoder, keeps the pieces of
        training questions and outputs alone: to score all takes most of the time.
        """
        made = cls(config)
        old = made.vocabulary
        read = None
        if made._has_own_embeddings:
            read = {piece for words in questions for piece in made.pieces(words)}
        made.vocabulary = new = PieceVocabulary.of(old.tokenizer, old.pieces, outputs, read)
        before = [parameter.detach().clone() for parameter in made._of_pieces()]
        made._resize()
        with torch.no_grad():
            for rows, whole in zip(made._of_pieces(), before, strict=True):
                rows[: new.pieces] = whole[list(new.kept)]
                for token, number in new.numbers.items():
                    ids = old.token_numbers(token)
                    rows[number] = whole[ids or list(new.kept)].mean(0)
        return made

    @property
    def _has_own_embeddings(self) -> bool:
        """Whether the decoder has embeddings of its own, as a BERT on both sides has."""
        return bool(self.source.model_type == "bert")

    @property
    def _output_part(self) -> Any:
        """The part whose embeddings are those of outputs."""
        return self.model.decoder if self._has_own_embeddings else self.model

    def _of_pieces(self) -> list[Tensor]:
        """What has a row for each piece: vectors as it is read again and as it is scored, and its
        bias."""
        read, scored = (
            self._output_part.get_input_embeddings(),
            self._output_part.get_output_embeddings(),
        )
        found = [read.weight, scored.weight, getattr(scored, "bias", None)]
        return [one for one in found if one is not None]

    def _resize(self) -> None:
        if len(self.vocabulary) != self.source.vocab_size:
            self._output_part.resize_token_embeddings(len(self.vocabulary), mean_resizing=False)

    @cached_property
    def start(self) -> int:
        """What stands before each output."""
        given = getattr(self.source, "decoder_start_token_id", None)
        # A BERT begins with [CLS], T5 with padding.
        other = self.vocabulary.begin[:1] or [self.padding]
        return int(other[0] if given is None else given)

    @cached_property
    def padding(self) -> int:
        """The number of padding."""
        return int(self.source.pad_token_id or 0)

    @property
    def limit(self) -> int:
        """Pieces of the longest question or output."""
        return min(LONGEST, getattr(self.source, "max_position_embeddings", LONGEST))

    def pieces(self, words: Words) -> list[int]:
        """The pieces of a question."""
        ids: list[int] = self.vocabulary.tokenizer.encode(words.text).ids
        return ids

    def fits(self, words: Words) -> bool:
        """Whether a question is short enough."""
        return len(self.pieces(words)) <= self.limit

    def _rows(self, rows: Sequence[Sequence[int]], padding: int) -> Tensor:
        longest = max(map(len, rows))
        full = [[*row, *[padding] * (longest - len(row))] for row in rows]
        return torch.tensor(full, device=next(self.parameters()).device)

    def _read(self, batch: Sequence[Words]) -> dict[str, Tensor]:
        rows = [self.pieces(words) for words in batch]
        mask = self._rows([[1] * len(row) for row in rows], 0)
        return {"input_ids": self._rows(rows, self.padding), "attention_mask": mask}

    def loss(self, batch: Sequence[Words], outputs: Sequence[Sequence[int]]) -> Tensor:
        """The mean over pieces of minus their log-likelihood (`outputs`: numbers of what is right,
        with the end)."""
        # What stands behind an output is never read.
        before = self._rows([[self.start, *row[:-1]] for row in outputs], self.vocabulary.end)
        gold = self._rows(outputs, LEFT_OUT)
        logits = self.model(**self._read(batch), decoder_input_ids=before).logits
        return cross_entropy(
            logits.float().flatten(0, 1),
            gold.flatten(),
            ignore_index=LEFT_OUT,
            label_smoothing=self.config.smoothing,
        )

    def search(self, batch: Sequence[Words], beam: int) -> list[list[Hypothesis]]:
        """The most probable outputs of each question, the best first; of those that ended."""
        from transformers import GenerationConfig

        settings = GenerationConfig(  # type: ignore[no-untyped-call]
            num_beams=beam,
            num_return_sequences=beam,
            max_new_tokens=min(self.config.longest, self.limit - 1),
            # A score is the sum over all pieces.
            length_penalty=0.0 if beam > 1 else None,
            decoder_start_token_id=self.start,
            eos_token_id=self.vocabulary.end,
            # Rows that ended are read up to their first end.
            pad_token_id=self.vocabulary.end,
            return_dict_in_generate=True,
            output_scores=True,
        )
        made = self.model.generate(**self._read(batch), generation_config=settings)
        steps = self.model.compute_transition_scores(
            made.sequences,
            made.scores,
            getattr(made, "beam_indices", None),
            normalize_logits=beam == 1,
        )
        found = [
            self._hypothesis(row[1:], scores)
            for row, scores in zip(made.sequences.tolist(), steps.tolist(), strict=True)
        ]
        ranges = (found[begin : begin + beam] for begin in range(0, len(found), beam))
        return [[hypothesis for hypothesis in some if hypothesis is not None] for some in ranges]

    def _hypothesis(self, row: Sequence[int], scores: Sequence[float]) -> Hypothesis | None:
        """An output up to its end with the sum of its scores; None if it did not end."""
        if self.vocabulary.end not in row:
            return None
        length = row.index(self.vocabulary.end) + 1
        return Hypothesis(tuple(row[:length]), sum(scores[:length]))

    def vectors(self, batch: Sequence[Words]) -> list[Vectors]:
        """A vector for each question; see `pooled`."""
        read = self._read(batch)
        hidden = self.model.get_encoder()(**read).last_hidden_state
        return pool_vectors(hidden.float().cpu().numpy(), read["attention_mask"].sum(1).tolist())

    def pretrained(self) -> list[nn.Parameter]:
        """Parameters that learn slowly: all but what a BERT lacks as a decoder."""
        named = self.model.named_parameters()
        return [parameter for name, parameter in named if not any(new in name for new in self._new)]

    @property
    def _new(self) -> tuple[str, ...]:
        return NEW if self._has_own_embeddings else ()

    def save_files(self, folder: Path) -> None:
        """Write the tokenizer and the configuration."""
        save_writer(self.vocabulary.tokenizer, self.source, folder)


PIECES = "pieces.json"
TOGETHER = 16
"""Questions that are searched together: the library keeps the scores of all pieces at all steps."""


class PretrainedSeq2SeqParser(Seq2SeqParser):
    """Writes the form's tokens as pieces of a pretrained tokenizer.

    Its outputs are found by the beam search of the transformers library.
    """

    network: Any

    # --- training ------------------------------------------------------------------------

    def prepare(self, train: Sequence[Example[Any]]) -> None:
        """Load the weights, and add the output tokens that have no pieces; raises PartwiseError for
        a form that says what may follow an output."""
        self.form = FORMS[self.config.form].learn(self.domain, train)
        if self.form.constrained:
            raise PartwiseError(
                f"the form {self.config.form} chooses among its own tokens, which are no pieces; "
                "choose the form text for a pretrained encoder-decoder"
            )
        outputs = [one for example in train if (one := self._output(example)) is not None]
        questions = [tokenize(example.question) for example in train]
        self.network = PretrainedNetwork.of(self.config, outputs, questions)

    def training_items(self, examples: Sequence[Example[Any]]) -> tuple[list[Item], Unusable[Any]]:
        """See `Seq2SeqParser`; an output has no more pieces than the network has places."""
        items, unusable = super().training_items(examples)
        limit = self.network.limit
        long = [item for item in items if len(item.numbers) > limit]
        reason = f"its output has more than {limit} pieces"
        unusable += [(item.example, reason) for item in long]
        return [item for item in items if len(item.numbers) <= limit], unusable

    def loss(self, batch: Sequence[Item]) -> LossReport:
        """The mean over pieces of minus their log-likelihood."""
        with self.clock.part("network"):
            words, numbers = [item.words for item in batch], [item.numbers for item in batch]
            return LossReport(self.network.loss(words, numbers), len(batch))

    # --- prediction ----------------------------------------------------------------------

    @torch.no_grad()
    def vectors(self, questions: Sequence[str]) -> list[Vectors]:
        """A vector for each question; see `NeuralParser.vectors`."""
        with self.without_dropout():
            made: list[Vectors] = self.network.vectors(
                [tokenize(question) for question in questions]
            )
            return made

    def search(self, batch: Sequence[Words], beam: int) -> list[list[Hypothesis]]:
        """See `Seq2SeqParser`."""
        groups = (batch[begin : begin + TOGETHER] for begin in range(0, len(batch), TOGETHER))
        return [found for group in groups for found in self.network.search(group, beam)]

    # --- saving --------------------------------------------------------------------------

    def described(self) -> dict[str, Any]:
        """The name of the pretrained weights, and a line for the card."""
        added = len(self.network.vocabulary.added)
        return {
            "about": f"Pretrained: {self.config.pretrained}. {self.parameter_count:,} parameters, "
            f"{added} output tokens beside its pieces.",
            "encoder": {"name": self.config.pretrained},
            "contextual": {},
        }

    def write_files(self, folder: Path) -> None:
        """Write the added tokens, the form, the tokenizer and the network's configuration."""
        vocabulary = self.network.vocabulary
        write_json(folder / TOKENS, vocabulary.added)
        write_json(folder / PIECES, vocabulary.names)
        write_json(folder / FORM, self.form.to_json())
        self.network.save_files(folder / ENCODER)

    @classmethod
    def builder(
        cls, domain: Any, config: Seq2SeqConfig, saved: Mapping[str, Any], folder: Path
    ) -> Callable[[], Self]:
        """What builds a saved parser, its weights still to be filled in."""
        added, kept = read_names(folder / TOKENS), read_names(folder / PIECES)
        form = form_of(config.form, domain, read_json(folder / FORM))

        def build() -> Any:
            parser = cls(domain, config)
            parser.form = form
            parser.network = PretrainedNetwork(config, folder / ENCODER, added, kept)
            return parser

        return build
