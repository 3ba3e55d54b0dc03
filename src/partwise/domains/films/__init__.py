"""Films and who made them: a small knowledge graph, and the language of questions about it."""
