"""Scenes of simple solids, as in CLEVR: their graphs, and the language of questions about them."""
