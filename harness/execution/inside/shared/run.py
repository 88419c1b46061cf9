"""Many scenarios of a program that is proved to keep nothing, in one process, one after another.

The modules are loaded once; each scenario has a namespace, an input and an output of its own, and
arguments built by the same code as in a process of its own (`evaluate`). Whatever is out of the
ordinary ends this process by `_exit`, which no `except` can catch: that scenario is then observed
in a process of its own, and the others in a new one.

Nothing is judged here and no expected value is here. The driver compares what is sent, byte for
byte, with what the reference's observation would be in the same form
(`harness.execution.shared.canonical`).
"""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]  # `signal` would bring in `enum`
import gc
import io
import marshal
import resource
import sys
from os import _exit, dup2, write

from ..scenario import evaluate
from ..scenario.process import copied
from ..scenario.stimulus import unpacked
from .snapshot import NotPlainError, Snapshot

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FrameType, ModuleType
    from typing import Any, NoReturn

    from ..scenario.process import Files

_MODULE = type(sys)
_FLUSH_BYTES = 1 << 15
_FLUSH_SCENARIOS = 16
_LOADING = -1
_PLAIN = (int, float, complex, str, bytes, bool, type(None))


class RefusedError(Exception):
    """The program must not run its scenarios together. `str()` is the reason."""


class ScriptedInput:
    """What takes the place of `sys.stdin`: the scenario's lines, and where each was asked for."""

    def __init__(self, run: SharedRun) -> None:
        self._run = run
        self.lines: list[str] = []
        self.places: list[str] = []

    def readline(self, size: int = -1) -> str:
        """The next line, as `input` asks for it."""
        if not self.lines and self._run.number == _LOADING:
            self._run.refuse("it asks for input while it is loaded")
        if not self.lines:
            self._run.give_up()
        sys.stdout.flush()
        self.places.append(f"i{self._run.screen.tell()}")
        return self.lines.pop() + "\n"


class NoOutput:
    """What takes the place of `sys.stderr`: nothing ordinary is written there."""

    def __init__(self, run: SharedRun) -> None:
        self._run = run

    def write(self, text: str) -> None:
        """End the process."""
        self._run.give_up()

    def flush(self) -> None:
        """Nothing to do."""


