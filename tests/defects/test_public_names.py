"""``dir(partwise)`` listed private names, and not the public ones."""

from __future__ import annotations

import partwise


def test_dir_lists_the_public_names_and_no_others() -> None:
    listed = dir(partwise)
    assert set(listed) == {*partwise.__all__, "__version__"}
    for name in listed:
        assert getattr(partwise, name) is not None
    assert partwise.__version__
