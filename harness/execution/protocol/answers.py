"""Checks a reply against the possible answers of one submission to one stimulus.

This is the only place where a reply's fields are checked, and what passes may be stored, judged and
shown. Names must occur in the stimulus or the submission's files, places must exist in those files,
and each outcome has exactly its own fields.
"""

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from harness.execution.inside.messages.exceptions import Sources
from harness.execution.inside.messages.protocol import MAX_NAME
from harness.execution.protocol.replies import (
    FinalReply,
    FrameReply,
    RaisedReply,
    Reply,
    StepReply,
    TamperedError,
    read_as,
)
from harness.model.observation import Frame, NamedValue, NameHint, Phase, Raised
from harness.model.stimulus import Stimulus


@dataclass(frozen=True, slots=True)
class StimulusFacts:
    """Facts found in a stimulus's texts.

    `needs` are the public functions that the submission must have. `arguments` is the number of
    positional arguments of its call; None if it is not a plain call.
    """

    needs: frozenset[str]
    arguments: int | None


@dataclass(frozen=True, slots=True)
class Answerable:
    """Checks replies of one submission to one stimulus.

    Without `sources` (the submission's files), places in files are not checked. `has_cells` tells
    that the submission is a notebook.
    """

    stimulus: Stimulus
    facts: StimulusFacts
    sources: Sources | None = None
    has_cells: bool = False

    def check(self, reply: Reply) -> None:
        """Raise TamperedError if our code in the process cannot have written this reply."""
        _require(reply.trace == () or self.stimulus.traces_lines)
        self._check_trace(reply.trace)
        self._check_reached(reply.reached)
        _require(len(reply.steps) <= len(self.stimulus.action.steps))
        for step in reply.steps:
            self._check_step(step)
        if reply.final is not None:
            self._check_final(reply.final, reply)

    def raised(self, sent: RaisedReply | None) -> Raised | None:
        """Return the exception of a checked reply, with the text of its lines in the student's
        files.
        """
        if sent is None:
            return None
        return Raised(
            type_name=sent.type_name,
            message=sent.message,
            bases=sent.bases,
            frames=self._frames(sent.frames),
            names=sent.names if self._is_confirmed(sent.names) else None,
        )

    def nearest(self, name: str) -> str:
        """Return the name if a file of the submission contains it; otherwise an empty text."""
        return name if self._is_written(name) else ""

    def check_raised(self, raised: RaisedReply) -> None:
        """Raise TamperedError if this report of an exception cannot come from our own code."""
        self._check_raised(raised)

    def _check_trace(self, trace: Iterable[str]) -> None:
        traced = tuple(trace)
        _require(len(set(traced)) == len(traced))
        for text in traced:
            found = _TRACED.fullmatch(text)
            _require(found is not None)
            assert found is not None
            self._check_place(found["file"], int(found["line"]))
            if found["last"]:
                self._check_place(found["file"], int(found["last"]))

    def _check_reached(self, reached: tuple[Phase, ...]) -> None:
        """Check the phases that were reported as begun: a call or a session may report its
        arguments and its stimulus, a program reports none.
        """
        possible: tuple[Phase, ...] = (Phase.ARGUMENTS, Phase.STIMULUS)
        if self.stimulus.action.program:
            possible = ()
        _require(all(phase in possible for phase in reached))

    def _check_step(self, step: StepReply) -> None:
        _require(step.value is None or step.raised is None)
        _require(step.shown == "" or step.value is not None)
        self._check_raised(step.raised)

    def _check_final(self, final: FinalReply, reply: Reply) -> None:
        if final.memory:
            _require(final == FinalReply(memory=True))
            return
        if final.loop is not None:
            _require(self.stimulus.finds_loop and final == FinalReply(loop=final.loop))
            self._check_loop(final.loop)
            return
        if final.recursion is not None:
            is_alone = final == FinalReply(recursion=final.recursion)
            _require(self.stimulus.finds_loop and is_alone and final.recursion != "")
            self._check_loop(final.recursion)
            return
        if not is_complete(self.stimulus, reply, self.facts.arguments):
            raise TamperedError("an incomplete reply")
        if final.missing is not None:
            _require(final.missing in self.facts.needs)
        _require(final.near == "" or (final.missing is not None and final.near.isidentifier()))
        _require(final.open == () or self.stimulus.folder)
        _require(len(set(final.open)) == len(final.open))
        if final.exit is not None:
            _require(0 <= final.exit <= _MAX_STATUS)
            _require(final.raised is None or final.exit == _status_after(final.raised.type_name))
        self._check_raised(final.raised)
        self._check_cell_error(final.cell_error)
        self._check_variables(final.variables or ())

    def _check_loop(self, loop: str) -> None:
        """Check a reported loop:

        `file:first-last`, or an empty text if no line of the student's files loops.
        """
        if loop == "":
            return
        found = _LOOP.fullmatch(loop)
        _require(found is not None)
        assert found is not None
        first, last = int(found["first"]), int(found["last"])
        _require(first <= last)
        self._check_place(found["file"], first)
        self._check_place(found["file"], last)

    def _check_raised(self, raised: RaisedReply | None) -> None:
        if raised is None:
            return
        for frame in raised.frames:
            self._check_place(frame.file, frame.line)
            _require(_FUNCTION.fullmatch(frame.function) is not None)

    def _check_cell_error(self, raised: RaisedReply | None) -> None:
        """Check that a line of the notebook raised this exception."""
        if raised is None:
            return
        _require(self.has_cells and raised.frames != ())
        self._check_raised(raised)

    def _check_variables(self, variables: tuple[NamedValue, ...]) -> None:
        """Check that each variable occurs once and that the stimulus's texts bind its name."""
        names = Counter(variable.name for variable in variables)
        texts = "\n".join(self.stimulus.source_texts())
        for name, count in names.items():
            _require(count == 1 and name.isidentifier())
            _require(name in texts or "import" in texts)

    def _check_place(self, file: str, line: int) -> None:
        if self.sources is not None:
            _require(file in self.sources and 1 <= line <= self.sources.count(file))

    def _frames(self, frames: tuple[FrameReply, ...]) -> tuple[Frame, ...]:
        sources = self.sources
        if sources is None:
            return ()
        return tuple(
            Frame(
                file=frame.file,
                line=frame.line,
                function=frame.function,
                source=sources.line(frame.file, frame.line),
            )
            for frame in frames
        )

    def _is_confirmed(self, hint: NameHint | None) -> bool:
        """Return whether the submission's files contain the names of a hint, and the files or the
        stimulus contain the name that the hint is about.

        A program can create names while it runs, so an unconfirmed hint is left out and is not an
        error.
        """
        if hint is None or not self._is_written(hint.owner):
            return False
        if hint.near and not self._is_written(hint.near):
            return False
        texts = "\n".join(self.stimulus.source_texts())
        return hint.name.isidentifier() and (self._is_written(hint.name) or hint.name in texts)

    def _is_written(self, name: str) -> bool:
        return self.sources is not None and self.sources.has_written(name)


