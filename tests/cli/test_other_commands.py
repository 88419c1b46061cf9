"""record, schema, doctor and show."""

from __future__ import annotations

import json
import re

import harness
from harness.model.observation import Tier
from tests.tiny_course import HARNESS, Course, environment, python_here, ran, results

FROZEN = "specs/tiny/draws/total.baskets-of-every-length.json"
TRANSCRIPT = "specs/tiny/gameplay/two_amounts.txt"


def test_record_writes_what_is_missing_or_has_changed(course: Course) -> None:
    frozen = course.path(FROZEN).read_bytes()
    screen = course.path(TRANSCRIPT).read_bytes()
    course.path(FROZEN).unlink()
    course.path(TRANSCRIPT).unlink()
    assert "harness record" in course.run("validate").err
    outcome = course.ok("record")
    assert outcome.out.splitlines() == [
        f"recorded {FROZEN}",
        f"recorded {TRANSCRIPT}",
        "tiny: 2 files changed",
    ]
    assert course.path(FROZEN).read_bytes() == frozen
    assert course.path(TRANSCRIPT).read_bytes() == screen


def test_record_again_writes_nothing(course: Course) -> None:
    before = {name: course.path(name).read_bytes() for name in (FROZEN, TRANSCRIPT)}
    outcome = course.run("record", "tiny")
    assert (outcome.status, outcome.out) == (0, "tiny: 0 files changed\n")
    assert {name: course.path(name).read_bytes() for name in before} == before


def test_record_draws_again_when_the_generator_has_changed(course: Course) -> None:
    course.edit("specs/tiny/baskets.py", "range(6)", "range(7)")
    course.edit("specs/tiny/total.yaml", "name: baskets of every length", "name: more baskets")
    outcome = course.run("record")
    assert outcome.out.splitlines() == [
        "recorded specs/tiny/draws/total.more-baskets.json",
        f"removed {FROZEN}",
        "tiny: 2 files changed",
    ]
    assert (
        "[1, 2, 3, 4, 5, 6]" in course.path("specs/tiny/draws/total.more-baskets.json").read_text()
    )


def test_record_follows_the_reference(course: Course) -> None:
    course.edit("reference/tiny/till.py", 'BYE = "Bye."', 'BYE = "Good bye."')
    course.edit("reference/tiny/a1.py", "print(total(basket))", 'print("=", total(basket))')
    outcome = course.run("record", "tiny")
    assert outcome.out.splitlines() == [f"recorded {TRANSCRIPT}", "tiny: 1 file changed"]
    text = course.path(TRANSCRIPT).read_text(encoding="utf-8")
    assert text.startswith("{{ PROMPT }}3\n= 3\n{{ PROMPT }}4\n= 7\n")


def test_record_refuses_what_does_not_end(course: Course) -> None:
    course.edit("specs/tiny/main.yaml", "input: [3, 4, q]", "input: [3, 4]")
    kept = course.path(TRANSCRIPT).read_bytes()
    assert course.refusal("record", "tiny").startswith(
        "specs/tiny/main.yaml:4:5: the reference does not end by itself"
    )
    assert course.path(TRANSCRIPT).read_bytes() == kept


def test_schema_is_json_and_writes_a_file_a_kind(course: Course) -> None:
    outcome = course.ok("schema")
    assert json.loads(outcome.out)["$schema"].startswith("https://json-schema.org/")
    course.ok("schema", "--write", "schemas")
    names = sorted(path.name for path in course.path("schemas").iterdir())
    kinds = "assignment clauses equivalent exempt expect mutants policy scenarios"
    assert names == [f"{kind}.json" for kind in kinds.split()]
    below = "specs/tiny/main.yaml/below"
    assert course.refusal("schema", "--write", below) == f"{below}: not a directory"


def test_doctor_says_what_there_is(course: Course) -> None:
    outcome = course.ok("doctor", "--python", python_here())
    first, *tiers, together = outcome.out.splitlines()[:5]
    assert first.startswith(f"Python {python_here()}: /")
    assert [line.partition(":")[0] for line in tiers] == [f"tier {tier}" for tier in Tier]
    used = [line for line in tiers if ": used, " in line]
    assert len(used) == 1
    assert re.search(r": used, (\d+) of \1 forbidden acts prevented, input seen by ", used[0])
    assert together == "scenarios of a program that keeps nothing run together: yes"
    assert "read a file outside" not in outcome.out
    acts = course.run("doctor", "--python", python_here(), "-v").out
    assert acts.startswith(outcome.out)
    assert "read a file outside" in acts
    assert "not prevented: " in acts
    assert course.refusal("doctor", "--python", "later").startswith(
        "'later' is not a Python version."
    )


def test_show_gives_the_table_again(graded: Course) -> None:
    whole = graded.ok("show", "reports/tiny")
    again = graded.run("grade", "submissions/tiny")
    assert again.out.splitlines()[:-1] == whole.out.splitlines()
    assert graded.run("show", "reports/tiny/run.sqlite").out == whole.out


def test_show_explains_one_submission_hidden_scenarios_too(graded: Course) -> None:
    one = graded.ok("show", "reports/tiny", "prints_total")
    assert graded.ok("show", "reports/tiny", "--submission", "prints_total").out == one.out
    assert "total printed 0 instead of returning it." in one.out
    assert "3.69/6" in one.out
    assert "`import math` was added" in one.out
    for name, hint in (
        ("nobody", "harness show reports/tiny lists them"),
        ("print_total", "did you mean prints_total?"),
    ):
        line = f"reports/tiny: no submission {name!r}. Hint: {hint}"
        assert graded.refusal("show", "reports/tiny", name) == line


def test_grade_without_the_scenarios_of_a_tag(graded: Course) -> None:
    name = "- name: an empty basket"
    graded.edit("specs/tiny/total.yaml", name, f"{name}\n    tags: [edge]")
    graded.ok("grade", "submissions/tiny", "--without-tag", "edge")
    found = results(graded.report)
    marks = {entry["id"]: entry["mark"] for entry in found["submissions"]}
    assert (marks["perfect"], marks["missing_total"]) == (6.0, 5.5)
    assert found["run"]["notices"] == ["graded without the scenarios tagged edge"]
    line = "no scenario has the tag 'egde'. Hint: there are: edge"
    assert graded.refusal("grade", "submissions/tiny", "--without-tag", "egde") == line


def test_version(graded_once: Course) -> None:
    outcome = graded_once.run("--version")
    assert (outcome.status, outcome.out) == (0, f"harness, version {harness.__version__}\n")


def test_a_reader_that_leaves_ends_no_batch(course: Course) -> None:
    script = '"$0" grade submissions/tiny/perfect 2>&1 | true; exit "${PIPESTATUS[0]}"'
    done = ran(["bash", "-c", script, str(HARNESS)], cwd=course.root, env=environment())
    assert done.returncode == 0
    assert results(course.report)["run"]["complete"] is True
