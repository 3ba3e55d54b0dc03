"""What tables and columns are called, by the words of their names."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from partwise.database.source.figures import without_unit
from partwise.database.source.lexicon import usual_synonyms, word_set
from partwise.database.source.reading import ReadTable
from partwise.database.source.roles import is_person

DATES = {"exp": "expiry", "experience": "expiry", "term": "termination", "dep": "departure"}
"""What words of dates stand for, in place of what they mean elsewhere."""
_WHEN = ("date", "on", "at")
"""How names of dates end."""


def label_of(words: Sequence[str]) -> str:
    """Words as one text."""
    return " ".join(words)


def called(label: str, others: Sequence[str], people: bool) -> tuple[str, tuple[str, ...]]:
    """The name of a table's rows, and what else they may be called, by whether they are people: a
    ``doc`` with first and last names is a doctor, and a ``rep`` without any is a repair."""
    known = word_set("people") | word_set("roles")
    if not others or (label.split()[-1] in known) == people:
        return label, tuple(others)
    fits = [one for one in others if (one.split()[-1] in known) == people]
    if not fits:
        return label, tuple(others)
    return fits[0], (label, *(one for one in others if one != fits[0]))


def _date_words(words: Sequence[str], taken: Collection[Sequence[str]]) -> Sequence[str]:
    """The words of a date as the list of synonyms has them: "hire date" for ``dt_hire``, "expiry
    date" for ``lic_exp``, and "paid date" for ``paid_on`` where only the one is listed.

    Args:
        taken: the words of the columns beside it.
    """
    if not words:
        # A name without a letter, as "_" is one.
        return words
    made = (*words[1:], "date") if words[0] == "date" and words[1:2] not in ((), ("of",)) else words
    made = tuple(DATES.get(one, one) for one in made)
    listed = usual_synonyms("columns")
    if made[-1] not in _WHEN:
        made = (*made, "date") if made != tuple(words) else made
    elif label_of(made) not in listed:
        others = ((*made[:-1], one) for one in _WHEN)
        made = next((one for one in others if label_of(one) in listed), made)
    return words if made in taken else made


def meant_by(table: ReadTable, column: str) -> str:
    """A column's label as the list of synonyms has it: the title of a person is of a job, and a
    height in centimetres is a height."""
    words = table.column_words[column]
    label = label_of(words)
    if label == "title" and is_person(table):
        return "job title"
    if table.meant[column].kind == "date":
        return label_of(_date_words(words, table.column_words.values()))
    if table.meant[column].kind != "number" or label in usual_synonyms("columns"):
        return label
    short = without_unit(words)
    return label if short in table.column_words.values() else label_of(short)
