"""Exports a run as JUnit XML, for tools that read test results.

Only for lecturers, because it names hidden scenarios.
"""

import re
from xml.etree import ElementTree

from harness.common.words import rounded
from harness.model.plan import Plan, Scenario
from harness.model.result import RunResult, ScenarioResult, SubmissionResult
from harness.model.verdict import VerdictKind
from harness.reporting.export.exporter import text_exporter
from harness.reporting.view import words

# XML 1.0 does not allow these characters, not even escaped.
_FORBIDDEN = re.compile(r"[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def junit_xml(run: RunResult, plan: Plan) -> str:
    """Return a test suite for each submission with a test case for each scenario.

    Scenarios during which the harness failed are errors. Failed informational scenarios and
    submissions without a mark are skipped.
    """
    root = ElementTree.Element("testsuites", name=_clean(run.facts.assignment))
    scenarios = {scenario.id: scenario for scenario in plan.scenarios}
    for result in run.submissions:
        root.append(_suite(result, scenarios))
    for name in ("tests", "failures", "errors"):
        total = 0
        for suite in root:
            total += int(suite.get(name, "0"))
        root.set(name, str(total))
    ElementTree.indent(root, " ")
    text = ElementTree.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="utf-8"?>\n{text}\n'


def _suite(result: SubmissionResult, scenarios: dict[str, Scenario]) -> ElementTree.Element:
    suite = ElementTree.Element("testsuite", name=_clean(result.id))
    properties = ElementTree.SubElement(suite, "properties")
    facts = {"status": result.status.value}
    if result.mark is not None:
        facts |= {"mark": rounded(result.mark), "out_of": rounded(result.out_of)}
    for name, value in facts.items():
        ElementTree.SubElement(properties, "property", name=name, value=_clean(value))
    for outcome in result.scenarios:
        scenario = scenarios.get(outcome.scenario_id)
        if scenario is not None:
            suite.append(_case(outcome, scenario))
    if not result.scenarios:
        suite.append(_not_run(result))
    suite.set("failures", str(len(suite.findall("testcase/failure"))))
    suite.set("errors", str(len(suite.findall("testcase/error"))))
    suite.set("skipped", str(len(suite.findall("testcase/skipped"))))
    suite.set("tests", str(len(suite.findall("testcase"))))
    return suite


def _not_run(result: SubmissionResult) -> ElementTree.Element:
    """Return the single test case of a submission without results. It says why there are none."""
    why = result.problem or "; ".join(result.notes) or words.STATUS[result.status]
    case = ElementTree.Element("testcase", name=result.status.value)
    ElementTree.SubElement(case, "skipped", message=_clean(why))
    return case


def _case(outcome: ScenarioResult, scenario: Scenario) -> ElementTree.Element:
    names = {"classname": _clean(scenario.function), "name": _clean(scenario.id)}
    case = ElementTree.Element("testcase", names)
    verdict = outcome.verdict
    if verdict.passed:
        return case
    message = verdict.message or words.VERDICT[verdict.kind]
    tag = "failure"
    if verdict.kind is VerdictKind.HARNESS_ERROR:
        tag = "error"
    elif scenario.informational:
        tag = "skipped"
        message = f"informational: {message}"
    ElementTree.SubElement(case, tag, type=verdict.kind.value, message=_clean(message))
    return case


def _clean(text: str) -> str:
    return _FORBIDDEN.sub("\ufffd", text)


EXPORTER = text_exporter(
    "junit",
    "test results as JUnit XML, hidden scenarios included",
    junit_xml,
    may_be_anonymous=True,
)
