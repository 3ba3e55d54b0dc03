"""Phrase-graph alignment: which node of the gold graph each phrase stands for."""
