"""Running queries: stores of a knowledge graph, near and far, and the answers they give."""
