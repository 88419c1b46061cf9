"""Changes of a reference, and which of them a small course's scenarios notice; draws and games on
which submissions are compared with the reference: rare faults that scenarios miss among them."""

import json
import os
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
import yaml

from harness.assignment.compile import compile_assignment
from harness.assignment.loading import load
from harness.common.errors import UserError
from harness.common.words import percent
from harness.grading.check import check_submissions, cohort_of
from harness.grading.context import GradingContext, prepare
from harness.grading.engines import FailureJob
from harness.grading.engines.local import search_failures
from harness.model.assignment import SourceFile
from harness.model.observation import Ending, Observation, Turn
from harness.model.result import SubmissionResult
from harness.model.stimulus import Stimulus
from harness.model.study import (
    ChangeOutcome,
    ClauseStrength,
    Equivalent,
    FunctionStrength,
    FuzzSettings,
    FuzzTarget,
    PairOutcome,
)
from harness.study.fuzz import worker as fuzz_worker
from harness.study.fuzz.drawing import CourseCode, Drawer, batch_seed, play_games, shorten_game
from harness.study.fuzz.searching import fuzz, not_fuzzed
from harness.study.fuzz.worker import Comparer
from harness.study.strength import OUTSIDE, ReferenceChange, changes, combine, pairs, report
from tests.inline import handed_in
from tests.marking.test_marks import plan, scenario
from tests.study.rare_faults import FAULTS, ROOT, RareFault
from tests.tiny_course import Course

STRATEGIES = """
from hypothesis import strategies as st
def baskets():
    amounts = st.lists(st.integers(0, 20), max_size=9)
    return st.fixed_dictionaries({"basket": amounts})
def filtered():
    return baskets().filter(lambda draw: False)
def no_literals():
    return st.just({"basket": range(3)})
TURNS = []
def of_its_own():
    TURNS.append(0)
    return st.builds(lambda n: {"basket": [n, TURNS.append(0) or len(TURNS)]}, st.integers())
def broken():
    raise ZeroDivisionError("no baskets today")
def no_strategy():
    return [{"basket": []}]
def is_small(basket):
    return sum(basket) < 200
def amounts(LIMIT):
    return [str(n) for n in range(1, LIMIT + 1)]
"""
FUZZ = """
fuzz:
  assume: fuzzing.is_small
  samples:
    - name: baskets
      function: total
      clause: "4.total"
      call: total(basket)
      strategy: fuzzing.STRATEGY
  games:
    - name: tills
      function: main
      clause: "5.game"
      run: a1.py
      inputs: 12
      answers:
        "{{ PROMPT }}": {often: fuzzing.amounts, sometimes: [x, 0, 77], closing: [q]}
"""
RIGHT = Path(__file__).parent.parent / "fixtures/course/reference/tiny/a1.py"


def with_fuzz(course: Course, strategy: str = "baskets") -> tuple[FuzzSettings, FuzzTarget]:
    course.write("specs/tiny/fuzzing.py", STRATEGIES)
    path = course.path("specs/tiny/assignment.yaml")
    path.write_text(path.read_text() + FUZZ.replace("STRATEGY", strategy))
    settings = compile_assignment(course.root, "tiny").fuzzing
    return settings, next(each for each in settings.targets if each.id == "baskets")


def drawer(course: Course, strategy: str) -> Drawer:
    settings, target = with_fuzz(course, strategy)
    return Drawer(target, settings, CourseCode(settings.folder))


def context_of(course: Course) -> GradingContext:
    return prepare(load(course.root, "tiny"), cache=course.path(".harness-cache"), recall_tier=True)


def checked(context: GradingContext, path: Path) -> SubmissionResult:
    assignment = context.specification.plan.assignment
    (result,) = check_submissions(context, cohort_of([path], assignment).submissions)
    return result


@pytest.fixture
def tills(course: Course) -> FuzzTarget:
    settings, _ = with_fuzz(course)
    return next(each for each in settings.targets if each.id == "tills")


