"""Checks of a semantic layer against its database: what cannot work, and what likely misleads.

Imports the layer and the source. Start reading in `check`.
"""

from partwise.database.checking.check import check_layer

__all__ = ["check_layer"]
