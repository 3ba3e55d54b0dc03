"""The search for a split of maximum compound divergence, compiled.

The Chernoff coefficient of totals P and Q is S / (P^alpha Q^(1 - alpha)), where S is the sum over
the columns of p^alpha q^(1 - alpha), so that moving a unit changes only the terms of its own
columns. The amounts must be multiples of one power of two and small enough to be added and
subtracted without rounding: a remnant of 1e-17 to the power 0.1 would count as 0.02.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit

from partwise_papers.splits.rule_units import Floats, Ints
from partwise_papers.splits.subgraphs import mix

TRAIN, TEST, OUT = 0, 1, 2
COOL = 0.01
UNKNOWN = 0.01
"""What each atom that is in test but not in train costs, against compound divergence."""
STEP, S11, UNIT = np.uint64(0x9E3779B97F4A7C15), np.uint64(11), 2.0**-53


class Tally(NamedTuple):
    """The atoms, or compounds, of the units and of both sides.

    Attributes:
        starts: (units + 1,) where each unit's entries start.
        columns, values: (entries,) amounts, of all examples of the unit together.
        sums: (2, width) the amounts on either side.
        powers: (2, width) their power alpha.
        totals: (3,) all of train, all of test, and S.
        alpha: the weight of the training side.
    """

    starts: Ints
    columns: Ints
    values: Floats
    sums: Floats
    powers: Floats
    totals: Floats
    alpha: float


class Aim(NamedTuple):
    """What is looked for.

    Attributes:
        wanted: (2,) examples of each side.
        slack: how many more or fewer a side may have.
        atom: the greatest atom divergence.
        compound: the compound divergence to come near to.
        weight: what atom divergence above its limit costs, against compound divergence.
    """

    wanted: Ints
    slack: int
    atom: float
    compound: float
    weight: float


@njit(cache=True, nogil=True, inline="always")
def _uniform(random: Any) -> Any:
    """The next random number, 0 to below 1; `random` is one uint64."""
    random[0] += STEP
    return (mix(random[0]) >> S11) * UNIT


@njit(cache=True, nogil=True)
def _coefficient(total: Any, train: Any, test: Any, alpha: Any) -> Any:
    """The Chernoff coefficient; 1 while a side is empty."""
    if train <= 0 or test <= 0:
        return 1.0
    return total / (train**alpha * test ** (1.0 - alpha))


@njit(cache=True, nogil=True, inline="always")
def _term(tally: Any, column: Any) -> Any:
    """p^alpha q^(1 - alpha) of one column."""
    q = tally.sums[TEST, column]
    if tally.sums[TRAIN, column] <= 0 or q <= 0:
        return 0.0
    return tally.powers[TRAIN, column] * (q / tally.powers[TEST, column])


@njit(cache=True, nogil=True)
def _after(tally: Any, unit: Any, go: Any, to: Any) -> Any:
    """The coefficient if a unit moved from one side to another; nothing is changed."""
    alpha = tally.alpha
    change, mass = 0.0, 0.0
    more_p, more_q = (to == TRAIN) - (go == TRAIN), (to == TEST) - (go == TEST)
    for x in range(tally.starts[unit], tally.starts[unit + 1]):
        column, value = tally.columns[x], tally.values[x]
        mass += value
        change -= _term(tally, column)
        p = tally.sums[TRAIN, column] + value * more_p
        q = tally.sums[TEST, column] + value * more_q
        if p > 0 and q > 0:
            p_alpha = p**alpha if more_p else tally.powers[TRAIN, column]
            q_alpha = q**alpha if more_q else tally.powers[TEST, column]
            change += p_alpha * (q / q_alpha)
    totals = tally.totals
    train, test = totals[TRAIN] + mass * more_p, totals[TEST] + mass * more_q
    return _coefficient(totals[2] + change, train, test, alpha)


@njit(cache=True, nogil=True)
def _add(tally: Any, unit: Any, side: Any, sign: Any) -> None:
    """Put a unit on a side (sign 1) or take it away (-1)."""
    for x in range(tally.starts[unit], tally.starts[unit + 1]):
        column = tally.columns[x]
        tally.totals[2] -= _term(tally, column)
        tally.sums[side, column] += sign * tally.values[x]
        tally.powers[side, column] = tally.sums[side, column] ** tally.alpha
        tally.totals[side] += sign * tally.values[x]
        tally.totals[2] += _term(tally, column)


@njit(cache=True, nogil=True)
def _energy(aim: Any, atom: Any, compound: Any, weight: Any) -> Any:
    """What is made small, from the two coefficients."""
    above = max(0.0, 1.0 - atom - aim.atom)
    return abs(1.0 - compound - aim.compound) + weight * above


@njit(cache=True, nogil=True)
def _energy_after(
    aim: Any, atoms: Any, compounds: Any, weight: Any, unit: Any, go: Any, to: Any
) -> Any:
    """The energy if a unit moved; atoms that are unknown in train already count nothing."""
    energy = _energy(aim, _after(atoms, unit, go, to), _after(compounds, unit, go, to), weight)
    return energy + UNKNOWN * _more_unknown(atoms, unit, go, to)


@njit(cache=True, nogil=True)
def _more_unknown(atoms: Any, unit: Any, go: Any, to: Any) -> Any:
    """By how much a move changes the number of atoms that are in test but not in train."""
    more_p, more_q = (to == TRAIN) - (go == TRAIN), (to == TEST) - (go == TEST)
    change = 0
    for x in range(atoms.starts[unit], atoms.starts[unit + 1]):
        p, q = atoms.sums[TRAIN, atoms.columns[x]], atoms.sums[TEST, atoms.columns[x]]
        value = atoms.values[x]
        change += p + value * more_p <= 0 and q + value * more_q > 0
        change -= p <= 0 and q > 0
    return change


@njit(cache=True, nogil=True)
def _move(atoms: Any, compounds: Any, unit: Any, go: Any, to: Any) -> None:
    """Move a unit from one side to another."""
    if go != OUT:
        _add(atoms, unit, go, -1.0)
        _add(compounds, unit, go, -1.0)
    if to != OUT:
        _add(atoms, unit, to, 1.0)
        _add(compounds, unit, to, 1.0)


@njit(cache=True, nogil=True)
def _current(tally: Any) -> Any:
    """The coefficient, S summed again: many small changes leave a rounding error."""
    totals = tally.totals
    totals[2] = 0.0
    for column in range(tally.sums.shape[1]):
        totals[2] += _term(tally, column)
    return _coefficient(totals[2], totals[TRAIN], totals[TEST], tally.alpha)


@njit(cache=True, nogil=True)
def grow(aim: Any, atoms: Any, compounds: Any, counts: Any, tries: Any, random: Any) -> Any:
    """Grow both sides from nothing until they have what is wanted.

    The side that is further behind takes the best of `tries` units drawn from those left.

    Args:
        counts: (units,) examples of each.
        random: (1,) uint64, the seed.

    Returns:
        (units,) the side of each.
    """
    wanted, slack = aim.wanted, aim.slack
    side, size = np.full(len(counts), OUT, np.int64), np.zeros(2, np.int64)
    free, left = np.arange(len(counts)), len(counts)
    while left:
        to = TRAIN if size[TRAIN] * wanted[TEST] < size[TEST] * wanted[TRAIN] else TEST
        if size[to] >= wanted[to]:
            to = TEST - to
            if size[to] >= wanted[to]:
                break
        best, least = 0, np.inf
        for _ in range(tries):
            place = int(_uniform(random) * left)
            unit = free[place]
            energy = _energy_after(aim, atoms, compounds, aim.weight, unit, OUT, to)
            energy += 10.0 * max(0, size[to] + counts[unit] - wanted[to] - slack)
            if energy < least:
                best, least = place, energy
        unit = free[best]
        left -= 1
        free[best] = free[left]
        side[unit] = to
        size[to] += counts[unit]
        _move(atoms, compounds, unit, OUT, to)
    return side


@njit(cache=True, nogil=True)
def anneal(
    aim: Any,
    atoms: Any,
    compounds: Any,
    counts: Any,
    side: Any,
    sweeps: Any,
    heat: Any,
    random: Any,
) -> None:
    """Move single units within the sizes that are allowed, at first also to the worse.

    In the last tenth nothing gets worse, and the weight of the atom divergence is doubled as long
    as it is above its limit.

    Args:
        side: (units,) the side of each, changed in place.
        sweeps: how often, on average, each unit is tried.
        heat: the first temperature, in mean absolute changes of the energy; the last is `COOL` of
            it.
    """
    size, weight, mean, seen = _sizes(side, counts), aim.weight, 0.0, 0
    spare = size.sum() > aim.wanted.sum()
    for sweep in range(sweeps):
        cold = 10 * (sweep + 1) > 9 * sweeps
        atom = _current(atoms)
        if cold and 1.0 - atom > aim.atom:
            weight *= 2.0
        old = _energy(aim, atom, _current(compounds), weight)
        warm = sweep > 0 and seen > 0 and not cold
        temperature = heat * mean / seen * COOL ** (sweep / sweeps) if warm else 0.0
        for _ in range(len(counts)):
            unit = int(_uniform(random) * len(counts))
            go = side[unit]
            to = int(_uniform(random) * 2)
            to = (to + (to >= go)) if spare else TEST - go
            if not _allowed(aim, size, counts[unit], go, to):
                continue
            unknown = UNKNOWN * _more_unknown(atoms, unit, go, to)
            new = _energy_after(aim, atoms, compounds, weight, unit, go, to)
            if sweep == 0:
                mean += abs(new - unknown - old)
                seen += 1
            chance = temperature > 0 and _uniform(random) < np.exp((old - new) / temperature)
            if new <= old or chance:
                _move(atoms, compounds, unit, go, to)
                side[unit] = to
                size[to] += counts[unit]
                size[go] -= counts[unit]
                old = new - unknown


@njit(cache=True, nogil=True)
def _sizes(side: Any, counts: Any) -> Any:
    """(3,) the examples of each side."""
    size = np.zeros(3, np.int64)
    for unit in range(len(counts)):
        size[side[unit]] += counts[unit]
    return size


@njit(cache=True, nogil=True)
def _allowed(aim: Any, size: Any, count: Any, go: Any, to: Any) -> Any:
    """Whether both sides keep to their sizes if so many examples move."""
    if to != OUT and size[to] + count > aim.wanted[to] + aim.slack:
        return False
    return go == OUT or size[go] - count >= aim.wanted[go] - aim.slack
