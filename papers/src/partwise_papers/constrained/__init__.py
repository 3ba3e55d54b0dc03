"""Constrained decoding: which tokens may come next in a text that a domain is to read.

Start with `make.constraint_of`, which gives a constraint for a domain of programs
(`programs`) or of query graphs (`graphs`). `tokens` splits programs into tokens, `gbnf` writes the
language of programs as a grammar for other decoders.
"""
