"""Spider's training part: human questions over 138 databases, with the SQL turned into programs.

`data` reads the files, and `filling` makes the databases with made-up rows. `converter` makes
programs of SQL, one for each `Style`; `checking` keeps those that give its rows. Needs the extra
``spider``. Begin with `data`.
"""
