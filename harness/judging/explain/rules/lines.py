"""Rules about lines that are missing, too many, or other than expected, also in white space or case
alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest

from harness.common.escaping import quoted, visible
from harness.judging.comparison import shared_start
from harness.judging.explain.failure import Failure, TextEdit
from harness.judging.explain.rules import Stage, count, rule, text_rule


@text_rule(Stage.DIFFERENCE, 30, "prints where nothing should be printed")
def unexpected_output(failure: Failure, texts: TextEdit) -> str | None:
    """Something is printed where nothing should be."""
    if texts.expected_text or not texts.printed:
        return None
    found = quoted(texts.actual_text.rstrip("\n"))
    return failure.says(
        f"{texts.verb} {found}, although nothing should be {_done(texts)} here", place=texts.place
    )


@text_rule(Stage.DIFFERENCE, 40, "prints nothing")
def nothing_printed(failure: Failure, texts: TextEdit) -> str | None:
    """Nothing is printed where something should be."""
    if texts.actual_text or not texts.printed:
        return None
    wanted = quoted(_first_visible(texts.expected))
    clause = f"{texts.verb} nothing, but {wanted} should be {_done(texts)}"
    return failure.says(clause, place=texts.place)


def _done(texts: TextEdit) -> str:
    return "shown" if texts.shown else "printed"


@text_rule(Stage.DIFFERENCE, 50, "does not print a line")
def line_missing(failure: Failure, texts: TextEdit) -> str | None:
    """Lines are left out, all else is right."""
    if texts.inserted or not texts.removed:
        return None
    if len(texts.removed) == 1:
        who = f"the line {quoted(texts.removed[0])}"
        clause = f"is missing: it should be line {texts.at + 1}"
    else:
        who = f"{len(texts.removed)} lines"
        first = quoted(_first_visible(texts.removed))
        clause = f"are missing from line {texts.at + 1}, including {first}"
    return failure.says(clause, place=texts.place, who=who)


@text_rule(Stage.DIFFERENCE, 60, "prints a line too many")
def line_too_many(failure: Failure, texts: TextEdit) -> str | None:
    """Lines are added, all else is right."""
    if texts.removed or not texts.inserted:
        return None
    if len(texts.inserted) == 1:
        clause = f"an extra line: line {texts.at + 1}, {quoted(texts.inserted[0])}"
    else:
        first = quoted(_first_visible(texts.inserted))
        clause = f"{len(texts.inserted)} extra lines from line {texts.at + 1}: {first}"
    return failure.says(f"{texts.verb} {clause}", place=texts.place)


@text_rule(Stage.DIFFERENCE, 70, "a prompt differs")
def prompt_differs(failure: Failure, texts: TextEdit) -> str | None:
    """The text just before an input is another."""
    if not _is_before_input(failure):
        return None
    pair = texts.one_line
    if pair is None or not texts.at_end:
        return None
    at = shared_start(*pair)
    wanted, got = (quoted(line, at=at) for line in pair)
    return failure.says(f"is {got}, it should be {wanted}", place=texts.place, who="the prompt")


def _is_before_input(failure: Failure) -> bool:
    if failure.text is None or failure.text.turn is None:
        return False
    return failure.text.turn < failure.observation.reads


@text_rule(Stage.DIFFERENCE, 80, "one printed line differs")
def line_differs(failure: Failure, texts: TextEdit) -> str | None:
    """One line is another, all else is right."""
    pair = texts.one_line
    if pair is None:
        return None
    at = shared_start(*pair)
    wanted, got = (quoted(line, at=at) for line in pair)
    if len(texts.expected) <= 2 and not texts.expected_text.partition("\n")[2]:
        return failure.says(f"{texts.verb} {got} instead of {wanted}", place=texts.place)
    who = f"line {texts.at + 1}"
    return failure.says(f"is {got}, it should be {wanted}", place=texts.place, who=who)


@text_rule(Stage.DIFFERENCE, 90, "the printed text differs")
def text_differs(failure: Failure, texts: TextEdit) -> str | None:
    """The texts differ from some line and column, and no other rule knows why."""
    line, column, wanted, got = _first_place(texts)
    at = column - 1
    clause = (
        f"differs from line {line}, column {column}: "
        f"{_or_end(got, at)} instead of {_or_end(wanted, at)}"
    )
    who = "the output" if texts.printed else "the returned text"
    return failure.says(clause, place=texts.place, who=who)


def _first_place(texts: TextEdit) -> tuple[int, int, str | None, str | None]:
    expected, actual = texts.expected, texts.actual
    line = shared_start(expected, actual)
    wanted = expected[line] if line < len(expected) else None
    got = actual[line] if line < len(actual) else None
    return line + 1, shared_start(wanted or "", got or "") + 1, wanted, got


def _or_end(line: str | None, at: int) -> str:
    return "the end of the text" if line is None else quoted(line, at=at)


def _first_visible(lines: list[str]) -> str:
    return next((line for line in lines if line.strip()), lines[0] if lines else "")


_SPACE_NAMES = {" ": "space", "\t": "tab", "\r": "carriage return"}


@rule(Stage.KNOWN_MISTAKE, 115, "ends lines as Windows does")
def windows_line_ends(failure: Failure) -> str | None:
    """Only the ends of lines differ: \\r\\n on one side, \\n on the other."""
    for texts in failure.all_texts:
        sides = texts.expected_text, texts.actual_text
        expected, actual = (side.replace("\r\n", "\n") for side in sides)
        if expected == actual and sides[0] != sides[1]:
            return failure.says(_ends(texts), place=texts.place, who=_which_lines(texts))
    return None


def _differing_ends(texts: TextEdit) -> int:
    sides = zip(texts.expected, texts.actual, strict=True)
    return sum(wanted != got for wanted, got in sides)


def _which_lines(texts: TextEdit) -> str:
    lines, differing = len(texts.expected) - 1, _differing_ends(texts)
    those = f"of {texts.named}" if texts.file is not None else f"that it {texts.verb}"
    if differing < lines:
        return f"{differing} of {lines} lines {those}"
    return f"the {'line' if lines == 1 else 'lines'} {those}"


def _ends(texts: TextEdit) -> str:
    end = "ends" if _differing_ends(texts) == 1 else "end"
    if texts.expected_text.count("\r\n") > texts.actual_text.count("\r\n"):
        return f"{end} with \\n, and should end with \\r\\n, as on Windows"
    clause = f'{end} with \\r\\n, as on Windows, and should end with \\n: write "\\n" alone'
    if texts.printed or texts.file is not None:
        clause += '; a csv.writer does with lineterminator="\\n"'
    return clause


@rule(Stage.KNOWN_MISTAKE, 120, "only white space differs")
def only_whitespace(failure: Failure) -> str | None:
    """Every visible character is right."""
    for texts in failure.all_texts:
        if "".join(texts.expected_text.split()) == "".join(texts.actual_text.split()):
            where = f"{texts.place}, only" if texts.place else "Only"
            where = f"{where[:1].upper()}{where[1:]}"
            return f"{where} white space differs in {texts.named}: {_what(texts)}."
    return None


def _what(texts: TextEdit) -> str:
    expected, actual = texts.expected, texts.actual
    if texts.expected_text.rstrip("\n") == texts.actual_text.rstrip("\n"):
        return _line_ends(len(expected) - len(actual), texts.expected_text.rstrip("\n"))
    line = shared_start(expected, actual)
    if [one for one in expected if one] == [one for one in actual if one]:
        return _empty_line(expected, actual, line)
    wanted, got = (lines[line] if line < len(lines) else None for lines in (expected, actual))
    if "" in (wanted, got):
        return _and_more(_empty_line(expected, actual, line))
    if wanted and got and _in_words(wanted) == _in_words(got):
        what = f"line {line + 1} {_in_line(wanted, got)}"
        return what if len(expected) == len(actual) else _and_more(what)
    return f"the lines break in different places, first at line {line + 1}"


def _empty_line(expected: Sequence[str], actual: Sequence[str], line: int) -> str:
    missing = line < len(expected) and not expected[line]
    if missing and line < len(actual) and not actual[line]:
        missing = len(expected) > len(actual)
    what = "an empty line is missing" if missing else "there is an extra empty line"
    return f"{what} at line {line + 1}"


def _and_more(what: str) -> str:
    return what if what.endswith(")") else f"{what} (and more differs further on)"


def _line_ends(missing: int, text: str) -> str:
    last = quoted(text.rsplit("\n", 1)[-1])
    if not text:
        last = "the text"
    if missing == 1:
        return f"the line end after {last} is missing"
    if missing > 1:
        return f"{count(missing, 'line end')} after {last} are missing"
    if missing == -1:
        return f"there is an extra line end after {last}"
    return f"there are {-missing} extra line ends after {last}"


def _in_words(line: str) -> str:
    return "".join(line.split())


def _in_line(expected: str, actual: str) -> str:
    if expected.lstrip() == actual.lstrip():
        return _amount(_indent(expected), _indent(actual), "at its start")
    if expected.rstrip() == actual.rstrip():
        ends = (line[len(line.rstrip()) :] for line in (expected, actual))
        return _amount(next(ends), next(ends), "at its end")
    column = shared_start(expected, actual)
    if column <= min(len(_indent(expected)), len(_indent(actual))):
        return _first_of_several(_indent(expected), _indent(actual), "at its start")
    wanted, got = _gap(expected, column), _gap(actual, column)
    where = f"at column {column + 1}"
    if expected[column + len(wanted) :] == actual[column + len(got) :]:
        return _amount(wanted, got, where)
    return _first_of_several(wanted, got, where)


def _first_of_several(expected: str, actual: str, where: str) -> str:
    return f"{_amount(expected, actual, where)} (and differs further on)"


def _indent(line: str) -> str:
    return line[: len(line) - len(line.lstrip())]


def _gap(line: str, column: int) -> str:
    """The white space around the place where two lines part."""
    start = column
    while start and line[start - 1].isspace():
        start -= 1
    stop = column
    while stop < len(line) and line[stop].isspace():
        stop += 1
    return line[start:stop]


def _amount(expected: str, actual: str, where: str) -> str:
    if set(expected + actual) != {" "}:
        wanted, got = _kinds(expected), _kinds(actual)
        return f"has {got} {where} where {wanted} should be"
    difference = len(expected) - len(actual)
    if difference == 1:
        article = "the space" if len(expected) == 1 else "a space"
        return f"lacks {article} {where}"
    if difference > 1:
        return f"lacks {difference} spaces {where}"
    extra = "an extra space" if difference == -1 else f"{-difference} extra spaces"
    return f"has {extra} {where}"


def _kinds(space: str) -> str:
    if not space:
        return "nothing"
    names: list[str] = []
    for sign in dict.fromkeys(space):
        name = _SPACE_NAMES.get(sign, f'"{visible(sign)}"')
        names.append(count(space.count(sign), name))
    return " and ".join(names[:3])


@text_rule(Stage.KNOWN_MISTAKE, 130, "upper and lower case differ")
def only_case(failure: Failure, texts: TextEdit) -> str | None:
    """Every letter is right but for its case."""
    if texts.expected_text.casefold() != texts.actual_text.casefold():
        return None
    expected, actual = texts.expected, texts.actual
    for number, (wanted, got) in enumerate(zip_longest(expected, actual, fillvalue=""), start=1):
        if wanted != got:
            at = shared_start(wanted, got)
            where = f"{texts.place}, only" if texts.place else "Only"
            return (
                f"{where[:1].upper()}{where[1:]} upper and lower case differ: line {number} is "
                f"{quoted(got, at=at)}, it should be {quoted(wanted, at=at)}."
            )
    return None
