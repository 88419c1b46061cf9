"""What assignment.yaml says of what is handed in and of marks; expect.yaml; what we ship. The
published JSON Schema: current, and of one mind with the loader."""

# ruff: noqa: E501

import json
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from harness.assignment.files.small_files import load_expectation
from harness.assignment.loading import SpecErrors, available, load, scenario_files
from harness.assignment.schema import file_schemas, json_schema, write_schemas
from harness.model.assignment import (
    ExtraModules,
    LateOf,
    LatePolicy,
    ManualSlot,
    OtherFiles,
    Period,
    RubricItem,
    RubricLevel,
    TimeUnit,
)
from harness.model.plan import ExpectedVerdict, SampleExpectation
from harness.model.verdict import VerdictKind
from tests.assignment.small_assignment import (
    ASSIGNMENT,
    CLAUSES,
    HEAD,
    MUTANTS,
    POLICY,
    SCENARIOS,
    A,
    errors_of,
    scenario_file,
    write,
)
from tests.shipped import shipped

ENDINGS = "expected a name that ends in .zip, .tar, .tar.gz or .tgz"
USES = "expected allow, ignore, refuse or {allow: [patterns]}"
ZONE = "Hint: write one like Australia/Brisbane."


def handed_in(value: str) -> str:
    return ASSIGNMENT.replace("{files: [a1.py]}", f"{{files: [a1.py], {value}}}")


def archive(name: str) -> str:
    return handed_in(f"archive: {name}")


EXTRA = {
    "allow": ExtraModules(allow=("*.py",)),
    "ignore": ExtraModules(),
    "refuse": ExtraModules(refuse=("*.py",)),
    "{allow: util*.py}": ExtraModules(allow=("util*.py",)),
    '{allow: [a.py, b.py], refuse: "*.py"}': ExtraModules(allow=("a.py", "b.py"), refuse=("*.py",)),
}
READ: list[tuple[str, str, Any]] = [
    *((archive(name), "archive", name) for name in ("A3.zip", "A3.tar", "A3.tar.gz", "my w.tgz")),
    *((handed_in(f"otherwise: {each}"), "otherwise", each) for each in OtherFiles),
    *((handed_in(f"extra: {text}"), "extra_modules", each) for text, each in EXTRA.items()),
    (ASSIGNMENT, "extra_modules", ExtraModules()),
    (ASSIGNMENT, "archive", None),
    (ASSIGNMENT, "otherwise", OtherFiles.ZERO),
    (ASSIGNMENT, "time_zone", ""),
    (ASSIGNMENT, "laid_as", None),
    (ASSIGNMENT.replace("{files: [a1.py]}", "{as: a1.py}"), "laid_as", "a1.py"),
    (ASSIGNMENT.replace("{files: [a1.py]}", "{as: a1.py}"), "submission_files", ("a1.py",)),
    (ASSIGNMENT + "time_zone: Australia/Brisbane\n", "time_zone", "Australia/Brisbane"),
    (ASSIGNMENT, "late", None),
    (ASSIGNMENT + "late: {per_day: 10%}\n", "late", LatePolicy(rate=Fraction(1, 10))),
    (
        ASSIGNMENT + "late: {per_hour: 0.5 %, of: reached, at_most: 50%, grace: 90min, "
        "until: 36 hours, slip_days: 4, attempt: latest}\n",
        "late",
        LatePolicy(
            rate=Fraction(1, 200),
            unit=TimeUnit.HOUR,
            of=LateOf.REACHED,
            at_most=Fraction(1, 2),
            grace=Period(count=90, unit=TimeUnit.MINUTE),
            until=Period(count=36, unit=TimeUnit.HOUR),
            slip_days=4,
            latest=True,
        ),
    ),
    (
        ASSIGNMENT + 'manual: [{id: style, title: Code style, out_of: 4, clause: "4.6"}, '
        "{id: rest, title: The rest, out_of: 1/2}]\n",
        "manual",
        (
            ManualSlot(id="style", title="Code style", out_of=Fraction(4), clause="4.6"),
            ManualSlot(id="rest", title="The rest", out_of=Fraction(1, 2)),
        ),
    ),
    (
        ASSIGNMENT + "manual: [{id: style, title: Code style, out_of: 4, rubric: ["
        "{id: names, title: Names, points: 1/2}, {id: magic, title: Magic, points: -1}, "
        "{id: shape, title: Shape, levels: {poor: 0, good: 2.5}}]}]\n",
        "manual",
        (
            ManualSlot(
                id="style",
                title="Code style",
                out_of=Fraction(4),
                rubric=(
                    RubricItem(id="names", title="Names", points=Fraction(1, 2)),
                    RubricItem(id="magic", title="Magic", points=Fraction(-1)),
                    RubricItem(
                        id="shape",
                        title="Shape",
                        levels=(
                            RubricLevel(title="poor", points=Fraction(0)),
                            RubricLevel(title="good", points=Fraction(5, 2)),
                        ),
                    ),
                ),
            ),
        ),
    ),
]