def test_draws_are_the_same_for_a_seed_and_settled(course: Course) -> None:
    made = drawer(course, "baskets")
    seed = batch_seed(0, "baskets", 0)
    draws = made.batch(seed, 60, twice=True)
    assert draws == made.batch(seed, 60)
    assert len(set(draws)) == len(draws) > 30
    assert draws != made.batch(batch_seed(1, "baskets", 0), 60)
    values = [json.loads(binding.literal) for (binding,) in draws]
    assert all(sum(value) < 200 for value in values)


def test_a_draw_is_shrunk_while_it_differs(course: Course) -> None:
    made = drawer(course, "baskets")
    seed = batch_seed(0, "baskets", 0)

    def differs(draw: tuple[object, ...]) -> bool:
        return len(json.loads(draw[0].literal)) > 3  # type: ignore[attr-defined]

    first = next(draw for draw in made.batch(seed, 60) if differs(draw))
    (smallest,) = made.shrunk(seed, 60, first, differs)
    assert smallest.literal == "[0, 0, 0, 0]"


@pytest.mark.parametrize(
    ("strategy", "line", "message"),
    [
        ("filtered", 6, "it filters out everything"),
        ("no_literals", 8, "which is not a Python literal"),
        ("of_its_own", 11, "gives different draws when it runs again"),
        ("broken", 14, "failed (ZeroDivisionError: no baskets today)"),
        ("no_strategy", 16, "gave no strategy but list"),
    ],
)
def test_a_bad_strategy_has_a_place(course: Course, strategy: str, line: int, message: str) -> None:
    with pytest.raises(UserError) as caught:
        drawer(course, strategy).batch(1, 30, twice=True)
    assert str(caught.value).startswith(f"specs/tiny/fuzzing.py:{line}: fuzzing.{strategy} ")
    assert message in str(caught.value)


def test_mistakes_in_fuzz_have_their_place(course: Course) -> None:
    with_fuzz(course)
    course.edit("specs/tiny/assignment.yaml", "strategy: fuzzing.baskets", "strategy: fuzzing.none")
    course.edit("specs/tiny/assignment.yaml", "often: fuzzing.amounts", "often: 3")
    outcome = course.run("fuzz", "tiny", RIGHT)
    assert outcome.status == 2
    for place in (
        "assignment.yaml:18:17: fuzz.samples, item 1, strategy",
        "fuzzing.py has no function none",
        "a list of lines or",
    ):
        assert place in outcome.err


def test_games_answer_the_prompt_that_is_shown(tills: FuzzTarget) -> None:
    again = replace(tills.prompts[0], text="Again? ")
    target = replace(tills, id="x", inputs=6, prompts=(*tills.prompts, again))

    def run(stimuli: list[Stimulus]) -> list[Observation]:
        """Asks for amounts, and after each 3 whether to go on; y goes on, q ends."""
        seen = []
        for stimulus in stimuli:
            turns, prompt = [], "Amount: "
            for typed in stimulus.inputs:
                turns.append(Turn(printed=prompt, typed=typed))
                prompt = "Again? " if typed.text == "3" and prompt == "Amount: " else "Amount: "
                if typed.text in ("q", "n"):
                    break
            seen.append(Observation(ending=Ending.ANSWERED, turns=(*turns, Turn(printed=""))))
        return seen

    drawn = [(("1", "3", "2", "3"), ("y", "y"))]
    (game,) = play_games(target, drawn, (("q",), ("n",)), run)
    assert [each.text for each in game.inputs] == ["1", "3", "y", "2", "3", "n"]
    with pytest.raises(UserError, match="the reference asks after 'Amount: '"):
        play_games(replace(target, prompts=(again, again)), drawn, (("q",), ("n",)), run)


def test_a_game_is_as_short_as_can_be(tills: FuzzTarget) -> None:
    lines = [str(number) for number in range(40)]
    game = play_games(tills, [(tuple(lines),)], (("q",),), lambda all_: [
        Observation(ending=Ending.ANSWERED, turns=tuple(
            Turn(printed="Amount: ", typed=typed) for typed in one.inputs[:41]
        )) for one in all_
    ])[0]  # fmt: skip

    def differs(candidate: Stimulus) -> Stimulus | None:
        typed = [each.text for each in candidate.inputs]
        return candidate if "3" in typed and "7" in typed[typed.index("3") :] else None

    assert [each.text for each in shorten_game(game, differs).inputs] == ["3", "7"]


