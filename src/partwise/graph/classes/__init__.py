"""Word classes, list words and words of a script without blanks, learned from pairs alone."""
