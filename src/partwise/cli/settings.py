"""Options made from the classes of settings, so that no setting is declared twice."""

from __future__ import annotations

import json
import textwrap
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import MISSING, field, fields, make_dataclass
from pathlib import Path
from typing import Annotated, Any, get_type_hints

from cyclopts import App, ArgumentCollection, Parameter
from cyclopts.validators import Number
from docstring_parser import parse as parse_docstring

from partwise.errors import DataError, PartwiseError

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
    columns = [
        (
            f.name,
            Annotated[hints[f.name], _parameter(f.metadata, texts.get(f.name, ""))],
            _default(f),
        )
        for f in fields(settings)
    ]
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


def _parameter(metadata: Mapping[str, Any], text: str) -> Parameter:
    former = metadata.get("formerly")
    names = {"gte": "least", "lte": "most", "lt": "below"}
    bounds = {one: metadata[name] for one, name in names.items() if metadata.get(name) is not None}
    return Parameter(
        help=text,
        alias=f"--{former.replace('_', '-')}" if former else None,
        validator=Number(**bounds) if bounds else None,
    )


def _default(setting: Any) -> Any:
    if setting.default_factory is not MISSING:
        return field(default_factory=setting.default_factory)
    return field(default=setting.default)


def rewritten(tokens: Sequence[str]) -> list[str]:
    """Tokens in today's form: ``--set NAME=VALUE`` as an option, and options that were renamed.
    Raises PartwiseError for ``--set`` with something else."""
    words, result = iter(tokens), []
    for token in words:
        name, equals, value = token.partition("=")
        if name not in ("--set", "--entities"):
            result.append(token)
            continue
        value = value if equals else next(words, "")
        if name == "--entities" and value in ("tied", "free"):
            # Each entity had an output of its own, or all of a type had one.
            result.append("--type-tied" if value == "tied" else "--no-type-tied")
        elif name == "--set" and value.partition("=")[1]:
            result.append(
                f"--{value.partition('=')[0].replace('_', '-')}={value.partition('=')[2]}"
            )
        else:
            expected = "NAME=VALUE" if name == "--set" else "tied or free"
            raise PartwiseError(f"{name} {value}: expected {expected}")
    return result


def read_settings(file: Path) -> dict[str, Any]:
    """The options of a TOML, YAML or JSON file; tables only group them. Raises DataError if it
    cannot be read."""
    try:
        text = _text(file)
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


def _text(file: Path) -> str:
    with file.open("rb") as stream:
        data = stream.read(MAX_SETTINGS + 1)
    if len(data) > MAX_SETTINGS:
        raise ValueError(f"it has more than {MAX_SETTINGS:,} bytes")
    return data.decode("utf-8")


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
