"""Films and their people in Freebase, as CFQ asks about them."""
