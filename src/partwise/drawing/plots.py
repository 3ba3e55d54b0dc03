"""Making a figure and writing it; the one place that imports matplotlib."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from partwise.errors import DataError, PartwiseError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FORMATS = (".svg", ".png", ".pdf")


def new_figure(width: float, height: float) -> Figure:
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise PartwiseError(
            "plots need matplotlib; install it with: pip install 'partwise[plots]'"
        ) from error
    return Figure(figsize=(width, height), layout="constrained")


def check_place(path: Path) -> None:
    """Find out before the drawing that the file's kind is unknown. Raises DataError unless it ends
    in one of `FORMATS`."""
    if path.suffix.lower() not in FORMATS:
        raise DataError(f"{path}: a plot is written to a file that ends in {', '.join(FORMATS)}")


def write(figure: Figure, path: Path) -> None:
    """Write a figure in the format of the file's ending. Raises DataError for another ending, or a
    file that cannot be written."""
    import matplotlib

    check_place(path)
    # Without a date, and with a fixed salt, the same figure gives the same file.
    dated = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}}.get(path.suffix.lower())
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        # Text stays text in an SVG, to be searched and read aloud.
        with matplotlib.rc_context({"svg.fonttype": "none", "svg.hashsalt": "partwise"}):
            figure.savefig(path, dpi=150, metadata=dated, bbox_inches="tight")
    except OSError as error:
        why = error.strerror or str(error)
        raise DataError(f"{path}: cannot be written ({why}); choose another place") from error
