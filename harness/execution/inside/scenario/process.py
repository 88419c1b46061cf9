"""Runs one scenario in its own process: loads the submission, runs the stimulus, sends one answer
and ends.

Also sets up the standard streams, and observes on request the loop in which a program hangs, the
lines that it runs, and the files that it leaves open.
"""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]  # `signal` would bring in `enum`
import builtins
import gc
import io
import os
import sys
from _json import encode_basestring_ascii as quote
from functools import partial
from marshal import loads
from os import _exit, chdir, environ, read, umask, write
from select import select

from .. import cells, stimuli
from ..clock import skip_sleep, stand_still
from ..messages.codec import ObjectEquality, encodable
from ..messages.exceptions import Sources
from ..messages.frames import receive, send
from ..messages.protocol import FromScenario
from ..modules import MODULE, Library, ModuleSource, by_module_name, is_never_found
from ..running import end_program
from ..stand_ins.calls import RemoteCaller, slot, substituted
from ..waits import Slept, Waits
from . import evaluate, figures
from .counting import LineCounter
from .streams import KeptBytes, install_input, pipe_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Container, Sequence
    from types import CodeType, FrameType, ModuleType
    from typing import Any

    from ..messages.frames import Receive, Send
    from ..messages.protocol import OwnFiles, ScenarioJob, Selection

_set_recursion_limit = sys.setrecursionlimit
_BUILTINS = builtins.__dict__  # the interpreter's, which the submission's modules see


def own_sources(
    own_files: OwnFiles,
) -> tuple[dict[str, ModuleSource], dict[str, ModuleSource]]:
    """Return two dictionaries that map module names to files: the provided files of a selection,
    and its other files.
    """
    provided, extra = own_files
    return by_module_name(provided), by_module_name(extra)


def packed_modules(own_files: OwnFiles) -> list[bytes]:
    """Return these files as compiled code for `Files`, which then does not compile them."""
    provided, extra = own_sources(own_files)
    return [source.packed() for source in (*provided.values(), *extra.values())]


class Files:
    """The files that the scenarios with this `selection` may import.

    A selection has: provided files that replace those of the setup (None: use the setup's); modules
    that run in another process, as (name, functions, other names); and names of the main module
    that are substituted, as (name, provided module), with an empty module for a function that runs
    in another process. `packed` has the provided files as compiled code, from `packed_modules`.
    """

    def __init__(
        self,
        selection: Selection,
        setup: dict[str, Any],
        submitted: dict[str, ModuleSource],
        packed: Sequence[bytes] = (),
    ) -> None:
        own_files, self.proxies, names = selection
        provided, extra = own_sources(own_files or (setup["provided"], ()))
        added = (*provided.values(), *extra.values())
        for source, code in zip(added, packed):  # noqa: B905
            source.unpack(code)
        for source in added:
            source.try_to_compile()
        replaced = {name for name, _, _ in self.proxies}
        students = {name: source for name, source in submitted.items() if name not in replaced}
        self.main: str = setup["main"][:-3]
        if names and self.main in students:
            students[self.main] = substituted(students[self.main], names)
        self.functions = tuple([name for name, provided_by in names if not provided_by])
        # The student's own, beside the files asked for. No file of the course finds them: they may
        # have the names of modules of Python.
        self.beside = frozenset(setup["extra_modules"]).intersection(students)
        asked_for = students.keys() - self.beside
        self.library = Library({**students, **extra, **provided})
        programs = frozenset({*self.library.sources, "__main__"})
        self._waits: Waits | None = None
        self.comparison = ObjectEquality(programs, setup["compare"])
        # The others may import the submission, which must not run early.
        self.loaded_early = [
            name
            for name, source in provided.items()
            if source.code is None or asked_for.isdisjoint(source.code.co_names)
        ]
        self.student = Sources({source.filename: source.data for source in students.values()})

    def waits(self) -> Waits:
        """Return how the program may wait.

        This depends on all of its files; only a scenario's own process needs it.
        """
        if self._waits is None:
            self._waits = Waits([source.data for source in self.library.sources.values()])
        return self._waits

    def source(self, filename: str) -> ModuleSource:
        """Return the file that is run or loaded.

        Raise ModuleNotFoundError if the submission lacks it.
        """
        if (source := self.library.sources.get(filename[:-3])) is None:
            raise ModuleNotFoundError(f"No module named {filename[:-3]!r}")
        return source

    def constants(self, name: str) -> dict[str, Any]:
        """Return the names of a provided module and the values that this variant of the assignment
        gives them.
        """
        return {
            key: value
            for key, value in vars(self.library.load(name)).items()
            if not key.startswith("__") and type(value) is not MODULE
        }


