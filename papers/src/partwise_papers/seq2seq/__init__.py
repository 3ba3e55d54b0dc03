"""Sequence-to-sequence parsers: the systems that the papers compare with, on one core.

A parser of this kind is put together by its settings (`config`): an encoder, a decoder and copying
(`network`, `stacks`), an output form (`forms`, `rules`) and a search (`decoding`), with or without
a constraint to well-typed programs. Start reading in `parser`.
"""
