"""Rows that lead to others of their own table: bosses, offspring, subcategories, referrals."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from partwise.database.layer.model import SemanticLayer
from partwise.database.reading.filling import Step, add
from partwise.database.reading.frame import Cond, Fig, Frame, Order, Ref, names_of
from partwise.database.reading.label import Label
from partwise.database.reading.text import Word, stem, stems_of

_PARENTS = frozenset(map(stem, ("parent", "mother", "father", "dam", "sire", "main", "super")))
_CHILDREN = (
    *("child", "children", "offspring", "kids", "young", "descendants", "daughters", "sons"),
    *("calves", "calf", "lambs", "foals", "puppies", "kittens", "litter"),
)
_ROOTS = (
    *("top level", "top-level", "toplevel", "highest level", "uppermost", "root", "main", "parent"),
    *("first level", "upper level"),
)
_BROUGHT = (
    *("brought in", "bring in", "referred", "refer", "referrals", "introduced", "recommended"),
    *("recruited", "invited", "brought along", "got to join"),
)
_LED = {"mentor": ("mentees", "mentee", "mentored"), "predecessor": ("successor", "replaced")}
_BY = "by"
LONGEST = 3
"""The most words of such a phrase."""
FURTHEST = 1
"""The most words between a name and the word for those that it leads: "has Ann ever hired"."""
_BOSSES = (
    *("boss", "manager", "superior", "supervisor", "line manager", "report to", "answer to"),
    *("work under", "work for", "under", "manage by", "lead by", "supervise by"),
)
_TEAMS = ("team", "subordinate", "direct report", "underling", "people under")
_LEADING = {"supervise", "supervises", "manage", "manages", "lead", "leads", "oversee", "oversees"}
"""Verbs for what a boss does; their stems are those of "manager" and "led by"."""
_ASKED = {"do", "does", "did"}
"""Verbs that a question begins with, before the name of the boss."""
_NAMED_PARENTS = {"dam": "mother", "mother": "mother", "sire": "father", "father": "father"}
"""Words of links to a parent, and what people call it."""
_LEADS = {"manager", "supervisor", "boss", "reports", "superior", "lead", "leader", "head"}
Said = tuple[str, ...]
"""Stems of words."""
BOSS: dict[Said, str] = {tuple(map(stem, one.split())): "boss" for one in _BOSSES} | {
    tuple(map(stem, one.split())): "team" for one in _TEAMS
}
"""What people call the row that a person's row leads to in the same table, and those it leads."""


class Family(NamedTuple):
    """Words for rows of a table, by a link to the table itself.

    Attributes:
        op: ``boss`` for the row that one leads to, ``team`` for the rows that lead to one, ``root``
            for those that lead to none.
    """

    start: int
    end: int
    table: str
    column: str
    op: str


class Families:
    """The links of a database from a table to itself, and words for what they say."""

    def __init__(self, layer: SemanticLayer) -> None:
        self._bosses = [
            (one.table, one.column)
            for one in layer.schema.links
            if one.table == one.target
            and (
                layer.table(one.table).person
                or _LEADS & {*layer.column(one.table, one.column).label.split()}
            )
        ]
        self._of: dict[Said, list[tuple[str, str, str]]] = {}
        for one in layer.schema.links:
            if one.table != one.target or layer.table(one.table).private:
                continue
            label = layer.column(one.table, one.column).label.split()
            for op, phrase in _words(label, layer.table(one.table).names):
                said = self._of.setdefault(_key(phrase), [])
                if (one.table, one.column, op) not in said:
                    said.append((one.table, one.column, op))

    def bosses(self, words: Sequence[Word]) -> Iterator[Family]:
        """Words for who reports to whom."""
        if not self._bosses:
            return
        asked = next((at for at, word in enumerate(words) if word.plain in _ASKED), len(words))
        for start in range(len(words)):
            if start > asked + 1 and words[start].plain in _LEADING:
                # "Whom does Molly supervise?"
                for table, column in self._bosses:
                    yield Family(start, start + 1, table, column, "team")
            for end in (start + 1, start + 2):
                said = BOSS.get(tuple(one.stem for one in words[start:end]))
                if said is not None and end <= len(words):
                    for table, column in self._bosses:
                        yield Family(start, end, table, column, said)

    def find(self, words: Sequence[Word]) -> Iterator[Family]:
        """All such words of a question."""
        if not self._of:
            return
        for start in range(len(words)):
            for end in range(start + 1, min(len(words), start + LONGEST) + 1):
                key = _key(" ".join(word.plain for word in words[start:end]))
                if key and words[start].plain[:1].isalpha() and words[end - 1].plain[:1].isalpha():
                    for table, column, op in self._of.get(key, ()):
                        yield Family(start, end, table, column, op)


