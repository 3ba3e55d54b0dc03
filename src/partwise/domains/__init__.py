"""The domains that come with the package, a folder each; they use what any other domain may use.

Imports errors, interface, language and execution only, and no torch. Start with
`geography.domain`, a language of programs, or with `films.domain`, one of query graphs. Domains
are found through entry points (``partwise.domains``); trained parsers stand in `pretrained`.
"""

from partwise.domains.shipped import read_shipped

__all__ = ["read_shipped"]
