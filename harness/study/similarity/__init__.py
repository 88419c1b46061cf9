"""How alike the programs of a class are.

A fingerprint of our own instead of a library's: see docs/decisions/likeness-by-syntax-tree.md.
"""
