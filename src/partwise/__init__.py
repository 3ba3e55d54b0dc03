"""Partwise: partwise."""
