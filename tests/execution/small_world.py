"""A small assignment to run programs in, and shorthand for stimuli and values."""

from collections.abc import Iterable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

from harness.execution import AnyDriver, Driver
from harness.model.assignment import Assignment, FunctionSignature, ProvidedVariant, SourceFile
from harness.model.observation import Ending, Observation
from harness.model.stimulus import Binding, Key, Limits, Stimulus, Typed
from harness.model.values import Value
from harness.stimuli.call import Call
from harness.stimuli.run import Run
from harness.stimuli.session import Session
from tests import plans

SUPPORT = 'BOARD_SIZE = {size}\nMESSAGE = f"1 to {{BOARD_SIZE}}"\nNAMES = ["x", "o"]\n'
TEN = (Binding(name="BOARD_SIZE", literal="10"),)
FUNCTIONS = ("f", "g", "size", "message", "add", "main", "ask")
DRIVER_FILE = SourceFile(name="play.py", data=b"import a1\nprint('play', a1.f(2))\n")
# `write` and `frame`, for a program that forges
FRAMES = (Path(__file__).parents[1] / "hostile" / "hostile_frames.py").read_text("utf-8")
# Time asleep is generous: a machine just started may take 0.2 s to read one file of the library.
QUICK = Limits(cpu_seconds=0.3, wall_seconds=2, memory_mib=64, output_kib=8)
ROOMY = Limits(cpu_seconds=2, wall_seconds=10, memory_mib=128, output_kib=8)


def assignment(
    *,
    files: tuple[str, ...] = ("a1.py",),
    laid_as: str | None = None,
    extra: tuple[SourceFile, ...] = (DRIVER_FILE,),
) -> Assignment:
    """An assignment with a support module of two variants: size 8, and size 10."""
    return plans.assignment(
        submission_files=files,
        laid_as=laid_as,
        functionality_marks=Fraction(1),
        functions=tuple(FunctionSignature(name=name, parameters=()) for name in FUNCTIONS),
        variants=(
            ProvidedVariant(constants=(), files=(support(8),)),
            ProvidedVariant(constants=TEN, files=(support(10),)),
        ),
        extra_files=extra,
    )


def support(size: int) -> SourceFile:
    return SourceFile(name="support.py", data=SUPPORT.format(size=size).encode())


def source(program: str, name: str = "a1.py") -> SourceFile:
    return SourceFile(name=name, data=program.encode())


def call(expression: str, *lines: str | Key, **more: object) -> Stimulus:
    return Stimulus(action=Call(expression=expression), inputs=typed(*lines), **more)  # type: ignore[arg-type]


def session(*steps: str, lines: tuple[str | Key, ...] = (), **more: object) -> Stimulus:
    return Stimulus(action=Session(steps=steps), inputs=typed(*lines), **more)  # type: ignore[arg-type]


def run(*lines: str | Key, program: str = "a1.py", argv: tuple[str, ...] = ()) -> Stimulus:
    return Stimulus(action=Run(program=program, argv=argv), inputs=typed(*lines))


def typed(*lines: str | Key) -> tuple[Typed, ...]:
    return tuple(Typed(key=line) if isinstance(line, Key) else Typed(text=line) for line in lines)


def observe(
    driver: AnyDriver,
    program: str | tuple[SourceFile, ...],
    stimulus: Stimulus,
    limits: Limits = QUICK,
    of: Assignment | None = None,
) -> Observation:
    files = (source(program),) if isinstance(program, str) else program
    with driver.submission(of or assignment(), files) as server:
        return server.observe(stimulus, limits)


def values(
    driver: Driver, program: str, expressions: Iterable[str], **more: object
) -> dict[str, str | None]:
    """What a program returns that evaluates each of these in a function of its own."""
    numbers = dict(enumerate(expressions))
    program += "".join(f"def f{n}():\n    return {text}\n" for n, text in numbers.items())
    named = tuple(FunctionSignature(name=f"f{n}", parameters=()) for n in numbers)
    given: dict[str, str | None] = {}
    with driver.submission(
        replace(assignment(), functions=named, **more), (source(program),)
    ) as server:
        for n, text in numbers.items():
            seen = server.observe(call(f"f{n}()"), QUICK)
            assert (seen.ending, seen.raised) == (Ending.ANSWERED, None), text
            given[text] = plain(seen.value)
    return given


def turns(observation: Observation) -> list[tuple[str, str | None]]:
    """The turns as pairs of what was printed and what was then typed."""
    return [
        (turn.printed, None if turn.typed is None else turn.typed.echo())
        for turn in observation.turns
    ]


def plain(value: Value | None) -> str | None:
    """A value as Python source."""
    return None if value is None else value.source()
