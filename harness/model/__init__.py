"""The nouns of the harness: frozen values that every other room shares.

Nothing here does I/O, and nothing here imports another room.
"""
