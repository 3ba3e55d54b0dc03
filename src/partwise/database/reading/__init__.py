"""From a question to programs over a database: labels of spans, then frames, then programs.

Each step knows the one before it alone: `text` (words), `labels` (what a span may be: a table, a
column, a value, a number, an operation), `frame` and `steps` (labels put together, left to right),
`closing` (what was not said is added), `programs` (a frame as programs over rows), `search` (the
best ones of all).
"""
