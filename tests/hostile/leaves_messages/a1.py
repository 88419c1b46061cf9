import builtins
import os
import sys

PLACES = ("note", "/tmp/hostile-note", "/dev/shm/hostile-note")


def total(numbers):
    seen = [getattr(builtins, "note", None), os.environ.get("NOTE"), sys.modules.get("note")]
    builtins.note = os.environ["NOTE"] = "seen"
    sys.modules["note"] = sys
    return seen
