"""Scores of what spans of a question stand for, where the labels are open: a constant is known by
its descriptions, so that one that no training had is scored like all others.

Below all parsers, above encoders. Start with `open_labels`; `members` has layers that are learned
several times at once.
"""
