"""Questions to any database, without examples: its names and values are the lexicon.

Imports the interface, the language, the execution, the encoders and the training alone. Start
reading in `layer.model`, which says what is known of a database, then in `schema_algebra` and
`parser`.
"""
