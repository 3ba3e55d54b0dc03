"""Hierarchical poset decoding (Guo et al. 2020, "Hierarchical Poset Decoding for Compositional
Generalization in Language"), for domains of query graphs.

A question's query is made in three parts: its sketch, a poset without relations and names
(`sketch`); the primitives that the question's words may mean (`phrases`); and the steps of the
sketch filled with these, each judged (`network`). Start reading in `parser`.
"""
