"""Programs in English, so that who asks sees how a question was understood.

Everything that a program says is said, and programs that differ are told differently. `programs`
writes whole answers, `phrases` what rows have and how they are chosen, `names` what tables, columns
and values are called.
"""

from partwise.database.restating.programs import restate

__all__ = ["restate"]
