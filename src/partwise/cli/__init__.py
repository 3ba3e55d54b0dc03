"""The command line: ``partwise`` and ``python -m partwise``. One file a command.

May import every other package; holds no logic of its own. Start with `partwise.cli.app`.
"""

import os

# Numpy's products for a question are small: threads of theirs would wait in a spin for each other.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from partwise.cli.app import main, make_app

__all__ = ["main", "make_app"]
