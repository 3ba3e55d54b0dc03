"""The chart: which trees a question can have, how likely each is, and what the best one means.

Start with `TreeDistribution`; a semantic algebra (`partwise.chart.algebra`) says which trees there
are, `partwise.chart.semantics` what they mean, and `partwise.chart.readable` how a chart works; the
others do the same faster. Imports only `partwise.errors` and
`partwise.language`, and torch nowhere but in `partwise.chart.batched`.
"""

from partwise.chart.algebra import Algebra as Algebra
from partwise.chart.distribution import TreeDistribution as TreeDistribution
from partwise.chart.scores import JOIN as JOIN
from partwise.chart.scores import Marginals as Marginals
from partwise.chart.scores import ScoredTree as ScoredTree
from partwise.chart.scores import SpanScores as SpanScores
from partwise.chart.scores import SpanTree as SpanTree


def warm_up(wait: bool = True) -> None:
    """Compile the charts if no earlier run has: some twenty seconds, once after installation.
    `wait`: False goes on at once; what is asked for meanwhile is interpreted, with the same
    results. Training should wait, as its scores make many trees likely."""
    from partwise.chart.compiled import COMPILER

    COMPILER.run(wait)
