"""Semantic layers of other tools: dbt's semantic models, and Open Semantic Interchange.

What they say of tables, columns and figures goes into a layer; what it cannot hold is listed. Start
reading in `reading`.
"""

from partwise.database.layer.foreign.applying import apply
from partwise.database.layer.foreign.model import ForeignSemantics
from partwise.database.layer.foreign.reading import read_foreign

__all__ = ["ForeignSemantics", "apply", "read_foreign"]
