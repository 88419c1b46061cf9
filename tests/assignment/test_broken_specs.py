# ruff: noqa: E501
"""Every mistake is one line: the place, the key, what is wrong, and the fix.

`UPDATE_GOLDEN=1 pytest -n 0 tests/assignment/test_broken_specs.py` writes those of the text file anew.
"""

import os
import re
from pathlib import Path

import pytest

from harness.assignment.loading import load
from tests.assignment.small_assignment import (
    ASSIGNMENT,
    CLAUSES,
    HEAD,
    MUTANTS,
    REFERENCE,
    SUPPORT,
    A,
    F,
    errors_of,
    scenario_file,
    write,
)

BROKEN = Path(__file__).parent / "broken_scenarios.txt"
CASES = re.split(r"^(\[+)(.*?)\]+\n", BROKEN.read_text(), flags=re.M)
SCENARIOS = {
    name: ["call: check_input('')"] * (mark == "[") + lines.splitlines()
    for mark, name, lines in zip(CASES[1::3], CASES[2::3], CASES[3::3], strict=True)
}


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("broken")


@pytest.mark.parametrize("case", SCENARIOS)
def test_a_mistake_in_a_scenario(case: str, root: Path) -> None:
    body = "\n".join(line for line in SCENARIOS[case] if not line.startswith("> "))
    body = body.replace("<4096 times a>", "a" * 4096)
    mistakes = errors_of(root, {F: scenario_file(*f"name: s\n{body}".split("\n-"))})
    errors = [f"> {error.removeprefix('specs/small/f.yaml:')}" for error in mistakes]
    if os.environ.get("UPDATE_GOLDEN"):
        keep_mistakes(case, errors)
        return
    assert errors == [line for line in SCENARIOS[case] if line.startswith("> ")]


def keep_mistakes(case: str, errors: list[str]) -> None:
    """Write the mistakes of a case as they are now."""
    before, own, after = re.split(
        rf"(^\[+{re.escape(case)}\]+\n(?:[^\[].*\n)*)", BROKEN.read_text(), flags=re.M
    )
    kept = [line for line in own.splitlines() if not line.startswith("> ")]
    BROKEN.write_text(before + "\n".join([*kept, *errors, ""]) + after)


