"""Commands for what is one's own: ``partwise new``, ``check``, ``curve``, ``learn``, ``refresh``
and ``convert``.

A domain of one's own is a class of programs with examples, written or learned from the examples, or
the folder of a database.
"""

from __future__ import annotations

import json as jsonlib
import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import Parameter
from cyclopts.validators import Number
from rich.console import Console

from partwise.cli.common import (
    Json,
    NotNegative,
    Positive,
    Share,
    Threads,
    option,
    print_json,
    quiet,
    warn,
    write_text,
)
from partwise.cli.sources import examples_beside, find_domain, is_database, reading
from partwise.drawing import clean
from partwise.drawing.plots import check_place, new_figure, write
from partwise.errors import DataError, PartwiseError
from partwise.interface.data import Dataset, Example
from partwise.interface.jsonl import read_jsonl
from partwise.interface.registry import PARSERS
from partwise.language.domain import Domain
from partwise.language.program import Term

if TYPE_CHECKING:
    from partwise.authoring.inference import Inferred
    from partwise.authoring.learning import LearningCurve
    from partwise.authoring.validation import DomainReport
    from partwise.database.editing import NewDomain

OwnDomain = Annotated[
    str,
    Parameter(help="Your domain: its folder here, as `partwise new` makes it, or MODULE:CLASS."),
]
ExamplesFile = Annotated[
    Path | None,
    option(
        'Questions with programs, {"question": "...", "program": "..."} a line; without it '
        "pairs.jsonl beside the domain's file, if it is there.",
        "--pairs",
    ),
]
Seconds = Annotated[float, option("Time for running and searching.", validator=Positive)]
FAST = {"span": "bilstm"}
"""Encoders of learning curves, where that of a kind of parser takes minutes to train."""


def new(
    name: Annotated[
        str, Parameter(help="Name of the domain and its folder: small letters, digits and _.")
    ],
    /,
    *,
    executor: Annotated[
        Literal["sqlite", "python", "sparql"],
        option(
            "What answers. sqlite: a database. python: plain Python. sparql: a knowledge graph, "
            "in a Turtle file or behind an endpoint."
        ),
    ] = "sqlite",
    from_: Annotated[
        str | None,
        option(
            "Make a domain of your own data, in place of an example: sqlite:///FILE, "
            "duckdb:///FILE, postgresql://USER@HOST/NAME, mysql://USER@HOST/NAME, a file or "
            "folder of CSV or Parquet, or env:NAME for a connection in an environment variable.",
            "--from",
        ),
    ] = None,
    semantics: Annotated[
        Path | None,
        option(
            "With --from: a file or folder of dbt's semantic models or of Open Semantic "
            "Interchange, to take names, descriptions and measures from."
        ),
    ] = None,
    into: Annotated[Path, option("The folder that is to hold the new one.")] = Path("."),
) -> None:
    """Write a small domain of your own that works at once, to be changed.

    With --from that is a database, which can be asked without examples: its names and values are
    read, and written to a file that you can edit.

    Without it, it has a commented language of a dozen predicates with its data, examples to learn
    from, questions that no example has, and a test. What is there already is never written over.
    """
    if from_ is not None:
        return new_database(name, from_, into, semantics)
    if semantics is not None:
        raise DataError("--semantics is for a database: name yours with --from")
    _new_example(name, executor, into)


def _new_example(name: str, executor: Literal["sqlite", "python", "sparql"], into: Path) -> None:
    from partwise.authoring.new import write_domain

    folder = write_domain(name, executor, into)
    print(f"made   {folder}: {', '.join(sorted(file.name for file in folder.iterdir()))}")
    if into != Path("."):
        print(f"first  cd {into}")
    print(f"next   partwise check {name}")
    print(
        f"then   partwise train --domain {name} --train {name}/pairs.jsonl --encoder bilstm "
        f"--out runs/{name}"
    )
    print(f'       partwise ask --domain {name} "who wrote the most popular book ?"')


