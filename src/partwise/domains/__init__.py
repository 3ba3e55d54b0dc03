"""Partwise: domains."""
