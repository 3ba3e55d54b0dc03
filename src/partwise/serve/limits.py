"""What a server lets through: sizes of requests, and how many a client may send."""

from __future__ import annotations

import ipaddress
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, fields

from partwise.errors import PartwiseError

PAUSE = 1.0
"""Seconds after which a client is told that it asked too much."""
CLIENTS = 10_000
"""Clients that are kept in mind; the one not seen for longest is forgotten first."""


@dataclass(frozen=True)
class Limits:
    """What a server lets through.

    Attributes:
        body: bytes of a request's body; less for one question (see `body_of`).
        weight: bytes of a body that count as a question of the client's rate.
        seconds: within which a body must have arrived.
        characters: of a question.
        batch: questions of one request.
        k: interpretations of one question.
        rate: questions that a client may ask in a minute; 0 for any number.
        waiting: questions of all clients that may wait for the parser; further ones are sent away.
        wait: seconds that a question may be expected to wait for its turn; else it is sent away.
        workers: processes that share the rate of a client.
    """

    body: int = 262_144
    weight: int = 1024
    seconds: float = 15.0
    characters: int = 500
    batch: int = 64
    k: int = 8
    rate: int = 600
    waiting: int = 512
    wait: float = 5.0
    workers: int = 1

    def body_of(self, path: str) -> int:
        """Bytes of a request's body at a path: of one question, or of many."""
        # A character of JSON takes at most 12 bytes: two escapes of six.
        return self.body if path == "/batch" else min(self.body, 12 * self.characters + 1024)

    def __post_init__(self) -> None:
        for field in fields(self):
            value, free = getattr(self, field.name), field.name == "rate"
            if value < 0 or (value == 0 and not free):
                raise PartwiseError(f"{field.name} must be above 0, not {value}")


class Spent:
    """What each client spent of late; forgotten at an even pace.

    Its memory is bounded: beyond `clients` the one not seen for longest is forgotten at once.

    Args:
        pace: what is forgotten in a second.
        clock: seconds, never going back.
    """

    def __init__(
        self, pace: float, clients: int = CLIENTS, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.pace, self.clients, self._clock = pace, clients, clock
        self._spent: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def add(self, client: str, more: float = 0.0) -> float:
        """What a client spent of late, with what it spends now."""
        now = self._clock()
        before, seen = self._spent.pop(client, (0.0, now))
        spent = max(0.0, before - (now - seen) * self.pace) + more
        self._spent[client] = (spent, now)
        if len(self._spent) > self.clients:
            self._spent.popitem(last=False)
        return spent

    def __len__(self) -> int:
        """Clients in mind."""
        return len(self._spent)


class RateLimiter:
    """A token bucket for each client: full at first, filled again at an even pace.

    Its memory is bounded as that of `Spent` is: who was forgotten begins with a full bucket.

    Args:
        rate: tokens a minute, and the most a bucket holds; 0 for no limit.
        clock: seconds, never going back.
    """

    def __init__(
        self, rate: int, clients: int = CLIENTS, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.rate, self._spent = rate, Spent(rate / 60, clients, clock)

    def take(self, client: str, tokens: int = 1) -> float:
        """Take tokens of a client's bucket if it has them.

        Args:
            tokens: at most a full bucket is taken.

        Returns:
            Seconds until there are enough; 0 if they were taken.
        """
        if not self.rate:
            return 0.0
        cost = min(tokens, self.rate)
        missing = self._spent.add(client) + cost - self.rate
        if missing > 0:
            return missing * 60 / self.rate
        self._spent.add(client, cost)
        return 0.0

    def __len__(self) -> int:
        """Clients in mind."""
        return len(self._spent)


def client_name(address: str) -> str:
    """Whose bucket an address takes from: of IPv6 the network, as a home or host has one whole."""
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return address
    if isinstance(parsed, ipaddress.IPv6Address):
        return str(ipaddress.ip_network((parsed, 64), strict=False))
    return str(parsed)