def check(
    domain: OwnDomain, /, *, pairs: ExamplesFile = None, seconds: Seconds = 60.0, json: Json = False
) -> int:
    """Check a domain of your own and its examples: what cannot work, and why.

    Finds predicates that can never be used, types that nothing produces, ambiguous phrases,
    examples that do not type, that no tree can reach, that fail, give nothing or contradict each
    other, and predicates that no example uses. Of a database, finds what its file says and the
    tables do not hold, and words that mislead. Exits with 1 if there is an error.
    """
    from partwise.authoring.validation import DomainReport, declaration_issue, validate_domain

    if is_database(domain):
        from partwise.database.editing import check_domain

        return _report(DomainReport(domain, check_domain(domain)), json)
    try:
        made = find_domain(domain)
    except DataError as error:
        issue = declaration_issue(error)
        # Without a line of the user's own code at fault, it is the name that is wrong.
        if error.__cause__ is None or not issue.where:
            raise
        return _report(DomainReport(domain, [issue]), json)
    if not isinstance(made, Domain):
        raise DataError(
            f"{domain} is a domain of query graphs; `partwise check` is for domains of programs"
        )
    return _report(validate_domain(made, pairs or examples_beside(made), seconds), json)


def _report(report: DomainReport, json: bool) -> int:
    if json:
        print_json(report.to_json(), indent=1)
    else:
        console = Console(soft_wrap=True, highlight=False)
        for line in report.lines():
            console.print(line)
    return 0 if report.ok else 1


@dataclass(frozen=True, kw_only=True)
class CurveOptions:
    """What is trained for a learning curve, and where its figures go.

    Attributes:
        test: Test on these questions, in place of examples that are held out in turn; as those
            that combine things in new ways.
        sizes: Numbers of training examples, with commas between; without it four from a quarter
            to all.
        folds: Times that another part is held out.
        encoder: The encoder of the parser whose curve you want. Without it one that trains in
            seconds; for span parsers that is bilstm, and minilm, pretrained, takes a minute.
        epochs: Passes; without it as train has them.
        batch_size: Questions a step; without it as train has them.
        seed: Another seed splits in another way, and draws other first weights.
        out: Write the figures as JSON.
        plot: Draw the curve; .svg, .png or .pdf. Needs matplotlib.
    """

    test: Path | None = None
    sizes: str | None = None
    folds: Annotated[int, Parameter(validator=Number(gte=2))] = 3
    encoder: str | None = None
    epochs: Annotated[int | None, Parameter(validator=Positive)] = None
    batch_size: Annotated[int | None, Parameter(validator=Positive)] = None
    seed: Annotated[int, Parameter(validator=NotNegative)] = 0
    out: Path | None = None
    plot: Path | None = None

    def numbers(self) -> list[int]:
        try:
            return [int(part) for part in (self.sizes or "").split(",") if part]
        except ValueError:
            raise DataError(
                f"--sizes {self.sizes}: expected numbers with commas, as 10,20,40"
            ) from None


def curve(
    domain: OwnDomain,
    /,
    *,
    pairs: ExamplesFile = None,
    options: Annotated[CurveOptions, Parameter(name="*")] = CurveOptions(),
    threads: Threads = 1,
    json: Json = False,
) -> None:
    """Show how much is learned from how many examples, and what more would bring.

    Trains several parsers on parts of the examples; nothing is kept of them.
    """
    import torch

    made = find_domain(domain)
    file = pairs or examples_beside(made)
    if file is None:
        raise DataError("no pairs.jsonl is beside the domain's file; name yours with --pairs")
    if options.plot is not None:
        # Before the trainings, so that nothing is lost for want of a library.
        check_place(options.plot)
        new_figure(1, 1)
    torch.set_num_threads(threads)
    quiet()
    given = _settings(made, options)
    learned = _learn(made, file, options, given)
    facts = {"domain": made.name, "encoder": given.get("encoder"), "folds": options.folds}
    figures = {**facts, "seed": options.seed, **learned.to_json()}
    text = jsonlib.dumps(figures, indent=1)
    if options.out is not None:
        write_text(options.out, text + "\n")
    if options.plot is not None:
        from partwise.authoring.learning import plot_learning

        write(plot_learning(learned), options.plot)
    for line in [text] if json else _curve_lines(learned):
        print(line)


