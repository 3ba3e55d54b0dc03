"""Checks of data sets: what reads, types, is reached, runs, and is as published.

`check.check` is the entry; what it finds is a `findings.CheckReport`.
"""
