"""``partwise learn``: a domain and a parser from pairs of questions and programs alone."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from partwise.cli.common import NotNegative, Positive, Share, Threads, option, quiet, warn
from partwise.errors import PartwiseError
from partwise.interface.data import Dataset, Example
from partwise.language.program import Term

if TYPE_CHECKING:
    from partwise.authoring.inference import Inferred

SHOWN = 3
"""Pairs of a kind that are shown."""
HELD_SEED = "held out of pairs"


@dataclass(frozen=True, kw_only=True)
class Learning:
    """How a domain is learned.

    Attributes:
        test: Measure on these pairs; without it on a tenth of yours, which is held out.
        held_out: Share of the pairs that is held out, where no --test is given; 0 for none.
        skip_bad: Leave out and list lines that cannot be read, in place of stopping at the first.
        encoder: The parser's encoder. minilm is pretrained, and by far the best from pairs alone.
        epochs: Passes; without it as train has them.
        seed: Another seed is another run of the same training.
        no_training: Write the domain alone.
    """

    test: Path | None = None
    held_out: Annotated[float, Parameter(validator=Share)] = 0.1
    skip_bad: Annotated[bool, Parameter(negative=())] = False
    encoder: str = "minilm"
    epochs: Annotated[int | None, Parameter(validator=Positive)] = None
    seed: Annotated[int, Parameter(validator=NotNegative)] = 0
    no_training: Annotated[bool, Parameter(negative=())] = False


def learn(
    pairs: Annotated[
        Path,
        Parameter(
            help="Questions and programs: JSON Lines, or CSV or TSV with a header. Programs are "
            "functional, f(g('x')), or s-expressions, (f (g x))."
        ),
    ],
    /,
    *,
    out: Annotated[Path, option("The new folder here for the domain and the parser.")],
    learning: Annotated[Learning, Parameter(name="*")] = Learning(),
    threads: Threads = 1,
) -> None:
    """Learn a domain and a parser from questions and programs alone.

    Infers which parts of programs are names, what may stand where, and which words say what; writes
    this as a domain that you can read, correct and train again; and trains a parser.
    """
    from partwise.authoring.files import check_folder, read_pairs, write_folder
    from partwise.authoring.inference import infer
    from partwise.authoring.new import class_name
    from partwise.cli.sources import find_domain

    module = check_folder(out)
    train, skipped, syntax = read_pairs(pairs, learning.skip_bad)
    if learning.test is not None:
        held, more, _ = read_pairs(learning.test, learning.skip_bad, syntax, 1)
        skipped += more
    else:
        train, held = _hold_out(train, learning.held_out)
    for message in skipped:
        warn(f"left out: {message}")
    inferred = infer(train, syntax)
    write_folder(out, inferred, {"pairs.jsonl": train, "held_out.jsonl": held})
    _describe(out, inferred)
    place = f"{module}.domain:{class_name(out.name)}"
    domain = find_domain(place)
    parts = [list(_read_back(domain, part)) for part in (train, held)]
    for name, examples in zip(("pairs", "held out"), parts, strict=True):
        _report_reach(domain, name, examples)
    if not learning.no_training:
        quiet()
        _train(
            domain, place, out, Dataset(out.name, "own", parts[0], parts[1], []), learning, threads
        )


def _read_back(domain: Any, examples: Sequence[Example[Term]]) -> Iterator[Example[Term]]:
    """The examples with the domain's own form of their programs. One that has none is left out."""
    for example in examples:
        try:
            yield replace(example, meaning=domain.canonical(example.meaning))
        except PartwiseError as error:
            warn(f"left out: {example.source or example.question}: {error}")


def _hold_out(
    examples: list[Example[Term]], share: float
) -> tuple[list[Example[Term]], list[Example[Term]]]:
    count = int(share * len(examples))
    apart = set(random.Random(HELD_SEED).sample(range(len(examples)), count))
    return (
        [example for place, example in enumerate(examples) if place not in apart],
        [example for place, example in enumerate(examples) if place in apart],
    )


def _describe(folder: Path, inferred: Inferred) -> None:
    predicates = len(inferred.methods) - len(inferred.naming.kinds)
    names = sum(len(kind.names) for kind in inferred.naming.kinds)
    unsure = sum(len(method.unsure) for method in inferred.methods)
    print(
        f"domain {folder / 'domain.py'}: {predicates} predicates, {len(inferred.classes)} types, ",
        end="",
    )
    print(
        f"{names} names of {len(inferred.naming.kinds)} kinds; {unsure} guesses are marked unsure"
    )


def _report_reach(domain: Any, name: str, examples: Sequence[Example[Term]]) -> None:
    from partwise.authoring.files import find_unreached

    issues = list(find_unreached(domain, examples))
    reached = len(examples) - len({issue.where for issue in issues})
    if examples:
        print(f"{name:8} {reached} of {len(examples)} can be parsed")
    kinds = Counter(issue.kind for issue in issues)
    for kind, count in kinds.most_common():
        print(f"         {count} {kind}")
        for issue in [problem for problem in issues if problem.kind == kind][:SHOWN]:
            print(f"           {issue.where}: {issue.why}")


def _train(
    domain: Any, place: str, out: Path, data: Dataset[Term], learning: Learning, threads: int
) -> None:
    from partwise.cli.train import show_scores
    from partwise.span.parser import SpanParser
    from partwise.training.session import train
    from partwise.training.trainer import settings_for

    given: dict[str, Any] = {"encoder": learning.encoder, "epochs": learning.epochs}
    given |= {"seed": learning.seed, "threads": threads}
    given |= {"lexicon": "names", "induced_lexicon": True, "keep": "last"}
    given |= {"held_out": 0}
    given = {name: value for name, value in given.items() if value is not None}
    config, training = settings_for(SpanParser, domain, len(data.train), given)
    session = train(
        SpanParser,
        domain,
        data,
        config,
        training,
        folder=out,
        facts={"domain_class": place, "command": "learn"},
    )
    if session.dev is not None:
        print(f"held out {show_scores(session.dev)}")
    print(f'next   partwise parse --model {out} "{data.train[0].question}"')
