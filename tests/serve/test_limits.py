"""The rate limiter: a bucket for each client, filled at an even pace, in bounded memory."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from partwise.serve.guard import RateLimiter, client_name


class Clock:
    """Stands still until it is moved."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def test_a_bucket_is_full_at_first_and_fills_again() -> None:
    clock = Clock()
    limiter = RateLimiter(60, clock=clock)
    assert [limiter.take("a") for _ in range(60)] == [0.0] * 60
    assert limiter.take("a") == pytest.approx(1.0)
    assert limiter.take("b") == 0.0
    clock.now = 2.0
    assert limiter.take("a", 2) == 0.0
    assert limiter.take("a") > 0
    clock.now = 1e6
    assert limiter.take("a", 60) == 0.0
    assert limiter.take("a") > 0


def test_who_is_sent_away_pays_nothing_and_more_than_a_bucket_costs_a_bucket() -> None:
    clock = Clock()
    limiter = RateLimiter(10, clock=clock)
    assert limiter.take("a", 9) == 0.0
    assert limiter.take("a", 5) == pytest.approx(24.0)
    assert limiter.take("a") == 0.0
    assert limiter.take("b", 1000) == 0.0
    assert limiter.take("b") > 0


def test_no_rate_is_no_limit_and_no_memory() -> None:
    limiter = RateLimiter(0)
    assert all(limiter.take("a", 100) == 0.0 for _ in range(1000))
    assert len(limiter) == 0


@given(st.lists(st.tuples(st.integers(0, 30), st.integers(1, 4), st.floats(0, 20)), max_size=80))
def test_memory_is_bounded_and_no_client_gets_more_than_its_rate(
    events: list[tuple[int, int, float]],
) -> None:
    clock, rate = Clock(), 6
    limiter = RateLimiter(rate, clients=40, clock=clock)
    granted: dict[int, int] = {}
    for client, tokens, pause in events:
        clock.now += pause
        if limiter.take(str(client), tokens) == 0.0:
            granted[client] = granted.get(client, 0) + tokens
        assert len(limiter) <= 40
    for total in granted.values():
        assert total <= rate + clock.now * rate / 60 + 1e-6


def test_the_client_not_seen_for_longest_is_forgotten_first() -> None:
    limiter = RateLimiter(1, clients=2, clock=Clock())
    assert limiter.take("a") == limiter.take("b") == 0.0
    assert limiter.take("a") > 0
    assert limiter.take("c") == 0.0
    assert limiter.take("a") > 0
    assert limiter.take("b") == 0.0
    assert len(limiter) == 2


@pytest.mark.parametrize(
    ("address", "name"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("testclient", "testclient"),
    ],
)
def test_clients_of_one_network_share_a_bucket(address: str, name: str) -> None:
    assert client_name(address) == name