class Program:
    """A submission, compiled once for all of its scenarios. `setup` has its files and settings."""

    def __init__(self, setup: dict[str, Any]) -> None:
        self.setup = setup
        self.functions = frozenset(setup["functions"])
        extra = setup["extra_modules"]
        files = by_module_name(setup["files"])
        self.submitted = {
            name: source
            for name, source in files.items()
            if name not in extra or not is_never_found(name)
        }
        self.has_cells = bool(setup["cells"])
        for source in self.submitted.values():
            source.cell_ends = setup["cells"].get(source.filename, ())
            source.try_to_compile()
        self.known: dict[Selection, Files] = {}

    def files(self, selection: Selection, packed: Sequence[bytes] = ()) -> Files:
        """Return the files of a selection, which may contain changed versions of the student's
        files.

        They are compiled once for all scenarios with this selection. Files that only some scenarios
        get are not kept, and are not compiled if `packed` has their code.
        """
        if selection[0] is not None:
            return Files(selection, self.setup, self.submitted, packed)
        if selection not in self.known:
            files = self.known[selection] = Files(selection, self.setup, self.submitted)
            files.waits()  # once for all forks
        return self.known[selection]


class ScenarioProcess:
    """One scenario, prepared before its process is forked if the system can fork.

    The job's stimulus is compiled already, or is in `texts` and is compiled here.
    """

    def __init__(self, job: ScenarioJob, program: Program) -> None:
        self.job = job
        self.files = files = program.files(job.selection)
        self.has_cells = program.has_cells
        self.functions = program.functions
        self.bindings = job.bindings
        if job.texts is not None:
            parts = evaluate.compile_stimulus(self.functions, *job.texts)
            self.bindings = [(name, evaluate.packed_literal(text)) for name, text in job.bindings]
        else:
            parts = loads(job.stimulus)
        self.stimulus = evaluate.CompiledStimulus(parts)
        self.context = evaluate.EvaluationContext()
        self.answer = evaluate.StimulusAnswer(files.student, files.comparison, self._reached)
        self.argv = [job.program, *job.argv]
        self.outputs = (sys.stdout, sys.stderr)
        self.errors = KeptBytes()  # the text of stderr, if the screen does not show it

    def run(self, terminal: int, questions: int, answers: int) -> None:
        """Run the scenario and end this process; never return."""
        if self.job.asks_by_frame and self.job.stdin is None:
            install_input(self._read_asked)
        self.perform(terminal, partial(send, answers), partial(receive, questions))
        _exit(0)

    def perform(self, terminal: int, send: Send, receive: Receive) -> None:
        """Load the submission, run the stimulus, and send one answer."""
        self.terminal, self._send, self._receive = terminal, send, receive
        try:
            self._prepare()
            if self.has_cells:
                cells.install(self.answer.put_cell_error, figures.end_cell)
            self._observe(self.answer)
            self._flush()
            _set_recursion_limit(1000)
            if self.job.stderr_apart:
                self.answer.fields["stderr"] = quote(self.errors.text())
            if self.job.keeps_figures:
                self.answer.fields["figures"] = figures.described()
            text = self.answer.json()
        except MemoryError:
            text = '{"memory":true}'
        self._send(FromScenario.ANSWER, text)

    def _prepare(self) -> None:
        sys.argv = self.argv
        if self.job.folder:
            chdir(self.job.folder)
            if self.job.serves:
                umask(0)  # a test, another user's process, reads the program's files
        if self.job.keeps_figures:  # it is done, if this process was forked
            figures.prepare_if_installed()
        self._prepare_clocks()
        environ.update(self.job.environment)
        if self.job.stdin is not None:
            pipe_in(self.job.stdin.encode("utf-8"))
        if self.job.stderr_apart:
            sys.stderr = sys.__stderr__ = self.errors.stream()  # type: ignore[misc]
        if self.job.prompt_mark:
            _BUILTINS["input"] = self._marking_input(builtins.input)
        sys.modules["__main__"] = MODULE("__main__")
        if "random" in sys.modules:
            sys.modules["random"].seed(self.job.seed)
        if "numpy.random" in sys.modules:
            sys.modules["numpy.random"].seed(self.job.seed & 0xFFFFFFFF)

    def _prepare_clocks(self) -> None:
        job, waits = self.job, self.files.waits()
        # File times are not shifted, so in a scenario with a folder sleeps are real.
        skips = not job.folder and waits.may_be_skipped(confined=job.starts_nothing)
        if skips and job.longest_sleep:
            slept = Slept(job.longest_sleep, confined=job.starts_nothing)
            if job.clock:
                stand_still(*job.clock, slept, waits)
            else:
                skip_sleep(slept, waits)
        elif job.clock:
            stand_still(*job.clock)

    def _observe(self, answer: evaluate.StimulusAnswer) -> None:
        sys.meta_path.insert(0, self.files.library)
        self.files.library.hide(self.files.beside)
        for name in self.files.loaded_early:
            try:
                constants = self.files.constants(name)
            except BaseException as error:
                self._send(FromScenario.BROKEN, quote(f"{name}: {type(error).__name__}: {error}"))
                _exit(0)
            self.context.names.update(copied(constants))
        caller = self._install_proxies()
        self.files.library.reveal()
        self._send(FromScenario.SUBMISSION_RUNS, "")
        if self.job.finds_loop:
            LoopFinder(self.files.student, partial(self._send, FromScenario.ANSWER)).start()
        if self.job.traces_lines:
            send_line = partial(self._send, FromScenario.LINE_RAN)
            tracer = LineTracer(self.files.student, send_line, is_whole=self.job.serves)
            sys.settrace(tracer.enter)
        counter = LineCounter(self.files.student) if self.job.counts_lines else None
        if counter is not None:
            counter.start()
        self._run_submission(answer)
        if counter is not None and counter.has_counted_all():
            answer.fields["lines"] = str(counter.lines)
        if self.job.traces_lines:
            sys.settrace(None)
        others = {name for _, _, names in self.files.proxies for name in names}
        if caller is not None and type(answer.raised) is NameError and answer.raised.name in others:
            # `from module import *` brings no name that cannot travel: that is not its fault.
            caller.give_up(f"{answer.raised.name} is not a function")
        if self.job.folder:
            names = left_open(self.job.folder, finish=self.job.runs)
            answer.fields["open"] = "[" + ",".join([quote(name) for name in names]) + "]"
        if self.job.runs:
            end_program()

    def _run_submission(self, answer: evaluate.StimulusAnswer) -> None:
        runs = self.job.runs
        answer.phase = "loading"
        try:
            if runs:
                self.files.source(self.job.program).compiled()
            elif not self.job.serves:  # a test imports it itself
                module = self._main_module()
                figures.forget_shown()
        except BaseException as error:
            answer.put_raised(error)
            if runs:
                answer.fields["exit"] = "1"
            return
        self._write_sentinel()
        answer.begin(runs=runs)
        do = getattr(stimuli, self.job.action).perform
        if self.job.serves:
            names = self.job.public_names
            do(self.files.library, self._send, self._receive, answer, names)
            return
        if runs:
            do(self.files.library, self.job.program[:-3], answer)
            return
        context, bindings = self.context, self.bindings
        context.add_functions(vars(module), self.functions)
        evaluate.perform(do, self.stimulus, bindings, context, answer, finished=self._step_finished)

    def _main_module(self) -> ModuleType:
        name = self.files.main
        if name in [proxy for proxy, _, _ in self.files.proxies]:
            return sys.modules[name]
        self.files.source(name + ".py").compiled()
        return self.files.library.load(name)

    def _install_proxies(self) -> RemoteCaller | None:
        """Put proxies of objects in another process into the submission's modules."""
        if not self.files.proxies and not self.files.functions:
            return None
        caller = RemoteCaller(self._send, self._receive, self.files.student.modules)
        for function in self.files.functions:
            _BUILTINS[slot(function)] = caller.function(self.files.main, function)
        for name, functions, others in self.files.proxies:
            if self.job.program[:-3] == name and self.job.runs:
                caller.give_up(f"{name}.py is the program that is run")
            sys.modules[name] = caller.module(name, functions, others)
        return caller

    def _step_finished(self, outcome: str) -> None:
        self._write_sentinel()
        self._send(FromScenario.STEP, outcome)

    def _reached(self, phase: str) -> None:
        self._send(FromScenario.REACHED, quote(phase))

    def _marking_input(self, ask: Callable[[object], str]) -> Callable[..., str]:
        """Return an `input` that writes the scenario's second secret before its prompt, so that
        the driver finds the prompt in the output.
        """

        def input(prompt: object = "", /) -> str:
            self._flush()
            write(self.terminal, self.job.prompt_mark)
            return ask(prompt)

        input.__qualname__ = "input"
        input.__module__ = "builtins"
        return input

    def _write_sentinel(self) -> None:
        """Write the scenario's secret to the output, so that the driver finds the end of a part."""
        self._flush()
        write(self.terminal, self.job.sentinel)

    def _flush(self) -> None:
        for stream in (sys.stdout, sys.stderr, *self.outputs):
            try:
                stream.flush()
            except MemoryError:
                raise
            except BaseException:  # closed, detached or replaced by the submission
                continue

    def _read_asked(self, most: int) -> bytes:
        """Read up to `most` bytes from the terminal, after asking the driver for input. Used if
        the kernel does not report reads.

        The driver is asked only if no typed input is left; otherwise the next line would come too
        early. A program that reads in another way, such as `open(0)`, is not noticed and ends at
        the limit for sleeping. Each wait is short because `read` would not notice a Ctrl-C that
        came just before it.
        """
        if not select([0], [], [], 0)[0]:
            self._send(FromScenario.ASKS_FOR_INPUT, "")
        while not select([0], [], [], _MOMENT)[0]:
            continue
        return read(0, most)


