"""The rows that a question is about: a table with conditions, before and behind its name."""

from __future__ import annotations

import re
from dataclasses import dataclass

from partwise.database.layer.model import TableInfo
from partwise.execution.relational.program import And, Condition, Rows
from partwise_papers.spider.generating.conditions import OwnConditions
from partwise_papers.spider.generating.maker import NothingToSayError, SaidCondition, Tools
from partwise_papers.spider.generating.phrases import Phrase, word
from partwise_papers.spider.generating.relations import LinkedConditions

_WHO = re.compile(r"^(that|which) ")


@dataclass(frozen=True)
class SaidRows:
    """Rows in words.

    Attributes:
        before: words before the rows' name.
        behind: words behind it.
    """

    table: TableInfo
    rows: Rows
    before: Phrase
    behind: Phrase
    tools: Tools

    def slots(self) -> dict[str, Phrase]:
        """What patterns call these rows."""
        many = self.tools.naming.table(self.table.name)
        one = self.tools.naming.table(self.table.name, many=False)
        heads = (*self.before, *many)
        behind = self.behind
        if self.table.person and self.tools.chance(0.6):
            behind = tuple(one._replace(text=_WHO.sub("who ", one.text)) for one in behind)
        return {
            **{"heads": heads, "head": (*self.before, *one), "conds": behind},
            **{"rows": (*heads, *behind), "verbs": _with_verb(behind)},
            **{"person": word("person") if self.table.person and not self.before else ()},
        }


_VERBS = {
    **{"with": "have", "having": "have", "that": "", "who": "", "which": ""},
    **dict.fromkeys(("in", "from", "on", "at", "by", "of", "based", "located"), "are"),
    **dict.fromkeys(("named", "called", "not", "outside"), "are"),
}
"""What a condition begins with -> what a sentence has there; "are" stands before it."""


def _with_verb(behind: Phrase) -> Phrase:
    """Conditions as the rest of a sentence: "have no orders" for "with no orders"."""
    if not behind:
        return behind
    first, *rest = behind[0].text.split(" ")
    if first == "without":
        article = rest[:1] in (["a"], ["any"])
        text = " ".join(["have no", *rest[article:]])
        return (behind[0]._replace(text=text), *behind[1:])
    if first not in _VERBS:
        return behind
    if _VERBS[first] == "are":
        return (*word("are"), *behind)
    text = " ".join([_VERBS[first], *rest]).strip()
    return (behind[0]._replace(text=text), *behind[1:])


class RowMaker:
    """Draws rows with conditions."""

    def __init__(self, tools: Tools) -> None:
        self.tools = tools
        self.own = OwnConditions(tools)
        self.linked = LinkedConditions(tools, self.own)

    def rows(self, table: TableInfo | None = None, conditions: int | None = None) -> SaidRows:
        """Rows of a table.

        Args:
            conditions: how many; none to two, if None.
        """
        table = table or self.tools.head()
        wanted = conditions
        if wanted is None:
            wanted = self.tools.rng.choices((0, 1, 2), (3, 6, 2))[0]
        made: list[SaidCondition] = []
        for _ in range(12):
            if len(made) == wanted:
                break
            one = self._condition(table)
            if one is not None and all(_apart(one, other) for other in made):
                made.append(one)
        if conditions and len(made) < conditions:
            raise NothingToSayError("no conditions fit")
        return self._said(table, made)

    def _condition(self, table: TableInfo) -> SaidCondition | None:
        try:
            return (self.own if self.tools.chance(0.6) else self.linked).any(table)
        except NothingToSayError:
            return None

    def _said(self, table: TableInfo, made: list[SaidCondition]) -> SaidRows:
        before = tuple(piece for one in made if one.before for piece in one.phrase)
        behind: Phrase = ()
        for one in (some for some in made if not some.before):
            joint = self.tools.choose(("and", "", "and", ",")) if behind else ""
            behind = (*behind, *word(joint), *one.phrase)
        parts: list[Condition] = []
        for one in made:
            inner = one.condition.parts if isinstance(one.condition, And) else (one.condition,)
            parts += inner
        where = None if not parts else parts[0] if len(parts) == 1 else And(tuple(parts))
        return SaidRows(table, Rows(table.name, where), before, behind, self.tools)


def _apart(one: SaidCondition, other: SaidCondition) -> bool:
    """Whether two conditions speak of different things; only one stands before the name."""
    parts = [
        {piece.part.split(":")[-1] for piece in some.phrase if ":" in piece.part}
        for some in (one, other)
    ]
    return not (parts[0] & parts[1]) and not (one.before and other.before)
