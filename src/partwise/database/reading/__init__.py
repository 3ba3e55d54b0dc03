"""From a question to programs over a database: labels of spans, then frames, then programs.

The steps follow each other: `text` (words), `labels` (what a span may be: a table, a column, a
value, a number, an operation), `frame` and `steps` (labels put together, left to right), `closing`
(what was not said is added), `programs` (a frame as programs over rows), `search` (the best ones
of all). A construct, as `states` or `families`, has a module of its own, with the words that say
it and what they do.
"""
