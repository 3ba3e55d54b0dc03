"""Questions about films without end: the tables, the knowledge graph, and the grammar that asks.

The domain itself ships with the core (`partwise.domains.films`), with the graph that `turtle`
writes; ``scripts/build_films.py`` makes that file again. Begin with `generate`.
"""
