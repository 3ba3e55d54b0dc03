"""Settings as frozen dataclasses: checked, from and to JSON, with the names that they had before.

A field may be declared with `setting`, which keeps what its type does not say: bounds, and former
names. The command line, config files and the documentation are made from the same fields, and what
a stranger's file may say is what they allow.
"""

from collections.abc import Collection, Mapping
from dataclasses import MISSING, asdict, field, fields
from math import isfinite
from numbers import Integral, Real
from operator import ge, le, lt
from types import UnionType
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from partwise.errors import PartwiseError

S = TypeVar("S")
LONGEST = 4096
"""Characters of a text."""
WORDS: Mapping[Any, str] = {
    **{bool: "true or false", int: "a whole number", float: "a finite number"},
    **{str: f"a text of at most {LONGEST} characters", dict: "an object"},
    **{list[str]: "a list of texts", list[float]: "a list of finite numbers"},
}
"""What values of a type are called."""
BOUNDS: Mapping[str, tuple[str, Any]] = {
    "least": ("at least", ge),
    "most": ("at most", le),
    "below": ("below", lt),
}


def setting(
    default: Any = MISSING,
    *,
    formerly: str = "",
    values: Mapping[str, Any] | None = None,
    least: float | None = None,
    most: float | None = None,
    below: float | None = None,
    later: bool = False,
    unrecorded: bool = False,
) -> Any:
    """A field of settings; without a default it must be given. `formerly`: a name that files may
    still call it by; `values`: those of earlier files -> today's; `least`, `most`, `below`: bounds,
    the last excluded; `later`: came after results were stored, so `to_record` leaves it out where
    it is as by default; `unrecorded`: always left out, as it changes how long something takes and
    not what it gives."""
    known = {"formerly": formerly, "values": values or {}, "later": later}
    bounds = {"least": least, "most": most, "below": below}
    return field(default=default, metadata={**known, **bounds, "unrecorded": unrecorded})


def _is(value: Any, kind: Any) -> bool:
    if kind in (int, float):
        number = isinstance(value, Integral if kind is int else Real) and value is not True
        return number and value is not False and (isinstance(value, Integral) or isfinite(value))
    if get_origin(kind) is list:
        return isinstance(value, list) and all(_is(item, get_args(kind)[0]) for item in value)
    if kind is str:
        return isinstance(value, str) and len(value) <= LONGEST
    return not isinstance(kind, type) or isinstance(value, kind)


def check(settings: Any) -> None:
    """Check the types, choices and bounds of all fields; for `__post_init__`. Raises PartwiseError
    naming the first field that is of another type or out of range."""
    hints = get_type_hints(type(settings))
    for option in fields(settings):
        value, hint = getattr(settings, option.name), hints[option.name]
        if get_origin(hint) is Literal:
            if value not in get_args(hint):
                choices = ", ".join(map(str, get_args(hint)))
                raise PartwiseError(f"{option.name} {value!r:.60} is none of {choices}")
            continue
        union = get_origin(hint) in (Union, UnionType)
        # Lists are checked with their members, other types without.
        kinds = [
            kind if get_origin(kind) is list else get_origin(kind) or kind
            for kind in (get_args(hint) if union else (hint,))
        ]
        if not any(_is(value, kind) for kind in kinds):
            wanted = WORDS.get(kinds[0], kinds[0])
            raise PartwiseError(f"{option.name} must be {wanted}, not {value!r:.60}")
        for name, (words, holds) in BOUNDS.items():
            bound = option.metadata.get(name)
            if None not in (value, bound) and not holds(value, bound):
                raise PartwiseError(f"{option.name} must be {words} {bound}, not {value}")


def former_names(kind: type[Any]) -> dict[str, str]:
    return {f.metadata["formerly"]: f.name for f in fields(kind) if f.metadata.get("formerly")}


def from_dict(kind: type[S], values: Mapping[str, Any], what: str = "settings") -> S:
    """Settings from their JSON form, in which former names and values may stand, and settings that
    are `GONE` where they are off. Raises PartwiseError naming those that are unknown or missing, or
    the first one out of range; it calls them `what`."""
    if not isinstance(values, Mapping):
        raise PartwiseError(f"the {what} must be an object, not {values!r:.60}")
    former = former_names(kind)
    gone: Collection[str] = getattr(kind, "GONE", ())
    off = {name for name, value in values.items() if name in gone and not value}
    given = {former.get(name, name): value for name, value in values.items() if name not in off}
    for option in fields(kind):  # type: ignore[arg-type]
        if isinstance(value := given.get(option.name), str):
            given[option.name] = option.metadata.get("values", {}).get(value, value)
    unknown = sorted(set(given) - {option.name for option in fields(kind)})  # type: ignore[arg-type]
    if unknown:
        raise PartwiseError(f"unknown {what}: {', '.join(unknown):.200}")
    needed = (f.name for f in fields(kind) if f.default is f.default_factory is MISSING)  # type: ignore[arg-type]
    missing = [name for name in needed if name not in given]
    if missing:
        raise PartwiseError(f"missing {what}: {', '.join(missing)}")
    return kind(**given)


def to_dict(settings: Any) -> dict[str, Any]:
    return asdict(settings)


def to_record(settings: Any) -> dict[str, Any]:
    """The form that result files have: by the names of the first version, so that a result of
    today can be compared with those that were stored before."""
    return {
        option.metadata.get("formerly") or option.name: getattr(settings, option.name)
        for option in fields(settings)
        if not option.metadata.get("unrecorded")
        and not (option.metadata.get("later") and getattr(settings, option.name) == option.default)
    }


def check_count(value: Any) -> int:
    if not _is(value, int) or not 0 <= value < 2**53:
        raise ValueError(f"{value!r:.60} is no count")
    return int(value)


def spell(name: str, value: Any) -> str:
    """A setting that is not by default, in the name of a variant: ``dx64``, ``no_nil``."""
    # Folders and names of the hub are told by their last part.
    if name in {"encoder", "pretrained"}:
        return str(value).rstrip("/").rsplit("/", 1)[-1]
    if isinstance(value, bool):
        return name if value else f"no_{name}"
    return f"{name}{value}"


def variant_of(name: str, settings: Any, usual: Mapping[str, Any]) -> str:
    """A name, and whatever is not as `usual`, the settings that the name alone stands for, as
    `to_record` has them: ``lstm-beam1``."""
    other = {one: value for one, value in to_record(settings).items() if value != usual.get(one)}
    return "-".join([name, *(spell(*item) for item in other.items())])
