"""What a program that shares its process finds instead of Python's modules; what keeps something
there is seen, or gains nothing.
"""

import math
import random
import re
import string
import sys
import types
import typing
from collections.abc import Iterator
from types import ModuleType
from typing import Any, NoReturn

import pytest

from harness.execution import Driver, SharedOutcome, decoded, has_one_form
from harness.execution.inside.shared.facades import Facades
from harness.policy.checking import check_sharing
from tests.execution.small_world import ROOMY, assignment, call, run, source
from tests.shared_corpus import CALLS, ENDS_LATE, NOTHING, SEEN, SURROUNDINGS, passes_names

NAMES = ("math", "random", "string", "typing", "__future__")


class UnavailableError(Exception):
    pass


class StoredError(Exception):
    pass


def unavailable(name: str) -> NoReturn:
    raise UnavailableError(name)


def stored(name: str, attribute: str) -> NoReturn:
    raise StoredError(f"{name}.{attribute}")


@pytest.fixture
def facades(monkeypatch: pytest.MonkeyPatch) -> Iterator[Facades]:
    monkeypatch.setattr(sys, "modules", dict(sys.modules))
    monkeypatch.setattr(sys, "meta_path", list(sys.meta_path))
    made = Facades()
    made.report_to(unavailable, stored)
    yield made


def installed(facades: Facades) -> dict[str, ModuleType]:
    facades.install()
    assert all(sys.modules[module.__name__] is module for module in facades.modules)
    return {module.__name__: module for module in facades.modules}


def listed(module: ModuleType) -> dict[str, object]:
    return {name: getattr(module, name) for name in module.__all__}


def test_facades_have_no_modules_classes_or_underscore_names(facades: Facades) -> None:
    modules = installed(facades)
    assert set(modules) == set(NAMES)
    for module in modules.values():
        assert vars(module) == {"__name__": module.__name__}
        for name, value in listed(module).items():
            assert not name.startswith("_")
            assert not isinstance(value, types.ModuleType | type)
        assert not any(hasattr(module, name) for name in ("__loader__", "__spec__", "__file__"))


def test_the_facades_have_pythons_own_public_names(facades: Facades) -> None:
    modules = installed(facades)
    public = {name: value for name, value in vars(math).items() if name[0] != "_"}
    assert listed(modules["math"]) == public
    real = {name: value for name, value in vars(string).items() if type(value) is str}
    constants = {name: value for name, value in real.items() if name[0] != "_"}
    assert listed(modules["string"]) == constants
    for name, value in listed(modules["random"]).items():
        assert value == getattr(random, name)
    for name in listed(modules["typing"]):
        assert name == "Self" or hasattr(typing, name)


def test_it_is_imported_as_a_module_is(facades: Facades) -> None:
    installed(facades)
    space: dict[str, object] = {}
    exec("from math import *\nfrom random import randint\nimport typing\nx = typing.List", space)
    assert space["sqrt"] is math.sqrt
    assert space["randint"] == random.randint


@pytest.mark.parametrize(
    "name",
    ["Formatter", "Template", "Random", "SystemRandom", "NewType", "TypeVar", "NamedTuple", "sys",
     "_os", "_inst", "getstate", "get_type_hints", "Protocol"],
)  # fmt: skip
def test_facades_lack_dangerous_names(facades: Facades, name: str) -> None:
    assert not any(hasattr(module, name) for module in installed(facades).values())


def test_nothing_has_room_for_an_attribute(facades: Facades) -> None:
    for value in (*facades.modules, *facades.values):
        with pytest.raises((AttributeError, TypeError, StoredError)):
            value.kept = 1  # type: ignore[attr-defined]


def test_annotations_are_made_of_it(facades: Facades) -> None:
    forms = listed(installed(facades)["typing"])
    optional: Any = forms["Optional"]
    rows: Any = forms["List"]
    assert optional[rows[int]] is optional
    assert rows[str] | None is rows
    assert None | rows is rows