def _settings(domain: Any, options: CurveOptions) -> dict[str, Any]:
    names = ("encoder", "epochs", "batch_size", "seed")
    given = {name: getattr(options, name) for name in names}
    given["encoder"] = options.encoder or FAST.get(domain.parser)
    return {name: value for name, value in given.items() if value is not None}


def _learn(
    domain: Any, file: Path, options: CurveOptions, given: Mapping[str, Any]
) -> LearningCurve:
    from partwise.authoring.learning import learning_curve

    sizes, read = options.numbers(), reading(domain)
    return learning_curve(
        PARSERS.find(domain.parser),
        domain,
        read_jsonl(file, read)[0],
        given,
        test=[] if options.test is None else read_jsonl(options.test, read)[0],
        sizes=sizes,
        folds=options.folds,
        seed=options.seed,
        tick=lambda number, of, size, share: warn(
            f"training {number} of {of}: {size} pairs, {100 * share:.0f} % correct"
        ),
    )


def _curve_lines(learned: LearningCurve) -> Iterator[str]:
    for point in learned.points():
        shares = [f"{name.replace('_', ' ')} {100 * point[name]:5.1f}" for name in learned.shares]
        bar = "#" * round(40 * point[next(iter(learned.shares))])
        yield f"{point['size']:5} pairs  {'  '.join(shares)}  {bar}"
    ahead = learned.trend()
    if ahead.now is not None and ahead.twice is not None:
        shown = f"{100 * ahead.now:.0f} expected now, {100 * ahead.twice:.0f} with {2 * ahead.n}"
        yield f"{ahead.n} pairs: {shown}"
    yield f"{ahead.verdict}: {ahead.why}"


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

    module = check_folder(out)
    train, skipped, syntax = read_pairs(pairs, learning.skip_bad)
    if learning.test is not None:
        held, more, _ = read_pairs(learning.test, learning.skip_bad, syntax, 1)
        skipped += more
    else:
        count = int(learning.held_out * len(train))
        apart = set(random.Random(HELD_SEED).sample(range(len(train)), count))
        held = [example for place, example in enumerate(train) if place in apart]
        train = [example for place, example in enumerate(train) if place not in apart]
    for message in skipped:
        warn(f"left out: {message}")
    inferred = infer(train, syntax)
    write_folder(out, inferred, {"pairs.jsonl": train, "held_out.jsonl": held})
    _describe(out, inferred)
    place = f"{module}.domain:{class_name(out.name)}"
    domain = find_domain(place)
    train, held = (list(_read_back(domain, part)) for part in (train, held))
    _report_reach(domain, "pairs", train)
    _report_reach(domain, "held out", held)
    if not learning.no_training:
        quiet()
        _train(domain, place, out, Dataset(out.name, "own", train, held, []), learning, threads)


def _read_back(domain: Any, examples: Sequence[Example[Term]]) -> Iterator[Example[Term]]:
    """The examples with the domain's own form of their programs. One that has none is left out."""
    for example in examples:
        try:
            yield replace(example, meaning=domain.canonical(example.meaning))
        except PartwiseError as error:
            warn(f"left out: {example.source or example.question}: {error}")


