"""What a command works on, by name: a domain, examples, a saved parser, and what answers questions.

A domain is one of a plug-in, a folder of the user's, MODULE:CLASS, or the folder of a database.
Examples come from files or from known data sets. Without a name, the parser is the newest run on
the domain, or the one that comes with the package.
"""

from __future__ import annotations

import importlib
import inspect
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter
from cyclopts.validators import Number

from partwise.cli.common import (
    MODEL_VARIABLE,
    RUNS,
    DomainName,
    ModelName,
    NotNegative,
    quiet,
    warn,
)
from partwise.errors import CheckpointError, DataError, PartwiseError
from partwise.execution.programs import BoundedDomain
from partwise.interface.data import PARTS, Dataset, Example
from partwise.interface.domain import AnyDomain
from partwise.interface.jsonl import read_jsonl
from partwise.interface.registry import DATASETS, DOMAINS, dataset_info, load, named_domain
from partwise.language.domain import Domain

if TYPE_CHECKING:
    from partwise.serve.service import Service

DOMAIN_FILE = "domain.py"
EXAMPLES_FILE = "pairs.jsonl"
LAYER_FILE = "layer.py"
"""The semantic layer of a database, where it is no YAML file."""


def find_domain(name: str) -> Any:
    """A domain of this package, the folder of a database, a domain of a plug-in, or one of the
    user's: ``module:Class``, or its folder here. Raises DataError if there is none of that name."""
    # What other packages bring is not looked up for a database.
    if name not in DOMAINS.own and is_database(name):
        return _database(name)
    if name in DOMAINS:
        return named_domain(name)
    place = place_of(name)
    if ":" in place:
        return _own_domain(place)
    known = ", ".join(DOMAINS)
    raise DataError(
        f"no domain {name!r}: no folder {name}/ with domain.py or {Path(name).name}.yaml is here, "
        f"and built in are {known}; begin one of your own with: partwise new NAME, or for a "
        "database: partwise new NAME --from sqlite:///FILE"
    )


def is_domain(name: str) -> bool:
    """Whether this is the name of a domain that comes with the package or a plug-in, or the folder
    of one."""
    # A question may be too long for the name of a file.
    if name in DOMAINS or not os.path.isdir(name):
        return name in DOMAINS
    return place_of(name) != name or is_database(name)


def is_database(name: str) -> bool:
    """Whether this is the folder of a database, as ``partwise new NAME --from ...`` makes it."""
    folder = Path(name)
    files = (f"{folder.resolve().name}.yaml", LAYER_FILE)
    return any((folder / file).is_file() for file in files)


def _database(name: str) -> Any:
    """Raises DataError if what databases need is not installed."""
    try:
        from partwise.database.folder import open_domain
    except ImportError as error:
        raise DataError(f"{error}; install it with: pip install 'partwise[database]'") from error
    return open_domain(name)


def place_of(name: str) -> str:
    """``library.domain:Library`` for ``library``, if that is a folder here with a domain; other
    names as they are. Raises DataError if the module cannot be imported, or holds no domain or
    several."""
    if not (name.isidentifier() and (Path(name) / DOMAIN_FILE).is_file()):
        return name
    module = f"{name}.domain"
    with importing_from_here():
        try:
            members = vars(importlib.import_module(module)).values()
        except Exception as error:
            raise DataError(
                f"cannot import {name}/{DOMAIN_FILE}: {type(error).__name__}: {error}"
            ) from error
    classes = [
        cls.__name__
        for cls in members
        if inspect.isclass(cls) and issubclass(cls, Domain) and cls.__module__ == module
    ]
    if len(classes) != 1:
        what = f"several domains ({', '.join(classes)})" if classes else "no partwise Domain"
        raise DataError(f"{name}/{DOMAIN_FILE} holds {what}; name one as {module}:CLASS")
    return f"{module}:{classes[0]}"


def find_noted_domain(config: Mapping[str, Any]) -> Any:
    """The user's domain that a saved parser's `config` notes; None for a plug-in's. Only a module
    below the current folder is imported: a saved parser does not choose what else is run. Raises
    DataError if it is not here."""
    name = config.get("domain")
    if not isinstance(name, str) or name in DOMAINS:
        return None
    place = str(config.get("training", {}).get("domain_class", ""))
    if _is_here(place):
        return _own_domain(place)
    if place.isidentifier() and is_database(place):
        return _database(place)
    note = f", as {place} when it was trained" if place else ""
    raise DataError(
        f"the parser is of the domain {name!r}, which is not built in and not found here{note}; "
        "say where it is with --domain FOLDER or --domain MODULE:CLASS"
    )


