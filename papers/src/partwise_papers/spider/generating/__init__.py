"""Questions written from a grammar of what programs can say, over any semantic layer.

`generate` is the way in. A `Maker` in `questions` or `grouped` draws a program and says it with the
patterns of ``patterns.txt``; words are dropped and mistyped as people do (`noise`). Each question
knows which of its words gave which part of the program.
"""
