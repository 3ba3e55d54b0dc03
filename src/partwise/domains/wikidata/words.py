"""The words and phrase rules of MCWQ's English: which class a word has, what phrases look like.

Written from questions of the training parts. What any word or phrase means is not said here.
"""

from __future__ import annotations

WORDS: dict[str, tuple[str, ...]] = {
    "verb": (
        *("acquire", "direct", "distribute", "edit", "employ", "executive produce", "found"),
        *("influence", "marry", "play", "produce", "star", "write"),
    ),
    "past": (
        *("acquired", "directed", "distributed", "edited", "employed", "executive produced"),
        *("founded", "influenced", "married", "played", "produced", "starred", "written", "wrote"),
    ),
    "role": (
        *("actor", "child", "cinematographer", "composer", "costume designer"),
        *("country of nationality", "director", "distributor", "editor", "employee", "employer"),
        *("executive producer", "founder", "gender", "parent", "prequel", "producer", "sequel"),
        *("sibling", "spouse", "star", "writer"),
    ),
    "noun": (
        *("actor", "character", "cinematographer", "company", "composer", "costume designer"),
        *("film", "film director", "film distributor", "film editor", "film producer", "person"),
        *("production company", "screenwriter"),
    ),
    "adjective": (
        *("american", "british", "canadian", "chinese", "dutch", "french", "german", "italian"),
        *("japanese", "mexican", "spanish", "swedish", "female", "male"),
    ),
}

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
    "Past: (was|were) Passive&",
    "Past: (was|were) Thing",
    "Passive: (past& by)& Thing",
    "Missing: Thing verb&",
    "Gap: Thing (past | (was|were) (past& by)&)&",
)
