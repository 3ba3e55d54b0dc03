"""Partwise: parsers."""