RARE = (
    "    result = 0\n    for amount in basket:\n        result += amount\n    return result\n",
    "    return sum(basket) if len(basket) != 7 else sum(basket) + 1\n",
)


def test_a_difference_is_shown_as_a_scenario_to_paste(course: Course) -> None:
    with_fuzz(course)
    course.write("rare/a1.py", RIGHT.read_text(encoding="utf-8").replace(*RARE))
    before = checked(context_of(course), course.path("rare"))
    assert before.mark == before.out_of
    arguments = ("fuzz", "tiny", "rare", RIGHT, "--inputs", "250")
    outcome = course.run(*arguments, "--jobs", "1", "--json", "found.json")
    assert outcome.status == 1, outcome.err
    assert outcome.out.endswith("1 of 2 submissions differs from the reference; no mark changes\n")
    why = "its scenarios name no strategy for its arguments"
    assert f"\nis_valid: not fuzzed: {why}\nadd: not fuzzed: {why}\n" in outcome.out
    report = json.loads(course.path("found.json").read_text(encoding="utf-8"))
    assert report["not_fuzzed"] == [
        {"function": name, "reason": why} for name in ("is_valid", "add")
    ]
    assert report["complete"]
    found = [each for one in report["submissions"] for each in one["differences"]]
    assert {each["function"] for each in found} == {"total", "main"}
    total, main = sorted(found, key=lambda each: each["function"], reverse=True)
    assert 'call: "total([0, 0, 0, 0, 0, 0, 0])"' in total["scenario"]
    (item,) = yaml.safe_load(main["scenario"])
    assert len(item["input"]) == 7
    assert course.run(*arguments, "--json", "again.json").out == outcome.out
    assert course.path("again.json").read_bytes() == course.path("found.json").read_bytes()
    pasted = "scenarios:\n" + "".join(each["scenario"] for each in found)
    course.write("specs/tiny/pasted.yaml", pasted)
    failed = _failed(checked(context_of(course), course.path("rare")))
    assert len(failed) == 2
    assert all(name.startswith("pasted/") for name in failed)


def test_functions_that_are_not_fuzzed_are_listed_with_the_reason(course: Course) -> None:
    settings, _ = with_fuzz(course)
    reference = course.path("reference/tiny/a1.py")
    more = "\n\ndef helper() -> int:\n    return 1\n\n\ndef unused() -> int:\n    return 2\n"
    more += "\n\ndef own() -> int:\n    return 3\n"
    reference.write_text(reference.read_text(encoding="utf-8") + more, encoding="utf-8")
    course.write(
        "specs/tiny/more.yaml",
        'clause: "4.total"\nscenarios:\n  - {name: a, function: add, call: "add([], helper())"}\n'
        "  - {name: b, function: a1.py, run: a1.py, input: [q]}\n",
    )
    clauses = course.path("specs/tiny/clauses.yaml")
    text = "helper returns 1 and unused 2."
    clause = f'  - {{id: more, section: "9", text: {text}, unsettled: never asked for}}\n'
    clauses.write_text(clauses.read_text(encoding="utf-8") + clause, encoding="utf-8")
    found = not_fuzzed(load(course.root, "tiny").plan, settings)
    assert {each.function: each.reason for each in found} == {
        "is_valid": "its scenarios name no strategy for its arguments",
        "add": "its scenarios name no strategy for its arguments",
        "helper": "no scenario belongs to this function, though some call it",
        "unused": "no scenario calls it",
        "a1.py": "no game under fuzz: states inputs for it",
    }


