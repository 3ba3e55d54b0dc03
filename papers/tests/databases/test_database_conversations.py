"""Made-up follow-ups, and what is learned of conversations."""

from __future__ import annotations

import random
from contextlib import closing
from pathlib import Path

from partwise.database.edits import COUNT, Edit, Edits
from partwise.database.follow_up import Asked, FollowUp, ranked_programs
from partwise.execution.relational.program import Figure, Listing, Rows
from partwise_papers.databases.conversations import LearnedTurn, fit_conversations, fit_weights
from partwise_papers.databases.follow_ups import make_follow_ups, wordings
from partwise_papers.databases.questions import read_typed_database
from partwise_papers.typed_databases.check import database_folders

COUNTED, LISTED = Figure(Rows("a"), COUNT), Listing(Rows("a"), ())


def test_made_follow_ups_run_and_are_of_many_kinds(tmp_path: Path) -> None:
    kinds = set[str]()
    with closing(read_typed_database(database_folders()[0], tmp_path)) as database:
        layer = database.domain.layer
        for table in [table for table in layer.tables if not table.bridge]:
            rows, shown = Rows(table.name), Edits(layer).display(table.name)
            for last in (Figure(rows, COUNT), Listing(rows, shown)):
                for made in make_follow_ups(last, layer, database.rows, random.Random(0)):
                    assert database.rows.of_program(made.program) is not None, made
                    assert "{" not in made.text
                    kinds.add(made.kind)
    assert len(kinds) >= 12
    assert kinds <= set(wordings())


def turns(databases: int) -> list[LearnedTurn]:
    """Turns that a feature tells the right edit of; another one tells nothing."""
    draw, made = random.Random(1), []
    for number in range(10 * databases):
        yes = draw.random() < 0.5
        found = [
            FollowUp(Edit(program, kind, 0), {f"kind {kind}": 1.0, sign: 1.0})
            for program, kind, sign in (
                *((COUNTED, "count", "clue" if yes else "none"),),
                *((LISTED, "rows", "none" if yes else "clue"),),
            )
        ]
        asked = Asked("so", [], [], [], 1, [], {})
        made.append(LearnedTurn(f"db {number % databases}", asked, found, [yes, not yes]))
    return made


def test_weights_find_what_tells_the_right_edit() -> None:
    some = turns(8)
    weights = fit_weights(some)
    assert weights["clue"] > 1 > abs(weights.get("kind rows", 0.0))
    for turn in some:
        best = ranked_programs(turn.found, weights)[0][0]
        assert turn.right[turn.found.index(best)]
    model = fit_conversations(some, 0.8)
    ranked = ranked_programs(some[0].found, model.weights)
    assert model.probability(ranked, some[0].asked) > 0.9


def test_edits_that_give_one_program_count_together() -> None:
    three = [
        FollowUp(Edit(program, kind, 0), {kind: 1.0})
        for program, kind in (
            (COUNTED, "count"),
            (LISTED, "rows"),
            (LISTED, "shown"),
        )
    ]
    weights = {"count": 1.2, "rows": 1.0, "shown": 1.0}
    (best, score), (other, _) = ranked_programs(three, weights)
    assert (best.edit.program, other.edit.program) == (LISTED, COUNTED)
    assert 1.2 < score < 2.0
