"""Where programs and queries get their facts: databases and knowledge graphs, read safely.

Imports errors, interface and language only, and no torch. Start with `store`, what all knowledge
graphs share; `process` keeps a worker that can be ended, `local` a Turtle file in one, `endpoint`
asks a server, `programs` runs those of a domain in a process of its own.
The methods of a domain read through `database.Database` and `sparql.SPARQL`.
`relational` says what can be asked of any relational database, and writes it as SQL.
"""
