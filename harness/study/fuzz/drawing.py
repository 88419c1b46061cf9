"""Draw random inputs with Hypothesis.

Inputs are drawn in batches that can be drawn again from a seed. An input on which a submission
differs is then simplified ("shrunk") as far as it still differs.
"""

import ast
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any

from harness.assignment.scenarios.draws import literals, load_module, run_given
from harness.common.errors import UserError
from harness.common.extras import install_command
from harness.model.observation import Ending, Observation
from harness.model.stimulus import Binding, Stimulus, Typed
from harness.model.study import CourseFunction, FuzzSettings, FuzzTarget, Lines

Draw = tuple[Binding, ...]
# The lines to type at each prompt.
Typing = tuple[tuple[str, ...], ...]
# Draws that are drawn twice, to check that they are the same.
_REPEATED = 20
# Lines that are typed often for one that is typed sometimes.
_OFTEN = 4
# Candidates that are compared while a draw is shrunk.
_MAX_SHRINKS = 1500


class CourseCode:
    """The functions that a course wrote for drawing inputs. Each of their files is loaded once."""

    def __init__(self, folder: str) -> None:
        self._folder = Path(folder)
        self._modules: dict[str, Any] = {}

    def call(self, function: CourseFunction, known: Mapping[str, Any] | None = None) -> Any:
        """Call one of the course's functions with its constants and the `known` values. Return its
        result.

        Raise UserError if the function fails.
        """
        if function.file not in self._modules:
            self._modules[function.file] = load_module(self._folder, function.file)
        values = {}
        for constant in function.constants:
            values[constant.name] = ast.literal_eval(constant.literal)
        values |= known or {}
        try:
            function_object = getattr(self._modules[function.file], function.function)
            arguments = {name: values[name] for name in function.parameters}
            return function_object(**arguments)
        except Exception as error:
            raise _course_failure(function, error) from error

    def holds(self, assume: CourseFunction, draw: Any) -> bool:
        """Return whether the course's function `assume` accepts a drawn input.

        Other inputs are skipped, because the exercise sheet does not define their results. An input
        without values for all parameters of the function is accepted.
        """
        constants = {constant.name for constant in assume.constants}
        if not isinstance(draw, dict) or not set(assume.parameters) <= constants | draw.keys():
            return True
        return bool(self.call(assume, draw))

    def lines(self, lines: Lines) -> list[str]:
        """Return the lines to type.

        Raise UserError if the course's function returns anything else.
        """
        if lines.function is None:
            return list(lines.written)
        given = self.call(lines.function)
        name = lines.function.source
        place = str(lines.function.place)
        texts = [given]
        if isinstance(given, Iterable):
            texts = list(given)
        if not texts:
            raise UserError(f"{name} gave no line", place=place)
        for line in texts:
            if not isinstance(line, str) or "\n" in line or "\r" in line:
                problem = f"{name} gave {line!r:.60}, which is not a line of text"
                raise UserError(problem, place=place)
        return texts


def _course_failure(function: CourseFunction, error: Exception) -> UserError:
    what = f"{function.source} failed ({type(error).__name__}: {error!s:.300})"
    return UserError(what, place=_place(function))


