"""Presents results as HTML pages, terminal text and exports. This package never judges anything."""
