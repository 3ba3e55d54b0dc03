"""Where data comes from: connections that only read, what is inferred of a database, its values.

`connections` opens a source, `importing` makes the semantic layer of it, and `values` finds its
stored values in questions. Start reading there. Needs SQLAlchemy, the extra ``database``.
"""
