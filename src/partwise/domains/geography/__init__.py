"""US geography: the tables, the language of questions about them, and how its programs run.

Start with `domain`, which has the types, names, words and predicates. `executor` and `values` are
what the predicates do at run time, `facts` the tables.
"""

from partwise.domains.geography.domain import Geography

__all__ = ["Geography"]
