"""The domains of the papers' data: GeoQuery's published types, SCAN, CLEVR's scenes, and the graphs
of Wikidata (MCWQ) and Freebase (CFQ). They use only what any domain may use.
"""
