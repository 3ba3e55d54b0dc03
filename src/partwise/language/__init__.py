"""What can be said: types, declared domains, programs, query graphs, values, words and names.

Imports errors and interface only, and no torch. Start with `domain` (a language of programs, as a
class) or `graph_domain` (a language of query graphs, as data). A domain's class is read by
`declaration` into a `vocabulary` of constants with `types`; `interpreter` runs programs; `matcher`
finds the constants' phrases in questions; `query` has query graphs and their SPARQL.
"""
