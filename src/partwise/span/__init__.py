"""SpanParser: questions to programs by the best well-typed span tree (Herzig and Berant 2021).

May import everything up to training. Start with `parser`; `scorer` scores labels of spans,
`induced` counts which n-grams say what, `objectives` has the losses, `decoding` finds the best
programs, `augmentation` makes training questions, and `annotation` builds span trees from programs.
"""
