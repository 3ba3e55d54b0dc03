"""``partwise train`` and ``partwise config``: a command made for the parser that is trained.

The options of a parser and of the training are made from their classes of settings, so that none is
declared twice. What was not given is filled in by the parser's presets, for the data set or for the
number of questions.
"""

from __future__ import annotations

import json
import textwrap
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, make_dataclass, replace
from pathlib import Path
from typing import Annotated, Any, Literal, get_type_hints

from cyclopts import App, ArgumentCollection, Group, Parameter
from cyclopts.config import Dict
from cyclopts.validators import Number
from docstring_parser import parse as parse_docstring

from partwise.cli.common import RUNS, DataFolder, DomainName, Positive, quiet, warn
from partwise.cli.evaluate import command, further_metrics, recorders
from partwise.cli.sources import (
    find_domain,
    importing_from_here,
    load_known_dataset,
    own_dataset,
    place_of,
    read_config,
)
from partwise.errors import DataError, PartwiseError
from partwise.evaluation.metrics import Evaluation, Recorder, Scores, without_failing
from partwise.evaluation.splits import inner_dataset, some_of
from partwise.interface.data import Dataset
from partwise.interface.parser import Parser, TrainingStopped
from partwise.interface.registry import DATASETS, DOMAINS, PARSERS, data_note, dataset_info
from partwise.interface.settings import to_dict
from partwise.training.session import START, Session, facts_before, start_from, train
from partwise.training.store import run_name
from partwise.training.trainer import TrainingConfig, settings_for

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
        return {"train": self.train, "dev": self.dev, "test": self.test_file}


def train_app(tokens: Sequence[str], make: Callable[..., App]) -> tuple[App, list[str]]:
    """``partwise train`` for the parser that its tokens name, and these in today's form. `make`
    makes an app of a name. Raises PartwiseError for an unknown parser or data set, and a file that
    cannot be read."""
    file = _value(tokens, CONFIG)
    values = {} if file is None else read_settings(Path(file))
    kind = parser_of(tokens, values)
    given = Given()
    app = make("train", config=(Dict(values, source=str(file), use_commands_as_keys=False), given))
    app.default(_command(kind, given))
    return app, rewritten(tokens)


def parser_of(tokens: Sequence[str], values: dict[str, Any]) -> str:
    """The kind of parser that is trained: as given, or as the domain has it. `values`: options of a
    file."""
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


def run(kind: str, dataset: str | None, plan: Plan, given: Mapping[str, Any]) -> int:
    """Train, save, say how it went, and with ``--test`` let recorders keep the metrics. `given`:
    the settings that the user gave, by name."""
    if plan.test and plan.inner:
        raise DataError("--inner never touches test; give --test or --inner, not both")
    parser = PARSERS.find(kind)
    domain, data = _data(dataset, plan)
    start = plan.from_pretrained or parser.starts_from
    config, training = _settings(parser, domain, dataset, len(data.train), given)
    made: Any = parser
    if start is not None:
        made = _start(parser, domain, start, given)
        config = made.config
    if plan.inner is not None:
        data = inner_dataset(data, plan.inner, domain)
    data = _ask_less(data, plan.eval_size)
    facts = _facts(parser, domain, config, plan, start)
    name = run_name(data.name, data.split, facts["variant"], training.seed)
    folder = plan.out or RUNS / name
    known = {"kind": kind, "domain": domain.name, "parser": to_dict(config)}
    known["training"] = {**facts_before(parser, data, training), **facts}
    evaluation = Evaluation(known, data, data_note(data.name, plan.data) if dataset else "")
    keepers = recorders(needed=False) if plan.test else []
    for recorder in keepers:
        recorder.check(plan.results, evaluation)
    for message in data.skipped:
        warn(f"left out: {message}")
    quiet()
    test = plan.test or plan.inner is not None
    how: dict[str, Any] = {"resume": not plan.fresh, "test": test, "facts": facts}
    try:
        # An objective may be a class of a module here.
        trained = importing_from_here()(train)
        session = trained(made, domain, data, config, training, folder=folder, **how)
    except KeyboardInterrupt as stop:
        saved = "the best epoch so far is saved, and " * isinstance(stop, TrainingStopped)
        warn(f"stopped; {saved}the same command continues from {folder}")
        return 130
    for line in _report(session, inner=plan.inner is not None):
        print(line)
    _record(keepers, session, plan, evaluation, facts["command"])
    return 0