def test_every_batch_is_compared(course: Course, monkeypatch: pytest.MonkeyPatch) -> None:
    settings, target = with_fuzz(course)
    monkeypatch.setattr(fuzz_worker, "BATCH", 25)
    monkeypatch.setattr(Comparer, "_may_share", lambda *_: False)
    context = context_of(course)
    assignment = context.specification.plan.assignment
    (submission,) = cohort_of([RIGHT], assignment).submissions
    setup = fuzz_worker.Setup(
        settings=settings,
        assignment=assignment,
        reference=context.specification.reference,
        submissions=(submission,),
        interpreter=context.interpreter,
        tier=context.tier.tier,
        seed=0,
    )
    number = settings.targets.index(target)
    with ExitStack() as stack:
        worker = fuzz_worker.Worker(setup, stack)
        for batch in range(4):
            unit = fuzz_worker.Unit(target=number, batch=batch, digests=(submission.digest,))
            done = worker.run(unit)
            assert (done.left_out, done.found) == (0, {})
            assert done.inputs > 10


def test_extra_credit_makes_no_program_with_a_failure_one_with_full_marks(course: Course) -> None:
    with_fuzz(course)
    path = course.path("specs/tiny/total.yaml")
    course.write("specs/tiny/total.yaml", "extra_credit: true\n" + path.read_text("utf-8"))
    course.ok("fuzz", "tiny", "submissions/tiny", "--inputs", "1", "--json", "found.json")
    report = json.loads(course.path("found.json").read_text(encoding="utf-8"))
    assert [each["ids"] for each in report["submissions"]] == [["perfect"]]


CPU_SECONDS = 120  # of one core, for drawing, comparing and shrinking


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_a_rare_fault_is_one_change_of_a_sample(fault: RareFault) -> None:
    for name, text in fault.files().items():
        compile(text, name, "exec")


@pytest.mark.release
@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_it_has_full_marks_and_is_found(fault: RareFault, tmp_path: Path) -> None:
    cache = ROOT / ".harness-cache"
    compilation = compile_assignment(ROOT, fault.assignment)
    context = prepare(compilation.specification, cache=cache, recall_tier=True)
    folder = Course.lay(tmp_path / fault.name, fault.files()).root
    (submission,) = cohort_of([folder], context.specification.plan.assignment).submissions
    (before,) = check_submissions(context, [submission])
    assert before.all_passed
    assert before.mark is not None
    assert before.mark >= before.out_of
    start = sum(os.times()[:4])

    def stop(function: str, done: int, total: int, found: int) -> None:
        if found:
            raise KeyboardInterrupt

    report = fuzz(context, compilation.fuzzing, [submission], jobs=1, cache=tmp_path, progress=stop)
    (found,) = report.submissions
    (difference,) = found.differences
    assert difference.function == (fault.shown_by or fault.function)
    assert sum(os.times()[:4]) - start < CPU_SECONDS
    copy = Course(tmp_path / "course")
    for kind in ("specs", "reference"):
        Course.copy(ROOT / kind / fault.assignment, copy.path(f"{kind}/{fault.assignment}"))
    copy.write(f"specs/{fault.assignment}/pasted.yaml", "scenarios:\n" + difference.scenario)
    context = prepare(load(copy.root, fault.assignment), recall_tier=True, cache=cache)
    (after,) = check_submissions(context, [submission])
    (noticed,) = _failed(after) - _failed(before)  # informational scenarios may fail as before
    assert noticed.startswith("pasted/")


def _failed(result: SubmissionResult) -> set[str]:
    return {each.scenario_id for each in result.scenarios if not each.verdict.passed}


PROGRAM = '''\
"""A module."""
LIMIT: int = 5
class Till:
    def add(self, amount: int | None) -> bool:
        """Whether there is room."""
        return amount < LIMIT
def first(rows):
    for row in rows:
        return True
'''


def changes_of(program: str) -> tuple[ReferenceChange, ...]:
    return changes((SourceFile(name="a1.py", data=program.encode()),))


@pytest.mark.parametrize(
    ("operator", "expected"),
    [
        ("NumberReplacer", [(OUTSIDE, 2, "LIMIT: int = 4"), (OUTSIDE, 2, "LIMIT: int = 6")]),
        ("Lt_GtE", [("Till.add", 6, "return amount >= LIMIT")]),
        ("TrueWithFalse", [("first", 9, "return False")]),
        ("ZeroIteration", [("first", 8, "for row in []:")]),
        ("BinaryOperator", []),
        ("_Is", []),
    ],
)
def test_all_but_annotations_change(operator: str, expected: list[tuple[str, int, str]]) -> None:
    outcomes = [each.outcome for each in changes_of(PROGRAM) if operator in each.outcome.operator]
    assert [(each.function, each.line, each.after) for each in outcomes] == expected


