"""Programs over the rows of any relational database.

`schema` says what a database has, and `program` what can be asked: start reading there. A program
becomes one SQL statement (`sql`, of the pieces in `expressions`). `writing` gives a program a text
that is read back, `checking` says what of a program a schema does not have, `canonical` finds the
one form of programs that are the same, and `parts` walks through all of them. `sql` needs
SQLAlchemy, the extra ``database``.
"""
