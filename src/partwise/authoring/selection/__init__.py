"""Pairs that are missing: programs that the given ones do not cover, with draft questions."""
