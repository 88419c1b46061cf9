"""Measurements, as ratios within one run. Nothing here is an assertion about time."""
