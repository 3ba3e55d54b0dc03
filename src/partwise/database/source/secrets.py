"""Connections without their secrets: what may be written to a folder, and what it stands for."""

from __future__ import annotations

import os
import re
from urllib.parse import parse_qsl, quote, unquote, urlsplit

from partwise.errors import DomainError

_VARIABLE = re.compile(r"\$\{(\w+)\}")
_WHOLE = "env:"
_SECRET = re.compile(r"pass|secret|token|key$", re.IGNORECASE)


def expanded(place: str) -> str:
    """A connection with the values of the environment variables that it names.

    ``env:SHOP_URL`` is all of a connection, ``${SHOP_PASSWORD}`` a part of one.

    Raises:
        DomainError: if a variable is not set.
    """
    if place.startswith(_WHOLE):
        return _variable(place.removeprefix(_WHOLE))
    return _VARIABLE.sub(lambda match: quote(_variable(match[1]), safe=""), place)


def savable(place: str) -> str:
    """The connection itself, if it holds no secret and may be written to a folder.

    Raises:
        DomainError: if it holds one; says where to put it.
    """
    if "://" not in place:
        return place
    parts = urlsplit(place)
    given = [("password", unquote(_password(parts.netloc)))]
    given += [one for one in parse_qsl(parts.query) if _SECRET.search(one[0])]
    if any(value and not _VARIABLE.fullmatch(value) for _, value in given):
        raise DomainError(
            "the connection holds a password, which is never written to a folder; put it into an "
            f"environment variable and write {parts.scheme}://USER:${{SHOP_PASSWORD}}@HOST/NAME, "
            "or put the whole connection there and write env:SHOP_URL"
        )
    return place


def _password(netloc: str) -> str:
    user = netloc.rpartition("@")[0]
    return user.partition(":")[2]


def _variable(name: str) -> str:
    if (value := os.environ.get(name)) is None:
        raise DomainError(f"the connection needs the environment variable {name}; set it")
    return value
