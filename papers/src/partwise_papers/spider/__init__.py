"""Spider's training part: human questions over 138 databases, with the SQL turned into programs.

`data` reads the files, `filling` makes the databases with made-up rows, `converting` turns SQL into
programs. Needs the extra ``spider``. Begin with `data`.
"""
