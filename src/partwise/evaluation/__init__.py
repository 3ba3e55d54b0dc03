"""How good a parser is: metrics, calibration and inner splits.

Imports errors, interface, language, chart, execution and encoders. Start with `metrics`, which
compares predictions with examples; `calibration` fits the temperature of probabilities; `recording`
says how other packages keep results.
"""
