"""In-context learning: a language model completes programs after pairs like the question.

Nothing is trained. `retrieval` finds training pairs, `prompt` writes them, `models` completes, and
`parser` is the `Parser` of kind ``in-context``. Needs the extra ``in-context``, but for an endpoint
of the user's own.
"""