def test_a_change_is_the_whole_file_and_each_text_comes_once() -> None:
    made = changes_of(PROGRAM)
    assert len({each.text for each in made}) == len(made)
    for each in made:
        compile(each.text, "a1.py", "exec")
        assert each.text.decode().count("\n") == PROGRAM.count("\n")


ENTRY = """\
equivalent:
  - file: a1.py
    function: {function}
    find: {find}
    replace: {replace}
    why: {why}
"""


def test_an_exception_of_a_module_is_passed_over() -> None:
    program = "import json\ndef f(text):\n    try:\n        return json.loads(text) + 1\n"
    program += "    except (json.JSONDecodeError, TypeError):\n        return 0\n"
    made = changes_of(program)
    assert b"json.loads(text) - 1" in {change.text.splitlines()[3].strip()[7:] for change in made}


def reason(course: Course, function: str, find: str, replace: str, why: str) -> None:
    text = ENTRY.format(function=function, find=find, replace=replace, why=why)
    course.write("specs/tiny/equivalent.yaml", text)


def test_survivors_reasons_and_what_is_known(course: Course) -> None:
    # Fewer changes in less time: the checks of what is typed are not asked about here.
    before, after = "return int(amount) > 0", "return int(amount) != 0"
    reason(course, "is_valid", before, after, "digits are never below 0")
    outcome = course.ok("strength", "tiny", "--jobs", "2", "--json", "found.json")
    (report,) = json.loads(course.path("found.json").read_text(encoding="utf-8"))
    strengths = {each["function"]: each for each in report["functions"]}
    assert strengths["total"] == {"function": "total", "changes": 3, "noticed": 3, "equivalent": 0}
    assert strengths["is_valid"]["equivalent"] == 1
    left = [one for one in report["outcomes"] if not one["noticed_by"] and not one.get("why")]
    assert "return int(amount) > 1" in [one["after"] for one in left]
    assert "a1.py:13: not noticed in is_valid: NumberReplacer\n" in outcome.out
    assert outcome.out.endswith("; 1 are equivalent\n")
    assert course.run("strength", "tiny", "--json", "again.json").out == outcome.out
    assert course.path("again.json").read_bytes() == course.path("found.json").read_bytes()
    reason(course, "total", "result = 0", "result = 1", "it is said to be so")
    refused = course.run("strength", "tiny")
    assert refused.status == 1
    assert "equivalent.yaml: a1.py, total: `result = 0` as `result = 1`: total/" in refused.out
    assert "notices it" in refused.out


def test_a_reason_must_be_given(course: Course) -> None:
    reason(course, "total", "result = 0", "result = 1", '""')
    line = course.refusal("strength", "tiny")
    assert "equivalent.yaml:6:10: " in line
    assert "expected a reason, got nothing" in line


WITH_TOTAL = "from till import *\n\n\ndef total(basket):\n    {body}\n"


def test_a_changed_program_is_limited_as_any_submission(course: Course) -> None:
    course.edit("specs/tiny/assignment.yaml", "functionality_marks: 6", "functionality_marks: 6\n"
                "limits: {cpu_seconds: 0.2, output_kib: 16}")  # fmt: skip
    context = prepare(load(course.root, "tiny"), cache=course.path("cache"), recall_tier=True)
    bodies = (
        "while True: pass",
        "while True: print('x' * 1000)",
        "import os; return os.fork()",
        "return sum(basket)",
    )
    own = frozenset(s.id for s in context.specification.plan.scenarios if s.function == "total")
    programs = [handed_in(WITH_TOTAL.format(body=body), body) for body in bodies]
    jobs = [FailureJob(submission=program, first=own, most=2) for program in programs]
    found = {job.submission.id: ended for job, ended in search_failures(context, jobs, 1)}
    loops, floods, forks, right = (found[body].scenarios for body in bodies)
    assert len(loops) == 1, "a failure that takes its whole time is the last that is looked for"
    assert set(loops) | set(floods) | set(forks) <= own
    assert floods
    assert forks
    assert right
    assert own.isdisjoint(right), "the other functions are missing"


