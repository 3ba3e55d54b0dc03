"""What can be said: types, declared domains, programs, query graphs, values, words and names.

Imports errors and interface only, and no torch. Start with `domain` (a language of programs, as a
class) or `graph_domain` (a language of query graphs, as data). A domain's class is read by
`declaration` into a `vocabulary` of constants with `types`; `interpreter` runs programs; `matcher`
finds the constants' phrases in questions; `query` has query graphs and their SPARQL.
"""

from partwise.language.declare import (
    default,
    entities,
    predicate,
    root,
    type_shift,
)
from partwise.language.domain import Domain
from partwise.language.graph_domain import Attribute, GraphDomain, Relation
from partwise.language.program import Term, parse_program
from partwise.language.query.graph import QueryGraph, Triple
from partwise.language.query.sparql_read import parse_query
from partwise.language.query.sparql_write import write_query
from partwise.language.tokenizer import Words, tokenize
from partwise.language.values import Amounts, Many, Number, One, SetDomain, Some, Truth

__all__ = [
    "Amounts",
    "Attribute",
    "Domain",
    "GraphDomain",
    "Many",
    "Number",
    "One",
    "QueryGraph",
    "Relation",
    "SetDomain",
    "Some",
    "Term",
    "Triple",
    "Truth",
    "Words",
    "default",
    "entities",
    "parse_program",
    "parse_query",
    "predicate",
    "root",
    "tokenize",
    "type_shift",
    "write_query",
]
