"""What all drawings in the terminal share: what a stream can show, and lines as text."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from typing import TextIO

from rich.console import Console
from rich.text import Text


def wants_color(color: bool) -> bool:
    """Whether to colour: as asked, unless the environment sets NO_COLOR."""
    return color and not os.environ.get("NO_COLOR")


def is_plain(stream: TextIO | None) -> bool:
    """Whether a stream (standard output if None) can show ASCII alone: its encoding is no UTF."""
    encoding = getattr(stream or sys.stdout, "encoding", None) or "utf-8"
    return not encoding.lower().startswith("utf")


def ascii_only(line: Text) -> Text:
    """The line with a question mark for each character that is not ASCII."""
    line.plain = line.plain.encode("ascii", "replace").decode("ascii")
    return line


def printed(lines: Iterable[Text], width: int, color: bool) -> str:
    """The lines as text, cropped to `width` columns, with colour codes if `color`."""
    console = Console(
        width=width,
        color_system="standard" if color else None,
        force_terminal=color,
        force_jupyter=False,
        legacy_windows=False,
        no_color=not color,
        _environ={},
    )
    with console.capture() as capture:
        for line in lines:
            console.print(line, no_wrap=True, overflow="crop", crop=True)
    return capture.get().rstrip("\n")
