"""Programs over the rows of any relational database.

`schema` says what a database has, and `program` what can be asked: start reading there. A program
becomes one SQL statement (`sql`, which needs SQLAlchemy, the extra ``database``). `writing` gives
it a text that is read back, and finds the one form of programs that are the same.
"""
