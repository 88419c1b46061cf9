"""The message of a failed assertion, as pytest writes it, made shorter for people."""

import re

# `+  where <built-in method strip of str object at 0x…> = ' a'.strip`: no reader needs the method.
_FUNCTION = re.compile(r" *\+ +(?:where|and +where|and) +(<[^=]*>) = (.+)")
_ADVICE = "Use -v to get more diff"  # to people who can call pytest otherwise


def assertion_lines(message: str) -> list[str]:
    """Return the lines of an assertion's message that have text. A function or method is written as
    in the program, and not by its type and address."""
    lines: list[str] = []
    for line in message.split("\n"):
        if not line.strip() or line.strip() == _ADVICE:
            continue
        function = _FUNCTION.fullmatch(line)
        if function is None or not _write_call(lines, *function.groups()):
            lines.append(line)
    return lines


def _write_call(lines: list[str], shown: str, written: str) -> bool:
    """Write a function as in the program in the last line that calls it, if one does. Return
    whether one does."""
    for place in reversed(range(len(lines))):
        call = f"{shown}("
        if call in lines[place]:
            lines[place] = lines[place].replace(call, f"{written}(", 1)
            return True
    return False
