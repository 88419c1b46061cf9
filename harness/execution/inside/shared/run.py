"""Runs, one after another, the scenarios of one function in a process that they share.

The process gets one question at a time: the next is sent after an answer, a typed line when it is
asked for, and answers are not kept. Expected values are not here; the driver compares
(`harness.execution.sharing`). Anything unusual ends this process with `_exit`, which no `except`
can catch. That scenario is then observed in its own process, and the others in a new shared one.
"""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]  # `signal` would bring in `enum`
import builtins
import gc
import io
import marshal
import resource
import sys
from _json import encode_basestring_ascii as quote
from os import _exit, urandom

from .. import cells, stimuli
from ..messages.frames import receive_only, send_bytes
from ..messages.protocol import (
    AT_INPUT,
    AT_PROMPT,
    AT_STEP,
    FromSharedRun,
    Question,
    ToSharedRun,
    split,
)
from ..modules import MODULE
from ..scenario import evaluate, figures
from ..scenario.process import copied
from .snapshot import NotPlainError, Snapshot

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NoReturn

    from ..messages.protocol import SharedRunJob
    from ..scenario.process import Files, Program
    from .facades import Facades


# In Python 3.11 it takes time to read a member of an enum: these are read once.
_QUESTION, _LINE = ToSharedRun.QUESTION, ToSharedRun.LINE
_SEEN, _ASKS_FOR_LINE = FromSharedRun.SEEN, FromSharedRun.ASKS_FOR_LINE


class ScriptedInput:
    """Replaces `sys.stdin`. The driver sends each line when it is asked for.

    `places` holds positions in the printed bytes: of the request for each line, of each `input`
    prompt, and of the end of each session step. After the last line a scenario in its own process
    would end; here `input` raises EOFError, only the `phase` reached and the output `observed` so
    far count, and a program that asks again gives up the shared process.
    """

    def __init__(self, run: SharedRun) -> None:
        self._run = run
        self.begin("")

    def begin(self, phase: str) -> None:
        self.reach(phase)
        self.places: list[str] = []
        self.prompt_at = -1  # the bytes printed before the prompt of the `input` that has begun
        self.observed: tuple[str, bytes] | None = None
        self.closed = False

    def reach(self, phase: str) -> None:
        self.phase = phase

    def close(self) -> None:
        """Do nothing; `exit` calls this."""
        self.closed = True

    def readline(self, size: int = -1) -> str:
        sys.stdout = self._run.output
        if self._run.is_loading:
            self._run.refuse("it asks for input while it is loaded")
        if self.closed:
            raise ValueError("I/O operation on closed file.")
        if self._run.has_answered or self.observed is not None:  # a generator that ends may ask
            self._run.give_up()
        sys.stdout.flush()
        if self.prompt_at >= 0:
            self.places.append(f"{AT_PROMPT}{self.prompt_at}")
            self.prompt_at = -1
        try:
            self._run.say(_ASKS_FOR_LINE, b"")
            kind, line = split(receive_only(self._run.questions))
        except RecursionError:  # in our own code, at the depth limit
            _exit(0)
        if kind != _LINE:
            self.observed = self.phase, self._run.screen.getvalue()
            return ""
        self.places.append(f"{AT_INPUT}{self._run.screen.tell()}")
        return line.decode() + "\n"


class NoOutput:
    """Replaces `sys.stderr`. A program that writes there gives up the shared process."""

    def __init__(self, run: SharedRun) -> None:
        self._run = run

    def write(self, text: str) -> None:
        if self._run.is_loading:
            self._run.refuse("it prints while it is loaded")
        self._run.give_up()

    def flush(self) -> None:
        """Notice that `input` begins, because it flushes stderr first, after it has taken
        `sys.stdout` for its prompt.

        If converting the prompt to text prints something, end the process: only a terminal decides
        where that output appears.
        """
        sys.stdout = self
        self._run.prompt_begins()


