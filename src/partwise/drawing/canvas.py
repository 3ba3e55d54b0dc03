"""What all SVG pictures share: fonts, widths of texts, the root element."""

from __future__ import annotations

import unicodedata
import xml.etree.ElementTree as ET

MONO = 'ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace'
SANS = 'system-ui, -apple-system, "Segoe UI", Helvetica, Arial, "DejaVu Sans", sans-serif'


def picture(width: float, height: float) -> ET.Element:
    """The root of a standalone picture that shrinks to the page."""
    return ET.Element(
        "svg",
        xmlns="http://www.w3.org/2000/svg",
        width=f"{width:.0f}",
        height=f"{height:.0f}",
        viewBox=f"0 0 {width:.0f} {height:.0f}",
        role="img",
        style="max-width: 100%; height: auto",
    )


def text_width(text: str, size: float, mono: bool = False) -> float:
    """About how wide a text is, rather too wide than too narrow for common fonts."""
    return size * sum(_em(char, mono) for char in text)


def _em(char: str, mono: bool) -> float:
    if unicodedata.east_asian_width(char) in "WF" or ord(char) >= 0x1F000:
        return 1.3
    if mono:
        return 0.61
    if char in "ijl.,:;'|!":
        return 0.3
    if char in "ftr()[]-":
        return 0.4
    return 0.92 if char in "mwMW@%&" else 0.74 if char.isupper() else 0.6