_MAX_STATUS = 255
_NUMBER = r"[1-9]\d{0,8}"
_LOOP = re.compile(rf"(?P<file>[^:]+):(?P<first>{_NUMBER})-(?P<last>{_NUMBER})", re.ASCII)
_TRACED = re.compile(
    rf"(?P<file>[^:]+):(?P<line>{_NUMBER}):(?:True|False|None|0|(?P<last>{_NUMBER}))", re.ASCII
)
# A qualified name: `Board.play`, `main.<locals>.<lambda>`, `<module>`.
_FUNCTION = re.compile(r"(?:[^\W\d]\w*|<[\w ]+>)(?:\.(?:[^\W\d]\w*|<[\w ]+>))*")


def _require(condition: bool) -> None:
    if not condition:
        raise TamperedError("an answer that this stimulus cannot have")


_STAND_IN_REASON = re.compile(
    r"\w+(?:\.\w+)? is not a function|\w+\.py is the program that is run"
    r"|\w+\(\) was given a value (?:too large|that is not plain data)"
    r"|an answer has (?:contents|depth|a kind|a number|a value)|\w+ is not an exception here"
)


def stand_in_reason(body: bytes) -> str:
    """Return the reason, from a message of the submission's process, why a stand-in cannot be
    used. Raise TamperedError if our code there cannot have written the message.
    """
    text = read_as(str, body)
    _require(len(text) <= MAX_NAME and _STAND_IN_REASON.fullmatch(text) is not None)
    return text


_INTERRUPTED = 130  # as a shell says it


def _status_after(type_name: str) -> int:
    """Return the exit status of a program that an exception of this type ended."""
    return _INTERRUPTED if type_name == "KeyboardInterrupt" else 1


_OUTCOME = ("value", "raised", "before", "after", "variables", "exit", "missing")


def is_complete(stimulus: Stimulus, reply: Reply, arguments: int | None) -> bool:
    """Return whether a final reply has exactly the fields for its stimulus and outcome; otherwise
    our code did not write it. `arguments` as in `StimulusFacts`.
    """
    final, action = reply.final, stimulus.action
    if final is None or final.memory:  # without memory the reply has nothing else
        return True
    if (final.stderr is not None) != stimulus.stderr_apart:
        return False
    if (final.lines is not None) != stimulus.counts_lines:
        return False
    if (final.figures is not None) != stimulus.keeps_figures:
        return False
    fields = {name for name in _OUTCOME if getattr(final, name) is not None}
    if (action.program != "") != ("exit" in fields):
        return False
    fields.discard("exit")
    if final.phase in (Phase.LOADING, Phase.GIVEN):
        before_it_ran = final.phase is Phase.LOADING or not action.program
        return before_it_ran and fields == {"raised"} and not reply.steps
    if "missing" in fields:
        return final.phase is Phase.STIMULUS and fields == {"missing"} and not reply.steps
    if action.steps:
        return final.phase is Phase.STIMULUS and (
            fields == {"variables"} and len(reply.steps) == len(action.steps)
        )
    if action.program:
        return final.phase is Phase.STIMULUS and fields <= {"raised"}
    if arguments is not None and final.phase is not Phase.ARGUMENTS:
        if not len(final.before or ()) == len(final.after or ()) == arguments:
            return False
        if not {"before", "after"} <= fields:
            return False
        fields -= {"before", "after"}
    outcome = {"value", "raised"} if final.phase is Phase.STIMULUS else {"raised"}
    return final.phase is not None and len(fields) == 1 and fields <= outcome
