"""Tables of results: all of them (`report`), and the papers' with ours beside their figures.

Published figures stand in `published_span` and `published_graph` and nowhere else. A table is a
`grid.Grid`, which knows Markdown and the terminal.
"""