@pytest.mark.parametrize(("text", "field", "value"), READ)
def test_it_is_in_the_plan(text: str, field: str, value: object, tmp_path: Path) -> None:
    assignment = load(write(tmp_path, {A: text}), "small").plan.assignment
    assert getattr(assignment, field) == value
    assert assignment.functionality_marks == 6


REFUSED = {
    archive("week3/A3.zip"): "week3/A3.zip is a path. Hint: write only the file's name.",
    archive("A3.rar"): f"{ENDINGS}, got the text 'A3.rar'.",
    archive("A3"): f"{ENDINGS}, got the text 'A3'.",
    archive(".zip"): f"{ENDINGS}, got the text '.zip'.",
    archive('""'): f"{ENDINGS}, got the text ''.",
    archive("3"): "expected text, got the number 3. Hint: quote it.",
    archive("[A3.zip]"): "expected text, got a list.",
    handed_in("extra: alow"): f"{USES}, got the text 'alow'. Hint: did you mean allow?",
    handed_in("extra: [util.py]"): f"{USES}, got a list. Hint: write {{allow: [util.py]}}",
    handed_in("extra: {allow: [util]}"): "expected a pattern of names that ends in .py, got the",
    handed_in("extra: {allow: [lib/util.py]}"): "lib/util.py is a path.",
    handed_in("otherwise: revue"): "expected zero or review, got the text 'revue'.",
    **{
        f"{ASSIGNMENT}time_zone: {name}\n": f"unknown time zone {name}. {ZONE}"
        for name in ("Brisbane", "../etc/passwd", "Australia")
    },
}


@pytest.mark.parametrize("text", REFUSED)
def test_impossible_submission_settings_are_refused(text: str, tmp_path: Path) -> None:
    (error,) = errors_of(tmp_path, {A: text})
    value = error.split(": ", 2)[2]
    places = {"archive": "4:39: submission.archive", "otherwise": "4:41: submission.otherwise"}
    places |= {
        "extra: {": "4:46: submission.extra.allow, item 1",
        "extra: ": "4:37: submission.extra",
    }
    key = next((key for key in places if key in text), "")
    assert error.startswith(f"{A}:{places.get(key, '9:12: time_zone')}: ")
    assert value.startswith(REFUSED[text])


