"""Coordinated words as groups."""

from __future__ import annotations

import pytest

from partwise.graph.grammar.tagging import TaggedTokens, Tagger
from partwise.graph.grounding.groups import group
from partwise_papers.domains.wikidata.domain import WIKIDATA

TAGGER = Tagger(WIKIDATA)


def shown(tokens: TaggedTokens, grouping: bool = True, phrases: bool = True) -> list[str]:
    """Groups as text; their members with a blank between."""
    return [
        " ".join(tokens.texts[token] for token in one.tokens)
        for one in group(tokens, grouping, phrases)
    ]


def tags(question: str) -> list[str]:
    return [one.tag for one in group(TAGGER(question))]


@pytest.mark.parametrize(
    ("question", "wanted"),
    [
        ("M0 , M1 , and M2", "M0 M1 M2"),
        ("M0 , M1 and M2", "M0 M1 M2"),
        ("M0 and M1 , M2", "M0 M1|,|M2"),
        ("M0 , and M1", "M0 M1"),
        ("M0 , M1 was", "M0|,|M1|was"),
        ("M0 , M1 ,", "M0|,|M1|,"),
        ("M0 and", "M0|and"),
        ("and M0", "and|M0"),
        ("M0 and directed", "M0|and|directed"),
        ("directed by , edited by , and written by M0", "directed edited written|by by by|M0"),
        ("directed by and written by M0 and M1", "directed written|by by|M0 M1"),
        ("edited and directed by and written by M0", "edited directed|by|and|written|by|M0"),
        ("directed M0 and edited M1", "directed|M0|and|edited|M1"),
        ("M0 edit , M1 write , and M2 direct", "M0|edit|,|M1|write|,|and|M2|direct"),
        ("French and male actor", "french male|actor"),
        ("did and did", "did|and|did"),
        ("M1 's writer and executive producer", "M1|'s|writer executive producer"),
        ("", ""),
    ],
)
def test_groups(question: str, wanted: str) -> None:
    assert "|".join(shown(TAGGER(question))) == wanted


@pytest.mark.parametrize(
    ("question", "wanted"),
    [
        ("M0 , M1 , M2 directed", "M0 M1 M2|directed"),
        ("M0 , M1 and directed", "M0 M1|and|directed"),
        ("M0 , directed", "M0|,|directed"),
        ("M0 , M1 and M2", "M0 M1 M2"),
    ],
)
def test_open_lists_need_no_and(question: str, wanted: str) -> None:
    tokens = TAGGER(question)
    groups = group(tokens, open_=True)
    assert "|".join(" ".join(tokens.texts[n] for n in one.tokens) for one in groups) == wanted


def test_all_tokens_but_joints_are_in_one_group() -> None:
    tokens = TAGGER("Did M0 , M1 , and M2 edit , direct , and write M3 and star M4 's sibling")
    members = [token for one in group(tokens) for token in one.tokens]
    assert len(members) == len(set(members))
    left = {tokens.texts[n] for n in set(range(len(tokens))) - set(members)}
    assert left == {",", "and"}


def test_switches() -> None:
    tokens = TAGGER("directed by and written by M0 and M1")
    assert shown(tokens, phrases=False) == ["directed", "by", "and", "written", "by", "M0 M1"]
    assert shown(tokens, grouping=False) == list(tokens.texts)


def test_a_group_of_ambiguous_words_has_the_classes_that_all_can_have() -> None:
    assert tags("actor") == ["noun|role"]
    assert tags("director") == ["role"]
    assert tags("actor and director") == ["role"]
    assert tags("actor and film editor") == ["noun"]
    assert tags("actor and cinematographer") == ["noun|role"]
    assert tags("actor , film editor , and director") == ["noun|role", ",", "noun", ",", "and",
                                                          "role"]  # fmt: skip
    assert tags("M0 and M1") == ["entity"]
    assert tags("by") == ["by"]
