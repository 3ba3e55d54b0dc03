"""Fifty questions with queries of Wikidata, made of a few words."""

from __future__ import annotations

from partwise.interface.data import Example
from partwise_papers.domains.wikidata.domain import WIKIDATA

VERBS = {"direct": "P57", "write": "P58", "compose": "P86", "edit": "P1040", "distribute": "P750"}
NATIONS = {"Spanish": "Q29", "French": "Q142", "Dutch": "Q29999", "Swedish": "Q34"}


def example(verb: str, nation: str, asked: str, film: str) -> Example:  # type: ignore[type-arg]
    question = f"Did a {nation} {asked} {verb} {film}"
    other = f"?x0 wdt:P21 wd:Q658{'1072' if asked == 'woman' else '1097'}"
    query = (
        f"ASK WHERE {{ {other} . ?x0 wdt:P27 wd:{NATIONS[nation]} . {film} wdt:{VERBS[verb]} ?x0 }}"
    )
    return Example(question, WIKIDATA.read(query))


EXAMPLES = [
    example(verb, nation, asked, film)
    for verb in VERBS
    for nation in NATIONS
    for asked in ("man", "woman")
    for film in ("M0", "M1")
][:50]
