"""Labels of conditions that are dated, denied, joined or nested become frames and programs."""

from __future__ import annotations

import pytest
from frame_cases import MADE_BY, SOLD_OF, Case, cases, gives_rows, made_of, runs_on_sqlite

from partwise.execution.relational.program import And, Compare, walk

CASES: dict[str, list[Case]] = {
    "dates": [
        (
            "sales in 2023",
            "sale period",
            "SELECT s.id, b.name, t.name, s.day, s.quantity FROM sale s "
            "JOIN bread b ON b.id = s.bread_id JOIN store t ON t.id = s.store_id "
            "WHERE s.day LIKE '2023%'",
        ),
        (
            "how many sales last month",
            "count sale period",
            "SELECT count(*) FROM sale WHERE day LIKE '2024-04%'",
        ),
        (
            "how many sales since february 2024",
            "count sale sign:>= period",
            "SELECT count(*) FROM sale WHERE day >= '2024-02-01'",
        ),
        (
            "bakers with a birth date before 1980",
            "baker baker.born sign:< period",
            "SELECT name FROM baker WHERE born < '1980-01-01'",
        ),
        (
            "stores with opening year after 2010",
            "store store.opening_year sign:> period",
            "SELECT name FROM store WHERE opening_year > 2010",
        ),
        (
            "revenue in march",
            "revenue period",
            "SELECT sum(s.quantity * b.price) FROM sale s JOIN bread b ON b.id = s.bread_id "
            "WHERE strftime('%m', day) = '03'",
        ),
        (
            "breads with sales in 2024",
            "bread sale period",
            f"SELECT name FROM bread b WHERE EXISTS {SOLD_OF[:-1]} AND s.day >= '2024-01-01')",
        ),
    ],
    "negation": [
        (
            "breads that are not rye",
            "bread not bread.kind=rye",
            "SELECT name FROM bread WHERE kind <> 'rye'",
        ),
        (
            "bakers without breads",
            "baker not bread",
            f"SELECT name FROM baker a WHERE NOT EXISTS {MADE_BY})",
        ),
        (
            "breads without sales",
            "bread not sale",
            f"SELECT name FROM bread b WHERE NOT EXISTS {SOLD_OF}",
        ),
        (
            "breads other than Brioche",
            "bread sign:!= bread.name=Brioche",
            "SELECT name FROM bread WHERE name <> 'Brioche'",
        ),
        (
            "bakers who do not bake rye",
            "baker not bread.kind=rye",
            f"SELECT name FROM baker a WHERE NOT EXISTS {MADE_BY} AND kind = 'rye')",
        ),
    ],
    "or and both": [
        (
            "breads of rye and also of wheat",
            "bread bread.kind=rye bread.kind=wheat",
            "SELECT name FROM bread WHERE kind IN ('rye', 'wheat')",
        ),
        (
            "bakers with rye and wheat",
            "baker bread.kind=rye bread.kind=wheat",
            f"SELECT name FROM baker a WHERE EXISTS {MADE_BY} AND b.kind = 'rye') "
            f"AND EXISTS {MADE_BY} AND b.kind = 'wheat')",
        ),
        (
            "rye or sweet breads",
            "bread.kind=rye or bread.kind=sweet bread",
            "SELECT name FROM bread WHERE kind IN ('rye', 'sweet')",
        ),
        (
            "breads of kind rye or with a price over 3",
            "bread bread.kind=rye or bread.price sign:> 3",
            "SELECT name FROM bread WHERE kind = 'rye' OR price > 3",
        ),
        (
            "bakers who bake both wheat and sweet breads",
            "baker both bread.kind=wheat bread.kind=sweet",
            f"SELECT name FROM baker a WHERE EXISTS {MADE_BY} AND kind = 'wheat') "
            f"AND EXISTS {MADE_BY} AND kind = 'sweet')",
        ),
    ],
    "yes or no": [
        (
            "is there a sweet bread",
            "yesno bread.kind=sweet bread",
            "SELECT EXISTS (SELECT 1 FROM bread WHERE kind = 'sweet')",
        ),
        (
            "are there bakers from Kiel",
            "yesno baker store.city=Kiel",
            "SELECT EXISTS (SELECT 1 FROM store WHERE city = 'Kiel' "
            "AND id IN (SELECT store_id FROM sale))",
        ),
    ],
    "arms": [
        (
            "towns shared by bakers with a wage more than 2900 and a wage less than 2200",
            "baker.town baker baker.wage sign:> 2900 baker.wage sign:< 2200",
            "SELECT town FROM baker WHERE wage > 2900 INTERSECT "
            "SELECT town FROM baker WHERE wage < 2200",
        ),
        (
            "kinds of bread that are in front but not in the back",
            "bread.kind bread bread.shelf=front not bread.shelf=back",
            "SELECT kind FROM bread WHERE shelf = 'front' EXCEPT "
            "SELECT kind FROM bread WHERE shelf = 'back'",
        ),
        (
            "towns without any baker with a wage more than 2500",
            "baker.town not baker baker.wage sign:> 2500",
            "SELECT DISTINCT town FROM baker WHERE town NOT IN "
            "(SELECT town FROM baker WHERE wage > 2500 AND town IS NOT NULL)",
        ),
        (
            "the names of breads of the baker with the highest wage",
            "bread.name baker dir:desc baker.wage",
            "SELECT b.name FROM bread b WHERE b.baker_id = "
            "(SELECT id FROM baker ORDER BY wage DESC, id LIMIT 1)",
        ),
        (
            "breads with a price lower than all sweet breads",
            "bread bread.price sign:< bread.kind=sweet",
            "SELECT name FROM bread WHERE price < "
            "(SELECT min(price) FROM bread WHERE kind = 'sweet')",
        ),
    ],
    "nested": [
        (
            "breads with a price above the average",
            "bread bread.price sign:> agg:average",
            "SELECT name FROM bread WHERE price > (SELECT avg(price) FROM bread)",
        ),
        (
            "breads heavier than Brioche",
            "bread sign:>@bread.weight bread.name=Brioche",
            "SELECT name FROM bread WHERE weight > "
            "(SELECT weight FROM bread WHERE name = 'Brioche')",
        ),
        (
            "bakers with a wage lower than the average wage",
            "baker baker.wage sign:< agg:average baker.wage",
            "SELECT name FROM baker WHERE wage < (SELECT avg(wage) FROM baker)",
        ),
    ],
}


@pytest.mark.parametrize(("question", "labels", "sql"), cases(CASES))
def test_the_right_program_is_among_those_of_the_labels(
    question: str, labels: str, sql: str
) -> None:
    assert gives_rows(made_of(question, labels), sql)


@pytest.mark.parametrize(("question", "labels", "sql"), cases(CASES))
def test_every_program_runs_on_sqlite_as_in_the_interpreter(
    question: str, labels: str, sql: str
) -> None:
    assert not [one for one in made_of(question, labels) if not runs_on_sqlite(one)]


@pytest.mark.parametrize("thing", ["bread", "baker"])
def test_no_row_must_have_two_values_of_a_column(thing: str) -> None:
    programs = made_of(f"{thing} of rye and of wheat", f"{thing} bread.kind=rye bread.kind=wheat")
    assert programs
    for one in programs:
        for condition in walk(one):
            if isinstance(condition, And):
                equal = [
                    part.left
                    for part in condition.parts
                    if isinstance(part, Compare) and part.sign == "="
                ]
                assert len(equal) == len(set(equal)), one
