"""``partwise calibrate``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from partwise.cli.common import DataFolder, DomainName, SkipBad, Threads, option
from partwise.cli.data import examples_of
from partwise.cli.models import load_parser
from partwise.errors import DataError
from partwise.evaluation.confidence import FEWEST, fit_confidence
from partwise.training.neural import NeuralParser
from partwise.training.store import find_pretrained, write_manifest


def calibrate(
    model: Annotated[str, Parameter(help="Folder of a saved parser, or a name.")],
    train: Annotated[str, Parameter(help="What it was trained on: a known data set or a .jsonl.")],
    unseen: Annotated[
        str | None,
        Parameter(help="A .jsonl file that it was not trained on; else the data set's part dev."),
    ] = None,
    /,
    *,
    split: Annotated[str | None, option("Which split of the data set.")] = None,
    data: DataFolder = None,
    skip_bad: SkipBad = False,
    domain: DomainName = None,
    threads: Threads = 1,
) -> None:
    """Fit when a saved parser answers, without training it again.

    The model folder gets two small files; everything else in it stays as it is.
    """
    parser, folder = load_parser(model, domain, threads), find_pretrained(Path(model))
    if not isinstance(parser, NeuralParser):
        raise DataError(f"a parser of kind {parser.kind} has nothing to fit")
    seen = examples_of(train, split, "train", data, parser.domain, skip_bad)
    part = "dev" if unseen is None else "train"
    others = examples_of(unseen or train, split, part, data, parser.domain, skip_bad)
    fitted = fit_confidence(parser, seen, others)
    if fitted is None:
        raise DataError(f"{len(others)} questions; at least {FEWEST} are needed")
    fitted.write(folder)
    write_manifest(folder)
    print(
        f"refused below {100 * fitted.refused_below:.0f} %, doubtful below "
        f"{100 * fitted.doubtful_below:.0f} %"
    )
