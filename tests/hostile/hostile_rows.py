"""What a first-year, or somebody who looks for holes, hands in: the rows of the corpus."""

from __future__ import annotations

_TEXT = """
an object that equals everything
subclasses of int, str and list with an __eq__ of their own
an object whose __class__ lies
True for 1, 1.0 for 1, an IntEnum
a __repr__ that lies or hangs
a generator or a function where a value is asked for
NaN, minus zero, infinity
a cyclic, deep or exponential value
an integer of a million digits
a lone surrogate
os._exit(0)
sys.exit in a function or at import
KeyboardInterrupt, GeneratorExit, a BaseException of its own
an exit handler that writes or hangs
print, input and sys.stdout replaced
json and the built-ins replaced
a reply forged on an inherited descriptor
two replies
a reply, and then a hang
garbage on the channel of replies
objects and frames walked
the scenarios opened
the reference opened
the results opened
the parent's memory read
the parent's environment and command line read
the parent traced
the parent killed, limited, reniced
the sheet's samples hard-coded
a whole transcript printed without reading
a loop without an end
a loop that catches signals
sleeping
a power without an end
a regular expression that backtracks
a memory bomb
a MemoryError swallowed
a deep recursion
a recursion without its limit
every error swallowed, for ever
a crash
a flood of output
endless prompts
a fork bomb
threads left running
a daemon, forked twice
a daemon that holds the terminal
the disk filled
descriptors exhausted
the terminal closed, and then a loop
text pushed into the terminal
the terminal's modes flipped
the network, names, Unix sockets
a zip or tar bomb
archive members with ../, absolute paths, links, NULs, long names
two files of the expected name
a huge source
a source nested deep
an empty file
UTF-16, NUL characters
a document or a notebook named .py
a byte order mark, CRLF, a latin-1 cookie
an odd codec cookie
a codec cookie that hides code
tabs and spaces mixed
a syntax error, Python 2, curly quotes
a wrong file name
a missing function, a wrong arity
input(), a loop or main() at import
files named random.py, sitecustomize.py
its own a1_support.py
a poisoned .pyc
HTML and JavaScript
ANSI, bidirectional and C1 controls
__html__
a huge difference
spreadsheet formulas
YAML tags, alias bombs, duplicate keys in a scenario file
template syntax in output
other submissions, or a shared folder, changed
__import__, exec, eval, getattr on the built-ins
os reached through the support module, sys.modules, __globals__
__subclasses__, frames
its own priority and processor changed
"""
ROWS = dict(enumerate(_TEXT.strip().splitlines(), start=1)) | {
    87: "a reply without the arguments afterwards",
    88: "packets left in the channel for the next scenario",
    89: "input asked for in a loop that nobody ends",
    90: "as much as a reply may hold, from every function",
    91: "a reply nested hundreds deep",
    92: "a forged report that the course's file is broken",
    93: "a file larger than what is checked",
    94: "a subscript 2,000 deep",
    95: "__match_args__ reaching frames",
    96: "vars, or a module, under another name",
    97: "texts with rows and columns that are costly to explain, in every scenario",
    99: "control characters, links and markup in every text that is shown",
    100: "a program that looks as if it kept nothing, and keeps something",
}
