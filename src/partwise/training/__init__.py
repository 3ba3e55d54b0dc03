"""Partwise: training."""
