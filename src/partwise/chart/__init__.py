"""The chart: which trees a question can have, how likely each is, and what the best one means.

Start with `TreeDistribution`; a semantic algebra (`partwise.chart.algebra`) says which trees there
are, `partwise.chart.semantics` what they mean, and `partwise.chart.readable` how a chart works; the
others do the same faster. Imports only `partwise.errors` and
`partwise.language`, and torch nowhere but in `partwise.chart.batched`.
"""

from partwise.chart.algebra import Algebra
from partwise.chart.distribution import TreeDistribution
from partwise.chart.scores import JOIN, Marginals, ScoredTree, SpanScores, SpanTree

__all__ = [
    "JOIN",
    "Algebra",
    "Marginals",
    "ScoredTree",
    "SpanScores",
    "SpanTree",
    "TreeDistribution",
    "warm_up",
]


def warm_up(wait: bool = True) -> None:
    """Compile the charts if no earlier run has: some twenty seconds, once after installation.
    `wait`: False goes on at once; what is asked for meanwhile is interpreted, with the same
    results. Training should wait, as its scores make many trees likely."""
    from partwise.chart.compiled import COMPILER

    COMPILER.run(wait)
