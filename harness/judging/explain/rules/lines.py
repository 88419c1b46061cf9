"""Rules about lines: missing, extra, or different only in white space or case."""

from collections import Counter
from operator import ne

from harness.common.escaping import quoted, visible
from harness.common.words import counted
from harness.judging.explain.failure import Failure, TextEdit, first_visible, item_at
from harness.judging.explain.rules import TEXTS, Stage, rule, rule_about
from harness.judging.side_by_side.comparison import quoted_pair, shared_start


@rule_about(Stage.DIFFERENCE, 30, "prints although nothing should be printed", TEXTS)
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
    if texts.shown:
        return "shown"
    return "printed"


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
    if failure.text is None or failure.text.turn is None:
        return None
    pair = texts.one_line
    if failure.text.turn >= failure.observation.reads or pair is None or not texts.at_end:
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
    expected, actual = texts.first_lines
    where = f"line {texts.at + 1}"
    if expected and expected.strip() and actual and actual.strip():
        where += f", column {shared_start(expected, actual) + 1}"
        wanted, got = quoted_pair(expected, actual)
    else:  # an empty line proves nothing unless the other lines agree
        visible, other_visible = _first_visible(texts.removed), _first_visible(texts.inserted)
        wanted, got = quoted_pair(visible, other_visible)
        if visible == other_visible:
            wanted, got = _named(expected), _named(actual)
    clause = f"first differs in {where}: {got} instead of {wanted}"
    who = "the returned text"
    if texts.printed:
        who = "the output"
    return failure.says(clause, place=texts.place, who=who)


def _named(line: str | None) -> str:
    if line is None:
        return "nothing"
    if not line:
        return "an empty line"
    return quoted(line)


def _first_visible(lines: list[str]) -> str:
    """Return the first line that is not blank, or the first line if all are blank."""
    return first_visible(lines) or item_at(lines, 0) or ""


_SPACE_NAMES = {" ": "space", "\t": "tab", "\r": "carriage return"}
_FURTHER = " (more differences follow)"


@rule(Stage.KNOWN_MISTAKE, 115, "ends lines as Windows does")
def windows_line_ends(failure: Failure) -> str | None:
    r"""Notice texts that differ only in their line ends (\n or \r\n)."""
    for texts in failure.all_texts:
        expected, actual = texts.expected_text, texts.actual_text
        if expected == actual:
            continue
        if expected.replace("\r\n", "\n") == actual.replace("\r\n", "\n"):
            differing = sum(map(ne, texts.expected, texts.actual))
            who = _which_lines(texts, differing)
            return failure.says(_ends(texts, differing), place=texts.place, who=who)
    return None


def _which_lines(texts: TextEdit, differing: int) -> str:
    lines = len(texts.expected) - 1
    if differing < lines:
        which = f"{differing} of {lines} lines"
    elif lines == 1:
        which = "the line"
    else:
        which = "the lines"
    if texts.file is not None:
        return f"{which} of {texts.named}"
    return f"{which} that it {texts.verb}"


def _ends(texts: TextEdit, differing: int) -> str:
    end = "end"
    if differing == 1:
        end = "ends"
    if texts.expected_text.count("\r\n") > texts.actual_text.count("\r\n"):
        return f"{end} with \\n, and should end with \\r\\n, as on Windows"
    clause = f'{end} with \\r\\n, as on Windows, and should end with \\n: write only "\\n"'
    if texts.printed or texts.file is not None:
        clause += '; a csv.writer does with lineterminator="\\n"'
    return clause


@rule(Stage.KNOWN_MISTAKE, 120, "only white space differs")
def only_whitespace(failure: Failure) -> str | None:
    for texts in failure.all_texts:
        if _without_spaces(texts.expected_text) == _without_spaces(texts.actual_text):
            clause = f"white space differs in {texts.named}: {_what(texts)}"
            return _only(failure, texts, clause)
    return None


def _only(failure: Failure, texts: TextEdit, clause: str) -> str:
    """Return a sentence that begins with "Only", or with the place if there is one."""
    who = "Only"
    if texts.place:
        who = "only"
    return failure.says(clause, place=texts.place, who=who)


def _what(texts: TextEdit) -> str:
    expected, actual = texts.expected, texts.actual
    if texts.expected_text.rstrip("\n") == texts.actual_text.rstrip("\n"):
        return _line_ends(len(expected) - len(actual), texts.expected_text.rstrip("\n"))
    wanted, got = texts.first_lines
    if "" in (wanted, got):
        what = f"there is an extra empty line at line {texts.at + 1}"
        if wanted == "":
            what = f"an empty line is missing at line {texts.at + 1}"
        if list(filter(None, expected)) != list(filter(None, actual)):
            what = _and_more(what)
        return what
    if wanted and got and _without_spaces(wanted) == _without_spaces(got):
        what = f"line {texts.at + 1} {_in_line(wanted, got)}"
        if len(expected) != len(actual):
            what = _and_more(what)
        return what
    return f"the lines break in different places, first at line {texts.at + 1}"


def _and_more(what: str) -> str:
    if what.endswith(")"):
        return what
    return f"{what} (more differences follow)"


def _line_ends(missing: int, text: str) -> str:
    last = "the text"
    if text:
        last = quoted(text.rsplit("\n", 1)[-1])
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
        return _amount(_blank_end(expected), _blank_end(actual), "at its end")
    column = shared_start(expected, actual)
    if column <= min(len(_indent(expected)), len(_indent(actual))):
        return _amount(_indent(expected), _indent(actual), "at its start") + _FURTHER
    wanted, got = _gap(expected, column), _gap(actual, column)
    what = _amount(wanted, got, f"at column {column + 1}")
    if expected[column + len(wanted) :] != actual[column + len(got) :]:
        what += _FURTHER
    return what


def _indent(line: str) -> str:
    return line[: len(line) - len(line.lstrip())]


def _gap(line: str, column: int) -> str:
    """Return the white space around the column where two lines start to differ."""
    before, after = line[:column], line[column:]
    return _blank_end(before) + _indent(after)


def _blank_end(line: str) -> str:
    return line[len(line.rstrip()) :]


def _amount(expected: str, actual: str, where: str) -> str:
    if set(expected + actual) != {" "}:
        wanted, got = _kinds(expected), _kinds(actual)
        return f"has {got} {where} where {wanted} should be"
    difference = len(expected) - len(actual)
    if len(expected) == difference == 1:
        return f"is missing the space {where}"
    if difference == 1:
        return f"is missing a space {where}"
    if difference > 1:
        return f"is missing {difference} spaces {where}"
    if difference == -1:
        return f"has an extra space {where}"
    return f"has {-difference} extra spaces {where}"


def _kinds(space: str) -> str:
    """Return a phrase such as "2 spaces and 1 tab" for white space, with at most three kinds."""
    if not space:
        return "nothing"
    counts: list[str] = []
    for sign, count in Counter(space).items():
        name = _SPACE_NAMES.get(sign, f'"{visible(sign)}"')
        counts.append(counted(count, name))
    return " and ".join(counts[:3])


@rule_about(Stage.KNOWN_MISTAKE, 130, "upper and lower case differ", TEXTS)
def only_case(failure: Failure, texts: TextEdit) -> str | None:
    if texts.expected_text.casefold() != texts.actual_text.casefold():
        return None
    wanted, got = quoted_pair(*texts.first_lines)
    clause = f"upper and lower case differ: line {texts.at + 1} is {got}, it should be {wanted}"
    return _only(failure, texts, clause)
