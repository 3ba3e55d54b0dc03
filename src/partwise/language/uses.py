"""What domains import that `partwise learn` of version 0.2.0 wrote."""

from partwise.language.program_spelling import Uses

__all__ = ["Uses"]
