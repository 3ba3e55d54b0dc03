"""Where programs and queries get their facts: databases and knowledge graphs, read safely.

Imports errors, interface and language only, and no torch. The methods of a
domain read through `database.Database` and `sparql.SPARQL`; `process` keeps a worker that can be
ended, and `programs` runs those of a domain in a process of its own.
`relational` says what can be asked of any relational database, and writes it as SQL.
"""
