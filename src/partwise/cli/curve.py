"""``partwise curve``."""

from __future__ import annotations

import json as jsonlib
from pathlib import Path
from typing import Annotated

import typer

from partwise.cli.check import OwnDomain, PairsFile
from partwise.cli.common import Debug


def curve(
    domain: OwnDomain,
    pairs: PairsFile = None,
    test: Annotated[
        Path | None,
        typer.Option(
            help="Test on these questions, in place of pairs that are held out in turn; as those "
            "that combine things anew."
        ),
    ] = None,
    sizes: Annotated[
        str | None,
        typer.Option(
            help="Numbers of training pairs, with commas between.",
            show_default="four from a quarter to all",
        ),
    ] = None,
    folds: Annotated[int, typer.Option(min=2, help="Times that another part is held out.")] = 3,
    encoder: Annotated[
        str,
        typer.Option(
            help="The encoder of the parser whose curve you want. bilstm: seconds a training. "
            "minilm: pretrained, a minute each."
        ),
    ] = "bilstm",
    epochs: Annotated[
        int | None,
        typer.Option(min=1, help="Passes.", show_default="more over fewer pairs, as train"),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Another parting and other first weights.")] = 0,
    threads: Annotated[int, typer.Option(min=1, help="Processor threads.")] = 1,
    out: Annotated[Path | None, typer.Option(help="Write the figures as JSON.")] = None,
    plot: Annotated[
        Path | None, typer.Option(help="Draw the curve; .svg, .png or .pdf. Needs matplotlib.")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="JSON in place of text.")] = False,
    debug: Debug = False,
) -> None:
    """Show how much is learned from how many pairs, and what twice as many would bring.

    Trains several parsers on parts of the pairs; nothing is kept of them.
    """
    import torch

    from partwise.authoring.learning import learning_curve
    from partwise.authoring.trial import span_trial
    from partwise.cli.common import find_domain, quiet, warn, write_text
    from partwise.cli.examples import spelled
    from partwise.cli.own import pairs_beside
    from partwise.drawing.plots import check_place, new_figure, write
    from partwise.errors import DataError
    from partwise.interface.jsonl import read_jsonl
    from partwise.span.config import SpanParserConfig

    made = find_domain(domain)
    file = pairs or pairs_beside(made)
    if file is None:
        raise DataError("no pairs.jsonl is beside the domain's file; name yours with --pairs")
    if plot is not None:
        # Before the trainings, so that nothing is lost for want of a library.
        check_place(plot)
        new_figure(1, 1)
    wanted = _numbers(sizes)
    examples = read_jsonl(file, spelled(made))[0]
    held = [] if test is None else read_jsonl(test, spelled(made))[0]
    torch.set_num_threads(threads)
    quiet()
    found = learning_curve(
        examples,
        span_trial(made, SpanParserConfig(encoder=encoder), seed, epochs),
        test=held,
        sizes=wanted,
        folds=folds,
        seed=seed,
        tick=lambda number, of, size, share: warn(
            f"training {number} of {of}: {size} pairs, denotation {100 * share:.0f}"
        ),
    )
    facts = {"domain": made.name, "encoder": encoder, "folds": folds, "seed": seed}
    text = jsonlib.dumps({**facts, **found.to_json()}, indent=1)
    if out is not None:
        write_text(out, text + "\n")
    if plot is not None:
        from partwise.authoring.plot import plot_learning

        write(plot_learning(found), plot)
    if json:
        typer.echo(text)
        return
    for size in sorted(found.denotation):
        right, exact = found.denotation[size].mean(), found.exact[size].mean()
        bar = "#" * round(40 * right)
        typer.echo(
            f"{size:5} pairs  denotation {100 * right:5.1f}  exact {100 * exact:5.1f}  {bar}"
        )
    ahead = found.trend()
    if ahead.now is not None and ahead.twice is not None:
        shown = f"{100 * ahead.now:.0f} expected now, {100 * ahead.twice:.0f} with {2 * ahead.n}"
        typer.echo(f"{ahead.n} pairs: {shown}")
    typer.echo(f"{ahead.verdict}: {ahead.why}")


def _numbers(text: str | None) -> list[int]:
    from partwise.errors import DataError

    try:
        return [] if text is None else [int(part) for part in text.split(",")]
    except ValueError:
        raise DataError(f"--sizes {text}: expected numbers with commas, as 10,20,40") from None
