"""Phrase rules: which stretches of a question stand for one node of its query graph."""
