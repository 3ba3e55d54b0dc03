"""Split makers of the papers: maximum compound divergence (CFQ) and the rules of SCAN's splits.

`mcd` is registered as a kind of split with the core, for ``partwise train --inner mcd``. Splits at
random, by length and by template are the core's (`partwise.evaluation.splits`). Begin with `dbca`.
"""
