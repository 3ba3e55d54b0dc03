"""Partwise: datasets."""
