"""Partwise: algebra."""
