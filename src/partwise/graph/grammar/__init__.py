"""Phrase-structure grammar: rules, constituency trees, and their fragments."""
