"""US geography: the tables, the language of questions about them, and how its programs run.

Start with `domain`, which has the predicates. `kinds` are its types, `executor` and `operations`
what the predicates do at run time, `facts` and `relations` the tables.
"""

from partwise.domains.geography.domain import Geography

__all__ = ["Geography"]
