"""GraphParser: questions to query graphs, grounded in their words (Gai et al. 2021).

May import everything up to training. Start with `parser`; `flat` and `composed` are its two
strategies, `grounding` has the network, `induction` learns phrase rules, and `linking` finds names.
"""
