"""Span trees built from programs and a lexicon, without a model (paper, section 4.4)."""
