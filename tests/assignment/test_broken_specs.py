# ruff: noqa: E501
"""Every mistake is one line: the place, the key, what is wrong, and the fix."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.assignment import SpecErrors, load
from tests.assignment.small_assignment import (
    ASSIGNMENT,
    CLAUSES,
    HEAD,
    MUTANTS,
    REFERENCE,
    scenario_file,
    write,
)

F = "specs/small/f.yaml"
# One scenario whose name is on line 4; the lines of the case follow from line 5, column 5.
ONE_SCENARIO = {
    "no as a value": (
        "call: check_input('')\nreturns: no",
        [
            "specs/small/f.yaml:6:14: returns: no is true or false to some YAML readers. Hint: quote it if it is text, write true or false if it is not.",
        ],
    ),
    "octal": (
        "call: check_input('')\nreturns: 012",
        [
            "specs/small/f.yaml:6:14: returns: 012 may be octal. Hint: quote it if it is text, write a plain decimal number if it is not.",
        ],
    ),
    "octal of eight digits": (
        "call: check_input('')\nreturns: 017",
        [
            "specs/small/f.yaml:6:14: returns: 017 may be octal. Hint: quote it if it is text, write a plain decimal number if it is not.",
        ],
    ),
    "underscore": (
        "call: check_input('')\nreturns: 1_000",
        [
            "specs/small/f.yaml:6:14: returns: 1_000 is a number to some. Hint: quote it if it is text, write a plain decimal number if it is not.",
        ],
    ),
    "base 60": (
        "call: check_input('')\nreturns: 1:30",
        [
            "specs/small/f.yaml:6:14: returns: 1:30 is base 60 to some. Hint: quote it.",
        ],
    ),
    "exponent": (
        "call: check_input('')\nreturns: 1e3",
        [
            "specs/small/f.yaml:6:14: returns: 1e3 has an exponent. Hint: quote it if it is text, write a plain decimal number if it is not.",
        ],
    ),
    "date": (
        "call: check_input('')\nreturns: 2024-03-22",
        [
            "specs/small/f.yaml:6:14: returns: 2024-03-22 looks like a date. Hint: quote it.",
        ],
    ),
    "plus": (
        "call: check_input('')\nreturns: +1",
        [
            "specs/small/f.yaml:6:14: returns: +1 has a plus sign. Hint: quote it if it is text, write a plain decimal number if it is not.",
        ],
    ),
    "hexadecimal": (
        "call: check_input('')\nreturns: 0x1F",
        [
            "specs/small/f.yaml:6:14: returns: 0x1F is a hexadecimal number. Hint: quote it if it is text, write a plain decimal number if it is not.",
        ],
    ),
    "tilde": (
        "call: check_input('')\nreturns: ~",
        [
            "specs/small/f.yaml:6:14: returns: ~ is another spelling of null. Hint: write null, or quote it.",
        ],
    ),
    "None": (
        "call: check_win([])\nreturns: None",
        [
            "specs/small/f.yaml:6:14: returns: None is a Python literal and would be read as text. Hint: write null for None, or quote it.",
        ],
    ),
    "tuple": (
        "call: check_win([])\nreturns: (0, 0, 1)",
        [
            'specs/small/f.yaml:6:14: returns: (0, 0, 1) is a Python literal and would be read as text. Hint: quote it if it is text, write {python: "…"} if it is not.',
        ],
    ),
    "clause as a number": (
        "clause: 4.10\ncall: check_input('')",
        [
            "specs/small/f.yaml:5:13: clause: expected text, got the number 4.10. Hint: quote it.",
        ],
    ),
    "bare returns": (
        "call: check_input('')\nreturns:",
        [
            "specs/small/f.yaml:6:5: returns: there is no value. Hint: write null for None, or leave the key out.",
        ],
    ),
    "comment in a call": (
        'call: check_input("a #1")',
        [
            "specs/small/f.yaml:5:11: call: a # comment cuts the text short. Hint: quote it.",
        ],
    ),
    "comment cuts prints": (
        "call: check_input('')\nprints: Player #1 moves",
        [
            "specs/small/f.yaml:6:13: prints: a # comment cuts the text short. Hint: quote it.",
        ],
    ),
    "comment cuts returns": (
        "call: check_input('')\nreturns: a #1",
        [
            "specs/small/f.yaml:6:14: returns: a # comment cuts the text short. Hint: quote it.",
        ],
    ),
    "anchor": (
        "call: &a check_input('')",
        [
            "specs/small/f.yaml:5:11: call: &a is an anchor. Hint: write the value out where it is used.",
        ],
    ),
    "alias": (
        "call: *a",
        [
            "specs/small/f.yaml:5:11: call: *a is an alias. Hint: quote it if it is text, write the value out if it is not.",
        ],
    ),
    "tag": (
        "call: !!str check_input('')",
        [
            "specs/small/f.yaml:5:11: call: !!str is a tag. Hint: quote a text that begins with !.",
        ],
    ),
    "duplicate key": (
        "call: check_input('')\nreturns: true\nreturns: false",
        [
            "specs/small/f.yaml:7:5: returns: the key is here a second time (first on line 6). Hint: keep one.",
        ],
    ),
    "unknown key": (
        "call: check_input('')\nretruns: true",
        [
            "specs/small/f.yaml:6:5: retruns: unknown key. Hint: did you mean returns?",
        ],
    ),
    "unknown key, nothing like it": (
        "call: check_input('')\nzzz: true",
        [
            "specs/small/f.yaml:6:5: zzz: unknown key.",
        ],
    ),
    "two stimuli": (
        "call: check_input('')\nrun: a1.py",
        [
            "specs/small/f.yaml:6:5: run: expected exactly one of call, session or run, got call and run. Hint: make one scenario of each.",
        ],
    ),
    "no stimulus": (
        "returns: true",
        [
            "specs/small/f.yaml:4:5: expected exactly one of call, session or run, got none.",
        ],
    ),
    "call does not parse": (
        "call: check_input(",
        [
            "specs/small/f.yaml:5:11: call: 'check_input(' is not a Python expression ('(' was never closed).",
        ],
    ),
    "call is a statement": (
        "call: board = 3",
        [
            "specs/small/f.yaml:5:11: call: 'board = 3' is not a Python expression (invalid syntax).",
        ],
    ),
    "unknown name": (
        "call: check_inputs('a1')",
        [
            "specs/small/f.yaml:5:11: call: check_inputs is not a function of the reference, a provided constant or a name bound by the scenario. Hint: did you mean check_input?",
        ],
    ),
    "unknown constant in a call": (
        "call: check_input(BORD_SIZE)",
        [
            "specs/small/f.yaml:5:11: call: BORD_SIZE is not a function of the reference, a provided constant or a name bound by the scenario. Hint: did you mean BOARD_SIZE?",
        ],
    ),
    "unknown template": (
        "call: check_input('')\nprints: '{{ COLUM_MESSAGE }}'",
        [
            "specs/small/f.yaml:6:13: prints: unknown constant COLUM_MESSAGE. Hint: did you mean COLUMN_MESSAGE?",
        ],
    ),
    "template with an expression": (
        "call: check_input('')\nprints: '{{ BOARD_SIZE + 1 }}'",
        [
            "specs/small/f.yaml:6:13: prints: {{ BOARD_SIZE + 1 }} is not the name of a constant. Hint: did you mean BOARD_SIZE?",
        ],
    ),
    "unknown function": (
        "function: chek_input\ncall: check_input('')",
        [
            "specs/small/f.yaml:5:15: function: the reference has no function chek_input. Hint: did you mean check_input?",
        ],
    ),
    "unknown clause": (
        "clause: \"4.7\"\ncall: check_input('')",
        [
            "specs/small/f.yaml:5:13: clause: unknown clause 4.7. Hint: did you mean 4.6?",
        ],
    ),
    "clause that is like none": (
        "clause: errors\ncall: check_input('')",
        [
            "specs/small/f.yaml:5:13: clause: unknown clause errors. Hint: list it, with what the sheet says, in clauses.yaml.",
        ],
    ),
    "dictionary as YAML writes it": (
        "call: check_input('')\nreturns: {the: 2, cat: 1}",
        [
            'specs/small/f.yaml:6:14: returns: expected a matcher, got a mapping of 2 keys. Hint: a dictionary is written {python: "{…}"}.',
        ],
    ),
    "special method": (
        "function: check_input.__repr__\ncall: check_input('')",
        [
            "specs/small/f.yaml:5:15: function: check_input.__repr__ has no row of its own. Hint: special methods belong to their class: write function: check_input.",
        ],
    ),
    "number that is a word": (
        "call: check_input('')\nprints: {number: four}",
        [
            'specs/small/f.yaml:6:22: prints.number: expected a number, got the text \'four\'. Hint: as it is printed: 4, 2.50 as "2.50", "{{ BOARD_SIZE }}".',
        ],
    ),
    "a line that is a text": (
        "call: check_input('')\nprints: {a_line: bye}",
        [
            "specs/small/f.yaml:6:22: prints.a_line: expected a matcher, got the text 'bye'. Hint: write {contains: …} or {number: …} for a text, {one_of: […]} for a whole value.",
        ],
    ),
    "last line that is a text": (
        "call: check_input('')\nprints: {last_line: bye}",
        [
            "specs/small/f.yaml:6:25: prints.last_line: expected a matcher, got the text 'bye'. Hint: write {contains: …} or {number: …} for a text, {one_of: […]} for a whole value.",
        ],
    ),
    "unknown override": (
        "call: check_input('')\nconstants: {BOARD_SIZ: 4}",
        [
            "specs/small/f.yaml:6:17: constants.BOARD_SIZ: no provided module defines the constant BOARD_SIZ. Hint: did you mean BOARD_SIZE?",
        ],
    ),
    "override assigned twice": (
        "call: check_input('')\nconstants: {TWICE: 4}",
        [
            "specs/small/f.yaml:6:17: constants.TWICE: a1_support.py binds TWICE more than once. Hint: an override rewrites the one NAME = … at the module's top level.",
        ],
    ),
    "override of an unpacking": (
        "call: check_input('')\nconstants: {LEFT: x}",
        [
            "specs/small/f.yaml:6:17: constants.LEFT: a1_support.py has no plain top-level assignment of LEFT. Hint: an override rewrites the one NAME = … at the module's top level.",
        ],
    ),
    "override of another type": (
        "call: check_input('')\nconstants: {BOARD_SIZE: '4'}",
        [
            "specs/small/f.yaml:6:29: constants.BOARD_SIZE: BOARD_SIZE is int, got the text '4'. Hint: take the quotes away.",
        ],
    ),
    "empty sweep": (
        "call: check_input('')\nconstants: {BOARD_SIZE: []}",
        [
            "specs/small/f.yaml:6:29: constants.BOARD_SIZE: a sweep needs values, got an empty list.",
        ],
    ),
    "sweep twice the same": (
        "call: check_input('')\nconstants: {BOARD_SIZE: [4, 4]}",
        [
            "specs/small/f.yaml:6:33: constants.BOARD_SIZE, item 2: 4 is in the sweep twice.",
        ],
    ),
    "input pair": (
        "run: a1.py\ninput:\n  - 4,6",
        [
            "specs/small/f.yaml:7:9: input, item 1: 4,6 looks like a pair. Hint: quote it.",
        ],
    ),
    "input pair in a flow list": (
        "run: a1.py\ninput: [4,6]",
        [
            'specs/small/f.yaml:6:13: input, item 1: 4,6 looks like a pair. Hint: write "4,6" for one input, 4, 6 for two.',
        ],
    ),
    "input decimal": (
        "run: a1.py\ninput: [1.5]",
        [
            "specs/small/f.yaml:6:13: input, item 1: expected text, a whole number or {key: …}, got the number 1.5. Hint: quote it.",
        ],
    ),
    "input true": (
        "run: a1.py\ninput: [true]",
        [
            "specs/small/f.yaml:6:13: input, item 1: expected text, a whole number or {key: …}, got true. Hint: quote it.",
        ],
    ),
    "input of two lines": (
        'run: a1.py\ninput: ["a\\nb"]',
        [
            "specs/small/f.yaml:6:13: input, item 1: an input is one line. Hint: make one item of each line.",
        ],
    ),
    "input control": (
        'run: a1.py\ninput: ["a\\x04"]',
        [
            "specs/small/f.yaml:6:13: input, item 1: a control character cannot be typed. Hint: write {key: ctrl-d} or {key: ctrl-c}.",
        ],
    ),
    "input key": (
        "run: a1.py\ninput: [{key: ctrl-x}]",
        [
            "specs/small/f.yaml:6:19: input, item 1, key: expected ctrl-c or ctrl-d, got the text 'ctrl-x'. Hint: did you mean ctrl-d?",
        ],
    ),
    "input mapping": (
        "run: a1.py\ninput: [{kee: ctrl-d}]",
        [
            "specs/small/f.yaml:6:13: input, item 1: expected text, a whole number or {key: …}, got a mapping. Hint: quote it.",
        ],
    ),
    "input too long": (
        f"run: a1.py\ninput: [{'a' * 4096}]",
        [
            "specs/small/f.yaml:6:13: input, item 1: a line of 4096 bytes cannot be typed (a terminal takes 4,095).",
        ],
    ),
    "returns on a run": (
        "run: a1.py\nreturns: 0",
        [
            "specs/small/f.yaml:6:5: returns: a run has no returns. Hint: it belongs to call.",
        ],
    ),
    "turns on a session": (
        "session: '>>> check_input(\"\")'\nturns: [a]",
        [
            "specs/small/f.yaml:6:5: turns: a session has no turns. Hint: state it in the session.",
        ],
    ),
    "an exit that is no status": (
        "run: a1.py\nexit: {any: false}",
        [
            "specs/small/f.yaml:6:11: exit: expected an exit status or {any: true}, got a mapping.",
        ],
    ),
    "exit on a call": (
        "call: check_input('')\nexit: 0",
        [
            "specs/small/f.yaml:6:5: exit: a call has no exit. Hint: it belongs to run.",
        ],
    ),
    "argv on a call": (
        "call: check_input('')\nargv: [a]",
        [
            "specs/small/f.yaml:6:5: argv: a call has no argv. Hint: it belongs to run.",
        ],
    ),
    "returns and raises": (
        "call: check_input('')\nreturns: 0\nraises: ValueError",
        [
            "specs/small/f.yaml:7:5: raises: a call that raises returns nothing. Hint: keep one of returns and raises.",
        ],
    ),
    "leaves of a method's object": (
        "given: board = ['-']\ncall: board.sort()\nleaves: unchanged",
        [
            "specs/small/f.yaml:7:5: leaves: of this call nothing is seen but what it returns and prints. Hint: what a method does to its object is compared in a session: one step makes it, one calls the method.",
        ],
    ),
    "leaves of another parameter": (
        "call: add_piece(['-'], 'X', 0)\nleaves: {bord: []}",
        [
            "specs/small/f.yaml:6:14: leaves.bord: bord is no parameter of the function and no name of the session. Hint: did you mean board?",
        ],
    ),
    "leaves of a given name that the function calls otherwise": (
        "given: mine = ['-']\ncall: add_piece(mine, 'X', 0)\nleaves: {mine: [X]}",
        [
            "specs/small/f.yaml:7:14: leaves.mine: mine is no parameter of the function and no name of the session. Hint: the function calls it board.",
        ],
    ),
    "leaves of a given name that is no argument": (
        "given: other = mine = ['-']\ncall: add_piece(mine, 'X', 0)\nleaves: {other: [X]}",
        [
            "specs/small/f.yaml:7:14: leaves.other: other is no parameter of the function and no name of the session. Hint: a session compares it: leave the call to one step, and write >>> other as the next.",
        ],
    ),
    "leaves of an argument that is given by its name": (
        "call: add_piece(column_index=0, piece='X', board=['-'])\nleaves: {board: [X]}",
        [
            "specs/small/f.yaml:6:14: leaves.board: only what is given by its place is compared afterwards. Hint: write add_piece(board, …).",
        ],
    ),
    "too many turns": (
        "call: get_action()\ninput: [a1]\nturns: [a, b, c]",
        [
            "specs/small/f.yaml:7:12: turns: 1 input makes at most 2 turns, got 3.",
        ],
    ),
    "turn that is not there": (
        "call: get_action()\ninput: [a1]\nturns: {2: a}",
        [
            "specs/small/f.yaml:7:13: turns.2: there is no turn 2: 1 input makes turns 0 to 1.",
        ],
    ),
    "unknown matcher": (
        "call: check_input('')\nreturns: {pyhton: '1'}",
        [
            "specs/small/f.yaml:6:15: returns.pyhton: unknown matcher. Hint: did you mean python?",
        ],
    ),
    "two matchers": (
        "call: check_input('')\nreturns: {any: true, type: int}",
        [
            "specs/small/f.yaml:6:14: returns: expected one matcher, got 2. Hint: matchers are python, any, matches, shows, contains, number, a_line, last_line, one_of, lines_unordered, all_of, none_of, equals, unordered, type, yields or approx.",
        ],
    ),
    "shows without patterns": (
        "call: check_input('')\nprints: {shows: a parting message}",
        [
            "specs/small/f.yaml:6:21: prints.shows: assignment.yaml has no pattern for the text 'a parting message'. Hint: describe it there: patterns: {a parting message: …}.",
        ],
    ),
    "all_of without a list": (
        "call: check_input('')\nreturns: {all_of: {type: int}}",
        [
            "specs/small/f.yaml:6:23: returns.all_of: expected a list of matchers, got a mapping.",
        ],
    ),
    "none_of nothing": (
        "call: check_input('')\nprints: {none_of: []}",
        [
            "specs/small/f.yaml:6:23: prints.none_of: expected a list of matchers, got an empty list.",
        ],
    ),
    "none_of with a bare text": (
        "call: check_input('')\nprints: {none_of: [wins, {contains: lost}, 5]}",
        [
            "specs/small/f.yaml:6:24: prints.none_of, item 1: expected a matcher, got the text 'wins'. Hint: write {contains: …} or {number: …} for a text, {one_of: […]} for a whole value.",
            "specs/small/f.yaml:6:48: prints.none_of, item 3: expected a matcher, got the number 5. Hint: write {contains: …} for a part of a text, {one_of: […]} for a whole value.",
        ],
    ),
    "all_of with mistakes inside": (
        "call: check_input('')\nprints: {all_of: [{matches: '('}, {type: int}, {contain: a}]}",
        [
            "specs/small/f.yaml:6:33: prints.all_of, item 1, matches: not a regular expression (missing ), unterminated subpattern at position 0).",
            "specs/small/f.yaml:6:40: prints.all_of, item 2, type: this matcher is not for text.",
            "specs/small/f.yaml:6:53: prints.all_of, item 3, contain: unknown matcher. Hint: did you mean contains?",
        ],
    ),
    "combinations too deep": (
        "call: check_input('')\nreturns: {all_of: [{none_of: [{all_of: [{any: true}]}]}]}",
        [
            "specs/small/f.yaml:6:36: returns.all_of, item 1, none_of, item 1, all_of: all_of and none_of go no deeper than one inside another.",
        ],
    ),
    "type matcher on text": (
        "call: check_input('')\nprints: {type: int}",
        [
            "specs/small/f.yaml:6:14: prints.type: this matcher is not for text.",
        ],
    ),
    "python does not parse": (
        "call: check_input('')\nreturns: {python: '1 +'}",
        [
            "specs/small/f.yaml:6:23: returns.python: '1 +' is not a Python expression (invalid syntax).",
        ],
    ),
    "regex does not compile": (
        "call: check_input('')\nprints: {matches: '('}",
        [
            "specs/small/f.yaml:6:23: prints.matches: not a regular expression (missing ), unterminated subpattern at position 0).",
        ],
    ),
    "approx without within": (
        "call: check_input('')\nreturns: {approx: 3.14}",
        [
            "specs/small/f.yaml:6:14: returns: approx needs a within. Hint: write {approx: 3.14, within: 0.01}.",
        ],
    ),
    "unknown type": (
        "call: check_input('')\nreturns: {type: flaot}",
        [
            "specs/small/f.yaml:6:21: returns.type: expected the name of a built-in type, got the text 'flaot'. Hint: did you mean float?",
        ],
    ),
    "any of false": (
        "call: check_input('')\nreturns: {any: false}",
        [
            "specs/small/f.yaml:6:20: returns.any: expected true, got false.",
        ],
    ),
    "mapping in a list": (
        "call: check_input('')\nreturns: [{a: 1}]",
        [
            'specs/small/f.yaml:6:15: returns, item 1: expected a value, got a mapping. Hint: write the whole value as {python: "…"}.',
        ],
    ),
    "prints a number": (
        "call: check_input('')\nprints: 5",
        [
            "specs/small/f.yaml:6:13: prints: expected text, got the number 5. Hint: quote it.",
        ],
    ),
    "visible": (
        "call: check_input('')\nvisible: after_due",
        [
            "specs/small/f.yaml:6:14: visible: expected true, false, after_due_date or after_published, got the text 'after_due'. Hint: did you mean after_due_date?",
        ],
    ),
    "points": (
        "call: check_input('')\npoints: 0",
        [
            'specs/small/f.yaml:6:13: points: expected a positive number or a fraction like "1/3", got the number 0.',
        ],
    ),
    "points as text": (
        "call: check_input('')\npoints: many",
        [
            "specs/small/f.yaml:6:13: points: expected a positive number or a fraction like \"1/3\", got the text 'many'.",
        ],
    ),
    "limits": (
        "call: check_input('')\nlimits: {cpu_seconds: -1}",
        [
            "specs/small/f.yaml:6:27: limits.cpu_seconds: expected a positive number, got the number -1.",
        ],
    ),
    "limits key": (
        "call: check_input('')\nlimits: {cpu_second: 1}",
        [
            "specs/small/f.yaml:6:14: limits.cpu_second: unknown key. Hint: did you mean cpu_seconds?",
        ],
    ),
    "ends": (
        "call: check_input('')\nends: cpu",
        [
            "specs/small/f.yaml:6:11: ends: expected answered, asks_for_more, ended_early, timeout, cpu_limit, memory_limit, output_limit or crashed, got the text 'cpu'.",
        ],
    ),
    "ignore": (
        "call: check_input('')\nignore: cases",
        [
            "specs/small/f.yaml:6:13: ignore: expected case, trailing-space or blank-lines, got the text 'cases'. Hint: did you mean case?",
        ],
    ),
    "text for a list": (
        "run: a1.py\ninput: a1",
        [
            "specs/small/f.yaml:6:12: input: expected a list, got the text 'a1'.",
        ],
    ),
    "number for a text": (
        "call: 5",
        [
            "specs/small/f.yaml:5:11: call: expected text, got the number 5. Hint: quote it.",
        ],
    ),
    "unknown program": (
        "run: a2.py",
        [
            "specs/small/f.yaml:5:10: run: a2.py is neither a submitted nor a provided file. Hint: did you mean a1.py?",
        ],
    ),
    "missing provide": (
        "run: a1.py\nprovide: driver.py",
        [
            "specs/small/f.yaml:6:14: provide: there is no file driver.py in the spec folder.",
        ],
    ),
    "session without a prompt": (
        "session: |\n  check_input('')\n  True",
        [
            "specs/small/f.yaml:6:7: session: a session begins with '>>> '. Hint: begin the first step with '>>> '.",
        ],
    ),
    "session with a line number": (
        "session: |\n  >>> x = 1\n  9>>> x",
        [
            "specs/small/f.yaml:7:7: session: '9>>> x' has a >>> that does not begin its line. Hint: begin a step with '>>> ' and nothing before it.",
        ],
    ),
    "session that does not parse": (
        "session: |\n  >>> f(\n  True",
        [
            "specs/small/f.yaml:6:7: session: 'f(' is not Python ('(' was never closed). Hint: continue it with '... '.",
        ],
    ),
    "session with an unknown name": (
        "session: |\n  >>> board = []\n  >>> check_win(bord)",
        [
            "specs/small/f.yaml:7:7: session: bord is not a function of the reference, a provided constant or a name bound by the scenario. Hint: did you mean board?",
        ],
    ),
    "given does not parse": (
        "call: check_input('')\ngiven: 'x ='",
        [
            "specs/small/f.yaml:6:12: given: not Python statements (invalid syntax).",
        ],
    ),
    "transcript is not there": (
        "run: a1.py\ntranscript: gameplay/none.txt",
        [
            "specs/small/f.yaml:6:17: transcript: there is no file gameplay/none.txt. Hint: run harness record, or correct the name.",
        ],
    ),
    "transcript of a sweep": (
        "run: a1.py\nconstants: {BOARD_SIZE: [4, 10]}\ntranscript: gameplay/game.txt",
        [
            "specs/small/f.yaml:7:17: transcript: the file's name does not hold the swept BOARD_SIZE. Hint: put {{ BOARD_SIZE }} into the name.",
        ],
    ),
    "draws not recorded": (
        "call: check_win(board)\ncases: boards.every_column",
        [
            "specs/small/f.yaml:6:12: cases: draws/f.s.json is not there. Hint: run harness record.",
        ],
    ),
    "unknown generator": (
        "call: check_win(board)\ncases: boards.every_colum",
        [
            "specs/small/f.yaml:6:12: cases: boards.py has no function every_colum.",
        ],
    ),
    "generator without a file": (
        "call: check_win(board)\ncases: every_column",
        [
            "specs/small/f.yaml:6:12: cases: expected file.function, got 'every_column'. Hint: boards.any_board is any_board in boards.py.",
        ],
    ),
    "generator asks for what is not there": (
        "call: check_win(board)\ncases: boards.odd",
        [
            "specs/small/f.yaml:6:12: cases: boards.odd asks for SHAPE, which is no provided constant.",
        ],
    ),
    "each without draws": (
        "call: check_input('')\neach: true",
        [
            "specs/small/f.yaml:6:5: each: each belongs to sample or cases.",
        ],
    ),
    "sample and cases": (
        "call: check_input('')\ncases: boards.odd\nsample: {strategy: boards.odd, count: 1}",
        [
            "specs/small/f.yaml:6:5: cases: expected one of sample and cases. Hint: make one scenario of each.",
        ],
    ),
    "transcript of several cases": (
        "run: a1.py\ncases: [{who: Ada}, {who: Bob}]\ninput: ['{{ who }}']\ntranscript: gameplay/game.txt",
        [
            "specs/small/f.yaml:8:5: transcript: a transcript is of one game, and cases are several. Hint: state turns in each case, or write a scenario for each game.",
        ],
    ),
    "sample without a count": (
        "call: check_win(board)\nsample: {strategy: boards.any_board}",
        [
            "specs/small/f.yaml:6:13: sample: the key count is missing.",
        ],
    ),
}


@pytest.mark.parametrize("case", ONE_SCENARIO)
def test_a_mistake_in_a_scenario(case: str, tmp_path: Path) -> None:
    lines, expected = ONE_SCENARIO[case]
    write(tmp_path, {F: scenario_file(f"name: s\n{lines}")})
    with pytest.raises(SpecErrors) as caught:
        load(tmp_path, "small")
    assert list(caught.value.errors) == expected


A = "specs/small/assignment.yaml"
C = "specs/small/clauses.yaml"
P = "specs/small/policy.yaml"
M = "specs/small/mutants.yaml"
S = "reference/small/a1_support.py"
R = "reference/small/a1.py"
T = "specs/small/gameplay/t.txt"
GOOD = "    call: check_input('')\n"
FILES = {
    "not YAML": (
        {F: "scenarios:\n  - name: a: b\n"},
        [
            "specs/small/f.yaml:2:12: not YAML: mapping values are not allowed in this context. Hint: quote a text that holds ': '.",
        ],
    ),
    "tab": (
        {F: "scenarios:\n\t- name: a\n"},
        [
            "specs/small/f.yaml:2:1: not YAML: found character that cannot start any token. Hint: indent with spaces, and quote a text that begins with % @ ` or a tab.",
        ],
    ),
    "unclosed": (
        {F: "scenarios: [\n"},
        [
            "specs/small/f.yaml:2:1: not YAML: did not find expected node content. Hint: look for a bracket, quote or indentation that does not match.",
        ],
    ),
    "comma in braces": (
        {F: HEAD + "  - {name: a, call: check_input(1, 2), returns: true}\n"},
        [
            "specs/small/f.yaml:4:21: call: 'check_input(1' is not a Python expression ('(' was never closed). Hint: a comma ends a text inside { }: put it in quotes.",
            "specs/small/f.yaml:4:36: 2): there is no value. Hint: write null for None, or leave the key out.",
        ],
    ),
    "list in braces": (
        {F: HEAD + "  - {name: a, call: check_input([1, 2], 3), returns: true}\n"},
        [
            "specs/small/f.yaml:4:33: not YAML: did not find expected ',' or '}'. Hint: put a text that holds a comma or a bracket in quotes.",
        ],
    ),
    "empty file": (
        {F: "# nothing\n"},
        [
            "specs/small/f.yaml:1:1: the file is empty.",
        ],
    ),
    "two documents": (
        {F: HEAD + "  - name: a\n" + GOOD + "---\nname: b\n"},
        [
            "specs/small/f.yaml:6:1: a second YAML document begins here. Hint: put it into a file of its own.",
        ],
    ),
    "not UTF-8": (
        {F: b"name: \xff\n"},
        [
            "specs/small/f.yaml:1:1: byte 6 is not UTF-8. Hint: save the file as UTF-8.",
        ],
    ),
    "a list": (
        {F: "- name: a\n"},
        [
            "specs/small/f.yaml:1:1: expected a mapping with scenarios.",
        ],
    ),
    "no scenarios": (
        {F: "function: check_input\n"},
        [
            "specs/small/f.yaml:1:1: the key scenarios is missing.",
        ],
    ),
    "an empty list of scenarios": (
        {F: "scenarios: []\n"},
        [
            "specs/small/f.yaml:1:12: expected at least one, got an empty list.",
        ],
    ),
    "unknown key at the head": (
        {F: "functoin: check_input\nscenarios:\n  - name: a\n" + GOOD},
        [
            "specs/small/f.yaml:1:1: functoin: unknown key. Hint: did you mean function?",
        ],
    ),
    "no function": (
        {F: "scenarios:\n  - name: a\n" + GOOD},
        [
            "specs/small/f.yaml:2:5: the key function is missing. Hint: name the function that the points belong to, here or at the head of the file.",
        ],
    ),
    "name used twice": (
        {F: HEAD + ("  - name: a\n" + GOOD) * 2},
        [
            "specs/small/f.yaml:6:11: name: another scenario has this name. Hint: names are unique in their file.",
        ],
    ),
    "names with the same id": (
        {F: HEAD + "  - name: a b\n" + GOOD + "  - name: A, b!\n" + GOOD},
        [
            "specs/small/f.yaml:6:11: name: 'A, b!' and 'a b' make the same id. Hint: names are unique in their file.",
        ],
    ),
    "name without a letter": (
        {F: HEAD + "  - name: '!'\n" + GOOD},
        [
            "specs/small/f.yaml:4:11: name: '!' has neither letter nor digit to make an id of.",
        ],
    ),
    "points_total": (
        {F: "points_total: none\n" + HEAD + "  - name: a\n" + GOOD},
        [
            "specs/small/f.yaml:1:15: points_total: expected a positive number or a fraction like \"1/3\", got the text 'none'.",
        ],
    ),
    "marks and points_total": (
        {F: "points_total: 2\nmarks: 2\n" + HEAD + "  - name: a\n" + GOOD},
        [
            "specs/small/f.yaml:2:8: marks: marks and points_total both say what the file is worth. Hint: keep one of them.",
        ],
    ),
    "marks of nothing": (
        {F: "marks: 2\ninformational: true\n" + HEAD + "  - name: a\n" + GOOD},
        [
            "specs/small/f.yaml:1:8: marks: no scenario of the file counts. Hint: informational scenarios earn nothing.",
        ],
    ),
    "more marks than there are": (
        {F: "marks: 7\n" + HEAD + "  - name: a\n" + GOOD},
        [
            "specs/small/f.yaml:1:8: marks: the files' marks add up to 7, and functionality_marks is 6. Hint: they may not be more.",
        ],
    ),
    "fewer marks than there are": (
        {F: "marks: 5\n" + HEAD + "  - name: a\n" + GOOD},
        [
            "specs/small/f.yaml:1:8: marks: the files' marks add up to 5, and functionality_marks is 6. Hint: no other file has scenarios that could earn the rest.",
        ],
    ),
    "template in braces without quotes": (
        {F: HEAD + "  - name: a\n" + GOOD + "    prints: {{ COLUMN_MESSAGE }}\n"},
        [
            "specs/small/f.yaml:6:13: prints: expected a value, got a mapping. Hint: quote it.",
        ],
    ),
    "unknown name in session output": (
        {F: HEAD + "  - name: a\n    session: |\n      >>> check_input('')\n      {{ NAME }}\n"},
        [
            "specs/small/f.yaml:7:7: session: unknown constant NAME.",
        ],
    ),
    "unknown name in a transcript": (
        {
            F: HEAD + "  - name: a\n    run: a1.py\n    transcript: gameplay/t.txt\n",
            T: "Hello\nyou {{ PROMT }}\n",
        },
        [
            "specs/small/gameplay/t.txt:2:5: unknown constant PROMT. Hint: did you mean PROMPT?",
        ],
    ),
    "file named .yml": (
        {"specs/small/g.yml": "a: b\n"},
        [
            "specs/small/g.yml:1:1: this file is not read. Hint: name it .yaml.",
        ],
    ),
    "all mistakes together": (
        {
            F: HEAD + "  - name: a\n    call: f(\n    returns:\n  - name: b\n    visible: 1\n"
            "  - call: check_input('')\n",
            P: "import: {none: true}\n",
        },
        [
            "specs/small/f.yaml:5:11: call: 'f(' is not a Python expression ('(' was never closed).",
            "specs/small/f.yaml:6:5: returns: there is no value. Hint: write null for None, or leave the key out.",
            "specs/small/f.yaml:8:14: visible: expected true, false, after_due_date or after_published, got the number 1.",
            "specs/small/f.yaml:9:5: the key name is missing.",
            "specs/small/policy.yaml:1:1: import: unknown key. Hint: did you mean imports?",
        ],
    ),
    "assignment without a title": (
        {A: ASSIGNMENT.replace("title: Small\n", "")},
        [
            "specs/small/assignment.yaml:1:1: the key title is missing.",
        ],
    ),
    "unknown key of a manual mark": (
        {A: ASSIGNMENT + "manual:\n  - {id: style, title: Code style, out_of: 4, outof: 4}\n"},
        [
            "specs/small/assignment.yaml:10:47: manual, item 1, outof: unknown key. Hint: did you mean out_of?",
        ],
    ),
    "manual marks that make no sense": (
        {
            A: ASSIGNMENT + "manual:\n"
            '  - {id: style, title: Code style, out_of: none, clause: "4.7"}\n'
            "  - {id: style, title: Code style, out_of: 0}\n"
        },
        [
            "specs/small/assignment.yaml:10:44: manual, item 1, out_of: expected a positive number or a fraction like \"1/3\", got the text 'none'.",
            "specs/small/assignment.yaml:10:58: manual, item 1, clause: unknown clause 4.7. Hint: did you mean 4.6?",
            "specs/small/assignment.yaml:11:10: manual, item 2, id: the id style is here a second time. Hint: ids are unique in the list.",
            'specs/small/assignment.yaml:11:44: manual, item 2, out_of: expected a positive number or a fraction like "1/3", got the number 0.',
        ],
    ),
    "manual marks without a usable id": (
        {
            A: ASSIGNMENT + "manual:\n"
            "  - {id: Code style, title: Code style, out_of: 4}\n"
            "  - {id: 4, title: Code style, out_of: 4}\n"
        },
        [
            "specs/small/assignment.yaml:10:10: manual, item 1, id: expected a word of small letters, digits, - and _, got the text 'Code style'.",
            "specs/small/assignment.yaml:11:10: manual, item 2, id: expected a word of small letters, digits, - and _, got the number 4. Hint: quote it.",
        ],
    ),
    "stand-ins that are none": (
        {
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
        [
            "specs/small/f.yaml:3:12: stand_in.a2.py: a2.py is no submitted module. Hint: did you mean a1.py?",
            "specs/small/f.yaml:6:23: stand_in.a1.py: copy.py is the reference's own answer. Hint: write a module for this use.",
            "specs/small/f.yaml:9:23: stand_in.a1.py: there is no file b.py in the spec folder or among the course's files. Hint: the reference's own answer is never used.",
            "specs/small/f.yaml:12:23: stand_in.a1.py: bad.py is not Python (invalid syntax).",
            "specs/small/f.yaml:15:23: stand_in.a1.py: ../a1.py is a path. Hint: write the file's name alone.",
            "specs/small/f.yaml:18:23: stand_in.a1.py: there is no file none.py in the spec folder or among the course's files.",
            "specs/small/f.yaml:21:5: stand_in: nothing of the submission would be left. Hint: leave out the module that the scenario is about.",
            "specs/small/f.yaml:21:23: stand_in.a1.py: bad.py is not Python (invalid syntax).",
            "specs/small/f.yaml:21:37: stand_in.b.py: bad.py is not Python (invalid syntax).",
            "specs/small/f.yaml:24:23: stand_in.a1.py: expected text, got the number 1. Hint: quote it.",
        ],
    ),
    "python as a number": (
        {A: ASSIGNMENT.replace('"3.12"', "3.12")},
        [
            "specs/small/assignment.yaml:3:9: python: expected text, got the number 3.12. Hint: quote it.",
        ],
    ),
    "python that is no version": (
        {A: ASSIGNMENT.replace("3.12", "312")},
        [
            "specs/small/assignment.yaml:3:9: python: expected a version like 3.12, got 312.",
        ],
    ),
    "submission without files": (
        {A: ASSIGNMENT.replace("files: [a1.py]", "")},
        [
            "specs/small/assignment.yaml:4:13: submission: expected files or as. Hint: write {files: [a1.py]}.",
        ],
    ),
    "submission in a folder": (
        {A: ASSIGNMENT.replace("[a1.py]", "[a/a1.py]")},
        [
            "specs/small/assignment.yaml:4:22: submission.files, item 1: a/a1.py is a path. Hint: write the file's name alone.",
        ],
    ),
    "provided file is not there": (
        {A: ASSIGNMENT.replace("[a1_s", "[b1_s")},
        [
            "specs/small/assignment.yaml:5:12: provided, item 1: reference/small/b1_support.py is not there.",
        ],
    ),
    "provided file is not Python": (
        {S: "x = = 1\n"},
        [
            "reference/small/a1_support.py:1:5: not Python (invalid syntax).",
        ],
    ),
    "provided file fails": (
        {S: "x = 1 / 0\n"},
        [
            "specs/small/assignment.yaml:5:12: provided, item 1: a1_support.py cannot be run: ZeroDivisionError: division by zero.",
        ],
    ),
    "provided file is not UTF-8": (
        {S: b"# coding: latin-1\nA = '\xe9'\n"},
        [
            "reference/small/a1_support.py:1:1: byte 23 is not UTF-8. Hint: save the file as UTF-8.",
        ],
    ),
    "reference is not Python": (
        {R: "def f(:\n"},
        [
            "reference/small/a1.py:1:7: not Python (invalid syntax).",
        ],
    ),
    "second submission file is not there": (
        {A: ASSIGNMENT.replace("[a1.py]", "[a1.py, b.py]")},
        [
            "specs/small/assignment.yaml:4:29: submission.files, item 2: reference/small/b.py is not there.",
        ],
    ),
    "marks": (
        {A: ASSIGNMENT.replace("marks: 6", "marks: six")},
        [
            "specs/small/assignment.yaml:6:22: functionality_marks: expected a positive number or a fraction like \"1/3\", got the text 'six'.",
        ],
    ),
    "policy file is not there": (
        {P: None},
        [
            "specs/small/assignment.yaml:7:9: policy: there is no file policy.yaml in specs/small.",
        ],
    ),
    "policy file is not named": (
        {A: ASSIGNMENT.replace("policy: policy.yaml\n", "")},
        [
            "specs/small/assignment.yaml:1:1: policy.yaml lies here but no key policy names it. Hint: write policy: policy.yaml.",
        ],
    ),
    "clause twice": (
        {C: CLAUSES + '  - {id: "4.6", section: "4.6", text: Again.}\n'},
        [
            "specs/small/clauses.yaml:5:10: clauses, item 4, id: the clause 4.6 is here a second time.",
        ],
    ),
    "clause without quotes": (
        {C: CLAUSES.replace('id: "4.6"', "id: 4.6")},
        [
            "specs/small/clauses.yaml:2:10: clauses, item 1, id: expected text, got the number 4.6. Hint: quote it.",
        ],
    ),
    "two kinds of import rule": (
        {P: "imports: {exactly: [import a], allow: [b]}\n"},
        [
            "specs/small/policy.yaml:1:10: imports: expected one of exactly, allow, forbid, none or files, got allow and exactly.",
        ],
    ),
    "a kind of import rule beside files": (
        {P: "imports: {allow: [b], files: {a1.py: {none: true}}}\n"},
        [
            "specs/small/policy.yaml:1:10: imports: expected one of exactly, allow, forbid, none or files, got allow and files.",
        ],
    ),
    "import rules of no file": (
        {P: "imports: {files: {}}\n"},
        [
            "specs/small/policy.yaml:1:18: imports.files: names no file. Hint: leave imports out.",
        ],
    ),
    "import rules of a file": (
        {
            P: "imports:\n  files:\n    a2.py: {none: false}\n"
            "    a1.py: {none: true, allow: [b]}\n    a1_support.py: {exactly: [numpy]}\n"
            "    a3.py: {}\n"
        },
        [
            "specs/small/policy.yaml:3:5: imports.files.a2.py: a2.py is no submitted module. Hint: did you mean a1.py?",
            "specs/small/policy.yaml:3:19: imports.files.a2.py.none: expected true, got false. Hint: leave it out.",
            "specs/small/policy.yaml:4:12: imports.files.a1.py: expected one of exactly, allow, forbid or none, got allow and none.",
            "specs/small/policy.yaml:5:5: imports.files.a1_support.py: a1_support.py is no submitted module.",
            "specs/small/policy.yaml:5:31: imports.files.a1_support.py.exactly, item 1: 'numpy' is not an import statement.",
            "specs/small/policy.yaml:6:5: imports.files.a3.py: a3.py is no submitted module. Hint: did you mean a1.py?",
            "specs/small/policy.yaml:6:12: imports.files.a3.py: expected one of exactly, allow, forbid or none, got nothing.",
        ],
    ),
    "files inside files": (
        {P: "imports: {files: {a1.py: {files: {a1.py: {none: true}}}}}\n"},
        [
            "specs/small/policy.yaml:1:27: imports.files.a1.py.files: unknown key. Hint: known keys are exactly, allow, forbid, none.",
        ],
    ),
    "no import statement": (
        {P: "imports: {exactly: [numpy]}\n"},
        [
            "specs/small/policy.yaml:1:21: imports.exactly, item 1: 'numpy' is not an import statement.",
        ],
    ),
    "unknown syntax node": (
        {P: "syntax: {allow: [FuncDef]}\n"},
        [
            "specs/small/policy.yaml:1:18: syntax.allow, item 1: unknown syntax node FuncDef. Hint: did you mean FunctionDef?",
        ],
    ),
    "what is allowed and what is forbidden": (
        {P: "syntax: {allow: [If], forbid: [For]}\nbuiltins: {}\nmethods: {forbid: []}\n"},
        [
            "specs/small/policy.yaml:1:9: syntax: expected one of allow or forbid, got allow and forbid.",
            "specs/small/policy.yaml:2:11: builtins: expected one of allow or forbid, got nothing.",
            "specs/small/policy.yaml:3:19: methods.forbid: names nothing. Hint: leave methods out.",
        ],
    ),
    "unknown names that are forbidden": (
        {
            P: "syntax: {forbid: [FuncDef, stmt]}\nbuiltins: {forbid: [sume]}\n"
            "methods: {forbid: [a b]}\nimports: {forbid: []}\n"
        },
        [
            "specs/small/policy.yaml:1:19: syntax.forbid, item 1: unknown syntax node FuncDef. Hint: did you mean FunctionDef?",
            "specs/small/policy.yaml:1:28: syntax.forbid, item 2: unknown syntax node stmt.",
            "specs/small/policy.yaml:2:21: builtins.forbid, item 1: unknown built-in sume. Hint: did you mean sum?",
            "specs/small/policy.yaml:3:20: methods.forbid, item 1: 'a b' is not a name.",
            "specs/small/policy.yaml:4:19: imports.forbid: names nothing. Hint: leave imports out.",
        ],
    ),
    "unknown kind of code": (
        {P: "module_level: {allow: [function]}\n"},
        [
            "specs/small/policy.yaml:1:24: module_level.allow, item 1: unknown kind of code function. Hint: did you mean functions?",
        ],
    ),
    "unknown kind of code that is like none": (
        {P: "module_level: {allow: [classes, loops]}\n"},
        [
            "specs/small/policy.yaml:1:33: module_level.allow, item 2: unknown kind of code loops. Hint: there are imports, constants, functions, classes or main_guard.",
        ],
    ),
    "severity": (
        {P: "severity: {imports: zeroo}\n"},
        [
            "specs/small/policy.yaml:1:21: severity.imports: expected note, review, zero or {deduct: marks}, got the text 'zeroo'. Hint: did you mean zero?",
        ],
    ),
    "severity without marks": (
        {P: "severity: {imports: deduct}\n"},
        [
            "specs/small/policy.yaml:1:21: severity.imports: expected note, review, zero or {deduct: marks}, got the text 'deduct'. Hint: write {deduct: 1.5}.",
        ],
    ),
    "severity with bad marks": (
        {P: "severity: {imports: {deduct: -1}}\n"},
        [
            'specs/small/policy.yaml:1:30: severity.imports.deduct: expected a positive number or a fraction like "1/3", got the number -1.',
        ],
    ),
    "policy cites an unknown clause": (
        {P: "clauses: {imports: import}\n"},
        [
            "specs/small/policy.yaml:1:20: clauses.imports: unknown clause import. Hint: did you mean imports?",
        ],
    ),
    "mutant of another file": (
        {M: MUTANTS.replace("a1.py", "a2.py")},
        [
            "specs/small/mutants.yaml:3:11: mutants, item 1, file: the reference has no file a2.py. Hint: did you mean a1.py?",
        ],
    ),
    "mutant of nothing": (
        {M: MUTANTS.replace("print(COLUMN", "print(COL")},
        [
            "specs/small/mutants.yaml:4:11: mutants, item 1, find: this text is not in a1.py.",
        ],
    ),
    "mutant that changes nothing": (
        {
            M: "mutants:\n  - {clause: imports, file: a1.py, find: _private, replace: _private, "
            "why: none}\n"
        },
        [
            "specs/small/mutants.yaml:2:61: mutants, item 1, replace: this changes nothing.",
        ],
    ),
    "mutant in two places": (
        {
            M: "mutants:\n  - {clause: imports, file: a1.py, find: return True, replace: pass, "
            "why: none}\n",
            R: REFERENCE + "def again():\n    return True\n",
        },
        [
            "specs/small/mutants.yaml:2:42: mutants, item 1, find: this text is 2 times in a1.py. Hint: add a line before or after it.",
        ],
    ),
    "mutant that is not Python": (
        {
            M: "mutants:\n  - {clause: imports, file: a1.py, find: def _private, replace: xdef a, "
            "why: none}\n"
        },
        [
            "specs/small/mutants.yaml:2:65: mutants, item 1, replace: the changed a1.py is not Python (invalid syntax).",
        ],
    ),
    "mutant of an unknown clause": (
        {M: MUTANTS.replace('"4.6"', '"4.5"')},
        [
            "specs/small/mutants.yaml:2:13: mutants, item 1, clause: unknown clause 4.5. Hint: did you mean 4.6?",
        ],
    ),
}


@pytest.mark.parametrize("case", FILES)
def test_a_mistake_in_a_file(case: str, tmp_path: Path) -> None:
    changes, expected = FILES[case]
    write(tmp_path, changes)
    if M in changes:  # which stops no grading
        assert list(load(tmp_path, "small").mutant_mistakes) == expected
        return
    with pytest.raises(SpecErrors) as caught:
        load(tmp_path, "small")
    assert list(caught.value.errors) == expected
