"""Scores of what spans of a question stand for, where the labels are open: a constant is known by
its descriptions, so that one that no training had is scored like all others.

Below all parsers, above the training that they share. A label's score is what the span's role
gives its category, how well the span matches the label, and what is left. `open_labels` matches by
meanings; `members` has layers that are learned several times at once.
"""
