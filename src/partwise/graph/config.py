"""Settings of a graph parser, checked when made, and those that are used where nothing is said."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, Literal

from partwise.errors import PartwiseError
from partwise.interface.settings import check, former_names, setting, spell, to_record
from partwise.language.graph_domain import GraphDomain

DECLARED, LEARNED = "declared", "learned"
"""Where word classes come from, if from no file."""
INPUTS = ("words", "tags", "both")
MOST, WIDEST = 64, 2**16
"""Layers, heads, members, variables; units of a layer. No network of use has more."""


@dataclass(frozen=True)
class GraphParserConfig:
    """How a graph parser is built and trained.

    Attributes:
        inputs: What the sequence encoder reads.
        encoder: of sequences; a bidirectional LSTM.
        dx: Size of word and tag vectors.
        dh: Size of the encoder's outputs, both directions together.
        layers: Of the encoder.
        dropout: Between the encoder's layers.
        grounding: Whether a pair of nodes attends to the sequence; without it the decoder is the
            bare graph decoder of section 3.1.
        hidden: Units of a ReLU layer before the labels; 0 for the paper's linear output.
        sigmoid_attention: A sigmoid in place of the paper's softmax: then several words of a phrase
            ground a pair without competing.
        heads: Attention heads, each with its own meaning of a word; 1 in the paper. A verb says
            other things of its subject than of its object.
        bottleneck: Width of a layer through which the structure of a pair (``[h_s; h_o]``) reaches
            the labels; 0 for none (the paper). A narrow one can tell how a pair is related, but not
            which labels that was seen with in training, so that words mean the same in structures
            that they were never seen in.
        lexical: Whether a node bears an attribute if its words predict it, each by itself (linear,
            as in equation 3), *and* a gate at its place is open. So a word means the same beside
            new words, and a form of phrase does not come to mean what only its words did. Words
            have separate vectors for attributes. Without it, and without grounding, they are
            predicted as edges are.
        self_position_bias: What is added at the start to the attention scores of a pair's own
            positions.
        bias: The output's bias at the start; labels are rare.
        grouping: Whether coordinated tokens are one position; with flat.
        phrases: Whether phrases of one shape are grouped too.
        group_nodes: Whether coordinated entities are one node, or each a node of its own.
        nil: Whether a position without meaning is appended, to attend to when nothing grounds.
        variables: How many variables are appended.
        composition: latent: phrase by phrase, by the domain's phrase rules, or learned ones where
            it declares none. flat: the whole question at once (the paper).
        protocol: full: the whole query, nothing given. paper: edges only, the number of variables
            given from gold, as the paper does; for comparison, with flat only.
        members: How many decoders are trained separately and averaged.
        constrained: Whether prediction is held to the domain's kinds, uses every entity and what is
            asked for, and is connected; with flat.
        tempering: Exponent of a fragment's frequency, as its weight in training.
        paradigm_completion: Whether fragments that were not seen are completed from those of other
            words with the same forms.
        recombination: Probability that an entity of a training question that stands alone is
            replaced by a noun phrase of another question, again in each epoch; with flat, as
            composing parsers need none.
        trees: How many phrase trees of an ambiguous question are weighed against each other.
        max_words: Longer questions are not parsed.
        word_classes: declared: those of the domain. learned: from the training pairs, with the
            words of lists, what tells yes-or-no questions, and the words of a script without
            blanks; nothing that the domain declares is used. Or a file of them, as a saved parser
            has it, corrected by hand.

    Raises PartwiseError for settings out of range, or that do not go together.
    """

    inputs: Literal["words", "tags", "both"] = "tags"
    encoder: Literal["lstm"] = "lstm"
    dx: int = setting(16, least=1, most=WIDEST)
    dh: int = setting(128, least=1, most=WIDEST)
    layers: int = setting(3, least=1, most=MOST)
    dropout: float = setting(0.1, least=0, below=1)
    grounding: bool = True
    hidden: int = setting(64, least=0, most=WIDEST)
    sigmoid_attention: bool = setting(False, formerly="gates")
    heads: int = setting(1, least=1, most=MOST)
    bottleneck: int = setting(0, formerly="narrow", least=0, most=WIDEST)
    lexical: bool = True
    self_position_bias: float = setting(1.0, formerly="own", least=-100, most=100)
    bias: float = setting(-4.0, least=-100, most=100)
    grouping: bool = True
    phrases: bool = True
    group_nodes: bool = True
    nil: bool = True
    variables: int = setting(6, least=1, most=MOST)
    composition: Literal["flat", "latent"] = setting("latent", values={"declared": "latent"})
    protocol: Literal["full", "paper"] = "full"
    members: int = setting(1, least=1, most=MOST)
    constrained: bool = False
    tempering: float = setting(0.5, least=0, most=10)
    paradigm_completion: bool = setting(True, formerly="analogies")
    recombination: float = setting(0.0, formerly="recombine", least=0, most=1)
    trees: int = setting(8, least=1, most=1000)
    max_words: int = setting(120, least=1, most=1000)
    word_classes: str = setting(DECLARED, later=True)

    def __post_init__(self) -> None:
        check(self)
        if self.dh % 2:
            raise PartwiseError(f"dh must be a multiple of 2: {self.dh}")
        if self.composition != "flat":
            self._check_composing()

    def _check_composing(self) -> None:
        if self.protocol == "paper":
            raise PartwiseError("the paper's protocol is of flat parsing; say composition=flat")
        if self.constrained:
            raise PartwiseError(
                "constrained is for flat parsing; composed graphs use every entity and hang "
                "together as they are put together"
            )
        if self.recombination:
            raise PartwiseError(
                "recombination is for flat parsing; composed graphs are put together again anyway"
            )


PRESETS: dict[str, dict[str, Any]] = {
    "flat": {
        # With few steps a softmax that grounds all in one place may not come out of it.
        "batch_size": 64,
        "head_rate": 5e-3,
        "weight_decay": 0.1,
        "epochs": 10,
        "dx": 32,
        "layers": 2,
        "dropout": 0.3,
        "hidden": 64,
        "constrained": True,
    },
    "latent": {
        "batch_size": 256,
        "head_rate": 5e-3,
        "epochs": 8,
        "dx": 32,
        "dh": 64,
        "layers": 1,
        "dropout": 0.0,
        "hidden": 128,
        "sigmoid_attention": True,
        "heads": 2,
        "members": 4,
    },
}
"""Composition -> settings of the parser and of its training that are not those of their classes."""


def preset_of(composition: str, protocol: str) -> dict[str, Any]:
    """The preset of a composition; the paper's decoding is not constrained."""
    settings = PRESETS.get(composition, {}).items()
    return {n: value for n, value in settings if protocol != "paper" or n != "constrained"}


