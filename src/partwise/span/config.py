"""Settings of a span parser, checked when made."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from partwise.errors import PartwiseError
from partwise.interface.settings import check, setting, spell, to_record
from partwise.language.domain import Domain

OBJECTIVES = ("marginal", "hard", "crf", "trees")


@dataclass(frozen=True)
class SpanParserConfig:
    """How a span parser is built and trained.

    Attributes:
        encoder: minilm: pretrained, needs its package. bilstm: from scratch, fast, weaker. Or a
            Hugging Face folder or name.
        objective: marginal: maximum marginal likelihood, exact span posteriors as soft targets.
            hard: hard EM, the best gold tree as target (the paper). crf: marginal plus the
            globally normalised loss (all gold trees against all well-typed trees), weighted by
            crf_weight; slower. trees: the labels of given span trees (paper section 4.4), which
            questions without one are annotated with by lexicon. MODULE:CLASS: one of your own, see
            partwise.span.objectives.
        lexicon: full: all phrases of the domain are features. names: only names of entities (the
            paper's "-lexicon"), to see what the other phrases bring.
        induced_lexicon: Whether phrases are learned from the training pairs while training goes on,
            and are features, too.
        type_tied: One output an entity type, its name matched; else one an entity (the paper).
        ternary: Whether non-projective joins are on.
        lexicon_violations: Whether the scorer sees where a predicate goes against the lexicon.
        entity_augmentation: Probability that a training question gets other entities, drawn again
            in each epoch.
        recombination: Probability that a phrase of a training question is replaced by a phrase of
            its type from another one, drawn again in each epoch; not with trees. For questions
            that combine things in new ways.
        decode_lexicon_weight: Added to the lexicon feature's weight in prediction. On questions
            like those of train the network knows better and the learned weight is low; on new
            combinations it drops words that the lexicon knows. Chosen on inner compositional
            splits of train.
        required_mentions: Whether prediction must use phrases that can only be names.
        punctuation: Whether punctuation alone, as a question mark, may mean a predicate of no such
            phrase. Without, interpretations explain themselves better; a program with more
            predicates than its question has words may then have no tree.
        answer_type: How much the type of the answer counts in prediction; 0 for not at all. It is
            predicted from the whole question, and helps most with questions that are longer than
            those of train.
        hidden: Size of the scorer's hidden layer.
        dropout: Dropout of the scorer's hidden layer.
        frozen_layers: Lowest layers of a pretrained encoder that are not trained, the embeddings
            first. Saves time.
        crf_weight: Weight of the globally normalised loss.
        max_words: Longer questions are not parsed.
        typed: Whether questions are taken as people type them: small talk goes, misspelt words are
            mended, inflected forms of phrases count, fragments are held together. See
            partwise.language.typed.
        typing_augmentation: Probability that a training question is typed in a hurry: without
            function words, with another phrase of a predicate, or with a typing error; drawn
            again in each epoch. Needs typed.
        chart: What computes the trees in training: compiled, on the processor, or torch, on any
            device, which is for GPUs and the slower one without.
    """

    encoder: str = "minilm"
    objective: str = "crf"
    lexicon: Literal["full", "names"] = "full"
    induced_lexicon: bool = setting(False, later=True)
    type_tied: bool = setting(True, formerly="tied")
    ternary: bool = True
    lexicon_violations: bool = setting(True, formerly="conflicts")
    entity_augmentation: float = setting(0.5, formerly="swap", least=0, most=1)
    recombination: float = setting(0.0, formerly="recombine", least=0, most=1)
    decode_lexicon_weight: float = setting(0.3, formerly="trust", least=-100, most=100)
    required_mentions: bool = setting(False, formerly="keep_mentions")
    punctuation: bool = setting(True, formerly="marks")
    answer_type: float = setting(0.0, later=True, least=0, most=100)
    hidden: int = setting(250, least=1, most=2**16)
    dropout: float = setting(0.1, least=0, below=1)
    frozen_layers: int = setting(1, least=0, most=100)
    crf_weight: float = setting(2.0, least=0, most=1000)
    max_words: int = setting(80, least=1, most=1000)
    chart: Literal["compiled", "torch"] = setting("compiled", later=True)
    typed: bool = setting(False, later=True)
    typing_augmentation: float = setting(0.0, least=0, most=1, later=True)
    GONE: ClassVar[frozenset[str]] = frozenset({"recombination_depth"})

    def __post_init__(self) -> None:
        check(self)
        if self.objective not in OBJECTIVES and ":" not in self.objective:
            raise PartwiseError(f"objective {self.objective!r} is none of {', '.join(OBJECTIVES)}")
        if self.typing_augmentation and not self.typed:
            raise PartwiseError("typing_augmentation makes questions that only typed reads")
        if self.recombination and self.objective == "trees":
            raise PartwiseError(
                "recombination makes questions without trees; choose another objective"
            )


FEW = 200
"""With fewer training questions than this the default passes and batches make too few steps."""
SEEN = 440
"""Questions that are seen in all passes together, at least."""
PAPER = "-paper"
"""How the names of domains end whose types are the looser ones that were published."""


def presets_for_few(n: int, objective: str) -> dict[str, Any]:
    """Settings of training and parser for `n` training questions; nothing from `FEW` on.

    Small batches and many passes make enough steps, and recombined phrases more questions. Chosen
    on held-out training questions of geography, at 30 and at 120 pairs.
    """
    if not 0 < n < FEW:
        return {}
    settings = {"batch_size": 2 if n < FEW // 2 else 4, "epochs": max(10, -(-SEEN // n))}
    return settings if objective == "trees" else {**settings, "recombination": 0.5}


def variant(domain: Domain, config: SpanParserConfig) -> str:
    """``marginal-sharp``, and whatever else is not by default: ``hard-paper-names-free``."""
    usual, settings = to_record(SpanParserConfig()), to_record(config)
    other = {name: value for name, value in settings.items() if value != usual.get(name)}
    other.pop("objective", None)
    first = [
        config.objective.replace(":", "."),
        "paper" if domain.name.endswith(PAPER) else "sharp",
        other.pop("lexicon", ""),
        "" if other.pop("ternary", True) else "projective",
        "" if other.pop("tied", True) else "free",
    ]
    return "-".join([*filter(None, first), *(spell(*item) for item in other.items())])
