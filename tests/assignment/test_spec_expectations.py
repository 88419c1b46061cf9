# ruff: noqa: E501
"""expect.yaml, for samples and the hostile corpus alike."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.assignment import SpecErrors, load_expectation
from harness.model.specification import ExpectedVerdict, SampleExpectation
from harness.model.verdict import VerdictKind
from tests.assignment.small_assignment import write

READ = [
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


@pytest.mark.parametrize(("text", "expected"), READ)
def test_what_it_says(text: str, expected: SampleExpectation, tmp_path: Path) -> None:
    path = tmp_path / "expect.yaml"
    path.write_text(text)
    assert load_expectation(path) == expected


BROKEN = [
    ("fails: check_input/*", "1:8: fails: expected a list, got the text 'check_input/*'."),
    ("fials: []", "1:1: fials: unknown key. Hint: did you mean fails?"),
    ("mark: high", "1:7: mark: expected a number or [least, most], got the text 'high'."),
    ("mark: [3]", "1:7: mark: expected a number or [least, most], got a list."),
    ("mark: [3, 2]", "1:7: mark: the least is more than the most."),
    ("findings: [imports]", "1:12: findings, item 1: unknown rule imports. Hint: did you mean import?"),
    ("verdicts: {a: cpu}", "1:15: verdicts.a: unknown verdict cpu. Hint: verdicts are passed, failed, "
     "missing, timeout, cpu_limit, memory_limit, output_limit, crashed, ended_early, unreadable, "
     "tampered, stopped_early, not_run or harness_error."),
    ("causes: {f: 3}", "1:13: causes.f: expected text, got the number 3. Hint: quote it."),
    ("causes: {f: wrong_typ}", "1:13: causes.f: there is no rule wrong_typ. Hint: did you mean wrong_type?"),
    ("causes: {f: import_evasion}", "1:13: causes.f: there is no rule import_evasion. Hint: it stands under findings."),
    ("causes: {f: cpu_limit}", "1:13: causes.f: there is no rule cpu_limit. Hint: it stands under verdicts."),
    ("findings: [returned_none]", "1:12: findings, item 1: unknown rule returned_none. Hint: it stands under causes."),
    ("verdicts: {a: wrong_value}", "1:15: verdicts.a: unknown verdict wrong_value. Hint: it stands under causes."),
    ("explains: [is missing, returned_none]", "1:24: explains, item 2: expected words of a message, got the rule returned_none. Hint: it stands under causes."),
    ("explains: [retuned_none]", "1:12: explains, item 1: expected words of a message, got retuned_none. Hint: did you mean returned_none? It stands under causes."),
    ("explains: [module_level]", "1:12: explains, item 1: expected words of a message, got the rule module_level. Hint: it stands under findings."),
    ("explains: [ended_early]", "1:12: explains, item 1: expected words of a message, got the rule ended_early. Hint: it stands under causes."),
    ("causes: {f: [wrong_value, oops]}", "1:27: causes.f, item 2: there is no rule oops. Hint: docs/causes.md lists the rules."),
    ("survivors: none", "1:12: survivors: expected a whole number, got the text 'none'."),
    ("fails: [\n", "2:1: not YAML: did not find expected node content. "
     "Hint: look for a bracket, quote or indentation that does not match."),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), BROKEN)
def test_its_mistakes(text: str, expected: str, tmp_path: Path) -> None:
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
    assert str(caught.value) == f"{path}:1:1: there is no such file."
