"""Constrained decoding: which tokens may come next in a text that a domain is to read.

Start with `programs.ProgramConstraint`. `tokens` splits programs into tokens, `gbnf` writes the
language of programs, or of queries, as a grammar for other decoders.
"""
