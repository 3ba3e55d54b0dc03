"""What phrases of questions look like in the English of CFQ, MCWQ and this package's films.

Over the word classes verb (base form), past (past and participle), role (nouns of someone or
something), noun (nouns of a kind) and adjective, which each domain fills, and those of
`FUNCTION_CLASSES`. What any phrase means is not said here.
"""

from __future__ import annotations

FUNCTION_CLASSES: dict[str, tuple[str, ...]] = {
    "copula": ("was", "were"),
    "interrogative": ("what", "which"),
}
"""Words whose choice says nothing, so that what is learned of phrases with the one goes for the
other too."""

PHRASES = (
    "Question: did Thing Verb&",
    "Question: copula Thing Passive&",
    "Question: copula Thing Thing",
    "Question: copula Thing adjective+",
    "Question: Asked Past&",
    "Question: Asked did Missing&",
    "Asked: who | what",
    "Asked: interrogative adjective* noun Rel?",
    "Asked: interrogative adjective* role& of Thing",
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
    "Past: (past | copula (past& by)&)& Thing",
    "Past: copula Passive&&",
    "Past: copula Thing",
    "Passive: (past& by)& Thing",
    "Missing: Thing verb&",
    "Gap: Thing (past | copula (past& by)&)&",
)
