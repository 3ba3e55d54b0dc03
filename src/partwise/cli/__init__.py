"""Partwise: cli."""
