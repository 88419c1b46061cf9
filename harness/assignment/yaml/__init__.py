"""YAML as plain data in which every value keeps its place."""