def test_who_stores_something_in_one_is_reported(facades: Facades) -> None:
    module = installed(facades)["math"]
    for name in ("kept", "sqrt"):
        with pytest.raises(StoredError, match=f"math.{name}"):
            setattr(module, name, 1)
    with pytest.raises(StoredError, match=r"math\.sqrt"):
        del module.sqrt  # type: ignore[attr-defined]
    assert module.sqrt is math.sqrt  # type: ignore[attr-defined]


def test_the_hidden_generator_is_seeded(facades: Facades) -> None:
    module = installed(facades)["random"]
    facades.seed(7)
    drawn = module.random()
    assert drawn == random.Random(7).random()
    assert facades.draw() != drawn
    facades.seed(7)
    assert facades.draw() == drawn


def test_modules_that_are_not_loaded_cannot_be_imported(facades: Facades) -> None:
    with pytest.raises(UnavailableError, match="colorsys"):
        sys.meta_path[0].find_spec("colorsys", None)


def test_modules_that_the_program_does_not_name_have_no_facade(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sys, "modules", {"math": math})
    monkeypatch.setattr(sys, "meta_path", [])
    facades = Facades()
    facades.report_to(unavailable, stored)
    assert set(installed(facades)) == set(NAMES) - {"random"}
    facades.seed(7)
    assert facades.draw() == 0.0


def together(driver: Driver, name: str, program: str) -> tuple[SharedOutcome, list[bool]]:
    """The same three times in one process, and of each that is seen whether it is what is done
    alone."""
    expression = CALLS.get(name, "f()")
    answer = check_sharing([source(program)], [source("", "support.py")])
    assert passes_names(answer), answer.reason
    stimulus = run("a line") if expression == "run" else call(expression, "a line")
    with driver.submission(assignment(), (source(program),)) as server:
        (group,) = server.group(dict.fromkeys(range(3), (stimulus, ROOMY)))
        outcome = server.observe_together(group, sorted(group.jobs))
        alone = server.observe(stimulus, ROOMY)
        arguments = group.jobs[0].arguments
        seen = [decoded(d, stimulus, ROOMY, arguments=arguments) for d in outcome.answers.values()]
        return outcome, [has_one_form(alone, stimulus) and each == alone for each in seen]


@pytest.mark.parametrize("name", SEEN)
def test_seen(one_driver: Driver, name: str) -> None:
    program, reason = SEEN[name]
    if re.fullmatch(r"`\w+`, an? \w+", reason):
        reason += " at module level, was changed"
    outcome, _ = together(one_driver, name, program)
    assert outcome.refused == reason.removesuffix(" was changed")
    assert (outcome.changed_by is not None) == reason.endswith(" was changed")
    assert outcome.answers == {}


@pytest.mark.parametrize("name", NOTHING)
def test_programs_that_keep_nothing_share_a_process(one_driver: Driver, name: str) -> None:
    outcome, as_alone = together(one_driver, name, NOTHING[name])
    assert outcome.refused == ""
    assert as_alone == [True] * 3


@pytest.mark.parametrize("name", SURROUNDINGS)
def test_surroundings_give_nothing_away(one_driver: Driver, name: str) -> None:
    outcome, _ = together(one_driver, name, SURROUNDINGS[name])
    assert outcome.refused == ""


def test_too_deep_to_ask_ends_the_process(one_driver: Driver) -> None:
    name = "how deep it may recurse before it asks"
    outcome, _ = together(one_driver, name, SURROUNDINGS[name])
    assert outcome.refused == ""
    assert outcome.answers == {}


@pytest.mark.parametrize("name", ENDS_LATE)
def test_a_function_that_ends_late_is_observed_in_its_own_process(
    one_driver: Driver, name: str
) -> None:
    outcome, _ = together(one_driver, name, ENDS_LATE[name])
    assert outcome.refused == ""
    assert outcome.gave_up
    assert outcome.answers == {}
