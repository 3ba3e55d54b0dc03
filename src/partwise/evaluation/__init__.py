"""How good a parser is: metrics, calibration, inner splits, and the files of results.

Imports errors, interface, language, chart, execution and encoders. Start with `metrics`, which
compares predictions with examples; `calibration` fits the temperature of probabilities; `results`
keeps one file for each setup, with its seeds.
"""
