"""The papers' tables, and how their rows are made here."""
