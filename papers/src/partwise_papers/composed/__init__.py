"""Plain questions put together from known parts, with the programs that they say."""
