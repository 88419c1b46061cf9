"""Python runs this, though its tree is deeper than many a tool can go."""

from tests.hostile.hostile_deep import lay_deep


def make(folder):
    lay_deep(folder, "numbers" + "[0]" * 2000, "HIDDEN = exec")
