"""The corpus: each folder beside this file that holds an `expect.yaml` is one entry; its rows, what
a first-year, or somebody who looks for holes, hands in."""

import re
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Literal

import yaml
from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field

from harness.model.observation import Isolation, Tier
from harness.model.verdict import VerdictKind
from tests.hostile.hostile_attempt import HERE

LAYERS = {
    "answer key outside": "expected values never enter a process that runs a submission",
    "closed codec": "values travel as exact builtin types and are compared in the parent",
    "one reply": "exactly one well-formed reply, then the process ends with status 0",
    "rlimits": "memory, file size, descriptors and processes, by the kernel's count",
    "landlock": "no file beyond the interpreter's, none to write",
    "seccomp": "no process, thread, socket, signal, lock, clock or priority beyond its own",
    "namespaces": "a view of the machine that holds nothing else",
    "uid drop": "a user id that owns nothing",
    "not dumpable": "no memory, environment or descriptor table to be read by its own user",
    "output cap": "what was printed is taken up to a limit",
    "CPU limit": "time computed",
    "sleep limit": "time asleep",
    "line counter": "lines that run, counted in a run of its own where cost matters",
    "subreaper": "orphans come to us, and are ended",
    "die with parent": "a scenario ends with its server, a server with its base",
    "fresh process": "one process and one terminal a scenario, compiled from our own bytes",
    "input on request": "a line is typed when it is asked for, and never once too often",
    "hidden scenarios": "inputs that nobody has seen",
    "intake": "files and archives are read under caps, never unpacked by path",
    "syntax tree": "the source is read in a limited process of its own",
    "spec reader": "YAML without tags, duplicates or aliases",
    "public names": "tests use a program's public names, and see no more than what it does",
    "reference among faults": "tests are told in no way which program they have",
    "escaping": "foreign text is inert and visible wherever it is shown",
}


def _pattern(text: str) -> str:
    try:
        re.compile(text)
    except re.error as error:
        raise ValueError(f"no pattern: {error}") from None
    return text


Pattern = Annotated[str, AfterValidator(_pattern)]


def _verdict(plain: Any) -> Any:
    return {"verdict": plain} if isinstance(plain, str) else plain


class _Closed(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Verdicted(_Closed):
    """What one scenario must get; `message` is searched for in its explanation, which has this
    `rule`, if one is stated."""

    verdict: VerdictKind
    rule: str = ""
    message: Pattern = ""


class Expect(_Closed):
    """One `expect.yaml`. Patterns are searched for. `tier` is the least that stops it, `layer` what
    does. `verdicts` by scenario; no other scenario is run where there are any. `problem`, `note`
    and `finding` are of the whole submission, or what a scenario file is refused with. `shown`
    and `absent` are texts of its pages. Numbers are caps on what it may cost the parent: the
    growth of its peak memory (MiB) and its CPU time (s). `isolation`: whether its scenarios may run
    together. That no process is left and no neighbour's file changed is expected of every entry;
    after one that `attacks_neighbours` (processes, messages, files, limits of others) the honest
    submission is graded again at once, after the others when all are through."""

    rows: tuple[Annotated[int, Field(ge=1, le=128)], ...]
    what: str
    layer: Literal[tuple(LAYERS)]  # type: ignore[valid-type]
    tier: Tier = Tier.PORTABLE
    entry_point: Literal["program", "archive", "spec", "tests"] = "program"
    verdicts: dict[str, Annotated[Verdicted, BeforeValidator(_verdict)]] = {}
    status: Literal["graded", "unreadable"] = "graded"
    problem: Pattern = ""
    note: Pattern = ""
    finding: Pattern = ""
    shown: tuple[str, ...] = ()
    absent: tuple[str, ...] = ()
    isolation: Isolation | None = None
    attacks_neighbours: bool = False
    memory_mib: int = 16
    cpu_seconds: float = 2.0


class Entry(_Closed):
    """A corpus folder and what must become of what is in it."""

    name: str
    expect: Expect

    @property
    def folder(self) -> Path:
        return HERE / self.name

    def runs_in(self, tier: Tier) -> bool:
        """Whether `tier` is the minimum tier or a better one."""
        order = [Tier.PORTABLE, Tier.STANDARD, Tier.STRONG]
        return order.index(tier) >= order.index(self.expect.tier)


def read_expect(text: str) -> Expect:
    """An `expect.yaml`; ValueError (pydantic's) for an unknown key or a wrong value."""
    return Expect.model_validate(yaml.safe_load(text))


@cache
def corpus() -> tuple[Entry, ...]:
    """Every entry, by name."""
    found = sorted(HERE.glob("*/expect.yaml"))
    return tuple(
        Entry(name=path.parent.name, expect=read_expect(path.read_text("utf-8"))) for path in found
    )


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
    101: "handed-in tests that read the program's text",
    102: "handed-in tests that look at the clock",
    103: "handed-in tests that look at messages, reprs and addresses",
    104: "handed-in tests that fail by chance",
    105: "handed-in tests with a thousand inputs and no expectation",
    106: "handed-in tests that compare the program with itself",
    107: "handed-in tests that read /proc and count processes",
    108: "handed-in tests that end their process",
    109: "handed-in tests that flood the screen, the folder, the messages",
    110: "handed-in tests that never end",
    111: "a forged reply whose name of a missing function holds a surrogate",
    112: "a forged reply with what a hidden scenario was asked instead of a name",
    113: "page cache residency, asked for",
    114: "handed-in tests that know the run by what was left out or written down",
    118: "the table of a dictionary that is equal",
    119: "code that earlier calls have sped up",
    120: "locks between submissions that run side by side",
    127: "clocks of other processes, and how full the machine is",
    128: "work where no line is counted",
}
