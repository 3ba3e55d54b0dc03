"""Tables of results: all of them (`results`), and the papers' with ours beside their figures
(`span`, `graph`; `whole` has each data set's table with all rows).

What others published, and which rows of ours stand beside it, is in `published` and nowhere else. A
table is a `grid.Grid`, which knows Markdown and the terminal.
"""