def _describe(folder: Path, inferred: Inferred) -> None:
    predicates = len(inferred.methods) - len(inferred.naming.kinds)
    names = sum(len(kind.names) for kind in inferred.naming.kinds)
    unsure = sum(len(method.unsure) for method in inferred.methods)
    print(
        f"domain {folder / 'domain.py'}: {predicates} predicates, {len(inferred.classes)} types, "
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

    given: dict[str, Any] = {"encoder": learning.encoder, "seed": learning.seed}
    given |= {"lexicon": "names", "induced_lexicon": True, "keep": "last", "held_out": 0}
    given |= {"threads": threads} | ({"epochs": learning.epochs} if learning.epochs else {})
    settings = settings_for(SpanParser, domain, len(data.train), given)
    facts = {"domain_class": place, "command": "learn"}
    session = train(SpanParser, domain, data, *settings, folder=out, facts=facts)
    if session.dev is not None:
        print(f"held out {show_scores(session.dev)}")
    print(f'next   partwise parse --model {out} "{data.train[0].question}"')


NOTES = 12
"""Inferences that are shown; all of them are in the domain's file."""


def new_database(name: str, place: str, into: Path, semantics: Path | None) -> None:
    """Make a domain of a database and tell what was read, inferred, and comes next. Raises
    PartwiseError for whatever the user can mend."""
    try:
        from partwise.database.editing import new_domain
        from partwise.database.folder import layer_file
    except ImportError as error:
        raise DataError(f"{error}; install it with: pip install 'partwise[database]'") from error
    made = new_domain(name, place, into, semantics)
    console = Console(soft_wrap=True, highlight=False, markup=False)
    for line in _summary(made, layer_file(made.folder)):
        console.print(line)


DatabaseFolder = Annotated[
    str, Parameter(help="The folder of a database, as `partwise new` made it.")
]


def refresh(domain: DatabaseFolder, /) -> None:
    """Read a database again that has changed: its tables, columns and stored names.

    What you wrote in the domain's file stays. No training is needed.
    """
    check_folder(domain)
    from partwise.database.editing import refresh_domain
    from partwise.database.folder import layer_file

    changes = refresh_domain(domain)
    for change in changes:
        print(clean(change))
    print(f"read   {layer_file(Path(domain))}: {len(changes) or 'no'} changes")


def convert(domain: DatabaseFolder, /) -> None:
    """Write the file of a database as a Python module in place of YAML, or the other way round.

    The file that was there is kept, with the ending .old.
    """
    check_folder(domain)
    from partwise.database.editing import convert_domain

    print(f"made   {convert_domain(domain)}")


def check_folder(name: str) -> None:
    """Raises DataError for what is no folder of a database."""
    if not is_database(name):
        raise DataError(f"{name} is no folder of a database; make one with: partwise new --from")


def _summary(made: NewDomain, file: Path) -> Iterator[str]:
    layer, folder = made.domain.layer, made.folder
    names = [clean(table.name) for table in layer.tables]
    columns = sum(len(table.columns) for table in layer.tables)
    yield f"made   {folder}: {', '.join(sorted(entry.name for entry in folder.iterdir()))}"
    yield f"read   {len(names)} tables with {columns} columns: {', '.join(names)}"
    yield f"       {len(layer.schema.links)} links, {len(layer.measures)} measures"
    yield f"index  {made.values:,} stored values that questions can name"
    for number, note in enumerate(layer.notes[:NOTES]):
        yield f"{'       ' if number else 'found  '}{clean(note)}"
    if len(layer.notes) > NOTES:
        yield f"       ... and {len(layer.notes) - NOTES} more, in {file}"
    for number, thing in enumerate(made.left_out):
        yield f"{'       ' if number else 'omits  '}{clean(thing)}"
    if folder.parent != Path("."):
        yield f"first  cd {folder.parent}"
    for number, question in enumerate(list(made.domain.examples)[:2]):
        yield f'{"       " if number else "next   "}partwise ask --domain {layer.name} "{question}"'
    yield f"       partwise serve {layer.name}"
    yield f"edit   {file}, then: partwise check {layer.name}"