class Drawer:
    """Draws the inputs of one function or program (the target).

    An input gives values to names, or lines to type at each prompt.
    """

    def __init__(self, target: FuzzTarget, settings: FuzzSettings, code: CourseCode) -> None:
        """Prepare to draw.

        Raise UserError if Hypothesis is not installed, or if a function of the course fails.
        """
        self._function = target.strategy
        strategies = _hypothesis().strategies
        if target.strategy is None:
            self._strategy: Any = _typing_strategy(target, code)
            return
        self._strategy = code.call(target.strategy)
        if not isinstance(self._strategy, strategies.SearchStrategy):
            raise self._wrong(f"gave no strategy but {type(self._strategy).__name__}")
        for assume in settings.assume:
            self._strategy = self._strategy.filter(partial(code.holds, assume))

    def batch(self, seed: int, count: int, *, twice: bool = False) -> list[Draw]:
        """Return about `count` different inputs. The same seed gives the same inputs.

        With `twice`, draw two times and check that. Raise UserError, with the strategy's file and
        line, if the strategy gives nothing, a value that is not a literal, or different values each
        time.
        """
        draws = self._draw(seed, count)
        if twice and draws[:_REPEATED] != self._draw(seed, count, most=_REPEATED):
            what = "gives different draws when it runs again: does it use the time, the order of a "
            raise self._wrong(f"{what}set or its own random numbers?")
        if not draws:
            raise self._wrong("gives no draw: it filters out everything")
        return [self._bindings(draw) for draw in draws]

    def typings(self, seed: int, count: int) -> list[Typing]:
        """Draw lines to type in a dialogue, `count` times. The same seed gives the same lines."""
        typings = []
        for draw in self._draw(seed, count):
            typings.append(tuple(tuple(lines) for lines in draw))
        return typings

    def shrunk(self, seed: int, count: int, start: Draw, differs: Callable[[Draw], bool]) -> Draw:
        """Return the simplest input for which `differs` is true.

        `start` must be from the batch of this seed and count. It is returned if nothing simpler is
        found.
        """
        hypothesis = _hypothesis()
        verdicts: dict[Draw, bool] = {}
        last = start

        def check(value: Any) -> None:
            nonlocal last
            draw = self._bindings(value)
            if not verdicts and draw != start:
                return
            if draw not in verdicts:
                may_compare = len(verdicts) < _MAX_SHRINKS
                verdicts[draw] = draw == start or (may_compare and differs(draw))
            if verdicts[draw]:
                last = draw
                raise _DiffersError

        phases = [hypothesis.Phase.generate, hypothesis.Phase.shrink]
        try:
            run_given(self._strategy, check, seed=seed, count=count, phases=phases)
        except _DiffersError:
            return last
        except hypothesis.errors.HypothesisException:
            pass
        return start

    def _draw(self, seed: int, count: int, *, most: int | None = None) -> list[Any]:
        """Return the draws, or the first `most` of them."""
        hypothesis = _hypothesis()
        draws: dict[str, Any] = {}

        def collect(value: Any) -> None:
            if most is not None and len(draws) >= most:
                raise _EnoughError
            draws.setdefault(repr(value), value)

        try:
            phases = [hypothesis.Phase.generate]
            run_given(self._strategy, collect, seed=seed, count=count, phases=phases)
        except UserError:
            raise
        except _EnoughError:
            pass
        except hypothesis.errors.Unsatisfiable:
            return []
        except Exception as error:
            if self._function is None:
                raise
            raise _course_failure(self._function, error) from error
        return list(draws.values())

    def _bindings(self, value: Any) -> Draw:
        assert self._function is not None
        bindings = literals(self._function.source, value, place=_place(self._function))
        return tuple(Binding(name=name, literal=literal) for name, literal in bindings.items())

    def _wrong(self, what: str) -> UserError:
        assert self._function is not None
        return UserError(f"{self._function.source} {what}", place=_place(self._function))


def _typing_strategy(target: FuzzTarget, code: CourseCode) -> Any:
    """Return the strategy for the lines to type at each prompt, a few or many."""
    strategies = _hypothesis().strategies
    typings = []
    for prompt in target.prompts:
        often = code.lines(prompt.often)
        sometimes = code.lines(prompt.sometimes)
        weighted = often * max(1, _OFTEN * len(sometimes)) + sometimes * len(often)
        lines = partial(strategies.lists, strategies.sampled_from(weighted))
        count = strategies.integers(1, target.inputs)
        typings.append(count.flatmap(lambda n, of=lines: of(min_size=n, max_size=n)))
    return strategies.tuples(*typings)


class _DiffersError(Exception):
    """Raised if a submission differs on an input, so that Hypothesis simplifies the input."""


class _EnoughError(Exception):
    """Raised to stop Hypothesis when there are enough inputs."""


def batch_seed(seed: int, target: str, number: int) -> int:
    """Return the seed of one batch of a target."""
    digest = sha256(f"{seed}\0{target}\0{number}".encode()).digest()
    return int.from_bytes(digest[:8], "big")


def _place(function: CourseFunction) -> str:
    return f"{function.place.file}:{function.place.line}"


def _hypothesis() -> Any:
    try:
        import hypothesis  # noqa: PLC0415  (an extra)
        import hypothesis.strategies  # noqa: PLC0415
    except ImportError:
        hint = install_command("study")
        raise UserError("generated inputs need the package hypothesis", hint=hint) from None
    return hypothesis


# Lines that are typed to bring a game to its end.
_MAX_CLOSING = 150
# Runs in which the games are played to their end.
_MAX_ROUNDS = 400
# Shorter games that are tried.
_MAX_CANDIDATES = 600
# Characters of an unknown prompt that are shown.
_MAX_SHOWN = 60