EXPECTED = [
    ("{}", SampleExpectation()),
    (
        'fails: ["check_input/*", "main/help-*"]\nmark: [3.1, 3.3]\n'
        'explains: ["looks hard-coded to 8"]\nfindings: [import, module_level]\n'
        'verdicts: {"check_win/slow-*": cpu_limit}',
        SampleExpectation(
            fails=("check_input/*", "main/help-*"),
            mark=(3.1, 3.3),
            explains=("looks hard-coded to 8",),
            findings=("import", "module_level"),
            verdicts=(
                ExpectedVerdict(pattern="check_win/slow-*", kind=VerdictKind.CPU_LIMIT),
            ),
        )
    ),
    ("mark: 6", SampleExpectation(mark=(6.0, 6.0))),
    (
        "tier: standard\nlayer: seccomp\nwall_seconds: 5\nmemory_mib: 100\nsurvivors: 0",
        SampleExpectation(
            tier="standard", layer="seccomp", wall_seconds=5.0, memory_mib=100, survivors=0
        )
    ),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), EXPECTED)
def test_an_expectation_is_loaded_from_its_text(
    text: str, expected: SampleExpectation, tmp_path: Path
) -> None:
    path = tmp_path / "expect.yaml"
    path.write_text(text)
    assert load_expectation(path) == expected


BROKEN = [
    (
        "fails: check_input/*",
        "1:8: fails: expected a list, got the text 'check_input/*'. Hint: write [check_input/*].",
    ),
    ("fials: []", "1:1: fials: unknown key. Hint: did you mean fails?"),
    ("mark: high", "1:7: mark: expected a number or [least, most], got the text 'high'."),
    ("mark: [3]", "1:7: mark: expected a number or [least, most], got a list."),
    ("mark: [3, 2]", "1:7: mark: the minimum is above the maximum."),
    ("findings: [imports]", "1:12: findings, item 1: unknown rule imports. Hint: did you mean import?"),
    ("verdicts: {a: cpu}", "1:15: verdicts.a: unknown verdict cpu. Hint: verdicts are passed, failed, "
     "missing, timeout, cpu_limit, memory_limit, output_limit, crashed, ended_early, unreadable, "
     "tampered, stopped_early, not_run or harness_error."),
    ("causes: {f: 3}", "1:13: causes.f: expected text, got the number 3. Hint: quote it."),
    ("causes: {f: wrong_typ}", "1:13: causes.f: unknown rule wrong_typ. Hint: did you mean wrong_type?"),
    ("causes: {f: import_evasion}", (
        "1:13: causes.f: unknown rule import_evasion. Hint: write it under findings."
    )),
    ("causes: {f: cpu_limit}", (
        "1:13: causes.f: unknown rule cpu_limit. Hint: write it under verdicts."
    )),
    ("findings: [returned_none]", (
        "1:12: findings, item 1: unknown rule returned_none. Hint: write it under causes."
    )),
    ("verdicts: {a: wrong_value}", (
        "1:15: verdicts.a: unknown verdict wrong_value. Hint: write it under causes."
    )),
    ("explains: [returned_none, retuned_none]", "1:27: explains, item 2: expected a rule or words of a message, got retuned_none. Hint: did you mean returned_none?"),
    ("explains: [module_level]", (
        "1:12: explains, item 1: expected a rule or words of a message, got the rule "
        "module_level. Hint: write it under findings."
    )),
    ("causes: {f: [wrong_value, oops]}", "1:27: causes.f, item 2: unknown rule oops. Hint: docs/causes.md lists the rules."),
    ("survivors: none", "1:12: survivors: expected a whole number, got the text 'none'."),
    ("fails: [\n", "2:1: not YAML: did not find expected node content. "
     "Hint: look for a bracket, quote or indentation that does not match."),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), BROKEN)
def test_a_mistake_in_an_expectation_is_named(text: str, expected: str, tmp_path: Path) -> None:
    folder = write(tmp_path) / "submissions" / "small" / "ann"
    folder.mkdir(parents=True)
    (folder / "expect.yaml").write_text(text)
    with pytest.raises(SpecErrors) as caught:
        load_expectation(folder / "expect.yaml")
    assert str(caught.value) == f"submissions/small/ann/expect.yaml:{expected}"


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    path = tmp_path / "expect.yaml"
    with pytest.raises(SpecErrors) as caught:
        load_expectation(path)
    assert str(caught.value) == f"{path}:1:1: this file does not exist."