ORIGINAL = SourceFile(name="a1.py", data=b"one\ntwo\nthree\n")


def outcome(
    function: str, *noticed_by: str, before: str = "b", why: str = "", line: int = 1
) -> ChangeOutcome:
    return ChangeOutcome(
        file="a1.py", function=function, line=line, operator="o", before=before, after="a",
        noticed_by=noticed_by, why=why,
    )  # fmt: skip


def change(line: int, text: bytes, function: str = "f") -> ReferenceChange:
    return ReferenceChange(outcome(function, line=line), text)


@pytest.mark.parametrize(
    ("first", "second", "both"),
    [
        (b"ONE\ntwo\nthree\n", b"one\ntwo\nTHREE\n", b"ONE\ntwo\nTHREE\n"),
        (b"ONE\ntwo\nthree\n", b"Eins\ntwo\nthree\n", None),
        (b"ONE\ntwo\nthree\n", b"one\ntwo\n", None),
    ],
)
def test_two_changes_are_put_together(first: bytes, second: bytes, both: bytes | None) -> None:
    assert combine(ORIGINAL, change(1, first), change(3, second)) == both


def test_pairs_are_of_one_function_and_functions_take_turns() -> None:
    long = [change(line, b"%d" % line) for line in range(1, 9)]
    short = [change(line, b"%d" % line, "g") for line in (20, 21, 21)]
    found = pairs([*long, *short], range(11), 4)
    assert found == pairs([*long, *short], range(11), 4)
    assert len(found) == 4
    assert {(8, 9), (8, 10)} <= set(found), "both pairs of the short function"
    assert all(second < 8 for first, second in found if first < 8)
    assert pairs(long, [0, 3], 4) == ((0, 3),), "of those among which to choose"


equivalent = partial(Equivalent, file="a1.py", function="g", after="a", why="so it is")


def test_a_report_counts_its_parts() -> None:
    scenarios = [scenario(name) for name in ("f/one", "f/two", "g/one", "g/other")]
    scenarios[2] = replace(scenarios[2], clauses=("5",))
    scenarios.append(scenario("g/told", informational=True))
    found = report(
        plan(*scenarios),
        [
            outcome("f", "f/one", "f/two"),
            outcome("f", "g/one"),
            outcome("g"),
            outcome("g", before="same", why="so it is"),
        ],
        [PairOutcome(first=0, second=1, noticed_by=("f/two",))],
        [equivalent(before="same")],
    )
    assert found.functions == (
        FunctionStrength(function="f", changes=2, noticed=2, equivalent=0),
        FunctionStrength(function="g", changes=2, noticed=0, equivalent=1),
    )
    assert found.clauses == (
        ClauseStrength(clause="4.1", scenarios=3, noticed=1),
        ClauseStrength(clause="5", scenarios=1, noticed=1),
    )
    assert str(found.figures) == "66.6 % of 3 single-fault changes"
    assert (found.needed, found.spare) == (("f/two", "g/one"), ("f/one", "g/other"))
    assert [each.function for each in found.survivors] == ["g"]
    assert not found.mistakes


def test_a_reason_for_what_is_noticed_or_is_not_there_is_a_mistake() -> None:
    found = report(
        plan(scenario("g/one")),
        [outcome("g", "g/one", before="seen", why="so it is")],
        [],
        [equivalent(before="seen"), equivalent(before="gone")],
    )
    assert found.mistakes == (
        "a1.py, g: `gone` as `a`: this change of the reference does not exist",
        "a1.py, g: `seen` as `a`: g/one notices it",
    )


@pytest.mark.parametrize(
    ("part", "whole", "said"),
    [(0, 0, "0.0"), (999, 1000, "99.9"), (9999, 10000, "99.9"), (5, 5, "100.0")],
)
def test_a_share_is_never_rounded_up(part: int, whole: int, said: str) -> None:
    assert percent(part, whole) == said
