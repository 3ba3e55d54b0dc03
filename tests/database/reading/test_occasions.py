"""Which date "when" asks for."""

from __future__ import annotations

from asked_database import AskedDatabase, example

hall = example("tickets")


def test_first_and_last_alone_name_no_part_of_a_persons_name(hall: AskedDatabase) -> None:
    said = hall.labels("when did Ann Moss last buy a ticket")
    assert ("guest", "last_name") not in {
        one.thing[1:] for one in said if one.kind == "column" and one.thing
    }
    both = hall.labels("first and last names of the guests")
    named = {one.thing[2] for one in both if one.kind == "column" and one.thing is not None}
    assert {"first_name", "last_name"} <= named


def test_a_question_whose_best_frames_give_no_program_is_still_read(hall: AskedDatabase) -> None:
    assert hall.answers("when did anybody last pay")
