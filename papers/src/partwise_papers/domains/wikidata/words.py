"""The words of MCWQ's English: which class each has.

Written from questions of the training parts. What any word means is not said here.
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
