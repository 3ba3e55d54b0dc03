"""Questions that a database cannot answer: of a column or table that it does not have."""

from __future__ import annotations

from partwise_papers.spider.generating.maker import NothingToSayError, SaidProgram, Tools
from partwise_papers.spider.generating.phrases import Phrase, lines_of, word
from partwise_papers.spider.generating.rows import RowMaker


class MissingThings:
    """Draws questions with one word for what is not there."""

    def __init__(self, tools: Tools, maker: RowMaker) -> None:
        self.tools, self.maker = tools, maker
        known = {
            word
            for table in tools.layer.tables
            for names in (table.names, *(one.names for one in table.columns))
            for name in names
            for word in _stems(name)
        }
        listed: dict[str, list[str]] = {}
        kind = ""
        for line in lines_of("missing.txt"):
            if line.startswith("["):
                kind = line.strip("[]")
            elif not _stems(line) & known:
                listed.setdefault(kind, []).append(line)
        self.listed = listed

    def column(self) -> SaidProgram:
        """Of a column that is not there."""
        return self._ask("no_column", self.listed.get("columns", []))

    def table(self) -> SaidProgram:
        """Of a table that is not there."""
        return self._ask("no_table", self.listed.get("tables", []))

    def _ask(self, kind: str, things: list[str]) -> SaidProgram:
        tools = self.tools
        thing = word(tools.choose(things), "missing")
        some = self.maker.rows(conditions=tools.rng.choice((0, 0, 1)))
        named: Phrase = some.slots()["rows"]
        try:
            named = self.maker.linked.named(some.table).phrase
        except NothingToSayError:
            named = (*word("the"), *named)
        number = tools.number(tools.rng.choice((2, 5, 10, 50)))
        slots = {**some.slots(), "thing": thing, "named": named, "number": number}
        return SaidProgram(None, tools.say(kind, **slots))


def _stems(name: str) -> set[str]:
    return {one.rstrip("s") for one in name.lower().replace("-", " ").split() if len(one) > 2}
