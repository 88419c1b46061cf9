# ruff: noqa: E501
"""Mistakes in the keys for classes, files, values, chance and adaptive input: place, what, fix."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.assignment import SpecErrors, load
from tests.assignment.small_assignment import ASSIGNMENT, REFERENCE, scenario_file, write

CLASSES = REFERENCE.replace("def _private", "class Board:\n    pass\n\n\ndef _private")
# One scenario whose name is on line 4; the lines of the case follow from line 5, column 5.
ONE_SCENARIO = {
    "raises with two kinds": (
        "call: check_input('')\nraises: {type: ValueError, any: true}",
        [
            "specs/small/f.yaml:6:13: raises: expected an exception's name or {type: …, message: …}, got a mapping. Hint: type may be one_of: [ValueError, KeyError] or any: true.",
        ],
    ),
    "raises any of nothing": (
        "call: check_input('')\nraises: {any: yes please}",
        [
            "specs/small/f.yaml:6:19: raises.any: expected true, got the text 'yes please'.",
        ],
    ),
    "cases with a misspelled key": (
        "call: check_input(text)\ncases:\n    - {text: a, return: true}\n    - {text: b, return: true}",
        [
            "specs/small/f.yaml:7:21: cases, item 1, return: nothing uses this name. Hint: did you mean returns?",
        ],
    ),
    "raises with a misspelled key": (
        "call: check_input('')\nraises: {type: ValueError, mesage: none here}",
        [
            "specs/small/f.yaml:6:32: raises.mesage: unknown key. Hint: did you mean message?",
        ],
    ),
    "raises with a base that is no exception": (
        "call: check_input('')\nraises: {type: ValueError, is_a: LookUpError}",
        [
            "specs/small/f.yaml:6:38: raises.is_a: expected the name of a builtin exception, got the text 'LookUpError'. Hint: did you mean LookupError?",
        ],
    ),
    "raises with a base that is a list": (
        "call: check_input('')\nraises: {type: ValueError, is_a: [ValueError]}",
        [
            "specs/small/f.yaml:6:38: raises.is_a: expected the name of a builtin exception, got a list. Hint: did you mean ValueError?",
        ],
    ),
    "raises one of no list": (
        "call: check_input('')\nraises: {one_of: ValueError}",
        [
            "specs/small/f.yaml:6:22: raises.one_of: expected a list of exceptions' names, got the text 'ValueError'.",
        ],
    ),
    "unordered without a list": (
        "call: check_input('')\nreturns: {unordered: 3}",
        [
            "specs/small/f.yaml:6:26: returns.unordered: expected a list of values, got the number 3.",
        ],
    ),
    "lines of several lines": (
        "call: check_input('')\nprints: {lines_unordered: [\"a\\nb\"]}",
        [
            "specs/small/f.yaml:6:32: prints.lines_unordered, item 1: expected one line of text.",
        ],
    ),
    "equals of data that is no literal": (
        "call: check_input('')\nreturns: {equals: 'dict(a=1)'}",
        [
            "specs/small/f.yaml:6:23: returns.equals: this uses nothing of the program. Hint: write the value itself, as a literal.",
        ],
    ),
    "yields without a list": (
        "call: check_input('')\nreturns: {yields: 3}",
        [
            "specs/small/f.yaml:6:23: returns.yields: expected a list of values, got the number 3.",
        ],
    ),
    "yields and perhaps more": (
        "call: check_input('')\nreturns: {yields: [1], and_more: 2}",
        [
            "specs/small/f.yaml:6:38: returns.and_more: expected true or false, got the number 2.",
        ],
    ),
    "yields of a perhaps other iterator": (
        "call: check_input('')\nreturns: {yields: [1], any_iterator: filter}",
        [
            "specs/small/f.yaml:6:42: returns.any_iterator: expected true or false, got the text 'filter'.",
        ],
    ),
    "any iterator of nothing": (
        "call: check_input('')\nreturns: {type: generator, any_iterator: true}",
        [
            "specs/small/f.yaml:6:32: returns.any_iterator: only yields takes any_iterator.",
        ],
    ),
    "equals elsewhere": (
        "call: check_input('')\nleaves: {command: {equals: \"1\"}}",
        [
            "specs/small/f.yaml:6:24: leaves.command.equals: equals belongs to returns of a call. Hint: write the value itself, or {python: …}.",
        ],
    ),
    "python with an odd tolerance": (
        "call: check_input('')\nreturns: {python: \"1.0\", approx: far}",
        [
            "specs/small/f.yaml:6:38: returns.approx: expected a positive number, got the text 'far'.",
        ],
    ),
    "a tolerance of another matcher": (
        "call: check_input('')\nreturns: {any: true, approx: 0.1}",
        [
            "specs/small/f.yaml:6:14: returns: expected one matcher, got 2. Hint: matchers are python, any, matches, shows, contains, number, a_line, last_line, one_of, lines_unordered, all_of, none_of, equals, unordered, type, yields or approx.",
        ],
    ),
    "one of with a wrong matcher": (
        "call: check_input('')\nreturns: {one_of: [1, {kind: int}]}",
        [
            "specs/small/f.yaml:6:28: returns.one_of, item 2, kind: unknown matcher. Hint: matchers are python, any, matches, shows, contains, number, a_line, last_line, one_of, lines_unordered, all_of, none_of, equals, unordered, type, yields or approx.",
        ],
    ),
    "cases of another kind": (
        "call: check_input(text)\ncases: 3",
        [
            "specs/small/f.yaml:6:12: cases: expected a list of cases or file.function, got the number 3. Hint: write - {text: a, returns: 1} for each case.",
        ],
    ),
    "cases with other names": (
        "call: check_input(text)\ncases: [{text: a}, {word: a}]",
        [
            "specs/small/f.yaml:6:24: cases, item 2: this case binds word, the first one text. Hint: every case binds the same names.",
        ],
    ),
    "cases that are no mappings": (
        "call: check_input(text)\ncases: [a]",
        [
            "specs/small/f.yaml:6:13: cases, item 1: expected a mapping of names, got the text 'a'.",
        ],
    ),
    "cases for a key of another stimulus": (
        "run: a1.py\ncases: [{text: a, returns: 1}]",
        [
            "specs/small/f.yaml:6:23: cases, item 1, returns: a run has no returns. Hint: it belongs to call.",
        ],
    ),
    "an unknown name in a case": (
        "run: a1.py\ninput: ['{{ yaer }}']\ncases: [{year: 1}]",
        [
            "specs/small/f.yaml:6:13: input, item 1: unknown constant yaer. Hint: did you mean year?",
        ],
    ),
    "a mapping for a name of a case": (
        "run: a1.py\ncases: [{turn: {1: b}}, {turn: {1: c}}]",
        [
            "specs/small/f.yaml:6:20: cases, item 1, turn: expected a plain value, got a mapping. Hint: did you mean turns?",
        ],
    ),
    "a mapping in a case for what only a scenario states": (
        "run: a1.py\ncases: [{exclamation: {only: [a.txt]}}]",
        [
            "specs/small/f.yaml:6:27: cases, item 1, exclamation: expected a plain value, got a mapping. Hint: a case states input, stdin, argv, returns, prints, turns, raises, leaves, exit or reads.",
        ],
    ),
    "an input of a case that is none": (
        "run: a1.py\ncases: [{input: [a]}, {input: b}]",
        [
            "specs/small/f.yaml:6:35: cases, item 2, input: expected a list, got the text 'b'.",
        ],
    ),
    "a turn that a case has not": (
        "run: a1.py\ncases: [{input: [a], turns: {2: b}}]",
        [
            "specs/small/f.yaml:6:34: cases, item 1, turns, 2: there is no turn 2: 1 input makes turns 0 to 1.",
        ],
    ),
    "a case with another way of typing": (
        "run: a1.py\ninput: [a]\ncases: [{stdin: b}]",
        [
            "specs/small/f.yaml:6:5: input: what is piped in is no terminal. Hint: keep one of stdin and input.",
        ],
    ),
    "a case that raises and returns": (
        "call: check_input(text)\nreturns: 1\ncases: [{text: a}, {text: b, raises: ValueError}]",
        [
            "specs/small/f.yaml:7:34: cases, item 2, raises: a call that raises returns nothing. Hint: keep one of returns and raises.",
        ],
    ),
    "cases of which a program is given nothing": (
        "run: a1.py\ninput: [a]\ncases: [{year: 2023, age: 1}, {year: 1950, age: 1}]",
        [
            'specs/small/f.yaml:7:35: cases, item 2: this case does what item 1 does. Hint: write "{{ year }}" in input, or state input in each case.',
        ],
    ),
    "cases of which a call is given nothing": (
        "call: check_input('a')\ncases: [{text: a}, {text: b}]",
        [
            "specs/small/f.yaml:6:24: cases, item 2: this case does what item 1 does. Hint: use text in what is called.",
        ],
    ),
    "two cases alike": (
        "call: check_input(text)\ncases: [{text: a}, {text: b}, {text: a, returns: true}]",
        [
            "specs/small/f.yaml:6:35: cases, item 3: this case does what item 1 does. Hint: take one of them out.",
        ],
    ),
    "no cases": (
        "call: check_input(text)\ncases: []",
        [
            "specs/small/f.yaml:6:12: cases: expected at least one case, got an empty list.",
        ],
    ),
    "files that are no mapping": (
        "call: check_input('')\nfiles: names.txt",
        [
            "specs/small/f.yaml:6:12: files: expected a mapping, got the text 'names.txt'.",
        ],
    ),
    "a file below another folder": (
        "call: check_input('')\nfiles: {names.txt: ../names.txt}",
        [
            "specs/small/f.yaml:6:24: files.names.txt: ../names.txt is not below the spec folder.",
        ],
    ),
    "a file that is not there": (
        "call: check_input('')\nfiles: {names.txt: data/names.txt}",
        [
            "specs/small/f.yaml:6:24: files.names.txt: there is no file data/names.txt in the spec folder. Hint: a text ends its lines with \\n; write {text: …} for one without.",
        ],
    ),
    "a file's name with a folder": (
        "call: check_input('')\nfiles: {data/names.txt: \"a\\n\"}",
        [
            "specs/small/f.yaml:6:13: files.data/names.txt: expected the name of a file, got the text 'data/names.txt'. Hint: a name has no folders.",
        ],
    ),
    "a file of another kind": (
        "call: check_input('')\nfiles: {names.txt: 3}",
        [
            "specs/small/f.yaml:6:24: files.names.txt: expected a text or a path, got the number 3. Hint: write {text: …} for a text of one line.",
        ],
    ),
    "writes of another kind": (
        "call: check_input('')\nwrites: report.txt",
        [
            "specs/small/f.yaml:6:13: writes: expected files with their texts, or unchanged, got the text 'report.txt'.",
        ],
    ),
    "writes nothing sensible": (
        "call: check_input('')\nwrites: {report.txt: 3}",
        [
            "specs/small/f.yaml:6:26: writes.report.txt: expected text, got the number 3. Hint: quote it.",
        ],
    ),
    "writes only what is no name": (
        "call: check_input('')\nwrites: {only: [3]}",
        [
            "specs/small/f.yaml:6:21: writes.only, item 1: expected the name of a file, got the number 3.",
        ],
    ),
    "stdin of a call": (
        "call: check_input('')\nstdin: a",
        [
            "specs/small/f.yaml:6:5: stdin: a call has no stdin. Hint: it belongs to run.",
        ],
    ),
    "stdin and input": (
        "run: a1.py\nstdin: a\ninput: [a]",
        [
            "specs/small/f.yaml:7:5: input: what is piped in is no terminal. Hint: keep one of stdin and input.",
        ],
    ),
    "replies that are not there": (
        "run: a1.py\nreplies: guesses.bisect",
        [
            "specs/small/f.yaml:6:14: replies: guesses.py is not in the spec folder.",
        ],
    ),
    "replies without a parameter": (
        "run: a1.py\nreplies: boards.lively",
        [
            "specs/small/f.yaml:6:14: replies: boards.lively has no parameter. Hint: the first is given what was printed.",
        ],
    ),
    "replies with an unknown constant": (
        "run: a1.py\nreplies: boards.odd_replies",
        [
            "specs/small/f.yaml:6:14: replies: boards.py has no function odd_replies.",
        ],
    ),
    "replies and input": (
        "run: a1.py\nreplies: boards.every_column\ninput: [a]",
        [
            "specs/small/f.yaml:7:5: input: a generator of replies types all input. Hint: keep one of replies and input.",
        ],
    ),
    "replies of a session": (
        "session: |\n  >>> check_input('')\n  True\nreplies: boards.every_column",
        [
            "specs/small/f.yaml:8:5: replies: a session has no replies. Hint: state it in the session.",
        ],
    ),
    "too many reads": (
        "call: check_input('')\nreads: {most: 3}",
        [
            "specs/small/f.yaml:6:12: reads: expected a whole number or {at_most: …}, got a mapping.",
        ],
    ),
    "environment of another kind": (
        "run: a1.py\nenvironment: {HOME: 3}",
        [
            "specs/small/f.yaml:6:25: environment.HOME: expected text, got the number 3. Hint: quote it.",
        ],
    ),
    "a hint of another kind": (
        "call: check_input('')\nhint: 3",
        [
            "specs/small/f.yaml:6:11: hint: expected text, got the number 3. Hint: quote it.",
        ],
    ),
    "needs what is not there": (
        "call: check_input('')\nneeds: [check_inputs]",
        [
            "specs/small/f.yaml:6:13: needs, item 1: there is no function and no scenario 'check_inputs'. Hint: did you mean check_input?",
        ],
    ),
    "needs its own function": (
        "call: check_input('')\nneeds: check_input",
        [
            "specs/small/f.yaml:6:12: needs: this is a scenario of check_input itself. Hint: name the scenarios that come first.",
        ],
    ),
    "needs itself": (
        "call: check_input('')\nneeds: s",
        [
            "specs/small/f.yaml:6:12: needs: a scenario cannot need itself.",
        ],
    ),
    "needs no name": (
        "call: check_input('')\nneeds: {check_input: true}",
        [
            "specs/small/f.yaml:6:12: needs: expected a list, got a mapping.",
        ],
    ),
    "needs one that needs it": (
        "call: check_input('')\nneeds: t\n-name: t\ncall: check_input('')\nneeds: s",
        [
            "specs/small/f.yaml:6:12: needs: these scenarios need one another: f/s needs f/t needs f/s.",
        ],
    ),
    "needs one that is hidden": (
        "visible: true\ncall: check_input('')\nneeds: t\n-name: t\ncall: check_input('')",
        [
            "specs/small/f.yaml:7:12: needs: f/t is hidden from students who see this scenario. Hint: make both visible, or need its function.",
        ],
    ),
    "needs one that is informational": (
        "call: check_input('')\nneeds: t\n-name: t\ncall: check_input('')\ninformational: true",
        [
            "specs/small/f.yaml:6:12: needs: t is informational, which touches no marks.",
        ],
    ),
    "faster than twice as fast": (
        "call: check_input('')\nfaster_than: 2",
        [
            "specs/small/f.yaml:6:18: faster_than: expected a whole number from 3, got the number 2. Hint: it is a multiple of the reference's CPU time.",
        ],
    ),
    "faster than no number": (
        "call: check_input('')\nfaster_than: fast",
        [
            "specs/small/f.yaml:6:18: faster_than: expected a whole number from 3, got the text 'fast'. Hint: it is a multiple of the reference's CPU time.",
        ],
    ),
    "faster with adaptive answers": (
        "call: get_action()\nreplies: players.one\nfaster_than: 3",
        [
            "specs/small/f.yaml:6:14: replies: players.py is not in the spec folder.",
            "specs/small/f.yaml:7:5: faster_than: faster_than and replies do not go together.",
        ],
    ),
    "one that ends at a limit and is fast": (
        "call: get_action()\nends: cpu_limit\nfaster_than: 3",
        [
            "specs/small/f.yaml:7:5: faster_than: faster_than and ends do not go together.",
        ],
    ),
}
# A line at the end of assignment.yaml.
ASSIGNMENTS = {
    "no such class": (
        "compare: {Acount: repr}",
        [
            "specs/small/assignment.yaml:9:11: compare.Acount: the reference has no class Acount. Hint: its classes are Board.",
        ],
    ),
    "an odd way to compare": (
        "compare: {Board: reprs}",
        [
            "specs/small/assignment.yaml:9:18: compare.Board: expected a list of attributes, or attributes, repr or equality, got the text 'reprs'. Hint: did you mean repr?",
        ],
    ),
    "an odd attribute": (
        "compare: {Board: [1]}",
        [
            "specs/small/assignment.yaml:9:19: compare.Board, item 1: expected the name of an attribute, got the number 1.",
        ],
    ),
    "floats within nothing": (
        "floats: {within: 0}",
        [
            "specs/small/assignment.yaml:9:18: floats.within: expected a positive number, got the number 0.",
        ],
    ),
}


def refused(root: Path) -> list[str]:
    with pytest.raises(SpecErrors) as caught:
        load(root, "small")
    return list(caught.value.errors)


@pytest.mark.parametrize("case", ONE_SCENARIO)
def test_a_mistake_in_a_scenario(case: str, tmp_path: Path) -> None:
    lines, expected = ONE_SCENARIO[case]
    write(tmp_path, {"specs/small/f.yaml": scenario_file(*f"name: s\n{lines}".split("\n-"))})
    assert refused(tmp_path) == expected


@pytest.mark.parametrize("case", ASSIGNMENTS)
def test_a_mistake_in_an_assignment(case: str, tmp_path: Path) -> None:
    line, expected = ASSIGNMENTS[case]
    changes = {
        "specs/small/assignment.yaml": f"{ASSIGNMENT}{line}\n",
        "reference/small/a1.py": CLASSES,
    }
    assert refused(write(tmp_path, changes)) == expected