C = "specs/small/clauses.yaml"
P = "specs/small/policy.yaml"
M = "specs/small/mutants.yaml"
S = "reference/small/a1_support.py"
R = "reference/small/a1.py"
T = "specs/small/gameplay/t.txt"
CLASSES = REFERENCE.replace("def _private", "class Board:\n    pass\n\n\ndef _private")
GOOD = "    call: check_input('')\n"
FILES: dict[str, tuple[dict[str, str | bytes | None], str]] = {
    "not YAML": ({F: "scenarios:\n  - name: a: b\n"},
     "f.yaml:2:12: not YAML: mapping values are not allowed in this context. Hint: quote a text that holds ': '."),
    "tab": ({F: "scenarios:\n\t- name: a\n"},
     "f.yaml:2:1: not YAML: found character that cannot start any token. Hint: indent with spaces, and quote a text that begins with % @ ` or a tab."),
    "unclosed": ({F: "scenarios: [\n"},
     "f.yaml:2:1: not YAML: did not find expected node content. Hint: look for a bracket, quote or indentation that does not match."),
    "comma in braces": ({F: HEAD + "  - {name: a, call: check_input(1, 2), returns: true}\n"},
     "f.yaml:4:21: call: 'check_input(1' is not a Python expression ('(' was never closed). Hint: inside { }, a text without quotes ends at its first comma: quote it.\n"
     "f.yaml:4:36: 2): the value is missing. Hint: inside { }, a text without quotes ends at its first comma: quote it."),
    "comma in braces of given": ({F: HEAD + "  - {name: a, given: p = abs(1, 2), call: check_input(p)}\n"},
     "f.yaml:4:22: given: not Python statements ('(' was never closed). Hint: inside { }, a text without quotes ends at its first comma: quote it.\n"
     "f.yaml:4:33: 2): the value is missing. Hint: inside { }, a text without quotes ends at its first comma: quote it."),
    "list in braces": ({F: HEAD + "  - {name: a, call: check_input([1, 2], 3), returns: true}\n"},
     "f.yaml:4:33: not YAML: did not find expected ',' or '}'. Hint: put a text that holds a comma or a bracket in quotes."),
    "empty file": ({F: "# nothing\n"},
     "f.yaml:1:1: the file is empty."),
    "two documents": ({F: HEAD + "  - name: a\n" + GOOD + "---\nname: b\n"},
     "f.yaml:6:1: a second YAML document begins here. Hint: move it into its own file."),
    "not UTF-8": ({F: b"name: \xff\n"},
     "f.yaml:1:1: byte 6 is not UTF-8. Hint: save the file as UTF-8."),
    "a list": ({F: "- name: a\n"},
     "f.yaml:1:1: expected a mapping with scenarios."),
    "no scenarios": ({F: "function: check_input\n"},
     "f.yaml:1:1: the key scenarios is missing."),
    "an empty list of scenarios": ({F: "scenarios: []\n"},
     "f.yaml:1:12: expected at least one, got an empty list."),
    "unknown key at the head": ({F: "functoin: check_input\nscenarios:\n  - name: a\n" + GOOD},
     "f.yaml:1:1: functoin: unknown key. Hint: did you mean function?"),
    "at the head what each scenario says itself": ({F: "call: check_input('')\n" + HEAD + "  - name: a\n" + GOOD},
     "f.yaml:1:1: call: this key cannot be at the head of the file. Hint: write it in each "
     "scenario."),
    "a default at the head with a mistake": ({F: "prints: {contians: a}\n" + HEAD + "  - name: a\n" + GOOD},
     "f.yaml:1:10: prints.contians: unknown matcher. Hint: did you mean contains?"),
    "no function": ({F: "scenarios:\n  - name: a\n" + GOOD},
     "f.yaml:2:5: the key function is missing. Hint: add function: here or at the head of the "
     "file."),
    "name used twice": ({F: HEAD + ("  - name: a\n" + GOOD) * 2},
     "f.yaml:6:11: name: another scenario has this name. Hint: give each scenario its own name."),
    "names with the same id": ({F: HEAD + "  - name: a b\n" + GOOD + "  - name: A, b!\n" + GOOD},
     "f.yaml:6:11: name: 'A, b!' and 'a b' make the same id. Hint: give each scenario its own "
     "name."),
    "name without a letter": ({F: HEAD + "  - name: '!'\n" + GOOD},
     "f.yaml:4:11: name: '!' needs a letter or a digit, because its id is made from it."),
    "points_total": ({F: "points_total: none\n" + HEAD + "  - name: a\n" + GOOD},
     'f.yaml:1:15: points_total: expected a positive number or a fraction like "1/3", got the text \'none\'.'),
    "marks and points_total": ({F: "points_total: 2\nmarks: 2\n" + HEAD + "  - name: a\n" + GOOD},
     "f.yaml:2:8: marks: marks and points_total both set the file's marks. Hint: keep one of them."),
    "marks of nothing": ({F: "marks: 2\ninformational: true\n" + HEAD + "  - name: a\n" + GOOD},
     "f.yaml:1:8: marks: no scenario in this file counts. Hint: informational scenarios give no "
     "marks."),
    "more marks than there are": ({F: "marks: 7\n" + HEAD + "  - name: a\n" + GOOD},
     "f.yaml:1:8: marks: the files' marks add up to 7, but functionality_marks is 6. Hint: lower "
     "marks: in a file, or raise functionality_marks."),
    "fewer marks than there are": ({F: "marks: 5\n" + HEAD + "  - name: a\n" + GOOD},
     "f.yaml:1:8: marks: the files' marks add up to 5, but functionality_marks is 6. Hint: raise "
     "marks: in a file, because no other file can give out the rest."),
    "template in braces without quotes": ({F: HEAD + "  - name: a\n" + GOOD + "    prints: {{ COLUMN_MESSAGE }}\n"},
     "f.yaml:6:13: prints: expected a value, got a mapping. Hint: quote it."),
    "unknown name in session output": ({F: HEAD + "  - name: a\n    session: |\n      >>> check_input('')\n      {{ NAME }}\n"},
     "f.yaml:7:7: session: unknown constant NAME."),
    "unknown name in a transcript": ({
        F: HEAD + "  - name: a\n    run: a1.py\n    transcript: gameplay/t.txt\n",
        T: "Hello\nyou {{ PROMT }}\n",
    },
     "gameplay/t.txt:2:5: unknown constant PROMT. Hint: did you mean PROMPT?"),
    "a transcript whose prompts nobody knows": ({
        F: HEAD + "  - name: a\n    run: a1.py\n    prompts: {any: true}\n    transcript: gameplay/t.txt\n",
        T: "Hello\n",
        R: None,
    },
     "f.yaml:7:5: transcript: a transcript contains the prompts, but prompts are not compared here. "
     "Hint: state prompts: exact, or prints: or turns: without the prompts."),
    "imports of the reference that no submission has": ({
        R: "from .helper import a\nfrom . import helper\nimport helper\nimport os, unknown\n" + REFERENCE,
        "reference/small/helper.py": "a = 1\n",
    },
     "reference/small/a1.py:1:1: a relative import: a submission is single modules, not a "
     "package. Hint: write from helper import ….\n"
     "reference/small/a1.py:2:1: a relative import: a submission is single modules, not a "
     "package. Hint: write import and the module's name.\n"
     "reference/small/a1.py:3:1: helper.py is beside the reference, but it is neither submitted "
     "nor provided. Hint: list it in assignment.yaml, under submission: files or under provided:."),
    "file named .yml": ({"specs/small/g.yml": "a: b\n"},
     "g.yml:1:1: files that end in .yml are not read. Hint: rename it to end in .yaml."),
    "all mistakes together": ({
        F: HEAD + "  - name: a\n    call: f(\n    returns:\n  - name: b\n    visible: 1\n"
        "  - call: check_input('')\n",
        P: "import: {none: true}\n",
    },
     "f.yaml:5:11: call: 'f(' is not a Python expression ('(' was never closed).\n"
     "f.yaml:6:5: returns: the value is missing. Hint: write null for None, or leave the key out.\n"
     "f.yaml:8:14: visible: expected true, false, hint, after_due_date or after_published, got the number 1.\n"
     "f.yaml:9:5: the key name is missing. Hint: write name: \"an empty list\".\n"
     "policy.yaml:1:1: import: unknown key. Hint: did you mean imports?"),
    "assignment without a title": ({A: ASSIGNMENT.replace("title: Small\n", "")},
     "assignment.yaml:1:1: the key title is missing. Hint: write title: \"Guess a number\"."),
    "assignment without a version": ({A: ASSIGNMENT.replace('python: "3.12"\n', "")},
     "assignment.yaml:1:1: the key python is missing. Hint: write python: \"3.12\"."),
    "unknown key of a manual mark": ({A: ASSIGNMENT + "manual:\n  - {id: style, title: Code style, out_of: 4, outof: 4}\n"},
     "assignment.yaml:10:47: manual, item 1, outof: unknown key. Hint: did you mean out_of?"),
    "manual marks that make no sense": ({
        A: ASSIGNMENT + "manual:\n"
        '  - {id: style, title: Code style, out_of: none, clause: "4.7"}\n'
        "  - {id: style, title: Code style, out_of: 0}\n"
    },
     'assignment.yaml:10:44: manual, item 1, out_of: expected a positive number or a fraction like "1/3", got the text \'none\'.\n'
     "assignment.yaml:10:58: manual, item 1, clause: unknown clause 4.7. Hint: did you mean 4.6?\n"
     "assignment.yaml:11:10: manual, item 2, id: the id style appears twice. Hint: give each entry its own id.\n"
     'assignment.yaml:11:44: manual, item 2, out_of: expected a positive number or a fraction like "1/3", got the number 0.'),
    "manual marks without a usable id": ({
        A: ASSIGNMENT + "manual:\n"
        "  - {id: Code style, title: Code style, out_of: 4}\n"
        "  - {id: 4, title: Code style, out_of: 4}\n"
    },
     "assignment.yaml:10:10: manual, item 1, id: expected a word of lower-case letters, digits, "
     "- and _, got the text 'Code style'.\n"
     "assignment.yaml:11:10: manual, item 2, id: expected a word of lower-case letters, digits, "
     "- and _, got the number 4. Hint: quote it."),
    "a rubric that makes no sense": ({
        A: ASSIGNMENT + "manual:\n"
        "  - id: style\n    title: Code style\n    out_of: 4\n    rubric:\n"
        "      - {id: names, title: Names, points: 3}\n"
        "      - {id: names, title: Names, levels: {some: 1, all: 2}}\n"
        "      - {id: none, title: Neither}\n"
        "      - {id: both, title: Both, points: 1, levels: {a: 1}}\n"
        "      - {id: much, title: Much, points: lots}\n"
    },
     "assignment.yaml:15:14: manual, item 1, rubric, item 2, id: the id names appears twice. Hint: give each item its own id.\n"
     "assignment.yaml:16:9: manual, item 1, rubric, item 3: expected points or levels, and one of them. Hint: write points: 2.\n"
     "assignment.yaml:17:9: manual, item 1, rubric, item 4: expected points or levels, and one of them. Hint: write points: 2.\n"
     'assignment.yaml:18:41: manual, item 1, rubric, item 5, points: expected a number or a fraction like "-1/3", got the text \'lots\'.'),
    "a rubric whose points exceed the slot": ({
        A: ASSIGNMENT + "manual:\n"
        "  - id: style\n    title: Code style\n    out_of: 4\n    rubric:\n"
        "      - {id: names, title: Names, points: 3}\n"
        "      - {id: shape, title: Shape, levels: {some: 1, all: 2}}\n"
        "      - {id: magic, title: Magic numbers, points: -1}\n"
    },
     "assignment.yaml:14:7: manual, item 1, rubric: the rubric adds up to 5, more than out_of. Hint: lower their points, or raise out_of."),
    "late work that makes no sense": ({
        A: ASSIGNMENT + "late:\n  per_day: 10\n  at_most: 101%\n  grace: soon\n  until: 367 days\n"
        "  slip_days: -1\n  attempt: last\n  of: marks\n  per_week: 10%\n"
    },
     "assignment.yaml:10:12: late.per_day: expected a percentage above 0 like 10%, up to 100%, got the number 10.\n"
     "assignment.yaml:11:12: late.at_most: expected a percentage above 0 like 10%, up to 100%, got the text '101%'.\n"
     "assignment.yaml:12:10: late.grace: expected a time like 15 min, 12 hours or 7 days, got the text 'soon'.\n"
     "assignment.yaml:13:10: late.until: expected a time up to 366 days, got 367 days.\n"
     "assignment.yaml:14:14: late.slip_days: expected a whole number up to 366, got the number -1.\n"
     "assignment.yaml:15:12: late.attempt: expected in_time or latest, got the text 'last'. Hint: did you mean latest?\n"
     "assignment.yaml:16:7: late.of: expected total or reached, got the text 'marks'.\n"
     "assignment.yaml:17:3: late.per_week: unknown key. Hint: known keys are per_day, per_hour, of, at_most, grace, until, slip_days, attempt."),
    "late work at two rates": ({A: ASSIGNMENT + "late: {per_day: 10%, per_hour: 1%}\n"},
     "assignment.yaml:9:7: late: per_day and per_hour are both here. Hint: leave one of them out."),
    "late work that nothing is said of": ({A: ASSIGNMENT + "late: {until: 7 days}\n"},
     "assignment.yaml:9:7: late: expected per_day, per_hour, grace or slip_days. Hint: write {per_day: 10%}."),
    "a part of no rate": ({A: ASSIGNMENT + "late: {slip_days: 2, of: reached}\n"},
     "assignment.yaml:9:7: late: of needs per_day or per_hour. Hint: add one of them, or remove "
     "of."),
    "stand-ins that are none": ({
        A: ASSIGNMENT.replace("[a1.py]", "[a1.py, b.py]"),
        "reference/small/b.py": "import a1\n",
        "specs/small/copy.py": REFERENCE,
        "specs/small/bad.py": "def\n",
        F: HEAD.replace("scenarios:", "stand_in: {a2.py: copy.py}\nscenarios:")
        + "".join(
            f"  - name: {name}\n    stand_in: {{{pairs}}}\n{GOOD}"
            for name, pairs in {
                "a": "a1.py: copy.py",
                "b": "a1.py: b.py",
                "c": "a1.py: bad.py",
                "d": "a1.py: ../a1.py",
                "e": "a1.py: none.py",
                "f": "a1.py: bad.py, b.py: bad.py",
                "g": "a1.py: 1",
            }.items()
        )
        + f"  - name: h\n{GOOD}",
    },
     "f.yaml:3:12: stand_in.a2.py: a2.py is not a submitted module. Hint: did you mean a1.py?\n"
     "f.yaml:6:23: stand_in.a1.py: copy.py is the reference's own file. Hint: write a module for "
     "this use.\n"
     "f.yaml:9:23: stand_in.a1.py: the file b.py is neither in the spec folder nor among the "
     "course's files. Hint: the reference's own file cannot replace a module.\n"
     "f.yaml:12:23: stand_in.a1.py: bad.py is not Python (invalid syntax).\n"
     "f.yaml:15:23: stand_in.a1.py: ../a1.py is a path. Hint: write only the file's name.\n"
     "f.yaml:18:23: stand_in.a1.py: the file none.py is neither in the spec folder nor among the "
     "course's files.\n"
     "f.yaml:21:5: stand_in: all of the submission's modules are replaced. Hint: leave out the "
     "module that the scenario tests.\n"
     "f.yaml:21:23: stand_in.a1.py: bad.py is not Python (invalid syntax).\n"
     "f.yaml:21:37: stand_in.b.py: bad.py is not Python (invalid syntax).\n"
     "f.yaml:24:23: stand_in.a1.py: expected text, got the number 1. Hint: quote it."),
    "python as a number": ({A: ASSIGNMENT.replace('"3.12"', "3.12")},
     "assignment.yaml:3:9: python: expected text, got the number 3.12. Hint: quote it."),
    "python that is not a version": ({A: ASSIGNMENT.replace("3.12", "312")},
     "assignment.yaml:3:9: python: expected a version like 3.12, got 312."),
    "submission without files": ({A: ASSIGNMENT.replace("files: [a1.py]", "")},
     "assignment.yaml:4:13: submission: expected files or as. Hint: write {files: [a1.py]}."),
    "submission in a folder": ({A: ASSIGNMENT.replace("[a1.py]", "[a/a1.py]")},
     "assignment.yaml:4:22: submission.files, item 1: a/a1.py is a path. Hint: write only the file's name."),
    "provided file is not there": ({A: ASSIGNMENT.replace("[a1_s", "[b1_s")},
     "assignment.yaml:5:12: provided, item 1: reference/small/b1_support.py is not there."),
    "two extra files of a scenario with one name": ({
        F: HEAD + "  - name: a\n" + GOOD + "    provide: [x/b.py, y/b.py]\n  - name: b\n" + GOOD
        + "    provide: [x/b.py]\n  - name: c\n" + GOOD + "    provide: [y/b.py]\n",
        "specs/small/x/b.py": "",
        "specs/small/y/b.py": "",
    },
     "f.yaml:6:23: provide, item 2: two files of this scenario are named b.py."),
    "provided file is not Python": ({S: "x = = 1\n"},
     "reference/small/a1_support.py:1:5: not Python (invalid syntax)."),
    "provided file fails": ({S: "x = 1 / 0\n"},
     "assignment.yaml:5:12: provided, item 1: a1_support.py cannot be run: ZeroDivisionError: division by zero."),
    "provided file is not UTF-8": ({S: b"# coding: latin-1\nA = '\xe9'\n"},
     "reference/small/a1_support.py:1:1: byte 23 is not UTF-8. Hint: save the file as UTF-8."),
    "reference is not Python": ({R: "def f(:\n"},
     "reference/small/a1.py:1:7: not Python (invalid syntax)."),
    "a function of the second submission file": ({
        A: ASSIGNMENT.replace("[a1.py]", "[a1.py, b.py]"),
        "reference/small/b.py": "import a1\n\n\ndef beside():\n    return 1\n",
        F: scenario_file(
            "name: as it stands\ncall: beside()",
            "name: imported\ngiven: from b import beside\ncall: beside()",
            "name: by its module\nsession: |\n  >>> import b\n  >>> b.beside()\n  1\n",
        ),
    },
     "f.yaml:5:11: call: beside is defined in b.py, but scenarios know only names of a1.py. "
     "Hint: add this line to the scenario: given: from b import beside."),
    "an override of a dictionary": ({
        S: SUPPORT + "PRICES = {'tea': 2}\nSEEN = {1}\nICE = frozenset({1})\n",
        F: scenario_file(
            "name: a text\ncall: check_input('')\nconstants: {PRICES: \"{'tea': 3}\"}",
            "name: itself\ncall: check_input('')\nconstants: {BLANK_PIECE: {tea: 3}}",
            "name: no set\ncall: check_input('')\nconstants: {SEEN: [1]}",
            "name: of lists\ncall: check_input('')\nconstants: {SEEN: [[[1]]]}",
            "name: frozen\ncall: check_input('')\nconstants: {ICE: 1}",
        ),
    },
     "f.yaml:6:25: constants.PRICES: PRICES is dict, got the text \"{'tea': 3}\".\n"
     "f.yaml:9:30: constants.BLANK_PIECE: BLANK_PIECE is str, got a mapping. Hint: quote it.\n"
     "f.yaml:12:24: constants.SEEN, item 1: SEEN is set, got the number 1. Hint: a sweep of such "
     "values is a list of them: write [[1, 2]] for a single one.\n"
     "f.yaml:15:24: constants.SEEN, item 1: SEEN is set, got a list. Hint: a sweep of such "
     "values is a list of them: write [[1, 2]] for a single one.\n"
     "f.yaml:18:22: constants.ICE: ICE is frozenset, which cannot be overridden. Hint: override "
     "plain values, lists, tuples, dictionaries and sets."),
    "second submission file is not there": ({A: ASSIGNMENT.replace("[a1.py]", "[a1.py, b.py]")},
     "assignment.yaml:4:29: submission.files, item 2: reference/small/b.py is not there."),
    "marks": ({A: ASSIGNMENT.replace("marks: 6", "marks: six")},
     'assignment.yaml:6:22: functionality_marks: expected a positive number or a fraction like "1/3", got the text \'six\'.'),
    "policy file is not there": ({P: None},
     "assignment.yaml:7:9: policy: the file policy.yaml is missing in specs/small."),
    "policy file is not named": ({A: ASSIGNMENT.replace("policy: policy.yaml\n", "")},
     "assignment.yaml:1:1: policy.yaml exists, but the key policy is missing. Hint: add policy: policy.yaml."),
    "clause twice": ({C: CLAUSES + '  - {id: "4.6", section: "4.6", text: Again.}\n'},
     "clauses.yaml:5:10: clauses, item 4, id: the clause 4.6 appears twice."),
    "clause without quotes": ({C: CLAUSES.replace('id: "4.6"', "id: 4.6")},
     "clauses.yaml:2:10: clauses, item 1, id: expected text, got the number 4.6. Hint: quote it."),
    "two kinds of import rule": ({P: "imports: {exactly: [import a], allow: [b]}\n"},
     "policy.yaml:1:10: imports: expected one of exactly, allow, forbid, none or files, got allow and exactly."),
    "a kind of import rule beside files": ({P: "imports: {allow: [b], files: {a1.py: {none: true}}}\n"},
     "policy.yaml:1:10: imports: expected one of exactly, allow, forbid, none or files, got allow and files."),
    "import rules of no file": ({P: "imports: {files: {}}\n"},
     "policy.yaml:1:18: imports.files: names no file. Hint: leave imports out."),
    "import rules of a file": ({
        P: "imports:\n  files:\n    a2.py: {none: false}\n"
        "    a1.py: {none: true, allow: [b]}\n    a1_support.py: {exactly: [numpy]}\n"
        "    a3.py: {}\n"
    },
     "policy.yaml:3:5: imports.files.a2.py: a2.py is not a submitted module. Hint: did you mean a1.py?\n"
     "policy.yaml:3:19: imports.files.a2.py.none: expected true, got false. Hint: leave it out.\n"
     "policy.yaml:4:12: imports.files.a1.py: expected one of exactly, allow, forbid or none, got allow and none.\n"
     "policy.yaml:5:5: imports.files.a1_support.py: a1_support.py is not a submitted module.\n"
     "policy.yaml:5:31: imports.files.a1_support.py.exactly, item 1: 'numpy' is not an import statement.\n"
     "policy.yaml:6:5: imports.files.a3.py: a3.py is not a submitted module. Hint: did you mean a1.py?\n"
     "policy.yaml:6:12: imports.files.a3.py: expected one of exactly, allow, forbid or none, got nothing."),
    "files inside files": ({P: "imports: {files: {a1.py: {files: {a1.py: {none: true}}}}}\n"},
     "policy.yaml:1:27: imports.files.a1.py.files: unknown key. Hint: known keys are exactly, allow, forbid, none."),
    "no import statement": ({P: "imports: {exactly: [numpy]}\n"},
     "policy.yaml:1:21: imports.exactly, item 1: 'numpy' is not an import statement."),
    "unknown syntax node": ({P: "syntax: {allow: [FuncDef]}\n"},
     "policy.yaml:1:18: syntax.allow, item 1: unknown syntax node FuncDef. Hint: did you mean FunctionDef?"),
    "what is allowed and what is forbidden": ({P: "syntax: {allow: [If], forbid: [For]}\nbuiltins: {}\nmethods: {forbid: []}\n"},
     "policy.yaml:1:9: syntax: expected one of allow or forbid, got allow and forbid.\n"
     "policy.yaml:2:11: builtins: expected one of allow or forbid, got nothing.\n"
     "policy.yaml:3:19: methods.forbid: names nothing. Hint: leave methods out."),
    "unknown names that are forbidden": ({
        P: "syntax: {forbid: [FuncDef, stmt]}\nbuiltins: {forbid: [sume]}\n"
        "methods: {forbid: [a b]}\nimports: {forbid: []}\n"
    },
     "policy.yaml:1:19: syntax.forbid, item 1: unknown syntax node FuncDef. Hint: did you mean FunctionDef?\n"
     "policy.yaml:1:28: syntax.forbid, item 2: unknown syntax node stmt.\n"
     "policy.yaml:2:21: builtins.forbid, item 1: unknown built-in sume. Hint: did you mean sum?\n"
     "policy.yaml:3:20: methods.forbid, item 1: 'a b' is not a name.\n"
     "policy.yaml:4:19: imports.forbid: names nothing. Hint: leave imports out."),
    "unknown kind of code": ({P: "module_level: {allow: [function]}\n"},
     "policy.yaml:1:24: module_level.allow, item 1: unknown kind of code function. Hint: did you mean functions?"),
    "unknown kind of code that is like none": ({P: "module_level: {allow: [classes, loops]}\n"},
     "policy.yaml:1:33: module_level.allow, item 2: unknown kind of code loops. Hint: there are imports, constants, functions, classes or main_guard."),
    "structure of nothing": ({P: "structure: [{}, {in: main}]\n"},
     "policy.yaml:1:13: structure, item 1: states nothing. Hint: write one of avoids, calls, docstrings, inherits, lines, main_guard, printed_literals, prints, private, public, recursive, type_hints or uses.\n"
     "policy.yaml:1:17: structure, item 2: states nothing. Hint: write one of avoids, calls, docstrings, inherits, lines, main_guard, printed_literals, prints, private, public, recursive, type_hints or uses."),
    "structure with a count that is none": ({P: "structure:\n  - {in: main, lines: many}\n"},
     "policy.yaml:2:23: structure, item 1, lines: expected a whole number, got the text 'many'."),
    "structure of no part": ({P: "structure:\n  - {in: check_inputs, lines: 3}\n  - {in: a1.py, recursive: true}\n  - {public: [a]}\n  - {in: [main, mian], main_guard: true, lines: 9}\n"},
     "policy.yaml:2:10: structure, item 1, in: the reference has no file, class or function check_inputs. Hint: did you mean check_input?\n"
     "policy.yaml:3:17: structure, item 2, recursive: recursive is about a function. Hint: name a function with in.\n"
     "policy.yaml:4:6: structure, item 3, public: public is about a class. Hint: name a class with in.\n"
     "policy.yaml:5:17: structure, item 4, in, item 2: the reference has no file, class or function mian. Hint: did you mean main?\n"
     "policy.yaml:5:24: structure, item 4, main_guard: main_guard is about a file. Hint: leave in: out, or name a file there."),
    "structure with other words": ({P: "structure:\n  - {in: main, uses: [loops, os.path, else, import math], avoids: [whil e, sorted, while]}\n"},
     "policy.yaml:2:23: structure, item 1, uses, item 1: 'loops' is neither a word nor a name. Hint: did you mean loop?\n"
     "policy.yaml:2:30: structure, item 1, uses, item 2: 'os.path' is neither a word nor a name. Hint: write path, the last name.\n"
     "policy.yaml:2:39: structure, item 1, uses, item 3: 'else' is neither a word nor a name. Hint: write the name of a function, method or module.\n"
     "policy.yaml:2:45: structure, item 1, uses, item 4: 'import math' is neither a word nor a name. Hint: did you mean import?\n"
     "policy.yaml:2:68: structure, item 1, avoids, item 1: 'whil e' is neither a word nor a name. Hint: did you mean while?"),
    "structure in the words of a sheet": ({P: "structure:\n  - {in: main, no_loops: true}\n  - {function: main, must_call: helper}\n  - {in: main, imports: [math], deduct: 1}\n"},
     "policy.yaml:2:16: structure, item 1, no_loops: unknown key. Hint: write avoids: [loop], a list of forbidden words and names.\n"
     "policy.yaml:3:6: structure, item 2, function: unknown key. Hint: write in: with the name of a file, function, class or method.\n"
     "policy.yaml:3:22: structure, item 2, must_call: unknown key. Hint: write calls: [helper].\n"
     "policy.yaml:4:16: structure, item 3, imports: unknown key. Hint: write uses: [math], with names or kinds of code.\n"
     "policy.yaml:4:33: structure, item 3, deduct: unknown key. Hint: write severity: {deduct: 1}, note, review or zero."),
    "structure that is no list": ({P: "structure: {main: {recursive: true}}\n"},
     "policy.yaml:1:12: structure: expected a list of requirements, got a mapping. Hint: write - {in: factorial, recursive: true}."),
    "severity that is a flag": ({P: "severity: {structure: flag}\n"},
     "policy.yaml:1:23: severity.structure: expected note, review, zero or {deduct: marks}, got the text 'flag'. Hint: write review (a person looks) or note."),
    "severity": ({P: "severity: {imports: zeroo}\n"},
     "policy.yaml:1:21: severity.imports: expected note, review, zero or {deduct: marks}, got the text 'zeroo'. Hint: did you mean zero?"),
    "severity without marks": ({P: "severity: {imports: deduct}\n"},
     "policy.yaml:1:21: severity.imports: expected note, review, zero or {deduct: marks}, got the text 'deduct'. Hint: write {deduct: 1.5}."),
    "severity with bad marks": ({P: "severity: {imports: {deduct: -1}}\n"},
     'policy.yaml:1:30: severity.imports.deduct: expected a positive number or a fraction like "1/3", got the number -1.'),
    "policy cites an unknown clause": ({P: "clauses: {imports: import}\n"},
     "policy.yaml:1:20: clauses.imports: unknown clause import. Hint: did you mean imports?"),
    "mutant of another file": ({M: MUTANTS.replace("a1.py", "a2.py")},
     "mutants.yaml:3:11: mutants, item 1, file: the reference has no file a2.py. Hint: did you mean a1.py?"),
    "mutant of nothing": ({M: MUTANTS.replace("print(COLUMN", "print(COL")},
     "mutants.yaml:4:11: mutants, item 1, find: this text is not in a1.py. Hint: several lines must be whole lines; only their indentation may differ."),
    "mutant that changes nothing": ({
        M: "mutants:\n  - {clause: imports, file: a1.py, find: _private, replace: _private, "
        "why: none}\n"
    },
     "mutants.yaml:2:61: mutants, item 1, replace: this changes nothing."),
    "mutant in two places": ({
        M: "mutants:\n  - {clause: imports, file: a1.py, find: return True, replace: pass, "
        "why: none}\n",
        R: REFERENCE + "def again():\n    return True\n",
    },
     "mutants.yaml:2:42: mutants, item 1, find: this text occurs 2 times in a1.py. Hint: add a "
     "line before or after it."),
    "mutant that is not Python": ({
        M: "mutants:\n  - {clause: imports, file: a1.py, find: def _private, replace: xdef a, "
        "why: none}\n"
    },
     "mutants.yaml:2:65: mutants, item 1, replace: the changed a1.py is not Python (invalid syntax)."),
    "mutant of an unknown clause": ({M: MUTANTS.replace('"4.6"', '"4.5"')},
     "mutants.yaml:2:13: mutants, item 1, clause: unknown clause 4.5. Hint: did you mean 4.6?"),
    "no attribute of a class": ({A: ASSIGNMENT + "compare: {Board: []}\n", R: CLASSES},
     "assignment.yaml:9:18: compare.Board: expected a list of attributes, or attributes, repr, equality or none, got a list. Hint: write none if only the class counts."),
    "no such class": ({A: ASSIGNMENT + "compare: {Acount: repr}\n", R: CLASSES},
     "assignment.yaml:9:11: compare.Acount: neither the reference nor a provided file has a class Acount. Hint: there are Board."),
    "an odd way to compare": ({A: ASSIGNMENT + "compare: {Board: reprs}\n", R: CLASSES},
     "assignment.yaml:9:18: compare.Board: expected a list of attributes, or attributes, repr, equality or none, got the text 'reprs'. Hint: did you mean repr?"),
    "an odd attribute": ({A: ASSIGNMENT + "compare: {Board: [1]}\n", R: CLASSES},
     "assignment.yaml:9:19: compare.Board, item 1: expected the name of an attribute, got the number 1."),
    "a pattern that is none is told once": ({
        A: ASSIGNMENT + "patterns: {a: '('}\n",
        F: HEAD + "  - name: a\n" + GOOD + "    prints: {shows: a}\n",
    },
     "assignment.yaml:9:15: patterns.a: not a regular expression (missing ), unterminated subpattern at position 0)."),
    "a clock that tells no such time": ({A: ASSIGNMENT + "time_zone: Europe/London\nclock: 2026-03-29T01:30\n"},
     "assignment.yaml:10:8: clock: 2026-03-29T01:30 does not exist in Europe/London: the clocks are put forward then. Hint: write 2026-03-29T02:30."),
    "floats within nothing": ({A: ASSIGNMENT + "floats: {within: 0}\n", R: CLASSES},
     "assignment.yaml:9:18: floats.within: expected a positive number, got the number 0."),
}  # fmt: skip


@pytest.mark.parametrize("case", FILES)
def test_a_mistake_in_a_file(case: str, tmp_path: Path) -> None:
    changes, expected = FILES[case]
    if M in changes:  # which stops no grading
        errors = load(write(tmp_path, changes), "small").mutant_mistakes
    else:
        errors = errors_of(tmp_path, changes)
    assert [each.removeprefix("specs/small/") for each in errors] == expected.split("\n")
