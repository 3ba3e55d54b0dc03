"""Partwise: chart."""