def copied(value: Any) -> Any:
    """Return copies of built-in containers, at all depths, so that a submission cannot change the
    stimulus's data.
    """
    kind = type(value)
    if kind is list or kind is tuple:
        return kind([copied(part) for part in value])
    if kind is dict:
        return {key: copied(part) for key, part in value.items()}
    return set(value) if kind is set else value


_AFTER = 0.1  # CPU seconds in which a correct program has ended
_MAX_TRACE = 0.3  # CPU seconds
_MAX_LINES = 20_000  # executed while tracing
_MAX_FRAMES = 50


class LoopFinder:
    """Finds the loop in which a program hangs. Used in a separate run whose other results are
    discarded.

    After some CPU time it traces the stack's frames in `program_files` and drops each one that
    returns. The innermost frame that never returns contains the loop, whose lines are sent as JSON.
    If that frame waits for a call of its own function, the program recurses without end, and the
    function is sent instead.
    """

    def __init__(self, program_files: Container[str], answer: Callable[[str], None]) -> None:
        self._program_files = program_files
        self._answer = answer
        self._frames: list[FrameType] = []  # the student's, innermost first
        self._stack: list[FrameType] = []  # those of them that were there at first
        self._spans: dict[int, tuple[int, int]] = {}  # by a frame's identity: its first, last line
        self._count = 0

    def start(self) -> None:
        if hasattr(_signal, "setitimer"):
            _signal.signal(_signal.SIGPROF, self._on_timer)
            _signal.setitimer(_signal.ITIMER_PROF, _AFTER)

    def _on_timer(self, number: int, frame: FrameType | None) -> None:
        """Begin to trace at the first signal of the timer; finish at the second."""
        if self._frames:
            self._finish()
        while frame is not None and len(self._frames) < _MAX_FRAMES:
            if frame.f_code.co_filename in self._program_files:
                self._frames.append(frame)
                frame.f_trace = self._trace
            frame = frame.f_back
        self._stack = self._frames
        _signal.setitimer(_signal.ITIMER_PROF, _MAX_TRACE if self._frames else _AFTER)
        if self._frames:
            sys.settrace(lambda frame, event, argument: None)  # no new frames

    def _trace(self, frame: FrameType, event: str, argument: Any) -> Any:
        if event == "return":
            self._frames = [left for left in self._frames if left is not frame]
        elif event == "line":
            line = frame.f_lineno
            first, last = self._spans.get(id(frame), (line, line))
            self._spans[id(frame)] = min(first, line), max(last, line)
            self._count += 1
            if self._count >= _MAX_LINES:
                self._finish()
        return self._trace

    def _finish(self) -> None:
        found = [left for left in self._frames if id(left) in self._spans]
        kind, text = "loop", ""
        if place := self._recursion(found or self._frames):
            kind, text = "recursion", place
        elif found:
            first, last = self._spans[id(found[0])]
            text = f"{found[0].f_code.co_filename}:{first}-{last}"
        self._answer(f'{{"{kind}":' + quote(text) + "}")
        _exit(0)

    def _recursion(self, left: list[FrameType]) -> str:
        """Return the first line of a function that was called within its own call, if the first
        frame in `left` is such a call; otherwise an empty text.

        If several functions call each other, return the one that comes first in the file, so that
        the result does not depend on timing.
        """
        if not left:
            return ""
        busy = left[0]
        inner = [caller.f_code for caller in self._stack[: self._stack.index(busy)]]
        if busy.f_code not in inner:
            return ""
        all_codes = [entered.f_code for entered in self._stack]
        places = [
            (code.co_filename, code.co_firstlineno)
            for code in set(all_codes)
            if all_codes.count(code) > 1
        ]
        file, line = min(places)
        return f"{file}:{line}-{line}"


