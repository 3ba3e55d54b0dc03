"""Tables of results: all of them (`report`), and the papers' with ours beside their figures.

Published figures stand in `published_span`, `published_graph` and `published_other` and nowhere
else; why ours differ from them, in `notes.toml`. `whole` has each data set's table with all rows,
`baselines` the rows that are run here. A table is a `grid.Grid`, which knows Markdown and the
terminal.
"""
