"""Rules about lines: missing, too many, or other than expected, if only in white space or case."""

from harness.common.escaping import quoted, visible
from harness.common.words import counted
from harness.judging.comparison import quoted_pair, shared_start
from harness.judging.explain.failure import Failure, TextEdit
from harness.judging.explain.rules import TEXTS, Stage, rule, rule_about


@rule_about(Stage.DIFFERENCE, 30, "prints where nothing should be printed", TEXTS)
def unexpected_output(failure: Failure, texts: TextEdit) -> str | None:
    if texts.expected_text or not texts.printed:
        return None
    if failure.is_to_end:
        found = quoted(_first_visible(texts.actual))
        return failure.says(f"should end; it says {found}", place=texts.place)
    found = quoted(texts.actual_text.rstrip("\n"))
    clause = f"{texts.verb} {found}, although nothing should be {_done(texts)} here"
    return failure.says(clause, place=texts.place)


@rule_about(Stage.DIFFERENCE, 40, "prints nothing", TEXTS)
def nothing_printed(failure: Failure, texts: TextEdit) -> str | None:
    if texts.actual_text or not texts.printed:
        return None
    wanted = quoted(_first_visible(texts.expected))
    clause = f"{texts.verb} nothing, but {wanted} should be {_done(texts)}"
    return failure.says(clause, place=texts.place)


def _done(texts: TextEdit) -> str:
    return "shown" if texts.shown else "printed"


@rule_about(Stage.DIFFERENCE, 50, "does not print a line", TEXTS)
def line_missing(failure: Failure, texts: TextEdit) -> str | None:
    if texts.inserted or not texts.removed:
        return None
    if len(texts.removed) == 1:
        who = f"the line {quoted(texts.removed[0])}"
        clause = f"is missing: it should be line {texts.at + 1}"
    else:
        who = counted(len(texts.removed), "line")
        first = quoted(_first_visible(texts.removed))
        clause = f"are missing from line {texts.at + 1}, including {first}"
    return failure.says(clause, place=texts.place, who=who)


@rule_about(Stage.DIFFERENCE, 60, "prints a line too many", TEXTS)
def line_too_many(failure: Failure, texts: TextEdit) -> str | None:
    if texts.removed or not texts.inserted:
        return None
    if len(texts.inserted) == 1:
        clause = f"an extra line: line {texts.at + 1}, {quoted(texts.inserted[0])}"
    else:
        first = quoted(_first_visible(texts.inserted))
        clause = f"{counted(len(texts.inserted), 'extra line')} from line {texts.at + 1}: {first}"
    return failure.says(f"{texts.verb} {clause}", place=texts.place)


@rule_about(Stage.DIFFERENCE, 70, "a prompt differs", TEXTS)
def prompt_differs(failure: Failure, texts: TextEdit) -> str | None:
    turn = None if failure.text is None else failure.text.turn
    pair = texts.one_line
    if turn is None or turn >= failure.observation.reads or pair is None or not texts.at_end:
        return None
    wanted, got = quoted_pair(*pair)
    return failure.says(f"is {got}, it should be {wanted}", place=texts.place, who="the prompt")


@rule_about(Stage.DIFFERENCE, 80, "one printed line differs", TEXTS)
def line_differs(failure: Failure, texts: TextEdit) -> str | None:
    pair = texts.one_line
    if pair is None:
        return None
    wanted, got = quoted_pair(*pair)
    if len(texts.expected) <= 2 and not texts.expected_text.partition("\n")[2]:
        return failure.says(f"{texts.verb} {got} instead of {wanted}", place=texts.place)
    who = f"line {texts.at + 1}"
    return failure.says(f"is {got}, it should be {wanted}", place=texts.place, who=who)


@rule_about(Stage.DIFFERENCE, 90, "the printed text differs", TEXTS)
def text_differs(failure: Failure, texts: TextEdit) -> str | None:
    lines = texts.first_lines
    where = f"line {texts.at + 1}"
    if all((line or "").strip() for line in lines):
        where += f", column {shared_start(*(line or '' for line in lines)) + 1}"
    else:  # an empty line tells nothing
        lines = _first_visible(texts.removed), _first_visible(texts.inserted)
    if lines[0] == lines[1]:  # but if the others agree, only it differs
        wanted, got = (_named(line) for line in texts.first_lines)
    else:
        wanted, got = quoted_pair(*lines)
    clause = f"differs from {where}: {got} instead of {wanted}"
    who = "the output" if texts.printed else "the returned text"
    return failure.says(clause, place=texts.place, who=who)


def _named(line: str | None) -> str:
    return "nothing" if line is None else quoted(line) if line else "an empty line"


def _first_visible(lines: list[str]) -> str:
    return next((line for line in lines if line.strip()), lines[0] if lines else "")


_SPACE_NAMES = {" ": "space", "\t": "tab", "\r": "carriage return"}
_FURTHER = " (and differs further on)"


