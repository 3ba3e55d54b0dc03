"""In-context learning: a language model completes programs after pairs like the question.

Nothing is trained. `parser` finds training pairs and writes the prompt, and a `model` completes it.
Needs the extra ``in-context``, but for an endpoint of the user's own.
"""
