"""Which saved parser a command uses, on which domain, and about what."""

from __future__ import annotations

from collections.abc import Mapping
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
from partwise.cli.domains import find_domain, is_known, noted_domain, place_of
from partwise.errors import CheckpointError, DataError
from partwise.execution.programs import BoundedDomain
from partwise.interface.registry import DATASETS
from partwise.language.domain import Domain

if TYPE_CHECKING:
    from partwise.serve.service import Service


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

    def load(self, run: bool = True) -> tuple[Any, Any]:
        """The parser, and the context of all questions.

        Args:
            run: whether meanings are to be run.

        Raises:
            PartwiseError: if there is none, it is damaged, or cannot be used in the way asked for.
        """
        from partwise.training import store

        folder, domain, place = _find(self.model, self.domain, self.endpoint)
        bounded = None
        if run and self.run_timeout and isinstance(domain, Domain) and domain.runnable:
            memory = int(self.run_memory * 2**30)
            bounded = BoundedDomain(domain, place, self.run_timeout, memory)
            # It is ready before the parser is.
            bounded.begin()
        parser: Any = store.load_parser(folder, domain)
        parser.domain = bounded or parser.domain
        read = parser.domain.read_context
        context = None if self.context is None else read(self.context)
        for text in self.bind:
            context = {**(context or {}), **read(text)}
        return parser, context


@dataclass(frozen=True)
class Load:
    """Loads what answers the questions of a command, in whatever process.

    Attributes:
        run: whether meanings are to be run.
        at_least: see `Service`.
    """

    source: ParserSource
    threads: int
    run: bool = True
    at_least: float | None = None

    def __call__(self) -> Service:
        """The parser with the context of all questions.

        Raises:
            PartwiseError: see `ParserSource.load`.
        """
        import torch

        from partwise.serve.service import Service

        torch.set_num_threads(self.threads)
        return Service(*self.source.load(self.run), self.at_least)


def load_parser(model: str, domain: str | None, threads: int) -> Any:
    """A saved parser of any kind; a run's folder stands for the parser inside.

    Raises:
        PartwiseError: if there is none, it is damaged, or its domain is not here.
    """
    import torch

    from partwise.training import store

    torch.set_num_threads(threads)
    return store.load_parser(*_find(model, domain)[:2])


def _find(
    model: str | None, domain: str | None, endpoint: str | None = None
) -> tuple[Path, Any, Any]:
    """The folder of a saved parser, its domain (None if it is not known), and the place that this
    is imported from, if it is the user's own."""
    from partwise.training import store

    quiet()
    given = find_domain(domain) if domain else None
    folder = default_model(domain, given) if model is None else store.find_pretrained(Path(model))
    config = read_config(folder)
    name, place = config.get("domain"), domain and place_of(domain)
    made = given or noted_domain(config)
    if made is not None and not domain:
        place = config["training"]["domain_class"]
    elif made is None and isinstance(name, str) and is_known(name):
        made = find_domain(name)
    if endpoint is not None:
        made = _with_endpoint(made or find_domain(str(name)), endpoint)
    return folder, made, place if place and ":" in place else None


def read_config(folder: Path) -> Mapping[str, Any]:
    """What a saved parser notes of itself; nothing where that is damaged.

    Raises:
        CheckpointError: if it cannot be read.
    """
    from partwise.encoders.storage import read_json

    config = read_json(folder / "config.json")
    sound = isinstance(config, dict) and isinstance(config.get("training", {}), dict)
    return config if sound else {}


def _with_endpoint(domain: Any, endpoint: str) -> Any:
    from partwise.execution.sparql import Endpoint

    if not hasattr(domain, "with_store"):
        raise DataError(f"--endpoint: the domain {domain.name} asks no SPARQL store; leave it out")
    return domain.with_store(Endpoint(endpoint))


def default_model(domain: str | None = None, made: Any = None) -> Path:
    """Where a parser is looked for without ``--model``.

    That is the newest run in ``runs/`` that was trained on the domain, or else the parser that
    comes with the package: for the domain, or for all domains of its kind. Without a domain it is
    geography.

    Args:
        made: the domain itself, if it is already there.

    Raises:
        CheckpointError: if there is none; says how to make it.
    """
    from partwise.training.store import shipped

    given = domain if domain is not None else "geography"
    made = made or find_domain(given)
    name = given if is_known(given) else made.name
    runs = [file.parent for file in RUNS.glob("*/model/config.json") if _is_of(file.parent, name)]
    if runs:
        return max(runs, key=lambda folder: (folder / "config.json").stat().st_mtime)
    for known in (name, made.parser):
        if known in shipped():
            _introduce(shipped()[known])
            return shipped()[known]
    data = next((n for n, info in DATASETS.items() if info.domain == name), None)
    how = (
        f"partwise train {data}" if data else f"partwise train --domain {given} --train FILE.jsonl"
    )
    more = "" if data is None or DATASETS[data].shipped else " --data DIR"
    raise CheckpointError(
        f"no --model was given, {MODEL_VARIABLE} is not set, no parser of {name} is in {RUNS}, and "
        f"none comes with the package; make one with: {how}{more}"
    )


def _introduce(folder: Path) -> None:
    """Say which parser of the package answers, and how often it is right if that is noted."""
    tested = read_config(folder)["training"].get("tested", {})
    known = "; ".join(
        f"{100 * share:.1f} % right on the test questions of {split}"
        for split, share in tested.items()
    )
    right = f" ({known})" if known else ""
    warn(f"using the parser of {folder.name} that comes with the package{right}")


def _is_of(folder: Path, domain: str) -> bool:
    """Whether a saved parser is of a domain, and trained on more than inner splits."""
    try:
        config = read_config(folder)
        return config["domain"] == domain and "-inner-" not in str(config["training"].get("split"))
    except (CheckpointError, LookupError, TypeError, AttributeError):
        return False
