"""What questions say of a drawing, and what is left of them."""

from __future__ import annotations

import pytest

from partwise.language.wishes import split_wish


@pytest.mark.parametrize(
    ("question", "rest", "kind"),
    [
        ("Bar chart of customers per country", "customers per country", "bar"),
        ("plot revenue by month", "revenue by month", "chart"),
        ("show me a pie chart of the revenue by genre", "the revenue by genre", "pie"),
        ("how many sales per year, as a line?", "how many sales per year?", "line"),
        ("customers by country in a table", "customers by country", "table"),
        ("Plot the sales per month as a line chart", "the sales per month", "line"),
        ("please draw a histogram of ages", "ages", "bar"),
        ("sales per day? Show a stacked bar graph.", "sales per day?", "stacked"),
        ("as a piechart please", "", "pie"),
        ("list prices in a bar chart, highest first", "list prices, highest first", "bar"),
        ("scatter plot of height and weight", "height and weight", "scatter"),
    ],
)
def test_a_wish_is_cut_off(question: str, rest: str, kind: str) -> None:
    assert split_wish(question) == (rest, kind)


@pytest.mark.parametrize(
    "question",
    [
        "how many plots are there",
        "which table has the most orders?",
        "weeks on the chart of the single",
        "the product line with the most sales",
        "who sits at the bar",
        "employees  on the line",
        "columns of the temple",
        "documents of the project 'Graph Database project'",
    ],
)
def test_other_questions_stay_as_they_are(question: str) -> None:
    assert split_wish(question) == (question, "")


def test_what_names_something_is_no_wish() -> None:
    question = "plot owners by town"
    assert split_wish(question, {"plot", "owner"}) == (question, "")
    assert split_wish("bar chart of plots", {"plot"}) == ("plots", "bar")


def test_long_texts_are_not_looked_through() -> None:
    text = "and show me " * 5000 + "a bar chart"
    assert split_wish(text) == (text, "")
