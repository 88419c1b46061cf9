"""Draws by Hypothesis: in batches that can be drawn again, and shrunk while they still differ."""

import ast
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any

from harness.assignment.scenarios.draws import literals, load_module, run_given
from harness.common.errors import UserError
from harness.model.observation import Ending, Observation
from harness.model.stimulus import Binding, Stimulus, Typed
from harness.model.study import CourseFunction, FuzzSettings, FuzzTarget, Lines

Draw = tuple[Binding, ...]
Typing = tuple[tuple[str, ...], ...]  # the lines to type at each prompt
_REPEATED = 20  # draws that are drawn twice, to see that they are the same
_OFTEN = 4  # lines typed often for one that is typed sometimes
_MOST_SHRINKS = 1500  # candidates that are compared


class CourseCode:
    """The functions of a spec folder, each file loaded once."""

    def __init__(self, folder: str) -> None:
        self._folder = Path(folder)
        self._modules: dict[str, Any] = {}

    def call(self, function: CourseFunction, known: Mapping[str, Any] | None = None) -> Any:
        """Call a function of the course with its constants and the `known` values, and return its
        result.

        Raise UserError if it fails.
        """
        if function.file not in self._modules:
            self._modules[function.file] = load_module(self._folder, function.file)
        values = {each.name: ast.literal_eval(each.literal) for each in function.constants}
        values |= known or {}
        try:
            function_object = getattr(self._modules[function.file], function.function)
            return function_object(**{name: values[name] for name in function.parameters})
        except Exception as error:
            raise _course_failure(function, error) from error

    def holds(self, assume: CourseFunction, draw: Any) -> bool:
        """Whether the sheet defines what a draw does, as far as a function of the course's can
        tell: true where the draw does not bind all its parameters."""
        bound = {each.name for each in assume.constants}
        binds_all = isinstance(draw, dict) and set(assume.parameters) <= bound | draw.keys()
        return not binds_all or bool(self.call(assume, draw))

    def lines(self, lines: Lines) -> list[str]:
        """Lines to type; UserError where the function gives others than texts of one line."""
        if lines.function is None:
            return list(lines.written)
        given = self.call(lines.function)
        name, place = lines.function.source, str(lines.function.place)
        texts = list(given) if isinstance(given, Iterable) else [given]
        if not texts:
            raise UserError(f"{name} gave no line", place=place)
        for line in texts:
            if not isinstance(line, str) or "\n" in line or "\r" in line:
                what = f"{name} gave {line!r:.60}, which is not a line of text"
                raise UserError(what, place=place)
        return texts


def _course_failure(function: CourseFunction, error: Exception) -> UserError:
    what = f"{function.source} failed ({type(error).__name__}: {error!s:.300})"
    return UserError(what, place=_place(function))


class Drawer:
    """Draw the inputs of one target: bindings of names, or lines to type at each prompt."""

    def __init__(self, target: FuzzTarget, settings: FuzzSettings, code: CourseCode) -> None:
        """UserError where Hypothesis is not installed, or a function of the course's fails."""
        self._function = target.strategy
        strategies = _hypothesis().strategies
        if target.strategy is None:
            typings = []  # for each prompt, the lines to type at it: a few or many
            for prompt in target.prompts:
                often, sometimes = code.lines(prompt.often), code.lines(prompt.sometimes)
                weighted = often * max(1, _OFTEN * len(sometimes)) + sometimes * len(often)
                lines = partial(strategies.lists, strategies.sampled_from(weighted))
                count = strategies.integers(1, target.inputs)
                typings.append(count.flatmap(lambda n, of=lines: of(min_size=n, max_size=n)))
            self._strategy: Any = strategies.tuples(*typings)
            return
        self._strategy = code.call(target.strategy)
        if not isinstance(self._strategy, strategies.SearchStrategy):
            raise self._wrong(f"gave no strategy but {type(self._strategy).__name__}")
        for assume in settings.assume:
            self._strategy = self._strategy.filter(partial(code.holds, assume))

    def batch(self, seed: int, count: int, *, twice: bool = False) -> list[Draw]:
        """Return about `count` different draws, the same ones for each seed (with `twice`, try
        that).

        Raise UserError, with the strategy's file and line, if it gives nothing, something that is
        not a literal, or something else each time.
        """
        draws = self._draw(seed, count)
        if twice and draws[:_REPEATED] != self._draw(seed, count, most=_REPEATED):
            raise self._wrong("gives other draws when it is asked again: does it use the time, a "
                              "set's order, or chance of its own?")  # fmt: skip
        if not draws:
            raise self._wrong("gives no draw: everything is filtered away")
        return [self._bindings(draw) for draw in draws]

    def typings(self, seed: int, count: int) -> list[Typing]:
        """As `batch`, of a conversation."""
        return [tuple(tuple(lines) for lines in draw) for draw in self._draw(seed, count)]

    def shrunk(self, seed: int, count: int, start: Draw, differs: Callable[[Draw], bool]) -> Draw:
        """The simplest draw that still differs, from `start`, which is of the batch of this seed
        and count. `start` itself where its strategy finds nothing simpler."""
        hypothesis = _hypothesis()
        verdicts: dict[Draw, bool] = {}
        last = start

        def check(value: Any) -> None:
            nonlocal last
            draw = self._bindings(value)
            if not verdicts and draw != start:
                return
            if draw not in verdicts:
                verdicts[draw] = draw == start or (len(verdicts) < _MOST_SHRINKS and differs(draw))
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
        """The first `most` of the draws."""
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


