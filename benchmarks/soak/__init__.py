"""`make soak`: that many, loaded, killed or endless submissions change no mark.

Each part asserts what it claims and prints what it measured.
"""
