"""What phrases of questions look like in the English of CFQ, MCWQ and this package's films.

Over the word classes verb (base form), past (past and participle), role (nouns of someone or
something), noun (nouns of a kind) and adjective. What any phrase means is not said here.
"""

from __future__ import annotations

PHRASES = (
    "Question: did Thing Verb&",
    "Question: (was|were) Thing Passive&",
    "Question: (was|were) Thing Thing",
    "Question: (was|were) Thing adjective+",
    "Question: Asked Past&",
    "Question: Asked did Missing&",
    "Asked: who | what",
    "Asked: (what|which) adjective* noun Rel?",
    "Asked: (what|which) adjective* role& of Thing",
    "Thing: Owner",
    "Thing: a adjective* noun Rel",
    "Thing: a adjective* role& of Thing",
    "Owner: entity&",
    "Owner: a adjective* noun",
    "Owner: Owner 's adjective* role&",
    "Rel: that Past&",
    "Rel: that Gap&",
    "Rel: whose adjective* role& Past&",
    "Rel: Passive&",
    "Verb: verb& Thing",
    "Past: (past | (was|were) (past& by)&)& Thing",
    "Past: (was|were) Passive&&",
    "Past: (was|were) Thing",
    "Passive: (past& by)& Thing",
    "Missing: Thing verb&",
    "Gap: Thing (past | (was|were) (past& by)&)&",
)
