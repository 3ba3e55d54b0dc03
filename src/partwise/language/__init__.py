"""What can be said: types, declared domains, programs, query graphs, values, words and names.

Imports errors and interface only, and no torch. Start with `domain` (a language of programs, as a
class) or `graph_domain` (a language of query graphs, as data). A domain's class is read
into a vocabulary of `constants` with `types`; `open_types` composes them. `text` has words and
`lexicon` phrase tables, `matcher` finds the constants' phrases in questions, `typed` reads what
people type. `query_graph` and `sparql` are for queries, `program_spelling` for programs from
elsewhere.
"""
