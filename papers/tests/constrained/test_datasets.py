"""The training programs of the data sets are allowed token by token, and walks are well-typed."""

from __future__ import annotations

import os
import random
from functools import cache
from itertools import islice
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from walks import walk

import partwise.interface.registry as registry
from partwise.chart.type_algebra import TypeAlgebra
from partwise.errors import PartwiseError
from partwise_papers.constrained.gbnf import to_gbnf
from partwise_papers.constrained.programs import ProgramConstraint
from partwise_papers.constrained.tokens import join_program, split_program

ROOT = Path(__file__).parents[3]
DATA = Path(os.environ.get("PARTWISE_DATA", ROOT.parent / "shared" / "data"))
SPLITS = (
    *(("geoquery", split) for split in ("iid", "template", "length")),
    ("scan_sp", "simple"),
    ("clevr", "iid"),
    ("cogs", "iid"),
)
EVERY = {"cogs": 40, "scan_sp": 20, "clevr": 16}
"""Of the large ones, every so many examples."""
SEEDS = st.integers(0, 2**32 - 1)
NAMES = ("Emma", "cake")


@cache
def constraint(domain: str) -> ProgramConstraint:
    return ProgramConstraint(registry.named_domain(domain), deepest=7)


@pytest.mark.parametrize(("dataset", "split"), SPLITS)
def test_training_programs_are_allowed(dataset: str, split: str) -> None:
    if not (DATA / dataset).is_dir():
        pytest.skip(f"the published files of {dataset} are not here")
    info = registry.DATASETS.find(dataset)
    domain = registry.named_domain(info.domain)
    made, types = ProgramConstraint(domain), TypeAlgebra(domain)
    seen = 0
    for example in islice(info.read(DATA / dataset, split).train, 0, None, EVERY.get(dataset, 1)):
        text = domain.write(example.meaning)
        canonical = domain.canonical(example.meaning)
        joined = join_program(split_program(text))
        assert domain.canonical(domain.read(joined)) == canonical
        try:
            types.check(example.meaning)
        except PartwiseError:
            continue
        tokens, state = made.split(example.meaning), made.start()
        for token in tokens:
            state = made.advance(state, token)
        assert made.allowed(state).end
        assert domain.canonical(made.join(tokens)) == canonical
        seen += 1
    assert seen > 500


@pytest.mark.parametrize("name", ["geoquery", "scan", "scenes", "cogs"])
@settings(max_examples=40)
@given(seed=SEEDS)
def test_walks_are_well_typed(name: str, seed: int) -> None:
    one = constraint(name)
    program = one.join(walk(one, random.Random(seed)))
    assert types(name).check(program)


@cache
def types(name: str) -> TypeAlgebra:
    return TypeAlgebra(registry.named_domain(name))


@pytest.mark.parametrize("name", ["scan", "scenes", "cogs", "wikidata", "freebase"])
def test_every_domain_has_a_grammar(name: str) -> None:
    grammar = to_gbnf(registry.named_domain(name))
    assert grammar is not None
    assert grammar.startswith("root ::= ")
