"""How the stored results were made: a command for each (`recipes`), run and compared again
(`reproduce`).
"""