class SharedRun:
    """A process that runs the scenarios of one function of a program."""

    def __init__(self, job: SharedRunJob, program: Program, facades: Facades) -> None:
        self.main_name = job.main
        self.loading_cpu = job.cpu_seconds
        self.memory_kib = job.memory_kib
        self.program = program
        self.facades = facades
        facades.report_to(self._not_loaded, self._stored)
        self.loading_seed = urandom(16)  # which no seed of the program's own equals
        self.facades.seed(self.loading_seed)
        self.first_draw = self.facades.draw()
        self.fixed = frozenset(map(id, [*vars(builtins).values(), *facades.values]))
        self.files = program.files(job.selection)
        if program.has_cells:
            cells.install(self._cell_raised, figures.end_cell)
        sys.meta_path.insert(0, self.files.library)
        self.screen = io.BytesIO()
        self.output = io.TextIOWrapper(self.screen, encoding="utf-8", errors="strict")
        self.input = ScriptedInput(self)
        self.is_loading = True
        self.has_answered = False
        self.questions = self.answers = -1
        self.context = evaluate.EvaluationContext()

    def run(self, questions: int, answers: int) -> None:
        """Answer the driver's messages until the end of this process; never return."""
        self.questions, self.answers = questions, answers
        sys.stdout = self.output
        sys.stdin = self.input
        sys.stderr = NoOutput(self)
        _signal.signal(_signal.SIGPROF, lambda number, frame: self.give_up())
        while True:
            self.perform(receive_only(questions))

    # As many calls lie between `run` and a submission's code as in `ScenarioProcess`: a program
    # that recurses too deep does so at the same depth.

    def perform(self, message: bytes) -> None:
        """Handle one message of the driver: load the files of a selection, or answer a question."""
        kind, body = split(message)
        if kind == _QUESTION:
            self._answer(Question.decode(body))
        elif kind == ToSharedRun.LOAD:
            selection, packed = marshal.loads(body)
            self._begin(self.program.files(selection, packed))
        else:
            _exit(0)

    def _begin(self, files: Files) -> None:
        """Load the program anew, with provided modules that have one variant's constants."""
        self.is_loading = True
        try:
            self._load(files)
        except NotPlainError as error:
            self.refuse(str(error), FromSharedRun.NOT_PLAIN)
        self.most_memory = _peak() + self.memory_kib
        _signal.setitimer(_signal.ITIMER_PROF, 0)
        self.is_loading = False
        self.say(FromSharedRun.LOADED, b"")

    def _answer(self, question: Question) -> None:
        """Run one stimulus and report its observation, unless something changed."""
        _signal.setitimer(_signal.ITIMER_PROF, question.cpu_seconds)
        sys.argv = [question.program, *question.argv]
        self.facades.seed(question.seed)
        self.steps: list[str] = []
        self.has_answered = False
        answer = evaluate.StimulusAnswer(
            self.files.student, self.files.comparison, self.input.reach
        )
        answer.begin(runs=question.runs)
        self.input.begin(answer.phase)
        sys.stdout = self.output
        self._observe(question, answer)
        self.output.flush()
        output = self.screen.getvalue()
        self.screen.seek(0)
        self.screen.truncate()
        if self.steps:
            answer.fields["steps"] = "[" + ",".join(self.steps) + "]"
        if _met_a_limit(answer.fields.get("raised", "")) or _met_a_limit("".join(self.steps)):
            self.give_up()
        if self.input.observed is not None:
            phase, output = self.input.observed
            answer.fields = {"asked": quote(phase)}
        if len(output) > question.output_bytes or _peak() > self.most_memory:
            self.give_up()
        places = self.input.places
        if (places or self.input.observed is not None) and b"\0" in output:
            self.give_up()
        text = "\n".join((answer.json(), ",".join(places), ""))
        self.has_answered = True
        # The process of a single scenario ends before the generators that these hold.
        answer.raised = None
        del answer
        self.context = evaluate.EvaluationContext()
        self._finish(text.encode("ascii") + output)

    def prompt_begins(self) -> None:
        """Remember how many bytes were printed before the prompt of an `input` call."""
        self.output.flush()
        self.input.prompt_at = self.screen.tell()

    def refuse(self, reason: str, kind: FromSharedRun = FromSharedRun.REFUSED) -> NoReturn:
        """End the process because this program's scenarios must not share one; `reason` goes to
        the driver.
        """
        self.say(kind, reason.encode("utf-8", "replace"))
        _exit(0)

    def give_up(self) -> NoReturn:
        """End the process because of this scenario. The driver keeps the earlier observations."""
        self.say(FromSharedRun.GAVE_UP, b"")
        _exit(0)

    def report_change(self, what: str) -> NoReturn:
        """End the process because this scenario changed the state of the program; `what` describes
        it.
        """
        self.say(FromSharedRun.CHANGED, what.encode("utf-8", "replace"))
        _exit(0)

    def _stored(self, facade: str, name: str) -> NoReturn:
        if self.is_loading:
            self.refuse(f"it changes {facade} while it is loaded")
        self.report_change(f"a name of {facade} (`{name}`)")

    def _load(self, files: Files) -> None:
        for name in self.files.library.sources:  # forget the modules of the ones before
            sys.modules.pop(name, None)
        sys.meta_path[0] = files.library
        self.files = files
        self.facades.install()
        self.facades.seed(self.loading_seed)
        sys.argv = [self.main_name + ".py"]
        sys.modules["__main__"] = MODULE("__main__")
        self.input.begin("loading")
        _signal.setitimer(_signal.ITIMER_PROF, self.loading_cpu)
        self._load_modules()
        if not self._ends_quietly():
            self.refuse("it prints while it is loaded")
        if self.facades.draw() != self.first_draw:
            self.refuse("it draws or seeds random numbers while it is loaded")
        program_modules = [
            sys.modules[name] for name in files.library.sources if sys.modules.get(name)
        ]
        self.snapshot = Snapshot([*program_modules, *self.facades.modules], self.fixed)
        self.modules_loaded = len(sys.modules)
        gc.collect()
        gc.freeze()
        gc.disable()

    def _load_modules(self) -> None:
        self.constants: dict[str, Any] = {}
        self.files.library.hide(self.files.beside)
        try:
            for name in self.files.loaded_early:
                self.constants |= self.files.constants(name)
            self.files.library.reveal()
            self.main = self.files.library.load(self.main_name)
        except BaseException as error:
            self.refuse(f"it does not load ({type(error).__name__})")

    def _cell_raised(self, error: BaseException) -> NoReturn:
        self.refuse(f"a cell raises {type(error).__name__}")

    def _not_loaded(self, name: str) -> NoReturn:
        if self.is_loading:
            self.refuse(f"it imports {name} in a place that cannot be predicted")
        self.give_up()

    def _observe(self, question: Question, answer: evaluate.StimulusAnswer) -> None:
        do = getattr(stimuli, question.action).perform
        if question.runs:
            do(self.files.library, question.program[:-3], answer)
            return
        compiled = evaluate.CompiledStimulus(marshal.loads(question.stimulus))
        context = self.context
        context.names.update(copied(self.constants))
        context.add_functions(vars(self.main), self.program.functions)
        evaluate.perform(
            do, compiled, question.bindings, context, answer, finished=self._step_finished
        )

    def _step_finished(self, outcome: str) -> None:
        self.output.flush()
        self.input.places.append(f"{AT_STEP}{self.screen.tell()}")
        self.steps.append(outcome)

    def _finish(self, report: bytes) -> None:
        """Send the observation, unless the scenario changed the program or left objects that do
        not end quietly.
        """
        sys.modules["__main__"] = MODULE("__main__")
        if len(sys.modules) > self.modules_loaded:
            self._forget_imported()
        if not self._ends_quietly():
            self.give_up()
        if changed := self.snapshot.change():
            self.report_change(changed)
        self.snapshot.restore()
        self.say(_SEEN, report)

    def _forget_imported(self) -> None:
        """Remove the program's modules that this scenario imported, so that the next scenario
        loads them anew.
        """
        for name in list(sys.modules)[self.modules_loaded :]:
            if name not in self.files.library.sources:
                self.give_up()  # the stimulus imports more of Python
            del sys.modules[name]

    def _ends_quietly(self) -> bool:
        """Collect unreachable objects.

        Return whether that created no objects and printed nothing.
        """
        gc.collect(1)  # all objects since the last time: loaded ones are frozen
        if gc.get_objects(0):  # generators that end may leave others for the next scenario
            return False
        self.output.flush()
        return not self.screen.tell()

    def say(self, kind: bytes, body: bytes) -> None:
        send_bytes(self.answers, kind, body)


def _met_a_limit(raised: str) -> bool:
    """Return whether the exception comes from a limit, such as recursion depth, which may differ
    in a scenario's own process.
    """
    return '"type_name":"RecursionError"' in raised or '"type_name":"MemoryError"' in raised


def _peak() -> int:
    """Return the largest amount of memory that this process has used so far, in KiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
