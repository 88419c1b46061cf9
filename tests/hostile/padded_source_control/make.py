"""Only comments make it large."""

from tests.hostile.hostile_deep import RIGHT

LARGEST = 512 * 1024


def make(folder):
    line = "# a remark of exactly this length, again and again\n"
    padding = line * ((LARGEST - len(RIGHT)) // len(line))
    (folder / "a1.py").write_text(RIGHT + padding, "ascii")
