"""Plots of runs, results and mistakes. They need matplotlib, the extra ``partwise[plots]``."""
