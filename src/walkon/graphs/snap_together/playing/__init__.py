"""Playing: bodies of many characters on one graph, straight from the edges' clips."""