ROOT = Path(__file__).parents[2]
NAMED = ("assignment", "clauses", "policy", "mutants", "equivalent")
FILES = sorted((ROOT / "specs").glob("*/*.yaml"))


def kind(file: Path) -> str:
    return file.stem if file.stem in NAMED else "scenarios"


@pytest.mark.parametrize("assignment_id", available(ROOT))
def test_a_shipped_spec_has_no_mistake(assignment_id: str) -> None:
    plan = shipped(assignment_id).plan
    names = tuple(f"{name}.yaml" for name in NAMED)
    stems = {file.stem for file in scenario_files(ROOT / "specs" / assignment_id, names)}
    assert {scenario.id.split("/")[0] for scenario in plan.scenarios} == stems


@pytest.mark.parametrize("file", FILES, ids=lambda file: f"{file.parent.name}-{file.stem}")
def test_a_shipped_file_is_accepted_by_its_schema(
    file: Path, validators: Mapping[str, Any]
) -> None:
    data = yaml.load(file.read_text(), Loader=yaml.CSafeLoader)
    validators[kind(file)].validate(json.loads(json.dumps(data)))


def read(text: str) -> Any:
    """YAML as an editor's validator sees it: JSON, every key a string."""
    return json.loads(json.dumps(yaml.safe_load(text)))


@pytest.fixture(scope="module")
def validators() -> Mapping[str, Any]:
    """A validator for each kind of file."""
    schemas = file_schemas()
    return {kind: jsonschema.Draft202012Validator(schema) for kind, schema in schemas.items()}


def test_the_committed_schemas_are_current(tmp_path: Path) -> None:
    for path in write_schemas(tmp_path):
        assert (ROOT / "docs" / "schema" / path.name).read_text() == path.read_text()


def test_one_schema_holds_every_kind_of_file() -> None:
    schema = json_schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    kinds = [part["$ref"].removeprefix("#/$defs/") for part in schema["anyOf"]]
    names = "assignment clauses equivalent exempt expect mutants policy scenarios"
    assert kinds == names.split()
    assert set(kinds) < set(schema["$defs"])
    assert "Shape" not in json.dumps(schema)
    whole = jsonschema.Draft202012Validator(schema)
    for document in (ASSIGNMENT, CLAUSES, MUTANTS, POLICY, SCENARIOS):
        whole.validate(read(document))


EVERYTHING = scenario_file(
    "name: call\nfunction: f\nclause: [a, b]\nvisible: after_published\npoints: 1/3\n"
    "informational: true\nextra_credit: true\ntags: [a]\nlimits: {cpu_seconds: 0.5}\n"
    "given: x = 1\nconstants: {A: 4, B: [1, 2], C: [[1]]}\nignore: [case]\nprovide: d.py\nseed: 3\n"
    "stand_in: {a.py: b.py}\n"
    "call: f(x)\ninput: [a, 1, {key: ctrl-c}]\nreturns: {approx: 1, within: 0.1}\n"
    "prints: {contains: a}\nturns: {0: a, 1: {any: true}}\nraises: {type: E, message: m}\n"
    "leaves: {x: [1]}\nreads: 0\nends: cpu_limit",
    "name: combined\ncall: f()\nreturns: {all_of: [{type: int}, {none_of: [{one_of: [1]}]}]}\n"
    "prints: {none_of: [{contains: a}]}",
    "name: run\nrun: a1.py\nargv: [a]\nexit: 1\ntranscript: gameplay/a.txt\nturns: [a]",
    "name: told\nrun: a1.py\nexit: {any: true}\nprints: {shows: a parting message}",
    "name: drawn\ncall: f(x)\nsample: {strategy: b.c, count: 3, seed: 0}\neach: true\n"
    "returns: null\nleaves: unchanged\nraises: E",
    "name: cases\nsession: '>>> f(x)'\ncases: b.c\n",
    head=f"points_total: 10\nmarks: 3\n{HEAD}",
)
ACCEPTED = [
    ("scenarios", EVERYTHING),
    ("scenarios", SCENARIOS),
    ("assignment", ASSIGNMENT + "limits: {wall_seconds: 5}\n"),
    ("assignment", ASSIGNMENT + "patterns: {a parting message: bye}\n"),
    ("assignment", ASSIGNMENT.replace("files: [a1.py]", "as: p4.py")),
    ("assignment", ASSIGNMENT + "manual: [{id: a, title: b, out_of: 1/2, clause: c}]\n"),
    ("clauses", CLAUSES),
    ("mutants", MUTANTS),
    ("policy", POLICY),
    ("policy", "imports: {none: true}\n"),
    ("policy", "imports: {forbid: [os]}\nsyntax: {forbid: [If]}\n"),
    ("expect", "fails: [a/*]\nmark: [1, 2]\nverdicts: {a: cpu_limit}\n"),
]