def presets(
    domain: GraphDomain, given: Mapping[str, Any], of_data: Mapping[str, Any]
) -> dict[str, Any]:
    """Settings to use where the user gives none; see `Parser.presets`. The composition is
    ``latent`` where the domain has phrase rules or word classes are learned, else ``flat``. A data
    set suggests settings for all, and composition -> some over the preset."""
    former = former_names(GraphParserConfig)
    protocol = given.get("protocol", "full")
    composed = domain.phrases or given.get("word_classes", DECLARED) != DECLARED
    default = "latent" if composed else "flat"
    for_all = {name: value for name, value in of_data.items() if not isinstance(value, Mapping)}
    default = "flat" if protocol == "paper" else for_all.get("composition", default)
    composition = given.get("composition", default)
    suggested = {**for_all, **of_data.get(composition, {})}.items()
    return {
        **preset_of(composition, protocol),
        **{former.get(name, name): value for name, value in suggested},
        "composition": composition,
    }


def variant(config: GraphParserConfig) -> str:
    """``latent``, and whatever else is not its preset: ``flat-paper``, ``flat-dx64``;
    ``undeclared`` where word classes are learned."""
    own = {field.name for field in fields(GraphParserConfig)}
    preset = preset_of(config.composition, config.protocol).items()
    changes = {name: value for name, value in preset if name in own}
    plain = GraphParserConfig(composition=config.composition, protocol=config.protocol)
    usual = to_record(replace(plain, **changes))
    protocol = [] if config.protocol == "full" else [config.protocol]
    chosen = to_record(config)
    classes = chosen.pop("word_classes", DECLARED)
    words = {DECLARED: [], LEARNED: ["undeclared"]}.get(classes, ["given_words"])
    others = (spell(n, v) for n, v in chosen.items() if v != usual.get(n))
    return "-".join([config.composition, *words, *protocol, *others])