def examples_beside(domain: Any) -> Path | None:
    try:
        file = Path(inspect.getfile(type(domain))).with_name(EXAMPLES_FILE)
    except TypeError:
        return None
    return file if file.is_file() else None


def reading(domain: Any) -> Callable[[str], Any]:
    return lambda text: domain.canonical(domain.read(text))


def _own_domain(place: str) -> Any:
    module, _, attribute = place.partition(":")
    with importing_from_here():
        try:
            made = getattr(importlib.import_module(module), attribute)
            made = made() if callable(made) else made
        except PartwiseError:
            raise
        except Exception as error:
            # The user's own code runs here, and may fail in any way.
            raise DataError(
                f"cannot make the domain {place!r} ({type(error).__name__}: {error}); give "
                "MODULE:CLASS, the class made without arguments"
            ) from error
    if not isinstance(made, AnyDomain):
        raise DataError(f"{place} is no partwise.language.domain.Domain")
    return made


def _is_here(place: str) -> bool:
    module, _, attribute = place.partition(":")
    if not attribute or not all(part.isidentifier() for part in module.split(".")):
        return False
    file = Path(*module.split("."))
    return any(path.is_file() for path in (file.with_suffix(".py"), file / "__init__.py"))


@contextmanager
def importing_from_here() -> Iterator[None]:
    """Let modules be imported from the current folder, as `python -m` does and scripts do not."""
    here = os.getcwd()
    sys.path.insert(0, here)
    try:
        yield
    finally:
        sys.path.remove(here)


OWN = "own"
"""The split's name of data that the user gave as files."""


def examples_of(
    name: str, split: str | None, part: str, data: Path | None, domain: Any, skip_bad: bool = False
) -> list[Example[Any]]:
    """Examples of a file, or of a part of a known data set (of its first split by default). Raises
    DataError for an unknown name, split or part, or bad content."""
    if part not in PARTS:
        raise DataError(f"no part {part!r}; there are {', '.join(PARTS)}")
    of_file = name.endswith((".jsonl", ".json", ".jsonl.gz")) or Path(name).is_file()
    if of_file and name not in DATASETS:
        return read_jsonl(name, reading(domain), skip_bad=skip_bad)[0]
    return load_known_dataset(name, split, data, domain, skip_bad).parts()[part]


def load_known_dataset(
    name: str, split: str | None, data: Path | None, domain: Any, skip_bad: bool = False
) -> Dataset[Any]:
    """A split of a known data set, the first by default. Raises DataError for an unknown name or
    split, a domain of other meanings, or bad content."""
    info = dataset_info(name, split)
    own = find_domain(info.domain)
    if own.parser != domain.parser:
        raise DataError(
            f"{name} has meanings of the domain {own.name}, which {domain.name} does not have; "
            f"use a data set of {domain.name}"
        )
    return load(name, split or info.splits[0], data, skip_bad)


def own_dataset(
    domain: Any, files: Mapping[str, Path | None], skip_bad: bool = False
) -> Dataset[Any]:
    """A data set of the user's files by part, named for that of train."""
    parts: dict[str, list[Example[Any]]] = {}
    skipped: list[str] = []
    for part, file in files.items():
        read = read_jsonl(file, reading(domain), skip_bad=skip_bad) if file else ([], [])
        parts[part] = read[0]
        skipped += read[1]
    name = str(files["train"] and files["train"].name).removesuffix(".gz").rsplit(".", 1)[0]
    return Dataset(name, OWN, **parts, skipped=skipped)


@dataclass(frozen=True, kw_only=True)
class ParserSource:
    """Which parser is asked, and what about.

    Attributes:
        context: What the questions are about, in a domain where that differs: for scenes FILE.json,
            FILE.json:NUMBER or shipped:NUMBER.
        bind: What M0, M1 ... in the questions stand for, as M0=IRI, in a domain of query graphs.
            Names are then not looked for. May be repeated.
        endpoint: URL of a SPARQL store to ask, in place of the knowledge graph that comes with the
            domain.
        run_timeout: Seconds that a program may run, in a domain of programs; 0 to run programs in
            this process, without limits of time and memory.
        run_memory: GiB of memory that a program may take, beside what the domain takes.
    """

    model: ModelName = None
    domain: DomainName = None
    context: str | None = None
    bind: Annotated[tuple[str, ...], Parameter(negative=())] = ()
    endpoint: str | None = None
    run_timeout: Annotated[float, Parameter(validator=NotNegative)] = 10.0
    run_memory: Annotated[float, Parameter(validator=Number(gt=0))] = 2.0

    def load(self, run: bool = True, trainable: bool = False) -> tuple[Any, Any]:
        """The parser, which runs meanings if `run` and learns if `trainable`, and the context of
        all questions. Raises PartwiseError if there is none, it is damaged, or cannot be used in
        the way asked for."""
        from partwise.training import store

        folder, domain, place = _find(self.model, self.domain, self.endpoint)
        bounded = None
        if run and self.run_timeout and isinstance(domain, Domain) and domain.runnable:
            memory = int(self.run_memory * 2**30)
            bounded = BoundedDomain(domain, place, self.run_timeout, memory)
            # It is ready before the parser is.
            bounded.begin()
        parser: Any = store.load_parser(folder, domain, trainable=trainable)
        parser.domain = bounded or parser.domain
        read = parser.domain.read_context
        context = None if self.context is None else read(self.context)
        for text in self.bind:
            context = {**(context or {}), **read(text)}
        return parser, context