def _key(phrase: str) -> Said:
    """The stems of a phrase; a word with a hyphen has two."""
    return stems_of(phrase.replace("-", " "))


def _words(label: Sequence[str], names: Sequence[str]) -> Iterator[tuple[str, str]]:
    """What is said of a link: operations and phrases."""
    stems = {*map(stem, label)}
    for one, parent in _NAMED_PARENTS.items():
        if stem(one) in stems:
            yield "boss", parent
    if stems & _PARENTS:
        yield from (("team", one) for one in _CHILDREN)
        yield from (("root", one) for one in _ROOTS)
        for name in names:
            yield from (("team", f"{sub}{name}") for sub in ("sub", "sub ", "sub-", "child "))
    if label[-1:] == [_BY]:
        yield "team", " ".join(label[:-1])
        if stems & {*map(stem, ("referred", "introduced", "recommended", "invited", "recruited"))}:
            yield from (("team", one) for one in _BROUGHT)
    for led, said in _LED.items():
        if stem(led) in stems:
            yield from (("team", one) for one in said)


def family_steps(frame: Frame, ref: Ref, label: Label, layer: SemanticLayer) -> list[Step]:
    """ "Ann's team", "offspring of Daisy", "top-level categories", "who has referred the most"."""
    if label.op == "root":
        if frame.neg or frame.per or frame.way:
            return []
        made = frame._replace(head=frame.head or ref.table)
        return [Step(add(made, Cond(ref, "missing")), "root")]
    if (team := _of_named_boss(frame, ref, label)) is not None:
        return [Step(team, "team")]
    if frame.attr is not None or frame.sign or frame.per or frame.agg not in {"", "count"}:
        return []
    if frame.way:
        return [Step(most_led(frame, ref, layer), "team_most")]
    if frame.neg or frame.head not in {"", ref.table}:
        return []
    head = frame._replace(head=ref.table)
    some = add(head, Cond(ref, "missing", negated=True))
    return [Step(head._replace(attr=ref), "team_of"), Step(some, "team_some")]


def _of_named_boss(frame: Frame, ref: Ref, label: Label) -> Frame | None:
    """The rows that lead to the one that was just named."""
    last = frame.conds[-1] if frame.conds else None
    if last is None or last.op != "=" or not 0 <= label.start - frame.last <= FURTHEST:
        return None
    left = last.left
    if not isinstance(left, Ref) or left.table != ref.table or left.via is not None:
        return None
    conds = (*frame.conds[:-1], last._replace(left=left._replace(via=ref[:2])))
    return frame._replace(head=frame.head or ref.table, conds=conds)


def most_led(frame: Frame, ref: Ref, layer: SemanticLayer) -> Frame:
    """Those that most, or fewest, rows of their table lead to."""
    keys = tuple(one._replace(via=ref[:2]) for one in names_of(layer, ref.table))
    order = Order(Fig("count", ref.table), frame.way == "desc")
    done = frame._replace(way="", attr=None, head="", keys=keys, order=order)
    return add(done, Cond(ref, "missing", negated=True))
