"""Films and who made them: a small knowledge graph, and the language of questions about it.

Start with `domain`, which declares the language. `rewriting` reads questions as people type them,
by the rows of words.tsv.
"""

from partwise.domains.films.domain import FILMS

__all__ = ["FILMS"]
