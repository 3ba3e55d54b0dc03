"""Results: what was run, with its metrics by seed, in files that the tables are made of.

`result` is a result and its file, `setup` says of a saved parser what was run, and `recorder` is
the plug-in by which ``partwise train --test`` and ``partwise evaluate --save`` write such files.
"""
