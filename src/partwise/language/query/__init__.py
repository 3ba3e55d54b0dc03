"""Conjunctive query graphs, and the SPARQL they are written in.

Start with `graph`. `sparql_read` and `sparql_write` turn texts into graphs and back, `canonical`
names variables so that equal queries are equal.
"""