@pytest.mark.parametrize(("kind", "text"), ACCEPTED)
def test_valid_files_are_accepted(kind: str, text: str, validators: Mapping[str, Any]) -> None:
    validators[kind].validate(read(text))


CALL = "name: s\ncall: f()\n"
WRONG = [
    ("scenarios", "scenarios: []\n"),
    ("scenarios", "function: f\n"),
    ("scenarios", scenario_file("call: f()")),
    ("scenarios", scenario_file("name: s")),
    ("scenarios", scenario_file(CALL + "run: a1.py")),
    ("scenarios", scenario_file(CALL + "retruns: 1")),
    ("scenarios", scenario_file(CALL + "returns: {pyhton: a}")),
    ("scenarios", scenario_file(CALL + "returns: {any: true, type: int}")),
    ("scenarios", scenario_file(CALL + "prints: 5")),
    ("scenarios", scenario_file(CALL + "prints: {none_of: [a]}")),
    ("scenarios", scenario_file(CALL + "prints: {all_of: [{type: int}]}")),
    ("scenarios", scenario_file(CALL + "returns: {all_of: []}")),
    ("scenarios", scenario_file(CALL + "visible: later")),
    ("scenarios", scenario_file(CALL + "points: many")),
    ("scenarios", scenario_file(CALL + "input: [1.5]")),
    ("scenarios", scenario_file(CALL + "input: [{key: ctrl-x}]")),
    ("scenarios", scenario_file(CALL + "ends: cpu")),
    ("scenarios", scenario_file(CALL + "ignore: [cases]")),
    ("scenarios", scenario_file(CALL + "limits: {cpu_seconds: 0}")),
    ("scenarios", scenario_file(CALL + "clause: 4.6")),
    ("scenarios", scenario_file(CALL + "stand_in: {a.py: 1}")),
    ("scenarios", scenario_file(CALL + "stand_in: a.py")),
    ("scenarios", scenario_file(CALL + "sample: {strategy: a.b}")),
    ("assignment", ASSIGNMENT.replace('"3.12"', "3.12")),
    ("assignment", ASSIGNMENT.replace("title: Small\n", "")),
    ("assignment", ASSIGNMENT + "manual: [{id: a b, title: b, out_of: 1}]\n"),
    ("assignment", ASSIGNMENT + "manual: [{id: a, title: b}]\n"),
    ("clauses", CLAUSES.replace('id: "4.6"', "id: 4.6")),
    ("mutants", MUTANTS.replace("why:", "reason:")),
    ("policy", POLICY.replace("{deduct: 1.5}", "deduct")),
    ("policy", "syntax: [If]\n"),
    ("policy", "syntax: {allow: [If], forbid: [For]}\n"),
    ("expect", "fails: a\n"),
]


@pytest.mark.parametrize(("kind", "text"), WRONG)
def test_wrong_values_are_refused(kind: str, text: str, validators: Mapping[str, Any]) -> None:
    assert not validators[kind].is_valid(read(text))