@dataclass(frozen=True)
class Load:
    """Loads what answers the questions of a command, in whatever process."""

    source: ParserSource
    threads: int
    run: bool = True
    at_least: float | None = None
    trainable: bool = False

    def __call__(self) -> Service:
        """The parser with the context of all questions. Raises PartwiseError: see
        `ParserSource.load`."""
        from partwise.serve.service import Service

        service = Service(*self.source.load(self.run, self.trainable), self.at_least)
        # Only a parser that has no graphs has loaded torch.
        if "torch" in sys.modules:
            import torch

            torch.set_num_threads(self.threads)
        return service


def _find(model: str | None, domain: str | None, endpoint: str | None) -> tuple[Path, Any, Any]:
    """The folder of a saved parser, its domain (None if it is not known), and the place that this
    is imported from, if it is the user's own."""
    from partwise.training import store

    quiet()
    given = find_domain(domain) if domain else None
    folder = default_model(domain, given) if model is None else store.find_pretrained(Path(model))
    config = read_config(folder)
    name, place = config.get("domain"), domain and place_of(domain)
    made = given or find_noted_domain(config)
    if made is not None and not domain:
        place = config["training"]["domain_class"]
    elif made is None and isinstance(name, str) and name in DOMAINS:
        made = find_domain(name)
    if endpoint is not None:
        from partwise.execution.sparql import Endpoint

        made = made or find_domain(str(name))
        if not hasattr(made, "with_store"):
            raise DataError(
                f"--endpoint: the domain {made.name} asks no SPARQL store; leave it out"
            )
        made = made.with_store(Endpoint(endpoint))
    return folder, made, place if place and ":" in place else None


def read_config(folder: Path) -> Mapping[str, Any]:
    """What a saved parser notes of itself; nothing where that is damaged. Raises CheckpointError if
    it cannot be read."""
    from partwise.encoders.storage import read_json

    config = read_json(folder / "config.json")
    sound = isinstance(config, dict) and isinstance(config.get("training", {}), dict)
    return config if sound else {}


def default_model(domain: str | None = None, made: Any = None) -> Path:
    """Where a parser is looked for without ``--model``: the newest run that was trained on the
    domain (geography, if none is named), or else the parser that comes with the package for the
    domain or for its kind. Raises CheckpointError if there is none; says how to make it."""
    from partwise.training.store import find_shipped

    given = domain if domain is not None else "geography"
    made = made or find_domain(given)
    name = given if given in DOMAINS else made.name
    runs = [file.parent for file in RUNS.glob("*/model/config.json") if _is_of(file.parent, name)]
    if runs:
        return max(runs, key=lambda folder: (folder / "config.json").stat().st_mtime)
    for known in (name, made.parser):
        if shipped := find_shipped().get(known):
            tested = read_config(shipped)["training"].get("tested", {})
            right = "; ".join(
                f"{100 * share:.1f} % right on the test questions of {split}"
                for split, share in tested.items()
            )
            note = f" ({right})" if right else ""
            warn(f"using the parser of {shipped.name} that comes with the package{note}")
            return shipped
    data = next((n for n, info in DATASETS.items() if info.domain == name), None)
    how = (
        f"partwise train {data}" if data else f"partwise train --domain {given} --train FILE.jsonl"
    )
    more = "" if data is None or DATASETS[data].shipped else " --data DIR"
    raise CheckpointError(
        f"no --model was given, {MODEL_VARIABLE} is not set, no parser of {name} is in {RUNS}, and "
        f"none comes with the package; make one with: {how}{more}"
    )


def _is_of(folder: Path, domain: str) -> bool:
    try:
        config = read_config(folder)
        return config["domain"] == domain and "-inner-" not in str(config["training"].get("split"))
    except (CheckpointError, LookupError, TypeError, AttributeError):
        return False
