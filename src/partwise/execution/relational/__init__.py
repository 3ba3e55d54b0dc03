"""Programs over the rows of any relational database.

`schema` says what a database has, and `importing` reads it. `program` says what can be asked: start
reading there. A program becomes one SQL statement (`sql`); `interpreter` is its readable twin over
rows in Python. `sql` and `importing` need SQLAlchemy, the extra ``database``.
"""
