"""Programs over the rows of any relational database.

`schema` says what a database has. `program` says what can be asked: start
reading there. A program becomes one SQL statement (`sql`); `interpreter` is its readable twin over
rows in Python. `sql` needs SQLAlchemy, the extra ``database``.
"""
