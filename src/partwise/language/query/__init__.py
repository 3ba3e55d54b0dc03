"""Conjunctive query graphs, and the SPARQL they are written in.

Start with `graph`. `sparql_read` and `sparql_write` turn texts into graphs and back, `canonical`
names variables so that equal queries are equal, `binding` puts IRIs in the place of entities.
"""

from partwise.language.query.canonical import same
from partwise.language.query.graph import QueryGraph, Triple
from partwise.language.query.sparql_read import parse_query
from partwise.language.query.sparql_write import bound, write_query

__all__ = [
    "QueryGraph",
    "Triple",
    "bound",
    "parse_query",
    "same",
    "write_query",
]
