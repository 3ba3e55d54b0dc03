"""Names of a knowledge graph's entities in questions."""
