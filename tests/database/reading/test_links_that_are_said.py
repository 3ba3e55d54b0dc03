"""Of several links between two tables, the one whose column a question says."""

from __future__ import annotations

from pathlib import Path

from asked_database import asked_example


def test_what_each_row_has_one_of_is_shown_beside_its_name(tmp_path: Path) -> None:
    with asked_example("heads", tmp_path) as asked:
        heads = [sorted(one) for one in asked.answers("head of each department", first=5)]
        assert [("Sales", "Ann Moss"), ("Stores", "Cid Hale")] in heads
        cities = asked.answers("city of each department", first=1)[0]
        assert sorted(cities) == [("Sales", "Berlin"), ("Stores", "Paris")]
        # What can be summed is.
        assert ("Ann Moss", 50) in asked.answers("wage of each employee", first=1)[0]
