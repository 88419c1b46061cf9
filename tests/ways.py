"""The way of a fact: every type of ours that holds a planted text in a real run, from its source to
the page.

A type holds a text when a field or attribute does, by itself or in lists, tuples and dictionaries:
of a frozen dataclass right after it was made, of other classes whenever one of their methods
returns. What runs in the submission's own process is not looked at.
"""

import dataclasses
import importlib
import inspect
import pkgutil
import re
import sys
import threading
from collections.abc import Callable, Iterable, Mapping, Set
from contextlib import AbstractContextManager, ExitStack
from enum import Enum
from functools import wraps
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pydantic

import harness
from harness.assignment.loading import load
from harness.grading.batch import BatchOptions, grade_batch
from harness.grading.check import cohort_of
from harness.grading.context import prepare
from harness.intake.terms import ClassOptions
from harness.reporting.writing import write_reports
from tests.downloads import HandIn, moodle, program, zipped_class
from tests.inline import InlineEngine
from tests.tiny_course import SMALL, Course

DOCUMENT = Path(__file__).parents[1] / "docs" / "architecture.md"
PLANT = "pLaNtEd-7c1e"
_HALVES = f'"{PLANT[:6]}" + "{PLANT[6:]}"'  # the program's text does not hold it
# What another process runs, and roads that these facts do not take.
_ELSEWHERE = re.compile(
    r"harness\.(execution\.inside|packaging|study|cli|pytest_plugin|grading\.engines\.dask)\b"
)
_DEEPEST = 6


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """A fact: its title in the document, a scenario, and the program that is handed in. `texts`
    are looked for."""

    title: str
    scenario: str
    program: str
    most: int  # types that may hold it: a further one must take the place of another
    texts: tuple[str, ...] = (PLANT,)


WAYS = (
    Way(
        title="An expected value, from YAML to the page",
        most=9,
        scenario=f"call: word()\n    returns: {PLANT}\n",
        program='def word():\n    return "other"\n',
    ),
    Way(
        title="A submission's file, from an LMS's zip to the mark",
        most=10,
        scenario="call: word()\n    returns: other\n",
        program=f'def word():\n    return "other"  # {PLANT}\n',
        texts=(PLANT, "_4711_assignsubmission_file_"),  # its bytes, or where it lies
    ),
    Way(
        title="A byte that a program prints, to the difference on the page",
        most=7,
        scenario='call: word()\n    prints: "other\\n"\n',
        program=f"def word():\n    print({_HALVES})\n",
    ),
)


def _is_frozen(kind: type) -> bool:
    """Whether it is a dataclass that holds nothing later than it is made with."""
    parameters = getattr(kind, "__dataclass_params__", None)
    return parameters is not None and bool(parameters.frozen)


def traced(way: Way, folder: Path) -> tuple[str, ...]:
    """The types, as `module:Type` below `harness`, in the order in which they first held it."""
    recorder = _Recorder(way.texts)
    data = [kind for kind in _types() if _is_frozen(kind)]
    others = frozenset(_types()) - frozenset(data)
    with ExitStack() as stack:
        for kind in data:
            stack.enter_context(patch.object(kind, "__init__", recorder.initialiser(kind)))
        stack.enter_context(recorder.of_models())
        profile = recorder.profile(others)
        stack.callback(sys.setprofile, sys.getprofile())
        stack.callback(threading.setprofile, None)
        threading.setprofile(profile)
        sys.setprofile(profile)
        _graded(way, folder)
    return tuple(recorder.types)


def listed(title: str) -> tuple[str, ...]:
    """What the document lists under this title."""
    section = DOCUMENT.read_text(encoding="utf-8").partition(f"### {title}\n")[2]
    return tuple(section.partition("```\n")[2].partition("```")[0].split())


def _graded(way: Way, folder: Path) -> None:
    """Grade a class of one, from its download to the report, the worker's side in this process."""
    scenario = f"function: word\nscenarios:\n  - name: it\n    visible: true\n    {way.scenario}"
    settings = SMALL + "functionality_marks: 6\n"
    Course.lay(folder, {"specs/toy/assignment.yaml": settings, "specs/toy/word.yaml": scenario})
    handed = HandIn(id="4711", name="Ada", files=program(way.program))
    download = zipped_class(moodle([handed]), folder / "class.zip")
    specification = load(folder, "toy")
    context = prepare(specification)
    cohort = cohort_of([download], specification.plan.assignment, ClassOptions())
    options = BatchOptions(out=folder / "report", engine=InlineEngine(), cohort=cohort.facts)
    run = grade_batch(context, cohort.submissions, options, lambda event: None)
    assert [result.id for result in run.submissions] == ["4711"]
    write_reports(run, specification.plan, options.out)


