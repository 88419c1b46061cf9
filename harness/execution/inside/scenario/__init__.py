"""Runs one scenario in its own process: its stimulus, its standard streams and its answer."""