class SharedRun:
    """One process for the scenarios of one set of constants. `job` holds their jobs in the order
    to run them."""

    def __init__(self, job: dict[str, Any], files: Files, functions: frozenset[str]) -> None:
        self.job = job
        self.files = files
        self.functions = functions
        self.screen = io.BytesIO()
        self.input = ScriptedInput(self)
        self.steps: list[str] = []
        self.number = _LOADING  # or that of the scenario that runs
        self.channel = -1
        self.unsent = bytearray()
        self.unsent_scenarios = 0
        self.constants: list[tuple[str, Any]] = []
        self.containers: list[tuple[str, Any]] = []

    def run(self, terminal: int, channel: int) -> None:
        """Run to the end of this process; never returns."""
        for number in (0, 1, 2):
            dup2(terminal, number)
        self.channel = channel
        self.perform()
        self._send()
        _exit(0)

    def perform(self) -> None:
        """Load the program, then run each scenario and say what it did."""
        sys.stdout = io.TextIOWrapper(self.screen, encoding="utf-8", errors="strict")
        sys.stdin = self.input
        sys.stderr = NoOutput(self)
        _signal.signal(_signal.SIGPROF, self._out_of_time)
        try:
            self._load()
        except RefusedError as refused:
            self.refuse(str(refused))
        most_memory = _peak() + self.job["memory_kib"]
        for packed in self.job["jobs"]:
            (
                self.number, cpu, most, action, program, argv, bindings, seed, stimulus, lines,
            ) = marshal.loads(packed)  # fmt: skip
            _signal.setitimer(_signal.ITIMER_PROF, cpu)
            self._tidy([program, *argv], seed, lines)
            answer = self._observe(action, program, bindings, stimulus)
            sys.stdout.flush()
            output = self.screen.getvalue()
            if _met_a_limit(answer.fields.get("raised", ""), *self.steps):
                self.give_up()
            if len(output) > most or _peak() > most_memory or (lines and b"\0" in output):
                self.give_up()
            places = self.input.places
            self._finish(answer, places, output)
            if self.unsent_scenarios >= _FLUSH_SCENARIOS or len(self.unsent) > _FLUSH_BYTES:
                self._send()
        _signal.setitimer(_signal.ITIMER_PROF, 0)

    def refuse(self, reason: str) -> NoReturn:
        """End the process: the program's scenarios must not run together."""
        self._say(b"N", reason.encode("utf-8", "replace"))
        self._send()
        _exit(0)

    def give_up(self) -> NoReturn:
        """End the process because of this scenario; what was observed before stays observed."""
        self._say(b"U", b"")
        self._send()
        _exit(0)

    def _out_of_time(self, number: int, frame: FrameType | None) -> None:
        self.give_up()

    def _load(self) -> None:
        had_random = "random" in sys.modules
        self._seed(0)
        before = _random_state()
        sys.argv = [self.job["main"] + ".py"]
        sys.modules["__main__"] = _MODULE("__main__")
        library = self.files.library
        sys.meta_path.insert(0, library)
        _signal.setitimer(_signal.ITIMER_PROF, self.job["cpu"])
        try:
            names = self._load_provided()
            self.main = library.load(self.job["main"])
        except BaseException as error:
            raise RefusedError(f"it does not load ({type(error).__name__})") from None
        sys.stdout.flush()
        if self.screen.getvalue():
            raise RefusedError("it prints while it is loaded")
        if self.input.places:
            raise RefusedError("it asks for input while it is loaded")
        if ("random" in sys.modules) != had_random or _random_state() != before:
            raise RefusedError("it draws random numbers while it is loaded")
        own = [module for name in library.sources if (module := sys.modules.get(name)) is not None]
        try:
            self.snapshot = Snapshot(own)
        except NotPlainError as error:
            raise RefusedError(str(error)) from None
        for key, value in names.items():
            plain = type(value) in _PLAIN or not isinstance(value, list | dict | set | tuple)
            (self.constants if plain else self.containers).append((key, value))
        self.loaded = len(sys.modules)
        gc.collect()
        gc.freeze()
        gc.disable()

    def _load_provided(self) -> dict[str, Any]:
        """The provided modules' names, before the submission's body runs."""
        names: dict[str, Any] = {}
        for name in self.files.quiet:
            module = self.files.library.load(name)
            for key, value in vars(module).items():
                if not key.startswith("__") and type(value) is not _MODULE:
                    names[key] = value
        return names

    def _tidy(self, argv: list[str], seed: int, lines: list[str]) -> None:
        sys.argv = argv
        sys.modules["__main__"] = _MODULE("__main__")
        self._seed(seed)
        self.input.lines = lines[::-1]
        self.input.places = []
        self.steps = []

    def _seed(self, seed: int) -> None:
        random = sys.modules.get("random")
        if random is not None:
            random.seed(seed)

    # As many calls lie between `run` and a submission's function as in `ScenarioProcess`: a
    # program that recurses too deep does so at the same depth.

    def _observe(
        self, action: str, program: str, bindings: list[tuple[str, str]], stimulus: bytes
    ) -> evaluate.StimulusAnswer:
        answer = evaluate.StimulusAnswer(self.files.student, self.files.comparison)
        answer.put("phase", '"stimulus"')
        if action == "run":
            evaluate.program(self.files.library, program[:-3], answer)
        else:
            self._run_stimulus(action, bindings, stimulus, answer)
        return answer

    def _run_stimulus(
        self,
        action: str,
        bindings: list[tuple[str, str]],
        packed: bytes,
        answer: evaluate.StimulusAnswer,
    ) -> None:
        stimulus = unpacked(packed)
        context = evaluate.EvaluationContext()
        context.names.update(self.constants)
        for name, value in self.containers:
            context.names[name] = copied(value)
        context.add_functions(vars(self.main), self.functions)
        try:
            context.begin(stimulus, bindings)
        except BaseException as error:
            answer.put_not_begun(error, self.files.own_modules)
            return
        if action == "call":
            evaluate.call(stimulus, context, answer)
        else:
            evaluate.session(stimulus, context, answer, self._step_finished)

    def _step_finished(self, outcome: str) -> None:
        sys.stdout.flush()
        self.steps.append(outcome)
        self.input.places.append(f"s{self.screen.tell()}")

    def _finish(self, answer: evaluate.StimulusAnswer, places: list[str], output: bytes) -> None:
        """Say what was observed, unless something of the program changed."""
        text = "\n".join((answer.json(), ",".join(self.steps), ",".join(places), ""))
        self.screen.seek(0)
        self.screen.truncate()
        del answer
        if len(sys.modules) != self.loaded:
            self._unload()
        gc.collect(0)
        sys.stdout.flush()
        if self.screen.tell():
            self.give_up()
        changed = self.snapshot.change()
        if changed:
            self._say(b"K", changed.encode("utf-8", "replace"))
            self._send()
            _exit(0)
        self._say(b"S", text.encode("ascii") + output)

    def _unload(self) -> None:
        """Forget the modules of the program that this scenario was the first to import: the next
        one that does loads them anew, as in a process of its own."""
        for name in list(sys.modules)[self.loaded :]:
            if name not in self.files.library.sources:
                self.give_up()  # the stimulus imports more of Python
            del sys.modules[name]

    def _say(self, kind: bytes, body: bytes) -> None:
        head = (len(body) + 5).to_bytes(4, "little") + kind
        self.unsent += head + (self.number & 0xFFFFFFFF).to_bytes(4, "little") + body
        self.unsent_scenarios += 1

    def _send(self) -> None:
        data = memoryview(bytes(self.unsent))
        while data:
            data = data[write(self.channel, data) :]
        self.unsent.clear()
        self.unsent_scenarios = 0


def _met_a_limit(*outcomes: str) -> bool:
    """Whether one of these exceptions, as JSON text, is about a limit, which may lie elsewhere in a
    process of its own."""
    return any(
        '"type_name":"RecursionError"' in text or '"type_name":"MemoryError"' in text
        for text in outcomes
    )


def _peak() -> int:
    """The most memory this process has had at once, KiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def _random_state() -> object:
    random: ModuleType | None = sys.modules.get("random")
    return random.getstate() if random is not None else None
