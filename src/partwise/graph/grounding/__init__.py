"""The grounded graph decoder: edges between nodes of a sequence, grounded in it by attention."""
