"""No internal path is in any text that a student gets, whatever a program shows of its
surroundings: each function below meets several of Python's own messages and objects."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from harness.assignment.loading import CACHE, load
from harness.common import serial
from harness.execution import AnyDriver, Driver, find_interpreter
from harness.execution.piped import PipedDriver
from harness.grading.check import submitted
from harness.grading.context import GradingContext, prepare
from harness.grading.faults import not_judged
from harness.grading.grader import Grader
from harness.grading.observing.setup import GraderSetup
from harness.model.explanation.sentences import text_of
from harness.model.observation import Tier
from harness.model.result import SubmissionResult
from harness.reporting.holding import hold_back
from tests.packaging.test_hidden_from_students import outputs
from tests.per_commit import per_commit
from tests.results import small_run
from tests.tiny_course import Course

BODIES = {
    "imported": "from typing import none_such",
    "opened": "open(os.path.join(os.getcwd(), 'none.txt'))",
    "named": "return [typing, json.__file__, inspect.getsourcefile(json), repr(json.__spec__)]",
    "raised": "raise ValueError(typing)",
    "asserted": "assert False, json",
    "key": "return {}[typing.__file__]",
    "path": "return [sys.path, sys.argv, repr(sys.path_importer_cache)]",
    "cwd": "return os.getcwd()",
    "temporary": "return tempfile.mkdtemp()",
    "inspected": "print(*[frame.filename for frame in inspect.stack()], sep='\\n')",
    "traced": "traceback.print_stack()\n    traceback.print_exc()",
    "caught": "try:\n        json.loads('{')\n    except ValueError:\n"
    "        traceback.print_exc()",
    "formatted": "try:\n        json.loads('{')\n    except ValueError:\n"
    "        return traceback.format_exc()",
    "dumped": "faulthandler.dump_traceback(sys.stdout)",
    "warned": "warnings.simplefilter('always')\n    warnings.warn('old', stacklevel=3)",
    "compiled": "compile('x = (', __file__, 'exec')",
    "left": "sys.exit(repr(typing) + os.getcwd())",
    "framed": "return repr(sys._getframe(1))",
    "logged": "logging.warning('%s', logging)",
}
IMPORTS = (
    "import faulthandler, inspect, json, logging, os, sys, tempfile, traceback, typing, warnings\n"
)
MAIN = 'if __name__ == "__main__":\n    print(typing)\n    from json import none_such\n'
# Our own folders and files, and those of Python; `/tmp` may be a program's own.
INTERNAL = re.compile(
    r"/proc/(?:self|[0-9]+)/fd|harness-scenario-|harness-unlocked-"
    r"|inside/\w+[./]|harness/\w+/|lib/python3"
)


@pytest.fixture(scope="module")
def graded_in(tmp_path_factory: pytest.TempPathFactory) -> GradingContext:
    functions = "".join(f"def {name}():\n    return 1\n\n\n" for name in BODIES)
    scenarios = "".join(
        f"  - {{name: {name}, function: {name}, call: {name}()}}\n" for name in BODIES
    )
    whole = "  - {name: whole, function: main, run: a1.py}\n"
    course = Course.small(
        tmp_path_factory.mktemp("paths"),
        "paths",
        f'{functions}def main():\n    pass\n\n\nif __name__ == "__main__":\n    print(1)\n',
        f"visible: true\nscenarios:\n{scenarios}{whole}",
        "functionality_marks: 1\n",
    )
    return prepare(load(course.root, "paths"), cache=course.root / CACHE)


@pytest.fixture
def wrong(tmp_path: Path) -> Path:
    functions = "".join(f"def {name}():\n    {body}\n\n\n" for name, body in BODIES.items())
    path = tmp_path / "a1.py"
    path.write_text(f"{IMPORTS}\n\n{functions}def main():\n    pass\n\n\n{MAIN}", "utf-8")
    return path


def driver(name: str) -> AnyDriver:
    python = find_interpreter("3.12")
    return PipedDriver(python) if name == "pipes" else Driver(python, Tier(name))


def graded(context: GradingContext, name: str, path: Path) -> SubmissionResult:
    setup = GraderSetup(plan=context.specification.plan, key=context.key)
    submission, *_ = submitted([path], context.specification.plan.assignment)
    with driver(name) as own, Grader(setup, own) as grader:
        return grader.grade(submission).result


def failed_on(result: SubmissionResult) -> Iterator[SubmissionResult]:
    """Yield a submission that our own code failed on, and one of which it could judge nothing."""
    yield hold_back(result, "the page", _failure_of_ours())
    verdict = not_judged(_failure_of_ours())
    assert verdict.explanation is not None
    entries = [replace(entry, verdict=verdict) for entry in result.scenarios]
    yield replace(result, scenarios=tuple(entries), problem=text_of(verdict.explanation))


def _failure_of_ours() -> Exception:
    try:
        find_interpreter(None)  # type: ignore[arg-type]
    except Exception as error:
        return error
    raise AssertionError


def internal(texts: Iterable[str]) -> set[str]:
    return {found[0] for text in texts for found in INTERNAL.finditer(text)}


@pytest.mark.parametrize(
    "name", per_commit(["strong", "standard", "portable", "pipes"], "standard")
)
def test_no_internal_path_reaches_a_student(
    graded_in: GradingContext, wrong: Path, name: str, strong_here: bool
) -> None:
    if name == "strong" and not strong_here:
        pytest.skip("there is no strong tier here")
    result = graded(graded_in, name, wrong)
    assert not any(entry.verdict.passed for entry in result.scenarios)
    texts = list(outputs(result, graded_in.specification.plan))
    assert internal(texts) == set()
    assert any("json" in text and "typing.py" in text for text in texts)  # it does look


def test_where_our_own_code_failed_is_for_the_lecturer_only() -> None:
    for result in failed_on(small_run.result("ada")):
        assert "harness/" in serial.dumps(result)
        texts = list(outputs(result))
        assert internal(texts) == set()
        assert any("A person will look at it" in text for text in texts)
