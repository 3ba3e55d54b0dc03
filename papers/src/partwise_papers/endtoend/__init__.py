"""End2End: answers questions about scenes without a program between (Herzig and Berant 2021,
section 4.1, the baseline on CLEVR).

Start reading in `parser`; `network` is what reads a question with a scene, and `domain` is how an
answer stands where other parsers have a program.
"""
