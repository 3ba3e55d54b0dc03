"""Settings: checked, by today's names and by those of before."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import pytest

from partwise.errors import PartwiseError
from partwise.interface.settings import check, from_dict, recorded, setting, to_dict


@dataclass(frozen=True)
class Settings:
    """Some settings."""

    kind: Literal["long", "short"] = "long"
    share: float = setting(0.5, formerly="part", least=0, below=1)
    count: int | None = setting(None, least=1, most=9)
    colour: str = setting("red", later=True)
    threads: int = setting(1, unrecorded=True)

    def __post_init__(self) -> None:
        check(self)


def test_former_names_are_read_and_recorded() -> None:
    settings = from_dict(Settings, {"part": 0.25, "count": 3})
    assert settings == Settings(share=0.25, count=3)
    assert from_dict(Settings, to_dict(settings)) == settings
    assert recorded(settings) == {"kind": "long", "part": 0.25, "count": 3}
    assert recorded(Settings(colour="blue"))["colour"] == "blue"


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"wings": 2, "tail": 1}, "unknown settings: tail, wings"),
        ({"kind": "wide"}, "kind 'wide' is none of long, short"),
        ({"share": -0.1}, "share must be at least 0, not -0.1"),
        ({"part": 1.0}, "share must be below 1, not 1.0"),
        ({"count": 10}, "count must be at most 9, not 10"),
        ({"share": "0.5"}, "share must be a finite number, not '0.5'"),
        ({"share": True}, "share must be a finite number, not True"),
        ({"count": 1.0}, "count must be a whole number, not 1.0"),
        ({"colour": None}, "colour must be a text"),
        ({"share": float("nan")}, "share must be a finite number, not nan"),
    ],
)
def test_what_is_wrong_is_named(values: dict[str, object], message: str) -> None:
    with pytest.raises(PartwiseError, match=message):
        from_dict(Settings, values)


@dataclass(frozen=True)
class Listed:
    """Settings with lists."""

    words: list[str]
    weights: list[float]

    def __post_init__(self) -> None:
        check(self)


def test_members_of_lists_are_checked() -> None:
    assert Listed(["a"], [1, -0.5]).weights == [1, -0.5]
    with pytest.raises(PartwiseError, match="words must be a list of texts"):
        Listed([1], [])  # type: ignore[list-item]
    for bad in (["a"], [float("inf")], [True], 0.5):
        with pytest.raises(PartwiseError, match="weights must be a list of finite numbers"):
            Listed([], bad)  # type: ignore[arg-type]
