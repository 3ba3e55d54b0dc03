"""Films and who made them: a small knowledge graph, and the language of questions about it.

Start with `domain`, which declares the language from the words in `lexicon`.
"""

from partwise.domains.films.domain import FILMS

__all__ = ["FILMS"]
