"""Spider's SQL as programs, checked on databases with made-up rows.

`converter` makes candidates, one for each `Style`; `checking` keeps those that give the rows of the
SQL. `scope` finds which rows a query is about: the way from joins to links.
"""
