"""Partwise: evaluation."""
