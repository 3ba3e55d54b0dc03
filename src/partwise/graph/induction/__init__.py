"""Constituent rules learned from questions and their query graphs; nothing is written by hand.

Three things that questions show of themselves: which words may be left out, what may stand in the
place of something else (Harris 1954; Clark and Eyraud 2007 on substitutable languages), and what
is coordinated. The gold graphs say which of the strings that stand where an entity could stand for
a node of their own. What comes out are lines of rules, as `partwise.graph.grammar.rules` reads
them.
"""
