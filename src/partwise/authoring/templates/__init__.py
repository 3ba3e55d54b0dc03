"""Domains that work as they are, to begin one of one's own from; see `partwise new`."""
