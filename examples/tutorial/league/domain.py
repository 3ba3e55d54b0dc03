"""Questions about a football league."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

from partwise import default, entities, predicate, root
from partwise.execution.database import Database
from partwise.language.values import Many, Number, One, SetDomain, Some


class Club: ...


class Player: ...


class City: ...


class Stadium: ...


class League(SetDomain):
    """Clubs, where they play, whom they beat, and who scores for them."""

    name: ClassVar[str] = "league"
    db = Database(Path(__file__).with_name("data.sql"))

    @root
    def answer(self, value: Some[object] | Number) -> Some[object] | Number:
        return value

    # --- names -----------------------------------------------------------------------------

    @entities(names=lambda self: self.db.column("SELECT name FROM club ORDER BY name"))
    def club(self, name: str) -> One[Club]:
        return One([name])

    @entities(
        names=lambda self: self.db.column("SELECT name FROM player ORDER BY name"),
        aliases={"Femi Ade": ("Ade",), "Amos Reed": ("Reed",)},
    )
    def player(self, name: str) -> One[Player]:
        return One([name])

    @entities(names=lambda self: self.db.column("SELECT DISTINCT city FROM club ORDER BY city"))
    def town(self, name: str) -> One[City]:
        return One([name])

    @entities(names=[str(n) for n in range(101)], bare=True)
    def number(self, digits: str) -> Number:
        return Number(int(digits))

    # --- clubs -----------------------------------------------------------------------------

    @predicate("clubs", "club", "teams", "team")
    def clubs(self) -> Many[Club]:
        return Many(self.db.column("SELECT name FROM club"))

    @predicate("clubs in", "clubs from", "teams from")
    def clubs_in(self, where: Some[City]) -> Many[Club]:
        return Many(self.db.column("SELECT name FROM club WHERE city IN :place", place=where))

    @predicate("city", "where")
    def city(self, of: Some[Club]) -> Many[City]:
        return Many(self.db.column("SELECT city FROM club WHERE name IN :of", of=of))

    @predicate("stadium", "ground")
    def stadium(self, of: Some[Club]) -> Many[Stadium]:
        return Many(self.db.column("SELECT stadium FROM club WHERE name IN :of", of=of))

    @predicate("oldest")
    def oldest(self, of: Many[Club]) -> One[Club]:
        sql = "SELECT name FROM club WHERE name IN :of ORDER BY founded, name LIMIT 1"
        return One(self.db.column(sql, of=of))

    @predicate("beat", "won against")
    def winners_over(self, whom: Some[Club]) -> Many[Club]:
        sql = """SELECT home FROM game WHERE away IN :whom AND home_goals > away_goals UNION
                 SELECT away FROM game WHERE home IN :whom AND away_goals > home_goals"""
        return Many(self.db.column(sql, whom=whom))

    @predicate("lost to", "lose to", "beaten by")
    def losers_to(self, whom: Some[Club]) -> Many[Club]:
        sql = """SELECT home FROM game WHERE away IN :whom AND home_goals < away_goals UNION
                 SELECT away FROM game WHERE home IN :whom AND away_goals < home_goals"""
        return Many(self.db.column(sql, whom=whom))

    # --- players ---------------------------------------------------------------------------

    @predicate("plays for", "play for")
    def club_of(self, who: Some[Player]) -> Many[Club]:
        return Many(self.db.column("SELECT club FROM player WHERE name IN :who", who=who))

    # Without a club these are the players of all clubs: players(clubs()).
    @predicate("players", "player", "squad")
    def players(self, of: Some[Club] = default("clubs()")) -> Many[Player]:
        return Many(self.db.column("SELECT name FROM player WHERE club IN :of", of=of))

    @predicate("goals", "score", "scored")
    def goals(self, of: Some[Player]) -> Number:
        return Number(self.db.column("SELECT total(goals) FROM player WHERE name IN :of", of=of)[0])

    @predicate("more than", "over")
    def scoring_over(self, least: Number, of: Many[Player]) -> Many[Player]:
        sql = "SELECT name FROM player WHERE name IN :of AND goals > :least"
        return Many(self.db.column(sql, of=of, least=least))

    @predicate("top scorer", "most goals")
    def top_scorer(self, of: Many[Player]) -> One[Player]:
        sql = "SELECT name FROM player WHERE name IN :of ORDER BY goals DESC, name LIMIT 1"
        return One(self.db.column(sql, of=of))

    @predicate("youngest")
    def youngest(self, of: Many[Player]) -> One[Player]:
        sql = "SELECT name FROM player WHERE name IN :of ORDER BY age, name LIMIT 1"
        return One(self.db.column(sql, of=of))

    @predicate("how many", "number of")
    def how_many(self, of: Many[object]) -> Number:
        return Number(len(of))
