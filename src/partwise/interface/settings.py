"""Settings as frozen dataclasses: checked, from and to JSON, with the names that they had before.

A field may be declared with `setting`, which keeps what its type does not say: bounds, and former
names. The command line, config files and the documentation are made from the same fields.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, field, fields
from typing import Any, Literal, TypeVar, get_args, get_origin, get_type_hints

from partwise.errors import PartwiseError

S = TypeVar("S")


def setting(
    default: Any,
    *,
    formerly: str = "",
    least: float | None = None,
    most: float | None = None,
    below: float | None = None,
    later: bool = False,
    unrecorded: bool = False,
) -> Any:
    """A field of settings.

    Args:
        formerly: a name that it had in an earlier version, by which files may still call it.
        least, most, below: bounds, `below` excluded.
        later: came after results were stored; left out of `recorded` where it is as by default.
        unrecorded: always left out, as it changes how long something takes and not what it gives.
    """
    known = {"formerly": formerly, "least": least, "most": most, "below": below}
    return field(default=default, metadata={**known, "later": later, "unrecorded": unrecorded})


def check(settings: Any) -> None:
    """Check the choices and bounds of all fields; for `__post_init__`.

    Raises:
        PartwiseError: naming the first field that is out of range.
    """
    hints = get_type_hints(type(settings))
    for one in fields(settings):
        value = getattr(settings, one.name)
        if get_origin(hints[one.name]) is Literal and value not in get_args(hints[one.name]):
            choices = ", ".join(map(str, get_args(hints[one.name])))
            raise PartwiseError(f"{one.name} {value!r} is none of {choices}")
        if value is None:
            continue
        least, most, below = (one.metadata.get(name) for name in ("least", "most", "below"))
        if least is not None and not value >= least:
            raise PartwiseError(f"{one.name} must be at least {least}, not {value}")
        if most is not None and not value <= most:
            raise PartwiseError(f"{one.name} must be at most {most}, not {value}")
        if below is not None and not value < below:
            raise PartwiseError(f"{one.name} must be below {below}, not {value}")


def former_names(kind: type[Any]) -> dict[str, str]:
    """Former name -> name of the fields that had another one."""
    return {f.metadata["formerly"]: f.name for f in fields(kind) if f.metadata.get("formerly")}


def from_dict(kind: type[S], values: Mapping[str, Any], what: str = "settings") -> S:
    """Settings from their JSON form, in which former names may stand.

    Args:
        what: what messages call them.

    Raises:
        PartwiseError: naming those that are unknown, or the first one out of range.
    """
    former = former_names(kind)
    given = {former.get(name, name): value for name, value in values.items()}
    unknown = sorted(set(given) - {one.name for one in fields(kind)})  # type: ignore[arg-type]
    if unknown:
        raise PartwiseError(f"unknown {what}: {', '.join(unknown)}")
    return kind(**given)


def to_dict(settings: Any) -> dict[str, Any]:
    """The JSON form, by today's names."""
    return asdict(settings)


def recorded(settings: Any) -> dict[str, Any]:
    """The form that result files have: by the names of the first version, so that a result of
    today can be compared with those that were stored before."""
    return {
        one.metadata.get("formerly") or one.name: getattr(settings, one.name)
        for one in fields(settings)
        if not one.metadata.get("unrecorded")
        and not (one.metadata.get("later") and getattr(settings, one.name) == one.default)
    }


def spelled(name: str, value: Any) -> str:
    """A setting that is not by default, in the name of a variant: ``dx64``, ``no_nil``."""
    if name == "encoder":
        return str(value).rstrip("/").rsplit("/", 1)[-1]
    if isinstance(value, bool):
        return name if value else f"no_{name}"
    return f"{name}{value}"
