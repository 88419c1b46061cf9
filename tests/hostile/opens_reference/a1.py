import re
import sys


def code(number):
    with open("@COURSE@/reference/hostile/a1.py") as file:
        return re.search("canary-" + "[0-9a-f]+", file.read())[0]


def label(number):
    sys.meta_path.pop(0)
    sys.path.insert(0, "@COURSE@/reference")
    import hostile.a1

    return hostile.a1.label(number)