def _types() -> list[type]:
    """The classes of ours that make objects by an `__init__` of their own."""
    found: dict[type, None] = {}
    for info in pkgutil.walk_packages(harness.__path__, "harness."):
        if _ELSEWHERE.match(info.name) is None:
            module = importlib.import_module(info.name)
            found |= dict.fromkeys(
                each
                for each in vars(module).values()
                if isinstance(each, type) and each.__module__ == info.name
            )
    return [
        kind
        for kind in found
        if inspect.isfunction(vars(kind).get("__init__"))
        and not issubclass(kind, (Enum, BaseException, pydantic.BaseModel))
    ]


class _Recorder:
    """The names of the types that held one of the texts, in order."""

    def __init__(self, texts: tuple[str, ...]) -> None:
        self.types: dict[str, None] = {}
        self._texts = texts
        self._bytes = tuple(text.encode() for text in texts)

    def initialiser(self, kind: type) -> Callable[..., None]:
        """The `__init__` of a dataclass, and a look at what it made."""
        initialise: Callable[..., None] = vars(kind)["__init__"]

        @wraps(initialise)
        def watched(thing: Any, *arguments: Any, **named: Any) -> None:
            initialise(thing, *arguments, **named)
            if type(thing) is kind:
                self._look(thing)

        return watched

    def profile(self, kinds: frozenset[type]) -> Callable[[Any, str, object], None]:
        """What looks at objects of these types whenever one of their methods returns."""

        def look(frame: Any, event: str, argument: object) -> None:
            thing = frame.f_locals.get("self") if event == "return" else None
            if type(thing) in kinds and _name(type(thing)) not in self.types:
                self._look(thing)

        return look

    def of_models(self) -> AbstractContextManager[object]:
        """Models of pydantic inside others are made without a call of theirs: the outermost is
        gone through."""
        validate = pydantic.BaseModel.model_validate.__func__  # type: ignore[attr-defined]

        def watched(kind: type, *arguments: Any, **named: Any) -> Any:
            model = validate(kind, *arguments, **named)
            self._holds(model)
            return model

        return patch.object(pydantic.BaseModel, "model_validate", classmethod(watched))

    def _look(self, thing: object) -> None:
        if self._holds(_attributes(thing)):
            self.types.setdefault(_name(type(thing)))

    def _holds(self, value: object, depth: int = 0) -> bool:
        """Whether it is or contains a text, objects of ours left out."""
        if isinstance(value, str):
            return any(text in value for text in self._texts)
        if isinstance(value, bytes | bytearray):
            return any(text in value for text in self._bytes)
        parts: Iterable[object] = ()
        if depth > _DEEPEST:
            return False
        if isinstance(value, pydantic.BaseModel):
            parts = vars(value).values()
        elif isinstance(value, Mapping):
            parts = (*value.keys(), *value.values())
        elif isinstance(value, list | tuple | Set):
            parts = tuple(value)
        holds = True in [self._holds(part, depth + 1) for part in parts]  # all: models are recorded
        if holds and isinstance(value, pydantic.BaseModel):
            self.types.setdefault(_name(type(value)))
            return False
        return holds


def _attributes(thing: object) -> dict[str, object]:
    slots = {name for kind in type(thing).__mro__ for name in getattr(kind, "__slots__", ())}
    values = {name: getattr(thing, name) for name in slots if hasattr(thing, name)}
    return {**values, **getattr(thing, "__dict__", {})}


def _name(kind: type) -> str:
    return f"{kind.__module__.removeprefix('harness.')}:{kind.__name__}"


def write(title: str, types: tuple[str, ...]) -> None:
    """Put the list into the document, under this title."""
    before, heading, rest = DOCUMENT.read_text(encoding="utf-8").partition(f"### {title}\n")
    start, _, rest = rest.partition("```\n")
    lines = "".join(f"{each}\n" for each in types)
    text = f"{before}{heading}{start}```\n{lines}```{rest.partition('```')[2]}"
    DOCUMENT.write_text(text, encoding="utf-8")
