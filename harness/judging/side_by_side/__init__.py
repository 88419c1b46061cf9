"""The expected and the actual result side by side, with their differences marked."""
