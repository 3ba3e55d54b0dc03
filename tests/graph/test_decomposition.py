"""Tokens, coordinated ones as groups, and trees as fragments."""

from __future__ import annotations

import itertools
import json
from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st
from kitchen import KITCHEN, cut, shown

from cases import cases
from partwise.graph.grammar.decomposition import Fragment, PlacedFragment
from partwise.graph.grammar.tokens import TaggedTokens, Tagger, group
from partwise_papers.domains.wikidata.domain import WIKIDATA

TAGGER = Tagger(KITCHEN)


def test_a_question() -> None:
    tokens = TAGGER("Did M12 's night cook sell a hot soup")
    assert tokens.texts == ("did", "M12", "'s", "night cook", "sell", "a", "hot", "soup")
    assert tokens.spans == ((0, 1), (1, 2), (2, 3), (3, 5), (5, 6), (6, 7), (7, 8), (8, 9))
    assert tokens.classes[1] == {"entity"}
    assert tokens.classes[3] == {"role", "noun", "night cook"}
    assert tokens.classes[4] == {"verb", "sell"}
    assert tokens.classes[5] == {"a"}
    assert len(tokens) == 8


def test_part_of_a_phrase_is_a_word_of_its_own() -> None:
    tokens = TAGGER("night night cook cook")
    assert tokens.texts == ("night", "night cook", "cook")
    assert tokens.classes[0] == {"night"}
    assert tokens.classes[2] == {"verb", "cook"}


FILM_TAGGER = Tagger(WIKIDATA)


def members_of(tokens: TaggedTokens, grouping: bool = True, phrases: bool = True) -> list[str]:
    """Groups as text; their members with a blank between."""
    return [
        " ".join(tokens.texts[token] for token in one.tokens)
        for one in group(tokens, grouping, phrases)
    ]


def tags(question: str) -> list[str]:
    return [one.tag for one in group(FILM_TAGGER(question))]


@cases("question, wanted")
def test_groups(question: str, wanted: str) -> None:
    assert "|".join(members_of(FILM_TAGGER(question))) == wanted


@cases("question, wanted")
def test_open_lists_need_no_and(question: str, wanted: str) -> None:
    tokens = FILM_TAGGER(question)
    groups = group(tokens, open_=True)
    assert "|".join(" ".join(tokens.texts[n] for n in one.tokens) for one in groups) == wanted


def test_switches() -> None:
    tokens = FILM_TAGGER("directed by and written by M0 and M1")
    assert members_of(tokens, phrases=False) == ["directed", "by", "and", "written", "by", "M0 M1"]
    assert members_of(tokens, grouping=False) == list(tokens.texts)


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


@cases("question, phrases, nodes, entities, fragments")
def test_a_question_and_its_fragments(
    question: str, phrases: list[str], nodes: list, entities: list, fragments: list
) -> None:
    """Nodes, entities by node, and fragments with their tokens and slots; by rules of its own."""
    found = cut(question, replace(KITCHEN, phrases=tuple(phrases) or KITCHEN.phrases))
    assert list(found.nodes) == nodes
    assert [[node, name] for node, name in found.entities.items()] == entities
    assert [listed_fragment(placed) for placed in found.fragments] == fragments


def listed_fragment(placed: PlacedFragment) -> list:
    """``["Past: past{cooked} Thing", headed, tokens, slots]``."""
    parts = [shown(placed), placed.fragment.headed, placed.tokens, placed.slots]
    return json.loads(json.dumps(parts))


def listed(words: list[str]) -> str:
    """``X``, ``X and Y``, or ``X , Y , and Z``."""
    if len(words) < 3:
        return " and ".join(words)
    return f"{' , '.join(words[:-1])} , and {words[-1]}"


some_pasts = st.lists(st.sampled_from(KITCHEN.words["past"]), max_size=3)
some_roles = st.lists(st.sampled_from(KITCHEN.words["role"]), min_size=1, max_size=3)


@settings(max_examples=60)
@given(some_pasts, some_pasts.filter(bool), some_roles, st.sampled_from(["M0", "M0 and M1"]))
def test_pieces_are_those_of_the_words_one_by_one(
    active: list[str], passive: list[str], roles: list[str], owners: str
) -> None:
    clauses = [*active, f"was {listed([f'{word} by' for word in passive])}"]
    found = cut(f"who {listed(clauses)} {owners} 's {listed(roles)}")
    alone: set[Fragment] = set()
    for clause, role in itertools.product([*active, *(f"was {p} by" for p in passive)], roles):
        alone |= {p.fragment for p in cut(f"who {clause} {owners} 's {role}").fragments}
    assert {p.fragment for p in found.fragments} == alone
    assert len(found.fragments) == len(active) + len(passive) + len(roles) + 1
    assert len(found.nodes) == 2
    by_category: dict[str, set[tuple[tuple[int, ...], ...]]] = {}
    for placed in found.fragments:
        by_category.setdefault(placed.fragment.category, set()).add(placed.slots)
    assert all(len(slots) == 1 for slots in by_category.values())
