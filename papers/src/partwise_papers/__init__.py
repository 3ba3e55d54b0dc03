"""What researchers run: the papers' data sets and domains, splits, recipes and tables.

The core does not know this package. It plugs in through the entry points of its ``pyproject.toml``,
as the package of anybody else would: ``partwise.datasets``, ``partwise.domains``,
``partwise.splits``, ``partwise.metrics`` and ``partwise.commands``. To read it, begin with
`datasets.registry` for the data, and with `recipes.recipes` for how the stored results were made.
"""
