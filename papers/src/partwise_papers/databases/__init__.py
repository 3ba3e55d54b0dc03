"""Training and measuring the parser for databases, on typed databases and on Spider's."""
