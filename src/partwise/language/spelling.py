"""What domains import that `partwise learn` of version 0.2.0 wrote."""

from partwise.language.program_spelling import SpelledDomain, Spelling, unknown_names

__all__ = ["SpelledDomain", "Spelling", "unknown_names"]
