"""From options to settings: defaults, ``--set``, and the name of what was chosen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import MISSING, fields
from pathlib import Path
from typing import Any

import typer

from partwise.errors import PartwiseError
from partwise.span.config import SpanParserConfig
from partwise.training.config import TrainingConfig

PARSER: dict[str, Any] = {f.name: f.default for f in fields(SpanParserConfig)}
LOOP: dict[str, Any] = {f.name: f.default for f in fields(TrainingConfig)}


def settings_of(
    parser: dict[str, Any], loop: dict[str, Any], given: Sequence[str]
) -> tuple[SpanParserConfig, TrainingConfig]:
    """The settings, ``NAME=VALUE`` ones over the others.

    Raises:
        PartwiseError: for an unknown name, a value of another kind, or one out of range.
    """
    for name, value in read_extra(given, {**PARSER, **LOOP}).items():
        (parser if name in PARSER else loop)[name] = value
    return SpanParserConfig(**parser), TrainingConfig(**loop)


def read_extra(given: Sequence[str], defaults: Mapping[str, Any]) -> dict[str, Any]:
    """What ``--set`` gives.

    Args:
        defaults: the known settings, with a value of each one's kind.

    Raises:
        PartwiseError: for an unknown name, or a value of another kind.
    """
    found: dict[str, Any] = {}
    for text in given:
        name, equals, value = text.partition("=")
        if not equals or name not in defaults:
            raise PartwiseError(
                f"--set {text}: expected NAME=VALUE, with one of the names "
                f"{', '.join(sorted(defaults))}"
            )
        found[name] = _value(name, value, defaults[name])
    return found


def is_given(ctx: typer.Context, name: str) -> bool:
    """Whether an option was given, and not left at its default."""
    source = ctx.get_parameter_source(name)
    return source is not None and source.name != "DEFAULT"


def refuse(ctx: typer.Context, names: Sequence[str], why: str) -> None:
    """Say of options that were given that they make no sense here.

    Raises:
        PartwiseError: for the first of them.
    """
    for parameter in ctx.command.params:
        if parameter.name in names and is_given(ctx, str(parameter.name)):
            raise PartwiseError(f"{parameter.opts[0]} {why}; leave it out")


def use_usual(
    ctx: typer.Context, dataset: str | None, parser: dict[str, Any], loop: dict[str, Any]
) -> None:
    """Put the usual settings of a known data set in place of options that were not given."""
    from partwise.interface.registry import DATASETS

    usual = DATASETS[dataset].settings if dataset and dataset in DATASETS else {}
    for name, value in usual.items():
        if not is_given(ctx, name):
            (parser if name in parser else loop)[name] = value


def use_few(
    ctx: typer.Context, train: Path | None, parser: dict[str, Any], loop: dict[str, Any]
) -> None:
    """Put settings for few questions in place of options that were not given, and say so."""
    from partwise.cli.common import warn
    from partwise.span.presets import loop_for_few, parser_for_few

    if train is None or not train.is_file():
        return
    n = sum(bool(line.strip()) for line in train.read_bytes().split(b"\n"))
    found: dict[str, float] = {}
    for settings, wanted in (
        (loop, loop_for_few(n)),
        (parser, parser_for_few(n, str(parser["objective"]))),
    ):
        better = {k: v for k, v in wanted.items() if not is_given(ctx, k)}
        settings.update(better)
        found.update(better)
    if found:
        shown = ", ".join(f"--{name.replace('_', '-')} {value}" for name, value in found.items())
        warn(f"{n} training questions are few, so as with {shown}")


def _value(name: str, text: str, default: Any) -> Any:
    kind = str if default is MISSING else type(default)
    if kind is bool:
        known = {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}
        if text.lower() not in known:
            raise PartwiseError(f"--set {name}={text}: expected true or false")
        return known[text.lower()]
    try:
        return kind(text)
    except ValueError as error:
        raise PartwiseError(f"--set {name}={text}: expected {kind.__name__}") from error


def variant_of(config: SpanParserConfig, types: str) -> str:
    """``marginal-sharp``, and whatever else is not by default: ``hard-paper-names-free``."""
    names = [config.objective, types]
    if config.lexicon != PARSER["lexicon"]:
        names.append(config.lexicon)
    if not config.ternary:
        names.append("projective")
    if not config.tied:
        names.append("free")
    spoken = {"objective", "lexicon", "ternary", "tied"}
    for name, default in PARSER.items():
        value = getattr(config, name)
        if name in spoken or value == default:
            continue
        names.append(spelled(name, value))
    return "-".join(names)


def spelled(name: str, value: Any) -> str:
    """A setting that is not usual, in the name of a variant: ``dx64``, ``no_nil``."""
    if name == "encoder":
        return str(value).rstrip("/").rsplit("/", 1)[-1]
    if isinstance(value, bool):
        return name if value else f"no_{name}"
    return f"{name}{value}"
