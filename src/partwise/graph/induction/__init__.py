"""Phrase rules learned from questions and their query graphs.

Questions show which words may be left out, what may stand in the place of something else (Harris
1954; Clark and Eyraud 2007 on substitutable languages), and what is coordinated. The gold graphs
say which of the strings that stand where an entity could stand for a node of their own.
"""
