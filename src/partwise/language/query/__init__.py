"""Conjunctive query graphs, and the SPARQL they are written in."""