_MAX_TRACED = 20_000  # lines executed while tracing
_MAX_SENT = 2_000
_QUIET = 1_000  # after so many lines of a function without news only ends of calls are traced


class LineTracer:
    """Sends which lines of the student's files run. Used in a separate run whose other results are
    discarded, because a program can stop the tracing.

    A line is sent with the line that ran before it in the same call (`a1.py:7:4`), and calls that
    return True, False or None with their result (`a1.py:9:True`). Each text is sent once, as JSON,
    as soon as it happens, because a program may be ended at any time. The process ends when enough
    is known, unless the run `is_whole`.
    """

    def __init__(
        self, program_files: Container[str], send: Callable[[str], None], *, is_whole: bool = False
    ) -> None:
        self._program_files = program_files
        self._send = send
        self._is_whole = is_whole
        self._sent: set[str] = set()
        self._count = 0
        self._quiet: dict[CodeType, int] = {}  # lines since something new happened

    def enter(self, frame: FrameType, event: str, argument: Any) -> Any:
        code = frame.f_code
        file = code.co_filename
        if file not in self._program_files:
            return None
        if self._quiet.get(code, 0) >= _QUIET and not self._is_whole:
            frame.f_trace_lines = False
            return self._trace_return
        last, lines, known = 0, 0, len(self._sent)

        def trace(frame: FrameType, event: str, argument: Any) -> Any:
            nonlocal last, lines
            line = frame.f_lineno
            if event == "line":
                self._note(f"{file}:{line}:{last}")
                last = line
                lines += 1
            elif event == "return":
                if argument is None or type(argument) is bool:
                    self._note(f"{file}:{line}:{argument}")
                is_new = len(self._sent) > known
                self._quiet[code] = 0 if is_new else self._quiet.get(code, 0) + lines
            return trace

        return trace

    def _trace_return(self, frame: FrameType, event: str, argument: Any) -> Any:
        """Trace only the end of a call, for functions in which nothing new has happened
        for long.
        """
        if event == "return" and (argument is None or type(argument) is bool):
            known, code = len(self._sent), frame.f_code
            place = f"{code.co_filename}:{frame.f_lineno}"
            self._note(f"{place}:{argument}")
            if len(self._sent) > known:
                self._note(f"{place}:0")
                self._quiet[code] = 0
        return self._trace_return

    def _note(self, text: str) -> None:
        self._count += 1
        if text not in self._sent:
            self._sent.add(text)
            self._send(quote(text))
        if self._is_whole:
            return
        if self._count >= _MAX_TRACED or len(self._sent) >= _MAX_SENT:
            _exit(0)


