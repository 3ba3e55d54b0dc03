"""MyDomain: what people may ask about a library's books and loans, and how it is answered.

Every method is a word of the language. Its type hints say what it applies to and what it returns;
its decorator lists the words by which people ask for it; its body answers from the graph.
Change this file step by step to your own subject, and run `partwise check mydomain` after each.
"""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

from partwise import entities, predicate, root
from partwise.execution.sparql import SPARQL
from partwise.language.values import Many, Number, One, SetDomain, Some


# 1. Entity types: what there is. Empty classes, used only in the type hints below.
class Book: ...


class Author: ...


class Member: ...


class Town: ...


class Year: ...


class MyDomain(SetDomain):
    """A library: books, who wrote them, and who borrowed them."""

    name: ClassVar[str] = "mydomain"
    # A Turtle file, or a store on the network: SPARQL(Endpoint("https://...")). The value of a
    # "$name" in a query is checked and quoted: `VALUES ?book $of` looks in a set.
    kg = SPARQL(Path(__file__).with_name("data.ttl"), prefixes={"": "https://library.example/"})

    # 2. What people may ask for: any set of things, or a number.
    @root
    def answer(self, value: Some[object] | Number) -> Some[object] | Number:
        return value

    # 3. Names, as many as you like. They are found in questions in any case, with or without
    # diacritics. Aliases give a name more spellings; with typos=True it may also be misspelt.
    @entities(
        names=lambda self: self.kg.column("SELECT ?title { ?book :title ?title } ORDER BY ?title")
    )
    def book(self, name: str) -> One[Book]:
        return One([name])

    @entities(
        names=lambda self: self.authors(),
        aliases=lambda self: {name: (name.split()[-1],) for name in self.authors()},
    )
    def writer(self, name: str) -> One[Author]:
        return One([name])

    def authors(self) -> tuple[str, ...]:
        return self.kg.column("SELECT DISTINCT ?author { ?book :author ?author } ORDER BY ?author")

    @entities(
        names=lambda self: self.kg.column("SELECT ?name { ?member :name ?name } ORDER BY ?name")
    )
    def member(self, name: str) -> One[Member]:
        return One([name])

    @entities(
        names=lambda self: self.kg.column(
            "SELECT DISTINCT ?town { ?member :town ?town } ORDER BY ?town"
        )
    )
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
        return Many(self.kg.column("SELECT ?title { ?book :title ?title } ORDER BY ?title"))

    @predicate("author", "authors", "wrote")
    def author(self, of: Some[Book]) -> Many[Author]:
        query = "SELECT ?author { VALUES ?title $of ?book :title ?title ; :author ?author }"
        return Many(self.kg.column(query, of=of))

    @predicate("by", "write", "written")
    def written_by(self, who: Some[Author]) -> Many[Book]:
        query = "SELECT ?title { VALUES ?who $who ?book :author ?who ; :title ?title }"
        return Many(self.kg.column(query, who=who))

    @predicate("when", "year")
    def year(self, of: Some[Book]) -> Many[Year]:
        query = "SELECT ?year { VALUES ?title $of ?book :title ?title ; :year ?year }"
        return Many(self.kg.column(query, of=of))

    # A filter by a value: two arguments, which may come in any order in the question.
    @predicate("after", "since")
    def after(self, start: One[Year], of: Many[Book]) -> Many[Book]:
        query = """SELECT ?title { VALUES ?title $of ?book :title ?title ; :year ?year
                   FILTER (?year > $start) }"""
        return Many(self.kg.column(query, of=of, start=max(start)))

    @predicate("borrowed", "borrow")
    def borrowed_by(self, who: Some[Member]) -> Many[Book]:
        query = "SELECT ?title { VALUES ?who $who ?member :name ?who ; :borrowed/:title ?title }"
        return Many(self.kg.column(query, who=who))

    @predicate("borrowers", "borrower", "who borrowed")
    def borrowers(self, of: Some[Book]) -> Many[Member]:
        query = "SELECT ?name { VALUES ?title $of ?who :name ?name ; :borrowed/:title ?title }"
        return Many(self.kg.column(query, of=of))

    @predicate("town", "where")
    def town(self, of: Some[Member]) -> Many[Town]:
        query = "SELECT ?town { VALUES ?name $of ?member :name ?name ; :town ?town }"
        return Many(self.kg.column(query, of=of))

    @predicate("members in", "members from", "people in", "people from")
    def members_in(self, where: Some[Town]) -> Many[Member]:
        query = "SELECT ?name { VALUES ?town $where ?member :town ?town ; :name ?name }"
        return Many(self.kg.column(query, where=where))

    # Superlatives: one of many things.
    @predicate("newest", "latest")
    def newest(self, of: Many[Book]) -> One[Book]:
        query = """SELECT ?title { VALUES ?title $of ?book :title ?title ; :year ?year }
                   ORDER BY DESC(?year) ?title LIMIT 1"""
        return One(self.kg.column(query, of=of))

    @predicate("oldest", "earliest", "first")
    def oldest(self, of: Many[Book]) -> One[Book]:
        query = """SELECT ?title { VALUES ?title $of ?book :title ?title ; :year ?year }
                   ORDER BY ?year ?title LIMIT 1"""
        return One(self.kg.column(query, of=of))

    @predicate("most popular", "most borrowed")
    def most_borrowed(self, of: Many[Book]) -> One[Book]:
        query = """SELECT ?title { VALUES ?title $of ?who :borrowed ?book . ?book :title ?title }
                   GROUP BY ?title ORDER BY DESC(COUNT(?who)) ?title LIMIT 1"""
        return One(self.kg.column(query, of=of))

    @predicate("how many", "number of")
    def how_many(self, of: Many[object]) -> Number:
        return Number(len(of))
