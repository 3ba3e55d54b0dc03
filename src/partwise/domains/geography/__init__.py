"""US geography: the tables, the language of questions about them, and how its programs run.

Start with `domain`, which has the predicates. `kinds` are its types, `executor` and `values` what
the predicates do at run time, `facts` the tables, `names` and `words` what things are called.
"""

from partwise.domains.geography.domain import Geography

__all__ = ["Geography"]