class _DiffersError(Exception):
    """Found again while Hypothesis shrinks."""


class _EnoughError(Exception):
    """So many draws that no more are needed."""


def batch_seed(seed: int, target: str, number: int) -> int:
    """The seed of one batch of a target."""
    return int.from_bytes(sha256(f"{seed}\0{target}\0{number}".encode()).digest()[:8], "big")


def _place(function: CourseFunction) -> str:
    return f"{function.place.file}:{function.place.line}"


def _hypothesis() -> Any:
    try:
        import hypothesis  # noqa: PLC0415  (an extra)
        import hypothesis.strategies  # noqa: PLC0415
    except ImportError:
        hint = "pip install 'a1-harness[study]'"
        raise UserError("drawing needs Hypothesis", hint=hint) from None
    return hypothesis


_MOST_CLOSING = 150  # lines typed to bring a game to its end
_MOST_ROUNDS = 400
_MOST_CANDIDATES = 600  # shorter games that are tried
_LONGEST_SHOWN = 60

Run = Callable[[Sequence[Stimulus]], list[Observation]]


@dataclass(slots=True)
class _Game:
    """A game being played.

    It knows the lines for each prompt (by its number) in the game and to close it, the lines typed
    so far at each prompt, and the prompt that usually follows another."""

    target: FuzzTarget
    lines: Typing
    closing: Sequence[Sequence[str]]
    known: list[tuple[int, str]] = field(default_factory=list)
    follows: dict[int, int] = field(default_factory=dict)
    over: bool = False
    typed: list[str] = field(default_factory=list)

    def guess(self) -> Stimulus:
        """What to type if the prompts come as they came before."""
        taken = [number for number, _ in self.known]
        self.typed = [line for _, line in self.known]
        prompt = self.follows.get(taken[-1], 0) if taken else 0
        while len(self.typed) < self.target.inputs + _MOST_CLOSING:
            self.typed.append(self._line(taken, prompt))
            taken.append(prompt)
            prompt = self.follows.get(prompt, 0)
        return self.stimulus()

    def stimulus(self) -> Stimulus:
        inputs = tuple(Typed(text=line) for line in self.typed)
        return replace(self.target.stimulus, inputs=inputs)

    def _line(self, taken: Sequence[int], prompt: int) -> str:
        """The next line for a prompt, after these."""
        index = taken.count(prompt)
        # The first prompt's lines are the game; when they are at an end, so is the game.
        going_on = taken.count(0) < len(self.lines[0]) and len(taken) < self.target.inputs
        lines = self.lines[prompt] if going_on else self.closing[prompt]
        return lines[index % len(lines)]

    def learn(self, seen: Observation) -> None:
        """Follow the output up to the first line that was meant for another prompt."""
        taken: list[int] = []
        for turn in seen.turns:
            if turn.typed is None:
                break
            prompt = _prompt(self.target, turn.printed)
            if taken:
                self.follows[taken[-1]] = prompt
            line = self._line(taken, prompt)
            taken.append(prompt)
            if turn.typed.text != line:
                self.known = [*zip(taken[:-1], self.typed, strict=False), (prompt, line)]
                return
        self.over = True
        fits = seen.ending is Ending.ANSWERED and seen.raised is None
        self.typed = self.typed[: len(taken)] if fits else []


def play_games(
    target: FuzzTarget, drawn: Sequence[Typing], closing: Sequence[Sequence[str]], run: Run
) -> list[Stimulus]:
    """Return the complete games with their typed lines, without those that the reference does not
    end.

    Raise UserError if the reference shows a prompt that the assignment does not name.
    """
    games = [_Game(target, lines, closing) for lines in drawn]
    for _ in range(_MOST_ROUNDS):
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
    what = f"{target.id}: the reference asks after {printed[-_LONGEST_SHOWN:]!r}"
    raise UserError(what, place=str(target.place), hint="name this prompt under answers:")


def shorten_game(stimulus: Stimulus, differs: Callable[[Stimulus], Stimulus | None]) -> Stimulus:
    """The game with as many inputs left out as can be while it still differs: `differs` is given a
    game and says with which inputs, of these, it does."""
    best = stimulus
    tries_left = _MOST_CANDIDATES
    size = max(1, len(best.inputs) // 2)
    while tries_left > 0:
        start, smaller = 0, False
        while start < len(best.inputs) and tries_left > 0:
            inputs = (*best.inputs[:start], *best.inputs[start + size :])
            tries_left -= 1
            shorter = differs(replace(best, inputs=inputs))
            if shorter is not None and len(shorter.inputs) < len(best.inputs):
                best, smaller = shorter, True
            else:
                start += size
        if size == 1 and not smaller:
            break
        size = max(1, size // 2) if not smaller else min(size, max(1, len(best.inputs) // 2))
    return best
