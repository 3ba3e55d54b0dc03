"""Where programs and queries get their facts: databases and knowledge graphs, read safely.

Imports errors, interface and language only, and no torch. Start with `store`, what all knowledge
graphs share; `local` keeps a Turtle file in a process that can be ended, `endpoint` asks a server.
The methods of a domain read through `sqlite.SQLite` and `sparql.SPARQL`.
"""