def _record(
    keepers: Sequence[Recorder],
    session: Session[Any],
    plan: Plan,
    evaluation: Evaluation,
    done: str,
) -> None:
    if not keepers or session.test is None:
        return
    evaluation = replace(evaluation, config=read_config(session.model))
    further = further_metrics(session.parser, evaluation.data, plan.data)
    for recorder in keepers:
        path = recorder.add(plan.results, evaluation, session.parser, session.test, further, done)
        print(f"result {path}")


def _start(kind: type[Parser[Any]], domain: Any, start: str, given: Mapping[str, Any]) -> Any:
    own = {field.name for field in fields(kind.Config)} & set(given)
    if own:
        name = min(own).replace("_", "-")
        raise DataError(
            f"--{name} is a setting of {start}, which is trained on as it is; leave it out"
        )
    return start_from(kind, domain, start)


def _facts(
    parser: type[Parser[Any]], domain: Any, config: Any, plan: Plan, start: str | None
) -> dict[str, Any]:
    size = "" if plan.train_size is None else f"-n{plan.train_size}"
    variant = plan.variant or f"{parser.variant(domain, config)}{size}"
    facts: dict[str, Any] = {"variant": variant, "types": plan.types, "command": command()}
    if start is not None:
        facts[START] = start
    if domain.name not in DOMAINS:
        facts["domain_class"] = place_of(str(plan.domain))
    return facts


def _data(dataset: str | None, plan: Plan) -> tuple[Any, Dataset[Any]]:
    if dataset is None:
        if plan.train is None or plan.domain is None:
            raise DataError(
                "give a data set (see `partwise data list`), or --domain, --train and --dev"
            )
        domain = find_domain(_with_types(plan.domain, plan.types))
        data = own_dataset(domain, plan.files, plan.skip_bad)
    else:
        if any(plan.files.values()):
            raise DataError(f"give {dataset} or files of your own, not both")
        info = dataset_info(dataset, plan.split)
        domain = find_domain(_with_types(plan.domain or info.domain, plan.types))
        data = load_known_dataset(dataset, plan.split, plan.data, domain, plan.skip_bad)
    if plan.skip_bad:
        data = without_failing(data, domain)
    if plan.train_size is not None:
        data = replace(data, train=some_of(data.train, plan.train_size))
    return domain, data


def _ask_less(data: Dataset[Any], size: int | None) -> Dataset[Any]:
    if size is None:
        return data
    dev, test = (some_of(part, size) if part[size:] else part for part in (data.dev, data.test))
    return replace(data, dev=dev, test=test)


def _with_types(domain: str, types: str) -> str:
    if types == "sharp" or domain.endswith(f"-{types}"):
        return domain
    if f"{domain}-{types}" not in DOMAINS:
        raise DataError(f"--types {types}: the domain {domain} has no such types; leave it out")
    return f"{domain}-{types}"


def _settings(
    parser: type[Parser[Any]], domain: Any, dataset: str | None, size: int, given: Mapping[str, Any]
) -> tuple[Any, TrainingConfig]:
    of_data = DATASETS[dataset].settings if dataset and dataset in DATASETS else {}
    usual = parser.presets(domain, given, of_data, size)
    if dataset is None:
        shown = [f"--{n.replace('_', '-')} {v}" for n, v in usual.items() if n not in given]
        if shown:
            warn(f"for {size} training questions as usual: {', '.join(shown)}")
    return settings_for(parser, domain, size, given, of_data)


def _report(session: Session[Any], inner: bool) -> Iterator[str]:
    report = session.report
    left = session.train_size - session.held_out_size - report.usable
    apart = f", {session.held_out_size} held out" if session.held_out_size else ""
    note = f", {left} not usable (see train.log)" if left else ""
    yield f"train  {report.usable} of {session.train_size} questions{apart}{note}"
    charts = report.facts.get("chart_share")
    share = "" if charts is None else f", {100 * charts:.0f} % of it in the charts"
    best = f"best epoch {report.best_epoch + 1} of {len(report.history)}"
    yield f"time   {report.seconds:.1f} s{share}; {best}"
    parts = (("held", session.held_out), ("dev", session.dev))
    for name, scores in (*parts, ("inner" if inner else "test", session.test)):
        if scores is not None:
            yield f"{name:6} {show_scores(scores)}"
    yield f"model  {session.model}"


def show_scores(scores: Scores) -> str:
    answers = scores.denotation
    first = "" if answers is None else f"denotation {100 * answers:.1f}  "
    parts = [f"  {name} match {100 * share:.1f}" for name, share in scores.partial.items()][:1]
    failed = "" if answers is None else f", {scores.failed} failed"
    return (
        f"{first}exact match {100 * scores.exact_match:.1f}{''.join(parts)}  "
        f"({scores.n} questions, {scores.no_parse} without a parse{failed})"
    )


