"""SQLite: the name that `Database` had when it read nothing else."""

from partwise.execution.database import Database as SQLite

__all__ = ["SQLite"]
