"""Partwise: encoders."""