_MOMENT = 0.02  # seconds
_MAX_NAMES = 20
_WRITERS = (io.TextIOWrapper, io.BufferedWriter, io.BufferedRandom)


def left_open(folder: str, *, finish: bool) -> list[str]:
    """Return the names of the files in the folder that are still open for writing.

    With `finish`, flush them, as the interpreter does at the end of a program. After a call they
    are not flushed.
    """
    names: list[str] = []
    for thing in gc.get_objects():
        kind = type(thing)
        if not any(kind is writer for writer in _WRITERS) or thing.closed:
            continue
        name = getattr(thing, "name", None)
        if type(name) is not str or name[:1] == "<" or not thing.writable():
            continue
        if finish:
            try:
                thing.flush()
            except (OSError, ValueError):  # the interpreter ignores it too
                continue
        below = _below(folder, name)
        if below and below not in names and len(names) < _MAX_NAMES:
            names.append(below)
    return sorted(names)


def _below(folder: str, name: str) -> str:
    """Return a file's path relative to the folder, with escapes for undecodable bytes; an empty
    text if it lies elsewhere.
    """
    try:
        path = os.path.normpath(os.path.join(folder, name))  # noqa: PTH118
        is_there = path.startswith(folder + os.sep) and os.path.isfile(path)  # noqa: PTH113
    except (OSError, ValueError):
        return ""
    return encodable(path[len(folder) + 1 :]) if is_there else ""