@rule(Stage.KNOWN_MISTAKE, 115, "ends lines as Windows does")
def windows_line_ends(failure: Failure) -> str | None:
    """Only the ends of lines differ: \r\n on one side, \n on the other."""
    for texts in failure.all_texts:
        sides = texts.expected_text, texts.actual_text
        expected, actual = (side.replace("\r\n", "\n") for side in sides)
        if expected == actual and sides[0] != sides[1]:
            ends, lines = zip(texts.expected, texts.actual, strict=True), len(texts.expected) - 1
            differing = sum(wanted != got for wanted, got in ends)
            which = f"{differing} of {lines} lines"
            if differing >= lines:
                which = "the line" if lines == 1 else "the lines"
            those = f"that it {texts.verb}" if texts.file is None else f"of {texts.named}"
            clause, who = _ends(texts, differing), f"{which} {those}"
            return failure.says(clause, place=texts.place, who=who)
    return None


def _ends(texts: TextEdit, differing: int) -> str:
    end = "ends" if differing == 1 else "end"
    if texts.expected_text.count("\r\n") > texts.actual_text.count("\r\n"):
        return f"{end} with \\n, and should end with \\r\\n, as on Windows"
    clause = f'{end} with \\r\\n, as on Windows, and should end with \\n: write "\\n" alone'
    if texts.printed or texts.file is not None:
        clause += '; a csv.writer does with lineterminator="\\n"'
    return clause


@rule(Stage.KNOWN_MISTAKE, 120, "only white space differs")
def only_whitespace(failure: Failure) -> str | None:
    for texts in failure.all_texts:
        if _without_spaces(texts.expected_text) == _without_spaces(texts.actual_text):
            clause = f"white space differs in {texts.named}: {_what(texts)}"
            return failure.says(clause, place=texts.place, who="only" if texts.place else "Only")
    return None


def _what(texts: TextEdit) -> str:
    expected, actual = texts.expected, texts.actual
    if texts.expected_text.rstrip("\n") == texts.actual_text.rstrip("\n"):
        return _line_ends(len(expected) - len(actual), texts.expected_text.rstrip("\n"))
    wanted, got = texts.first_lines
    if "" in (wanted, got):
        what = "an empty line is missing" if wanted == "" else "there is an extra empty line"
        what = f"{what} at line {texts.at + 1}"
        all_else = [line for line in expected if line] == [line for line in actual if line]
        return what if all_else else _and_more(what)
    if wanted and got and _without_spaces(wanted) == _without_spaces(got):
        what = f"line {texts.at + 1} {_in_line(wanted, got)}"
        return what if len(expected) == len(actual) else _and_more(what)
    return f"the lines break in different places, first at line {texts.at + 1}"


def _and_more(what: str) -> str:
    return what if what.endswith(")") else f"{what} (and more differs further on)"


def _line_ends(missing: int, text: str) -> str:
    last = quoted(text.rsplit("\n", 1)[-1]) if text else "the text"
    if missing == 1:
        return f"the line end after {last} is missing"
    if missing > 1:
        return f"{counted(missing, 'line end')} after {last} are missing"
    if missing == -1:
        return f"there is an extra line end after {last}"
    return f"there are {-missing} extra line ends after {last}"


def _without_spaces(text: str) -> str:
    return "".join(text.split())


def _in_line(expected: str, actual: str) -> str:
    if expected.lstrip() == actual.lstrip():
        return _amount(_indent(expected), _indent(actual), "at its start")
    if expected.rstrip() == actual.rstrip():
        ends = (line[len(line.rstrip()) :] for line in (expected, actual))
        return _amount(next(ends), next(ends), "at its end")
    column = shared_start(expected, actual)
    if column <= min(len(_indent(expected)), len(_indent(actual))):
        return _amount(_indent(expected), _indent(actual), "at its start") + _FURTHER
    wanted, got = _gap(expected, column), _gap(actual, column)
    where = f"at column {column + 1}"
    is_all = expected[column + len(wanted) :] == actual[column + len(got) :]
    return _amount(wanted, got, where) + ("" if is_all else _FURTHER)


def _indent(line: str) -> str:
    return line[: len(line) - len(line.lstrip())]


def _gap(line: str, column: int) -> str:
    """Return the white space around the place where two lines part."""
    before, after = line[:column], line[column:]
    return before[len(before.rstrip()) :] + _indent(after)


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
    names = {sign: _SPACE_NAMES.get(sign, f'"{visible(sign)}"') for sign in space}
    return " and ".join([counted(space.count(sign), name) for sign, name in names.items()][:3])


@rule_about(Stage.KNOWN_MISTAKE, 130, "upper and lower case differ", TEXTS)
def only_case(failure: Failure, texts: TextEdit) -> str | None:
    if texts.expected_text.casefold() != texts.actual_text.casefold():
        return None
    wanted, got = quoted_pair(*texts.first_lines)
    what = f"upper and lower case differ: line {texts.at + 1} is {got}, it should be {wanted}"
    return failure.says(what, place=texts.place, who="only" if texts.place else "Only")
