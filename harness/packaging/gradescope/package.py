"""`autograder.zip`: an assignment and the harness itself, for Gradescope's base image."""

from __future__ import annotations

from dataclasses import replace
from importlib import resources
from importlib.resources.abc import Traversable

import harness
from harness.common import serial
from harness.common.files import files_below, zipped
from harness.grading.context import with_called_functions
from harness.model.plan import Specification, Visibility
from harness.packaging.gradescope.results import (
    FALLBACK,
    PLATFORM_SECONDS,
    SETTINGS,
    SPECIFICATION,
    PackageSettings,
    fallback_json,
)

# Of the platform's time: what is left after the first is for a scenario that has begun, after the
# second for writing the results, on half a processor.
_STOP_AFTER, _END_AFTER = 0.7, 0.85
_PROGRAMS = ("setup.sh", "run_autograder")


def gradescope_zip(
    specification: Specification,
    *,
    hidden: Visibility = Visibility.AFTER_PUBLISHED,
    platform_seconds: float = PLATFORM_SECONDS,
) -> bytes:
    """The package's bytes, the same for the same inputs. `hidden` is what the platform does with
    the scenarios that students may not see; `platform_seconds` the time that it gives a run."""
    specification = with_called_functions(specification)
    assignment = specification.plan.assignment
    settings = PackageSettings(
        assignment=assignment.id,
        python=assignment.python,
        hidden=hidden,
        stop_after=_STOP_AFTER * platform_seconds,
        end_after=_END_AFTER * platform_seconds,
        harness=harness.__version__,
    )
    own = resources.files("harness.packaging.gradescope").joinpath("files")
    # The harness runs from this tree: nothing has to be built.
    files = dict(files_below(resources.files("harness"), "harness", _is_packed))
    files |= {name: own.joinpath(name).read_bytes() for name in (*_PROGRAMS, "requirements.txt")}
    files |= {
        "python-version": f"{assignment.python}\n".encode(),
        SETTINGS: serial.dumps(settings).encode(),
        SPECIFICATION: serial.dumps(_needed(specification)).encode(),
        FALLBACK: fallback_json().encode(),
    }
    return zipped(files, _PROGRAMS)


def _needed(specification: Specification) -> Specification:
    """What the run needs of a specification: the plan and the reference, and no student's name."""
    plan = specification.plan
    unnamed = replace(plan, assignment=replace(plan.assignment, exemptions=()))
    return replace(specification, plan=unnamed, mutants=(), transcripts=(), folder="")


_NOT_PACKED = ("__pycache__", "shipped")  # the latter: whole assignments, references among them


def _is_packed(entry: Traversable) -> bool:
    return entry.name not in _NOT_PACKED if entry.is_dir() else not entry.name.startswith(".")
