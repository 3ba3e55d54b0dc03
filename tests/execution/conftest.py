"""A small graph of films."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from partwise.execution.sparql import LocalStore

FILMS = """\
@prefix : <http://films.example/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .

:f1 rdfs:label "Night Ferry"@en, "Nachtfähre"@de ; skos:altLabel "The Ferry" .
:f2 rdfs:label "Salt" ; :year 1999 .
:f3 rdfs:label "Salt"@en-GB, "Sel"@fr .
:p1 rdfs:label "Zoë Ortega" ; :directed :f1, :f2 ; :a.service :p2 .
:p2 :directed :f3 ; :married :p1 .
"""


@pytest.fixture(scope="session")
def films(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("films") / "films.ttl"
    path.write_text(FILMS, encoding="utf-8")
    return path


@pytest.fixture(scope="session")
def store(films: Path) -> Iterator[LocalStore]:
    with LocalStore(films) as opened:
        yield opened
