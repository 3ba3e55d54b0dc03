"""Active selection of examples: which programs the examples lack, with draft questions."""

from partwise.authoring.selection.select import DraftExample, Selection, select_examples

__all__ = ["DraftExample", "Selection", "select_examples"]
