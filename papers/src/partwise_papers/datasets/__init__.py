"""Readers and makers of the papers' data sets, each registered in `registry`.

A reader takes the files as they were published and gives `partwise.interface.data.Dataset`; a maker
makes a data set from a grammar, always the same. Imports the domains here, `films` and `splits`.
"""
