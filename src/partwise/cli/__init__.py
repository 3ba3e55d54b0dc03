"""The command line: ``partwise`` and ``python -m partwise``. One file a command.

May import every other package; holds no logic of its own. Start with `partwise.cli.app`.
"""

from partwise.cli.app import main, make_app

__all__ = ["main", "make_app"]
