"""``partwise train`` and ``partwise config``: a command made for the parser that is trained."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from cyclopts import App, Group, Parameter
from cyclopts.config import Dict

from partwise.cli.common import DataFolder, DomainName, Positive
from partwise.cli.domains import find_domain
from partwise.cli.settings import Given, as_options, as_toml, read_settings, rewritten
from partwise.interface.registry import DATASETS, PARSERS
from partwise.training.trainer import TrainingConfig

DEFAULT_PARSER = "span"
CONFIG = "--config"

DatasetName = Annotated[
    str | None,
    Parameter(
        help="A known data set, as geography. Leave it out to train on your own files: "
        "--domain, --train and --dev."
    ),
]
ParserName = Annotated[
    str | None,
    Parameter(
        name="--parser",
        help="Which kind of parser; without it, the one that its domain names. See the settings of "
        "another with --parser NAME --help.",
    ),
]


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What a training run does, beside its settings.

    Attributes:
        split: Which split of the data set; without it the first.
        out: Folder of the run: model/, train.log, history.json, and while it runs state/, from
            which a killed run continues if you give the same command again. Without it
            runs/DATASET-SPLIT-VARIANT-SEED.
        test: At the end evaluate on test and add this seed to the result file. Only when all
            choices are made.
        inner: For choosing settings: hold out a part of train that is as new as the test set is
            (new templates, longer questions, new compounds: mcd), train on the rest and report on
            it. Test is not touched.
        results: Folder of the result files; see `partwise report`.
        variant: Name of this choice of settings in results and folders; without it, made of them.
        train_size: Train on only so many of the training questions, always the same ones; more of
            them have these among them. A name that is not given ends in -n and the number.
        eval_size: Evaluate on only so many of the dev and of the test questions, always the same
            ones, for parsers that take seconds to answer. Result files tell how many.
        types: Which types, for domains that have several: sharp: what can only be empty does not
            type. Another name takes the domain NAME-TYPES, as the looser ones of geoquery-paper.
        skip_bad: Leave out and list lines that cannot be read, and dev and test meanings that do
            not run, in place of stopping at the first.
        fresh: Do not continue a killed run in this folder.
        config: Read options from this TOML, YAML or JSON file; those given here go before. See
            `partwise config`.
        train: Training questions of your own: a JSON object a line, {"question": "...",
            "program": "..."}, or with a "query".
        dev: Questions to choose the best epoch by, in the same form.
        test_file: Questions for --test, in the same form.
        from_pretrained: Train this saved parser further: its folder, or one that comes with the
            package. Only parsers for databases can be; they start from database by themselves.
    """

    split: str | None = None
    data: DataFolder = None
    domain: DomainName = None
    out: Path | None = None
    test: Annotated[bool, Parameter(negative=())] = False
    inner: Literal["template", "length", "random", "mcd"] | None = None
    results: Path = Path("results")
    variant: str | None = None
    train_size: Annotated[int | None, Parameter(validator=Positive)] = None
    eval_size: Annotated[int | None, Parameter(validator=Positive)] = None
    types: str = "sharp"
    skip_bad: Annotated[bool, Parameter(negative=())] = False
    fresh: Annotated[bool, Parameter(negative=())] = False
    config: Path | None = None
    train: Path | None = None
    dev: Path | None = None
    test_file: Path | None = None
    from_pretrained: str | None = None

    @property
    def files(self) -> dict[str, Path | None]:
        """The user's own files, by part."""
        return {"train": self.train, "dev": self.dev, "test": self.test_file}


def train_app(tokens: Sequence[str], make: Callable[..., App]) -> tuple[App, list[str]]:
    """``partwise train`` for the parser that its tokens name, and these in today's form.

    Args:
        tokens: what is typed after ``train``.
        make: makes an app of a name.

    Raises:
        PartwiseError: for an unknown parser or data set, and a file that cannot be read.
    """
    file = _value(tokens, CONFIG)
    values = {} if file is None else read_settings(Path(file))
    kind = parser_of(tokens, values)
    given = Given()
    app = make("train", config=(Dict(values, source=str(file), use_commands_as_keys=False), given))
    app.default(_command(kind, given))
    return app, rewritten(tokens)


def parser_of(tokens: Sequence[str], values: dict[str, Any]) -> str:
    """The kind of parser that is trained: as given, or as the domain has it.

    Args:
        values: options of a file.
    """
    kind = _value(tokens, "--parser") or values.get("parser")
    if kind is not None:
        return str(kind)
    start = _value(tokens, "--from-pretrained") or values.get("from_pretrained")
    if start:
        from partwise.training.store import find_pretrained, kind_of

        return kind_of(find_pretrained(str(start)))
    name = _value(tokens, "--domain") or values.get("domain")
    data = values.get("dataset") or next((token for token in tokens if token in DATASETS), None)
    if name is None and data in DATASETS:
        name = DATASETS[str(data)].domain
    return DEFAULT_PARSER if name is None else str(find_domain(str(name)).parser)


def _value(tokens: Sequence[str], option: str) -> str | None:
    """What stands after an option, or after its "="."""
    for token, following in zip(tokens, (*tokens[1:], ""), strict=False):
        name, equals, value = token.partition("=")
        if name == option:
            return value if equals else following
    return None


def _command(kind: str, given: Given) -> Callable[..., int]:
    parser = PARSERS.find(kind)
    settings, loop = as_options(parser.Config), as_options(TrainingConfig)

    def train(
        dataset: DatasetName = None,
        *,
        parser: ParserName = None,
        plan: Annotated[Plan, Parameter(name="*", group=Group("The run"))] = Plan(),
        settings: Any = settings(),  # noqa: B008
        loop: Any = loop(),  # noqa: B008
    ) -> int:
        """Train a parser on a known data set or on your own files, and save it.

        Own data: partwise train --domain MODULE:CLASS --train FILE.jsonl --dev FILE.jsonl
        """
        from partwise.cli.training import run

        return run(kind, dataset, plan, {**given.of(settings), **given.of(loop)})

    groups = (("settings", settings, f"The {kind} parser"), ("loop", loop, "Training"))
    for name, options, title in groups:
        train.__annotations__[name] = Annotated[options, Parameter(name="*", group=Group(title))]
    return train


def config(*, parser: str = DEFAULT_PARSER) -> None:
    """Print the settings of a parser and its training, for train --config.

    The values are those of the classes; `partwise train` takes others where a data set, or the
    number of questions, calls for them.

    Parameters
    ----------
    parser:
        Which kind of parser.
    """
    for line in (
        f'parser = "{parser}"',
        "",
        *as_toml("settings", PARSERS.find(parser).Config),
        "",
        *as_toml("training", TrainingConfig),
    ):
        print(line)
