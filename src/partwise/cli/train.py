"""``partwise train``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from partwise.cli.choices import (
    LOOP_PANEL,
    PARSER_PANEL,
    Composition,
    DevFile,
    Entities,
    Extra,
    Held,
    Inner,
    Lexicon,
    Objective,
    Precision,
    Protocol,
    TestFile,
    TrainFile,
    Types,
)
from partwise.cli.common import DataFolder, Debug, DomainName
from partwise.cli.settings import LOOP, PARSER, refuse, settings_of, use_few, use_usual


def train(
    ctx: typer.Context,
    dataset: Annotated[
        str | None,
        typer.Argument(
            help="A known data set; see `partwise data list`. Leave it out to train on your own "
            "files."
        ),
    ] = None,
    split: Annotated[
        str | None,
        typer.Option(help="Which split of the data set; the first by default."),
    ] = None,
    data: DataFolder = None,
    out: Annotated[
        Path | None,
        typer.Option(
            help="Folder of the run: model/, train.log, history.json, and while it runs state/, "
            "from which a killed run continues if you give the same command again.",
            show_default="runs/DATASET-SPLIT-VARIANT-SEED",
        ),
    ] = None,
    seed: Annotated[
        int, typer.Option(min=0, help="Another seed is another run of the same experiment.")
    ] = LOOP["seed"],
    test: Annotated[
        bool,
        typer.Option(
            "--test",
            help="At the end evaluate on test and add this seed to the result file. Only when all "
            "choices are made.",
        ),
    ] = False,
    inner: Annotated[
        Inner | None,
        typer.Option(
            help="For choosing settings: hold out a part of train that is as new as the test set "
            "is (new templates, longer programs, for query graphs new compounds: mcd), train on "
            "the rest and report on it. Test is not touched."
        ),
    ] = None,
    results: Annotated[
        Path, typer.Option(help="Folder of the result files; see `partwise report`.")
    ] = Path("results"),
    variant: Annotated[
        str | None,
        typer.Option(
            help="Name of this choice of settings in results and folders.",
            show_default="from the options, as marginal-sharp",
        ),
    ] = None,
    types: Annotated[
        Types,
        typer.Option(
            rich_help_panel=PARSER_PANEL,
            help="sharp: what can only be empty does not type. paper: the looser types as "
            "published.",
        ),
    ] = "sharp",
    objective: Annotated[
        Objective,
        typer.Option(
            rich_help_panel=PARSER_PANEL,
            help="marginal: all trees of the gold program, by their probability. hard: the best "
            "one only (the paper). crf: marginal, and gold trees against all well-typed ones;"
            " slower. trees: annotated trees, made by lexicon where none are given.",
        ),
    ] = PARSER["objective"],
    encoder: Annotated[
        str,
        typer.Option(
            rich_help_panel=PARSER_PANEL,
            help="minilm: pretrained, needs its package. bilstm: from scratch, fast, weaker. Or a "
            "Hugging Face folder or name. Graph parsers have lstm (their default), gru and "
            "transformer from scratch.",
        ),
    ] = PARSER["encoder"],
    lexicon: Annotated[
        Lexicon,
        typer.Option(
            rich_help_panel=PARSER_PANEL,
            help="full: all phrases of the domain are features. names: only names of entities, to "
            "see what the other phrases bring.",
        ),
    ] = PARSER["lexicon"],
    ternary: Annotated[
        bool,
        typer.Option(
            "--ternary/--no-ternary",
            rich_help_panel=PARSER_PANEL,
            help='Whether the outer parts of three may combine first, as in "which state borders '
            'the most states". Without: projective trees only.',
        ),
    ] = PARSER["ternary"],
    entities: Annotated[
        Entities,
        typer.Option(
            rich_help_panel=PARSER_PANEL,
            help="tied: one output a type, so names never seen in training work. free: one an "
            "entity (the paper).",
        ),
    ] = "tied" if PARSER["tied"] else "free",
    swap: Annotated[
        float,
        typer.Option(
            min=0,
            max=1,
            rich_help_panel=PARSER_PANEL,
            help="Probability that a training question gets other entities, anew in each epoch. 0 "
            "for the data as they are.",
        ),
    ] = PARSER["swap"],
    recombine: Annotated[
        float,
        typer.Option(
            min=0,
            max=1,
            rich_help_panel=PARSER_PANEL,
            help="Probability that a phrase of a training question is replaced by a phrase of its "
            "type from another one, anew in each epoch. For questions that combine things anew.",
        ),
    ] = PARSER["recombine"],
    frozen_layers: Annotated[
        int,
        typer.Option(
            min=0,
            rich_help_panel=PARSER_PANEL,
            help="Lowest layers of a pretrained encoder that are not trained, the embeddings "
            "first. Saves time.",
        ),
    ] = PARSER["frozen_layers"],
    composition: Composition = None,
    protocol: Protocol = None,
    held: Held = None,
    epochs: Annotated[
        int,
        typer.Option(
            min=1,
            rich_help_panel=LOOP_PANEL,
            help="Passes over the questions; the best on dev is kept.",
        ),
    ] = LOOP["epochs"],
    patience: Annotated[
        int,
        typer.Option(
            min=0,
            rich_help_panel=LOOP_PANEL,
            help="Stop after this many epochs without a better dev score; 0 for never.",
        ),
    ] = LOOP["patience"],
    batch_size: Annotated[
        int, typer.Option(min=1, rich_help_panel=LOOP_PANEL, help="Questions a step.")
    ] = LOOP["batch_size"],
    encoder_rate: Annotated[
        float,
        typer.Option(
            min=0,
            rich_help_panel=LOOP_PANEL,
            help="Peak learning rate of a pretrained encoder. Lower it if the loss jumps.",
        ),
    ] = LOOP["encoder_rate"],
    head_rate: Annotated[
        float,
        typer.Option(
            min=0,
            rich_help_panel=LOOP_PANEL,
            help="Peak learning rate of all that is not pretrained.",
        ),
    ] = LOOP["head_rate"],
    precision: Annotated[
        Precision,
        typer.Option(
            rich_help_panel=LOOP_PANEL,
            help="bf16 is twice as fast on processors that have it, slower on others.",
        ),
    ] = LOOP["precision"],
    threads: Annotated[
        int,
        typer.Option(
            min=1,
            rich_help_panel=LOOP_PANEL,
            help="Processor threads. More are faster where cores are free, but sums are then "
            "rounded in another order, so that figures may differ a little.",
        ),
    ] = 1,
    extra: Extra = None,
    skip_bad: Annotated[
        bool,
        typer.Option(
            "--skip-bad",
            help="Leave out and list lines that cannot be read and dev and test programs that do "
            "not run, in place of stopping at the first.",
        ),
    ] = False,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Do not continue a killed run in this folder.")
    ] = False,
    domain: DomainName = None,
    train_file: TrainFile = None,
    dev_file: DevFile = None,
    test_file: TestFile = None,
    debug: Debug = False,
) -> None:
    """Train a parser on a known data set or on your own files, and save it.

    Own data: partwise train --domain MODULE:CLASS --train FILE.jsonl --dev FILE.jsonl

    Data with query graphs (films, mcwq, cfq) train a graph parser, others a span parser. Each has
    settings of its own, and usual values for those that both have.
    """
    from partwise.cli.plan import Plan, has_graphs

    files = (train_file, dev_file, test_file)
    plan = Plan(
        dataset, split, data, domain, files, types, inner, test, skip_bad, variant, out, results,
        threads, fresh, held,
    )  # fmt: skip
    if has_graphs(dataset, domain):
        from partwise.cli.graph_training import run_graphs

        run_graphs(ctx, plan, extra or [])
        return
    refuse(
        ctx,
        ("composition", "protocol", "held"),
        "is of graph parsers, and these data have programs",
    )
    from partwise.cli.training import run

    parser, loop = (
        {
            "encoder": encoder,
            "objective": objective,
            "lexicon": lexicon,
            "tied": entities == "tied",
            "ternary": ternary,
            "swap": swap,
            "recombine": recombine,
            "frozen_layers": frozen_layers,
        },
        {
            "seed": seed,
            "epochs": epochs,
            "patience": patience,
            "batch_size": batch_size,
            "encoder_rate": encoder_rate,
            "head_rate": head_rate,
            "precision": precision,
        },
    )
    use_usual(ctx, dataset, parser, loop)
    if dataset is None:
        use_few(ctx, train_file, parser, loop)
    config, settings = settings_of(parser, loop, extra or [])
    run(ctx, plan, config, settings)
