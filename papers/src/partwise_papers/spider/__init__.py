"""Spider's training part: human questions over 138 databases, with the SQL turned into programs.

`data` reads the files, `filling` makes the databases with made-up rows, `layers` the semantic
layers. `converting` turns SQL into programs, and `generating` writes questions of its own. Needs
the extra ``spider``. Begin with `data`.
"""
