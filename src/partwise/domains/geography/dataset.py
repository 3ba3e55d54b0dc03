"""The shipped questions on geography, as a data set."""

from functools import partial

from partwise.domains import MORE, read_shipped
from partwise.interface.data import DatasetInfo

GEOGRAPHY = DatasetInfo(
    "geography",
    "geography",
    ("iid", "compositional", *MORE),
    "questions on US geography, written for this package; wide is iid with more to train, "
    "and typed with questions as people type them, too",
    make=partial(read_shipped, "geography"),
)
