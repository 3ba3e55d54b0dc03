"""Which tests take long: `make test` leaves them out, `make slow` runs them."""

from __future__ import annotations

import pytest

SLOW = (
    *("papers/tests/constrained/", "papers/tests/datasets/", "papers/tests/seq2seq/"),
    *("papers/tests/test_validation.py", "papers/tests/benchmarks/test_cost.py"),
    *("papers/tests/databases/test_chart_width.py", "tests/span/annotation/"),
    "tests/serve/test_batching.py::test_ray_gives_the_same",
    "tests/span/test_decoding.py::test_the_temperature_fitted_makes_the_outcome_likelier",
    "tests/test_examples.py::test_own_graph_answers_new_combinations",
    "tests/authoring/templates/test_new.py::test_its_own_test_passes",
    "tests/span/test_augmentation.py::test_made_questions_type_and_have_a_tree",
    *("tests/graph/test_word_classes.py", "tests/golden/test_words.py"),
)
"""How their names begin."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark them."""
    for item in items:
        if item.nodeid.startswith(SLOW):
            item.add_marker(pytest.mark.slow)
