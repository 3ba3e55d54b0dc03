# The language for every executor. A line that ends in the names of executors is for those alone;
# the lines before the docstring are for tools and not written to new domains.
# ruff: noqa
# fmt: off
# mypy: ignore-errors
"""MyDomain: what people may ask about a library's books and loans, and how it is answered.

Every method is a word of the language. Its type hints say what it applies to and what it returns;
its decorator lists the words by which people ask for it; its body finds the answer.
Change this file step by step to your own subject, and run `partwise check mydomain` after each.
"""

from __future__ import annotations

from pathlib import Path  # sqlite sparql
from typing import ClassVar

from partwise import entities, predicate, root
from partwise.execution.sparql import SPARQL  # sparql
from partwise.execution.database import Database  # sqlite
from partwise.language.values import Many, Number, One, SetDomain, Some
  # python
from .data import AUTHOR, LOANS, TOWN, YEAR  # python


# 1. Entity types: what there is. Empty classes, used only in the type hints below.
class Book: ...


class Author: ...


class Member: ...


class Town: ...


class Year: ...


class MyDomain(SetDomain):
    """A library: books, who wrote them, and who borrowed them."""

    name: ClassVar[str] = "mydomain"
    # A script of tables, or your own database file: Database("loans.sqlite"). It is only read. The  # sqlite
    # value of a ":name" in a query is bound to it and never written into its text.  # sqlite
    db = Database(Path(__file__).with_name("data.sql"))  # sqlite
    # A Turtle file, or a store on the network: SPARQL(Endpoint("https://...")). The value of a  # sparql
    # "$name" in a query is checked and quoted: `VALUES ?book $of` looks in a set.  # sparql
    kg = SPARQL(Path(__file__).with_name("data.ttl"), prefixes={"": "https://library.example/"})  # sparql

    # 2. What people may ask for: any set of things, or a number.
    @root
    def answer(self, value: Some[object] | Number) -> Some[object] | Number:
        return value

    # 3. Names, as many as you like. They are found in questions in any case, with or without
    # diacritics. Aliases give a name more spellings; with typos=True it may also be misspelt.
    @entities(names=YEAR)  # python
    @entities(names=lambda self: self.db.column("SELECT title FROM book ORDER BY title"))  # sqlite
    @entities(  # sparql
        names=lambda self: self.kg.column("SELECT ?title { ?book :title ?title } ORDER BY ?title")  # sparql
    )  # sparql
    def book(self, name: str) -> One[Book]:
        return One([name])

    @entities(
        names=lambda self: self.authors(),
        aliases=lambda self: {name: (name.split()[-1],) for name in self.authors()},
    )
    def writer(self, name: str) -> One[Author]:
        return One([name])

    def authors(self) -> tuple[str, ...]:
        return tuple(sorted(set(AUTHOR.values())))  # python
        return self.db.column("SELECT DISTINCT author FROM book ORDER BY author")  # sqlite
        return self.kg.column("SELECT DISTINCT ?author { ?book :author ?author } ORDER BY ?author")  # sparql

    @entities(names=TOWN)  # python
    @entities(names=lambda self: self.db.column("SELECT name FROM member ORDER BY name"))  # sqlite
    @entities(  # sparql
        names=lambda self: self.kg.column("SELECT ?name { ?member :name ?name } ORDER BY ?name")  # sparql
    )  # sparql
    def member(self, name: str) -> One[Member]:
        return One([name])

    @entities(names=sorted(set(TOWN.values())))  # python
    @entities(names=lambda self: self.db.column("SELECT DISTINCT town FROM member ORDER BY town"))  # sqlite
    @entities(  # sparql
        names=lambda self: self.kg.column(  # sparql
            "SELECT DISTINCT ?town { ?member :town ?town } ORDER BY ?town"  # sparql
        )  # sparql
    )  # sparql
    def place(self, name: str) -> One[Town]:
        return One([name])

    # Any year, known by its form. Those listed here are for examples and for training.
    @entities(names=["1830", "1850", "1870"], pattern=r"\d{4}")
    def in_year(self, name: str) -> One[Year]:
        return One([int(name)])

    # 4. Predicates. Some[Book] takes one book or many; Many[Book] takes only a set, so "the newest"
    # of a single book is no question.  # python sparql
    # of a single book is no question. `IN :of` looks in a set.  # sqlite
    @predicate("books", "book")
    def books(self) -> Many[Book]:
        return Many(YEAR)  # python
        return Many(self.db.column("SELECT title FROM book"))  # sqlite
        return Many(self.kg.column("SELECT ?title { ?book :title ?title } ORDER BY ?title"))  # sparql

    @predicate("author", "authors", "wrote")
    def author(self, of: Some[Book]) -> Many[Author]:
        return Many(AUTHOR[title] for title in of)  # python
        return Many(self.db.column("SELECT author FROM book WHERE title IN :of", of=of))  # sqlite
        query = "SELECT ?author { VALUES ?title $of ?book :title ?title ; :author ?author }"  # sparql
        return Many(self.kg.column(query, of=of))  # sparql

    @predicate("by", "write", "written")
    def written_by(self, who: Some[Author]) -> Many[Book]:
        return Many(title for title in AUTHOR if AUTHOR[title] in who)  # python
        return Many(self.db.column("SELECT title FROM book WHERE author IN :who", who=who))  # sqlite
        query = "SELECT ?title { VALUES ?who $who ?book :author ?who ; :title ?title }"  # sparql
        return Many(self.kg.column(query, who=who))  # sparql

    @predicate("when", "year")
    def year(self, of: Some[Book]) -> Many[Year]:
        return Many(YEAR[title] for title in of)  # python
        return Many(self.db.column("SELECT year FROM book WHERE title IN :of", of=of))  # sqlite
        query = "SELECT ?year { VALUES ?title $of ?book :title ?title ; :year ?year }"  # sparql
        return Many(self.kg.column(query, of=of))  # sparql

    # A filter by a value: two arguments, which may come in any order in the question.
    @predicate("after", "since")
    def after(self, start: One[Year], of: Many[Book]) -> Many[Book]:
        return Many(title for title in of if YEAR[title] > max(start))  # python
        sql = "SELECT title FROM book WHERE title IN :of AND year > :start"  # sqlite
        return Many(self.db.column(sql, of=of, start=max(start)))  # sqlite
        query = """SELECT ?title { VALUES ?title $of ?book :title ?title ; :year ?year  # sparql
                   FILTER (?year > $start) }"""  # sparql
        return Many(self.kg.column(query, of=of, start=max(start)))  # sparql

    @predicate("borrowed", "borrow")
    def borrowed_by(self, who: Some[Member]) -> Many[Book]:
        return Many(title for member, title in LOANS if member in who)  # python
        return Many(self.db.column("SELECT title FROM loan WHERE member IN :who", who=who))  # sqlite
        query = "SELECT ?title { VALUES ?who $who ?member :name ?who ; :borrowed/:title ?title }"  # sparql
        return Many(self.kg.column(query, who=who))  # sparql

    @predicate("borrowers", "borrower", "who borrowed")
    def borrowers(self, of: Some[Book]) -> Many[Member]:
        return Many(member for member, title in LOANS if title in of)  # python
        return Many(self.db.column("SELECT member FROM loan WHERE title IN :of", of=of))  # sqlite
        query = "SELECT ?name { VALUES ?title $of ?who :name ?name ; :borrowed/:title ?title }"  # sparql
        return Many(self.kg.column(query, of=of))  # sparql

    @predicate("town", "where")
    def town(self, of: Some[Member]) -> Many[Town]:
        return Many(TOWN[name] for name in of)  # python
        return Many(self.db.column("SELECT town FROM member WHERE name IN :of", of=of))  # sqlite
        query = "SELECT ?town { VALUES ?name $of ?member :name ?name ; :town ?town }"  # sparql
        return Many(self.kg.column(query, of=of))  # sparql

    @predicate("members in", "members from", "people in", "people from")
    def members_in(self, where: Some[Town]) -> Many[Member]:
        return Many(name for name in TOWN if TOWN[name] in where)  # python
        return Many(self.db.column("SELECT name FROM member WHERE town IN :place", place=where))  # sqlite
        query = "SELECT ?name { VALUES ?town $where ?member :town ?town ; :name ?name }"  # sparql
        return Many(self.kg.column(query, where=where))  # sparql

    # Superlatives: one of many things.
    @predicate("newest", "latest")
    def newest(self, of: Many[Book]) -> One[Book]:
        return One(sorted(of, key=lambda title: (-YEAR[title], title))[:1])  # python
        sql = "SELECT title FROM book WHERE title IN :of ORDER BY year DESC, title LIMIT 1"  # sqlite
        return One(self.db.column(sql, of=of))  # sqlite
        query = """SELECT ?title { VALUES ?title $of ?book :title ?title ; :year ?year }  # sparql
                   ORDER BY DESC(?year) ?title LIMIT 1"""  # sparql
        return One(self.kg.column(query, of=of))  # sparql

    @predicate("oldest", "earliest", "first")
    def oldest(self, of: Many[Book]) -> One[Book]:
        return One(sorted(of, key=lambda title: (YEAR[title], title))[:1])  # python
        sql = "SELECT title FROM book WHERE title IN :of ORDER BY year, title LIMIT 1"  # sqlite
        return One(self.db.column(sql, of=of))  # sqlite
        query = """SELECT ?title { VALUES ?title $of ?book :title ?title ; :year ?year }  # sparql
                   ORDER BY ?year ?title LIMIT 1"""  # sparql
        return One(self.kg.column(query, of=of))  # sparql

    @predicate("most popular", "most borrowed")
    def most_borrowed(self, of: Many[Book]) -> One[Book]:
        loans = [title for _, title in LOANS if title in of]  # python
        return One(sorted(of, key=lambda title: (-loans.count(title), title))[:1])  # python
        sql = """SELECT title FROM loan WHERE title IN :of  # sqlite
                 GROUP BY title ORDER BY count(*) DESC, title LIMIT 1"""  # sqlite
        return One(self.db.column(sql, of=of))  # sqlite
        query = """SELECT ?title { VALUES ?title $of ?who :borrowed ?book . ?book :title ?title }  # sparql
                   GROUP BY ?title ORDER BY DESC(COUNT(?who)) ?title LIMIT 1"""  # sparql
        return One(self.kg.column(query, of=of))  # sparql

    @predicate("how many", "number of")
    def how_many(self, of: Many[object]) -> Number:
        return Number(len(of))
