"""Packages to publish: the handout with its self-check file, and those for platforms."""
