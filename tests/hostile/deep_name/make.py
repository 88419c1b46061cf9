"""A name as deep as Python compiles it, and exec behind it."""

from tests.hostile.hostile_deep import lay_deep


def make(folder):
    lay_deep(folder, "numbers" + ".deep" * 1500 + "()", "HIDDEN = exec")
