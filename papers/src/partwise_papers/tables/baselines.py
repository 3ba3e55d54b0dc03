"""Our rows beside those of `published_span.ROWS`: the systems that the papers compare with, trained
here, and our graph parsers."""

from __future__ import annotations

from partwise_papers.tables.published_span import ALL, ROWS, Row

GRAPHS, CLEVR, QUERIES = "Grounded Graph Decoding", ("clevr",), ("mcwq",)
PART = 12_000
"""Training pairs of MCWQ that all systems get, as all pairs take them hours."""
PARTS = {
    "end2end": (2250, 4500),
    "seq2seq": (4500,),
    "transformer": (3000, 6000),
}
"""System -> how many training pairs further rows have, to see what more of them bring: of MCWQ for
the Transformer, of CLEVR for others."""
PASSES = 40
"""Passes over the training pairs of MCWQ in a further row, where others have ten."""
SMALL = f"-n{PART}"
"""How the names of our parsers end that are trained on these alone."""


def _seq2seq(key: str, paper: str, datasets: tuple[str, ...], about: str) -> Row:
    return Row(key, paper, (key,), datasets, about, "seq2seq")


def _graph(composition: str, about: str) -> tuple[Row, Row]:
    small = f"{composition}{SMALL}"
    text = f"{about}; trained on the {PART:,} pairs that the baselines get"
    return (
        Row(composition, GRAPHS, (composition,), QUERIES, about, "graph"),
        Row(small, GRAPHS, (small,), QUERIES, text, "graph"),
    )


def _parts(key: str, name: str, datasets: tuple[str, ...], kind: str = "seq2seq") -> list[Row]:
    return [
        Row(f"{key}-n{n}", "", (f"{key}-n{n}",), datasets, f"{name} on {n:,} pairs", kind)
        for n in PARTS[key]
    ]


BASELINES = (
    _seq2seq("seq2seq", "Seq2Seq", ALL, "BiLSTM, LSTM decoder with attention and copying"),
    _seq2seq(
        "contextual",
        "+ELMo",
        ALL,
        "the same with vectors of a frozen MiniLM instead of ELMo, which was not available",
    ),
    _seq2seq("bert2seq", "BERT2Seq", ALL, "MiniLM, Transformer decoder with copying"),
    _seq2seq("grammar", "Grammar", ALL, "decodes production rules, so that every program types"),
    _seq2seq(
        "bert2bert",
        "BART",
        ALL,
        "MiniLM on both sides, fine-tuned, instead of BART, whose weights were not available",
    ),
    _seq2seq("bart", "BART", ALL, "facebook/bart-base fine-tuned, if its weights are available"),
    Row("end2end", "End2End", ("end2end",), CLEVR, "MiniLM over question and scene", "end2end"),
    *_parts("end2end", "End2End", CLEVR, "end2end"),
    *_parts("seq2seq", "Seq2Seq", CLEVR),
    _seq2seq("lstm", "LSTM", QUERIES, "BiLSTM, LSTM decoder with attention"),
    _seq2seq("transformer", "Transformer", QUERIES, "encoder and decoder of attention layers"),
    *_parts("transformer", "Transformer", QUERIES),
    _seq2seq(
        f"transformer-e{PASSES}",
        "Transformer",
        QUERIES,
        f"Transformer, {PASSES} passes and dropout 0.1, the best of six settings",
    ),
    _seq2seq("universal", "Universal Transformer", QUERIES, "one layer, repeated, with halting"),
    _seq2seq("evolved", "Evolved Transformer", QUERIES, "the published cells"),
    _seq2seq("t5", "T5-base", QUERIES, "T5's layers, from scratch and not pretrained"),
    Row("poset", "Hierarchical Poset Decoding", ("poset",), QUERIES, "HPD from scratch", "poset"),
    Row(
        *("retrieval", "CBR-KBQA", ("retrieval",), QUERIES),
        *("retrieved cases, a generator from scratch, revised relations", "retrieval"),
    ),
    *(
        _seq2seq(f"{form}-{stack}", "LIR + RIR, T5-3B", QUERIES, f"{about}, over {stack}")
        for stack in ("transformer", "t5")
        for form, about in (("lir", "lossy representation"), ("rir", "reversible representation"))
    ),
    Row(
        *("in-context", "", ("in-context",), (*ALL, *QUERIES)),
        "SmolLM2-135M-Instruct (Q4_1), 8 retrieved pairs in the prompt; on 100 questions of "
        "test outside GeoQuery, on 50 of MCWQ",
        "in-context",
    ),
)
"""What the papers compare with, and in-context learning."""
OURS = (
    *_graph("declared", "our graph parser with the phrase rules of the domain"),
    *_graph("latent", "our graph parser with learned phrase rules"),
    *_graph("flat", "our graph parser that reads the question at once"),
)
"""Our graph parsers on MCWQ."""


def all_rows(dataset: str) -> tuple[Row, ...]:
    """All rows of a data set that can be run here: ours, then the baselines."""
    return tuple(row for row in (*ROWS, *OURS, *BASELINES) if dataset in row.datasets)
