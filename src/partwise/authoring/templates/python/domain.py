"""MyDomain: what people may ask about a library's books and loans, and how it is answered.

Every method is a word of the language. Its type hints say what it applies to and what it returns;
its decorator lists the words by which people ask for it; its body answers from data.py.
Change this file step by step to your own subject, and run `partwise check mydomain` after each.
"""

from __future__ import annotations

from typing import ClassVar

from partwise import entities, predicate, root
from partwise.language.values import Many, Number, One, SetDomain, Some

from .data import AUTHOR, LOANS, TOWN, YEAR


# 1. Entity types: what there is. Empty classes, used only in the type hints below.
class Book: ...


class Author: ...


class Member: ...


class Town: ...


class Year: ...


class MyDomain(SetDomain):
    """A library: books, who wrote them, and who borrowed them."""

    name: ClassVar[str] = "mydomain"

    # 2. What people may ask for: any set of things, or a number.
    @root
    def answer(self, value: Some[object] | Number) -> Some[object] | Number:
        return value

    # 3. Names, as many as you like. They are found in questions in any case, with or without
    # diacritics. Aliases give a name more spellings; with typos=True it may also be misspelt.
    @entities(names=YEAR)
    def book(self, name: str) -> One[Book]:
        return One([name])

    @entities(
        names=sorted(set(AUTHOR.values())),
        aliases={name: (name.split()[-1],) for name in AUTHOR.values()},
    )
    def writer(self, name: str) -> One[Author]:
        return One([name])

    @entities(names=TOWN)
    def member(self, name: str) -> One[Member]:
        return One([name])

    @entities(names=sorted(set(TOWN.values())))
    def place(self, name: str) -> One[Town]:
        return One([name])

    # Any year, known by its form. Those listed here are for examples and for training.
    @entities(names=["1830", "1850", "1870"], pattern=r"\d{4}")
    def in_year(self, name: str) -> One[Year]:
        return One([int(name)])

    # 4. Predicates. Some[Book] takes one book or many; Many[Book] takes only a set, so "the newest"
    # of a single book is no question.
    @predicate("books", "book")
    def books(self) -> Many[Book]:
        return Many(YEAR)

    @predicate("author", "authors", "wrote")
    def author(self, of: Some[Book]) -> Many[Author]:
        return Many(AUTHOR[title] for title in of)

    @predicate("by", "write", "written")
    def written_by(self, who: Some[Author]) -> Many[Book]:
        return Many(title for title in AUTHOR if AUTHOR[title] in who)

    @predicate("when", "year")
    def year(self, of: Some[Book]) -> Many[Year]:
        return Many(YEAR[title] for title in of)

    # A filter by a value: two arguments, which may come in any order in the question.
    @predicate("after", "since")
    def after(self, start: One[Year], of: Many[Book]) -> Many[Book]:
        return Many(title for title in of if YEAR[title] > max(start))

    @predicate("borrowed", "borrow")
    def borrowed_by(self, who: Some[Member]) -> Many[Book]:
        return Many(title for member, title in LOANS if member in who)

    @predicate("borrowers", "borrower", "who borrowed")
    def borrowers(self, of: Some[Book]) -> Many[Member]:
        return Many(member for member, title in LOANS if title in of)

    @predicate("town", "where")
    def town(self, of: Some[Member]) -> Many[Town]:
        return Many(TOWN[name] for name in of)

    @predicate("members in", "members from", "people in", "people from")
    def members_in(self, where: Some[Town]) -> Many[Member]:
        return Many(name for name in TOWN if TOWN[name] in where)

    # Superlatives: one of many things.
    @predicate("newest", "latest")
    def newest(self, of: Many[Book]) -> One[Book]:
        return One(sorted(of, key=lambda title: (-YEAR[title], title))[:1])

    @predicate("oldest", "earliest", "first")
    def oldest(self, of: Many[Book]) -> One[Book]:
        return One(sorted(of, key=lambda title: (YEAR[title], title))[:1])

    @predicate("most popular", "most borrowed")
    def most_borrowed(self, of: Many[Book]) -> One[Book]:
        loans = [title for _, title in LOANS if title in of]
        return One(sorted(of, key=lambda title: (-loans.count(title), title))[:1])

    @predicate("how many", "number of")
    def how_many(self, of: Many[object]) -> Number:
        return Number(len(of))