MAX_SETTINGS = 1 << 16
"""Bytes of a file of settings."""
DEEPEST = 20
"""Levels of a YAML file."""


class Given:
    """Notes the `names` of options that were given and not left at their defaults; a config of
    cyclopts."""

    def __init__(self) -> None:
        self.names: set[str] = set()

    def __call__(self, app: App, commands: tuple[str, ...], arguments: ArgumentCollection) -> None:
        self.names = {argument.field_info.name for argument in arguments if argument.tokens}

    def of(self, options: Any) -> dict[str, Any]:
        return {f.name: getattr(options, f.name) for f in fields(options) if f.name in self.names}


def as_options(settings: type[Any]) -> type[Any]:
    """A class of the same fields for the command line. It checks nothing but types and bounds, as
    what is not given is filled in later."""
    hints, texts = get_type_hints(settings, include_extras=True), descriptions(settings)
    names = {"least": "gte", "most": "lte", "below": "lt"}
    columns = []
    for option in fields(settings):
        known = option.metadata
        former = known.get("formerly")
        bounds = {names[name]: known[name] for name in names if known.get(name) is not None}
        parameter = Parameter(
            help=texts.get(option.name, ""),
            alias=f"--{former.replace('_', '-')}" if former else None,
            validator=Number(**bounds) if bounds else None,
        )
        again: Any = field(default=option.default, default_factory=option.default_factory)
        columns.append((option.name, Annotated[hints[option.name], parameter], again))
    made = make_dataclass(settings.__name__, columns, frozen=True, kw_only=True)
    # Classes of the module "types" pass for builtin ones.
    made.__module__ = settings.__module__
    return made


def descriptions(settings: type[Any]) -> dict[str, str]:
    return {
        param.arg_name: " ".join((param.description or "").replace("``", "").split())
        for base in reversed(settings.__mro__)
        for param in parse_docstring(base.__doc__ or "").params
    }


def rewritten(tokens: Sequence[str]) -> list[str]:
    """Tokens with ``--set NAME=VALUE`` as an option. Raises PartwiseError for ``--set`` with
    something else."""
    words, result = iter(tokens), []
    for token in words:
        option, equals, value = token.partition("=")
        if option == "--set":
            name, given, value = (value if equals else next(words, "")).partition("=")
            if not given:
                raise PartwiseError(f"--set {name}: expected NAME=VALUE")
            token = f"--{name.replace('_', '-')}={value}"
        result.append(token)
    return result


def read_settings(file: Path) -> dict[str, Any]:
    """The options of a TOML, YAML or JSON file; tables only group them. Raises DataError if it
    cannot be read."""
    try:
        with file.open("rb") as stream:
            data = stream.read(MAX_SETTINGS + 1)
        if len(data) > MAX_SETTINGS:
            raise ValueError(f"it has more than {MAX_SETTINGS:,} bytes")
        text = data.decode("utf-8")
        if file.suffix == ".toml":
            values: Any = tomllib.loads(text)
        elif file.suffix in (".yaml", ".yml"):
            values = _yaml(text)
        else:
            values = json.loads(text)
        if not isinstance(values, dict):
            raise ValueError("expected settings by name")
        return {name.replace("_", "-"): value for name, value in _flat(values)}
    except Exception as error:
        # Each format has errors of its own.
        raise DataError(f"{file}: cannot be read as settings ({error})") from error


def _yaml(text: str) -> Any:
    import yaml

    depth = 0
    # The library's time grows with the square of the depth, and aliases can multiply a text.
    for event in yaml.parse(text, yaml.SafeLoader):
        depth += isinstance(event, yaml.CollectionStartEvent)
        depth -= isinstance(event, yaml.CollectionEndEvent)
        if depth > DEEPEST or isinstance(event, yaml.AliasEvent):
            raise ValueError(f"settings have no aliases and nest at most {DEEPEST} deep")
    return yaml.safe_load(text)


def _flat(values: Mapping[Any, Any]) -> Iterator[tuple[str, Any]]:
    for name, value in values.items():
        if isinstance(value, dict):
            yield from _flat(value)
        elif isinstance(name, str):
            yield name, value
        else:
            raise ValueError(f"{name!r:.80} is no name of a setting")


def as_toml(title: str, settings: type[Any]) -> Iterator[str]:
    texts = descriptions(settings)
    yield f"[{title}]"
    for setting in fields(settings):
        for line in textwrap.wrap(texts.get(setting.name, ""), 96):
            yield f"# {line}"
        mark = "# " if setting.default is None else ""
        value = "" if setting.default is None else json.dumps(setting.default)
        yield f"{mark}{setting.name} = {value}"
