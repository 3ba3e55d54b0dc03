"""One training session for all parsers: epochs, checkpoints, calibration, saved parsers.

May import everything up to evaluation, and knows no kind of parser. Start with `session.train`;
`neural` is the base class of parsers that are networks, `trainer` their loop, and `store` the
folder of a saved parser.
"""
