"""Messages of failed assertions, as pytest writes them, made shorter for people."""

import pytest

from harness.judging.assertion import assertion_lines

STRIP = "<built-in method strip of str object at 0x…>"
CASES = {
    "assert 3 == 4": ["assert 3 == 4"],
    "assert [1] == [2]\n  \n  At index 0 diff: 1 != 2\n  Use -v to get more diff": [
        "assert [1] == [2]",
        "  At index 0 diff: 1 != 2",
    ],
    f"assert 'a' == 'b'\n +  where 'a' = {STRIP}()\n +    where {STRIP} = ' a'.strip": [
        "assert 'a' == 'b'",
        " +  where 'a' = ' a'.strip()",
    ],
    "assert 3 == 4\n +  where 3 = <function add at 0x…>(1, 2)\n +    where <function add at 0x…> "
    "= a1.add": ["assert 3 == 4", " +  where 3 = a1.add(1, 2)"],
    # Nothing calls it: the line stays.
    f"assert {STRIP} is None\n +  where {STRIP} = ' a'.strip": [
        f"assert {STRIP} is None",
        f" +  where {STRIP} = ' a'.strip",
    ],
    "": [],
}


@pytest.mark.parametrize("message", CASES)
def test_functions_are_written_as_in_the_program(message: str) -> None:
    assert assertion_lines(message) == CASES[message]
