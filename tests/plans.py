"""The smallest assignment, scenario, plan, key, finding and facts of a run; a test states what
differs from them.
"""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from harness.model.assignment import Assignment, ProvidedVariant
from harness.model.expectation import KEY_VERSION, Answer, AnswerKey, Expected, ScenarioAnswers
from harness.model.observation import Observation, Tier
from harness.model.plan import PLAN_VERSION, Place, Plan, Scenario, Visibility
from harness.model.policy import Consequence, Finding, Severity
from harness.model.result import RunFacts
from harness.model.stimulus import Limits, Stimulus
from harness.stimuli.call import Call


def assignment(**changes: Any) -> Assignment:
    """One file a1.py, nothing provided, six marks."""
    fields: dict[str, Any] = {
        "id": "small",
        "title": "Small",
        "course": "C1",
        "python": "3.12",
        "submission_files": ("a1.py",),
        "laid_as": None,
        "functionality_marks": Fraction(6),
        "limits": Limits(),
        "policy": None,
        "clauses": (),
        "functions": (),
        "variants": (ProvidedVariant(constants=(), files=()),),
    }
    return Assignment(**fields | changes)


def scenario(id: str, **changes: Any) -> Scenario:
    """A hidden call of `f()`, in a group of its own; `id` is like `f/name`."""
    function, _, name = id.partition("/")
    fields: dict[str, Any] = {
        "id": id,
        "group": id,
        "name": name,
        "function": function,
        "clauses": ("4.1",),
        "visibility": Visibility.HIDDEN,
        "points": Fraction(1),
        "limits": Limits(),
        "stimuli": (Stimulus(action=Call(expression="f()")),),
        "stated": Expected(),
        "place": Place(file="f.yaml", line=1, column=1),
    }
    return Scenario(**fields | changes)


def plan(*scenarios: Scenario, **changes: Any) -> Plan:
    """The smallest assignment with these scenarios."""
    fields: dict[str, Any] = {
        "version": PLAN_VERSION,
        "assignment": assignment(),
        "scenarios": scenarios,
        "spec_digest": "5" * 64,
        "reference_digest": "e" * 64,
    }
    return Plan(**fields | changes)


def key(answers: Mapping[str, Observation], **changes: Any) -> AnswerKey:
    """What the reference did in each scenario, by the scenario's id."""
    fields: dict[str, Any] = {
        "version": KEY_VERSION,
        "spec_digest": "",
        "reference_digest": "",
        "made_with": "",
        "scenarios": tuple(
            ScenarioAnswers(scenario_id=name, answers=(Answer(observation=observation),))
            for name, observation in answers.items()
        ),
    }
    return AnswerKey(**fields | changes)


def finding(**changes: Any) -> Finding:
    """An import that is outside the policy, for a person to look at."""
    fields: dict[str, Any] = {
        "rule": "import",
        "clause": "2",
        "file": "a1.py",
        "line": 3,
        "column": 1,
        "source": "import random",
        "message": "`import random` was added",
        "consequence": Consequence(severity=Severity.REVIEW),
    }
    return Finding(**fields | changes)


def facts(**changes: Any) -> RunFacts:
    """A run that has begun."""
    fields: dict[str, Any] = {
        "assignment": "small",
        "started": "2026-01-02T03:04:05+00:00",
        "finished": "",
        "complete": False,
        "harness": "0.1.0",
        "python": "3.12.1",
        "python_wanted": "3.12",
        "interpreter": "/usr/bin/python3.12",
        "tier": Tier.STANDARD,
        "probes": (),
        "limits": Limits(),
        "spec_digest": "5" * 64,
        "reference_digest": "e" * 64,
        "input_mechanism": "seccomp",
        "not_prevented": "",
    }
    return RunFacts(**fields | changes)
