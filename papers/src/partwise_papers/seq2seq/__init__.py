"""Sequence-to-sequence parsers: the systems that the papers compare with, on one core.

A parser of this kind is put together by its settings (`config`): an encoder, a decoder (`network`),
copying (`pointer`), an output form (`forms`) and a search (`search`), with or without a constraint
to well-typed programs. Start reading in `parser`; `systems` names the combinations of the papers.
"""