Run = Callable[[Sequence[Stimulus]], list[Observation]]


@dataclass(slots=True)
class _Game:
    """A dialogue with the reference that is being played. Each prompt has a number."""

    target: FuzzTarget
    # The lines to type at each prompt in the game, and to close it.
    lines: Typing
    closing: Sequence[Sequence[str]]
    # The prompts so far, each with the line that was typed at it.
    known: list[tuple[int, str]] = field(default_factory=list)
    # The prompt that usually follows another.
    follows: dict[int, int] = field(default_factory=dict)
    over: bool = False
    typed: list[str] = field(default_factory=list)

    def guess(self) -> Stimulus:
        """Return the lines to type if the program shows its prompts in the same order as before."""
        prompts = [number for number, _ in self.known]
        self.typed = [line for _, line in self.known]
        prompt = 0
        if prompts:
            prompt = self.follows.get(prompts[-1], 0)
        while len(self.typed) < self.target.inputs + _MAX_CLOSING:
            self.typed.append(self._line(prompts, prompt))
            prompts.append(prompt)
            prompt = self.follows.get(prompt, 0)
        return self.stimulus()

    def stimulus(self) -> Stimulus:
        """Return the typed lines as inputs of the target."""
        inputs = tuple(Typed(text=line) for line in self.typed)
        return replace(self.target.stimulus, inputs=inputs)

    def _line(self, prompts: Sequence[int], prompt: int) -> str:
        """Return the next line for a prompt that comes after these."""
        index = prompts.count(prompt)
        # The first prompt's lines are the game: after the last of them it is closed.
        has_lines = prompts.count(0) < len(self.lines[0])
        going_on = has_lines and len(prompts) < self.target.inputs
        lines = self.lines[prompt] if going_on else self.closing[prompt]
        return lines[index % len(lines)]

    def learn(self, observation: Observation) -> None:
        """Read the program's output up to the first line that was meant for another prompt."""
        prompts: list[int] = []
        for turn in observation.turns:
            if turn.typed is None:
                break
            prompt = _prompt(self.target, turn.printed)
            if prompts:
                self.follows[prompts[-1]] = prompt
            line = self._line(prompts, prompt)
            if turn.typed.text != line:
                before = zip(prompts, self.typed, strict=False)
                self.known = [*before, (prompt, line)]
                return
            prompts.append(prompt)
        self.over = True
        if observation.ending is Ending.ANSWERED and observation.raised is None:
            self.typed = self.typed[: len(prompts)]
        else:
            self.typed = []


def play_games(
    target: FuzzTarget, drawn: Sequence[Typing], closing: Sequence[Sequence[str]], run: Run
) -> list[Stimulus]:
    """Play dialogues with the reference, and return those that it ends, as inputs with their
    lines.

    Raise UserError if the reference shows a prompt that the assignment does not name.
    """
    games = [_Game(target, lines, closing) for lines in drawn]
    for _ in range(_MAX_ROUNDS):
        playing = [game for game in games if not game.over]
        if not playing:
            break
        observations = run([game.guess() for game in playing])
        for game, observation in zip(playing, observations, strict=True):
            game.learn(observation)
    return [game.stimulus() for game in games if game.over and game.typed]


def _prompt(target: FuzzTarget, printed: str) -> int:
    for number, prompt in enumerate(target.prompts):
        if printed.endswith(prompt.text):
            return number
    problem = f"{target.id}: the reference asks after {printed[-_MAX_SHOWN:]!r}"
    raise UserError(problem, place=str(target.place), hint="add this prompt under answers:")


def shorten_game(stimulus: Stimulus, differs: Callable[[Stimulus], Stimulus | None]) -> Stimulus:
    """Leave out lines of a dialogue as long as it still differs. Return the shortest one found.

    `differs` returns the dialogue with only the lines up to the difference, or None without a
    difference.
    """
    best = stimulus
    tries_left = _MAX_CANDIDATES
    size = max(1, len(best.inputs) // 2)
    while tries_left > 0:
        start = 0
        smaller = False
        while start < len(best.inputs) and tries_left > 0:
            inputs = (*best.inputs[:start], *best.inputs[start + size :])
            tries_left -= 1
            shorter = differs(replace(best, inputs=inputs))
            if shorter is not None and len(shorter.inputs) < len(best.inputs):
                best = shorter
                smaller = True
            else:
                start += size
        if size == 1 and not smaller:
            break
        half = len(best.inputs) // 2 if smaller else size // 2
        size = min(size, max(1, half))
    return best
