"""The chart: which trees a question can have, how likely each is, and what the best one means.

Start with `TreeDistribution`; a semantic algebra (`partwise.chart.algebra`) says which trees there
are, `partwise.chart.semantics` what they mean, and `partwise.chart.recurrence` how a chart works,
on arrays alone; `compiled`, with numba, does the same faster. Imports only `partwise.errors`,
`partwise.language` and `partwise.interface`, and torch nowhere but in `partwise.chart.batched`.
"""

import sys
from importlib.util import find_spec
from types import ModuleType

from partwise.chart import recurrence
from partwise.chart.algebra import Algebra as Algebra
from partwise.chart.distribution import TreeDistribution as TreeDistribution
from partwise.chart.scores import JOIN as JOIN
from partwise.chart.scores import Marginals as Marginals
from partwise.chart.scores import ScoredTree as ScoredTree
from partwise.chart.scores import SpanScores as SpanScores
from partwise.chart.scores import SpanTree as SpanTree

COMPILED = "partwise.chart.compiled"
MANY = 100
"""Questions that take longer on arrays than loading compiled charts does."""


def charts(questions: int = 1) -> ModuleType:
    """What fills the charts of so many questions: `compiled` for many, or where it is loaded as in
    training, if there is machine code for it, else `recurrence`. The results are the same but for
    rounding."""
    if (questions >= MANY and find_spec("numba") is not None) or COMPILED in sys.modules:
        from partwise.chart import compiled

        if compiled.COMPILER.is_compiled():
            return compiled
    return recurrence


def warm_up() -> None:
    """Compile the charts for training if no earlier run has: some forty seconds, once after
    installation. Without numba there is nothing to compile, and training is slower."""
    if find_spec("numba") is not None:
        from partwise.chart.compiled import COMPILER

        COMPILER.run()
