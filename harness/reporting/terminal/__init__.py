"""Shows results in a terminal."""
