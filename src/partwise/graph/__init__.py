"""GraphParser: questions to query graphs, grounded in their words (Gai et al. 2021).

May import everything up to training. Start with `parser`; `flat` and `composed` are its two
strategies, `grounding` has the network, `grammar` the phrase rules and their chart, `induction`
learns such rules, `alignment` finds what phrases say, and `linking` finds names.
"""
