"""Copies are found beneath their disguises, and what is not copied is not taken for it."""

import base64
import json
import re
import time
from collections.abc import Iterable
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from benchmarks import likeness as benchmark
from harness.execution import ToolFailed
from harness.model.assignment import SourceFile
from harness.model.observation import Ending
from harness.model.study import Fingerprint, SimilarPair
from harness.model.submission import Submission
from harness.study import program_texts
from harness.study.likeness import MAX_MATCHES, Likeness, groups, likeness, matches
from harness.study.similarity import MAX_BYTES, TREE, ProgramPrints, read_some
from tests.study.class_of_copies import (
    PREFIX,
    SOURCE,
    STYLE_OF,
    TURNED,
    TURNED_BY_COPIES,
    alike,
    alike_by_chance,
    disguised,
    made_class,
    prints,
    programs,
    reference_of,
    scores_of,
)
from tests.tiny_course import Course

Scores = dict[frozenset[str], float]


tokens = partial(prints, kind="tokens")


def names(pairs: Iterable[SimilarPair]) -> list[tuple[str, str]]:
    return [(pair.first, pair.second) for pair in pairs]


@pytest.fixture(scope="module")
def scores() -> Scores:
    return scores_of(alike(programs()))


def ranked(scores: Scores, original: str) -> list[str]:
    """The programs, those first that are most like this one's copy."""
    return sorted(STYLE_OF, key=lambda name: -scores[frozenset((PREFIX + original, name))])


@pytest.mark.parametrize("original", STYLE_OF)
def test_a_copys_original_ranks_first(scores: Scores, original: str) -> None:
    first, second = ranked(scores, original)[:2]
    assert first == original
    copy = PREFIX + original
    assert scores[frozenset((copy, first))] > scores[frozenset((copy, second))]


def test_no_two_styles_are_as_alike_as_a_copy_and_its_original(scores: Scores) -> None:
    copies = [scores[frozenset((PREFIX + name, name))] for name in STYLE_OF]
    apart = [
        scores[frozenset((one, other))]
        for one, other in combinations(STYLE_OF, 2)
        if STYLE_OF[one] != STYLE_OF[other]
    ]
    assert max(apart) < min(copies)


LOOP = """\
def f(rows):
    for row in rows:
        if row and row[0] == 'X':
            return True
"""
OTHER_LOOP = (
    '"""Another."""\n\n\ndef g(board):  # mine\n    """Says whether."""\n'
    '    for column in board:\n        if column and column[0] == "piece":\n'
    "            return True\n"
)
OWN = "def h(a, b):\n    while a % b:\n        a, b = b, a % b\n    return [a, b, a + b, {a: b}]\n"


def test_names_comments_texts_and_documentation_make_no_difference() -> None:
    assert [p.value for p in prints(LOOP)] == [p.value for p in prints(OTHER_LOOP)]


@pytest.mark.parametrize(
    "find",
    [
        benchmark._ours,
        benchmark._ours_listed,
        benchmark._ours_by_tokens,
        benchmark._plain_trees,
        benchmark._winnowing,
    ],
)
def test_each_measure_of_the_benchmark_finds_a_copy(find: benchmark.Tool) -> None:
    text, other = (programs()[name] for name in ("perfect", "does_not_ask"))
    found = find({"one": text, "copy": f"# mine\n{text}", "other": other}, "")
    assert found[frozenset(("one", "copy"))] > found.get(frozenset(("one", "other")), 0.0)


def test_given_code_does_not_count() -> None:
    both = {"one": prints(LOOP), "two": prints(OTHER_LOOP)}
    assert len(likeness(both).listed) == 1
    assert likeness(both, given=prints(LOOP)).listed == ()


def test_text_of_most_of_the_class_does_not_count() -> None:
    everybody = {f"{number}": prints(LOOP) for number in range(40)}
    assert likeness(everybody).listed == ()
    two = everybody | {"a": prints(LOOP + OWN), "b": prints(OWN + LOOP)}
    assert names(likeness(two).listed) == [("a", "b")]


def test_the_same_file_handed_in_twice_is_wholly_alike() -> None:
    assert names(alike({"a": OWN, "b": OWN, "empty": ""}).listed) == [("a", "b")]
    found = matches(prints(OWN), prints(OWN), set())
    assert [(m.first.first, m.first.last, m.second.last) for m in found] == [(1, 4, 4)]


def test_matches_name_the_lines_of_both() -> None:
    (match,) = matches(prints(OWN), prints(LOOP + "\n\n" + OWN), set())
    assert (match.first.first, match.first.last) == (1, 4)
    assert (match.second.first, match.second.last) == (7, 10)


def test_groups_are_of_programs_connected_by_pairs() -> None:
    texts = programs()
    found = alike(dict.fromkeys("abc", texts["perfect"]) | {"d": texts["does_not_ask"]})
    assert groups(found.connected) == (("a", "b", "c"),)


@pytest.mark.parametrize(
    "text",
    ["", "def f(:\n", "\0", "(" * 5000, "-" * 200_000 + "1", "x = " + "a" * 300_000],
    ids=["empty", "no Python", "a zero byte", "brackets", "deep", "long"],
)
def test_files_that_cannot_be_compared_have_no_fingerprints(text: str) -> None:
    assert prints(text) == ()


def test_a_very_large_program_is_read_up_to_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(program_texts, "MAX_SYMBOLS", 1000)
    large, larger = (prints("x = [" + "1 + 2, " * n + "]\n") for n in (1000, 2000))
    assert larger == large != ()


def test_two_programs_that_match_everywhere_in_another_order_cost_little() -> None:
    count = 20_000
    first, second = (
        [Fingerprint(value=n, first_line=9 * at, last_line=9 * at, file=0) for n, at in places]
        for places in (
            ((n, n) for n in range(count)),
            ((n, n * 7919 % count) for n in range(count)),
        )
    )
    before = time.process_time()
    (pair,) = likeness({"a": first, "b": second}).listed
    found = matches(first, second, set())
    assert time.process_time() - before < 10  # it took two minutes
    assert (pair.score, len(found)) == (1, MAX_MATCHES)


def measured(copies: int, draw: int, independent: int) -> tuple[Likeness, set[frozenset[str]]]:
    """A class made for it, and the pairs of one source."""
    texts = made_class(copies, draw, independent=independent)
    of_source = [name for name in texts if name.startswith(SOURCE)]
    found = alike(texts, given=reference_of(draw))
    return found, set(map(frozenset, combinations(of_source, 2)))


@pytest.mark.parametrize("draw", range(4))
def test_copies_are_found_even_if_most_programs_are_copies(draw: int) -> None:
    found, same = measured(copies=15, draw=draw, independent=8)
    assert set(map(frozenset, names(found.pairs)[: len(same)])) == same
    assert [set(group) for group in groups(found.connected)] == [set().union(*same)]
    assert sum(frozenset(pair) not in same for pair in names(found.listed)) <= 3


def test_a_single_copy_is_found() -> None:
    found, same = measured(copies=1, draw=0, independent=8)
    assert set(map(frozenset, names(found.connected))) == same


@pytest.mark.parametrize("draw", range(6))
@pytest.mark.parametrize(("turned", "most"), [(0.2, 3), (TURNED, 5)])
def test_ten_programs_of_one_plan_are_not_a_group(turned: float, most: int, draw: int) -> None:
    found = alike(alike_by_chance(10, draw, turned))
    assert max(map(len, groups(found.connected)), default=0) <= most


def test_a_copy_of_which_a_fifth_is_turned_is_in_the_group() -> None:
    texts = made_class(25, 1, turned=TURNED_BY_COPIES)
    found = alike(texts, given=reference_of(1))
    of_source = {name for name in texts if name.startswith(SOURCE)}
    assert [set(group) for group in groups(found.connected)] == [of_source]


def test_all_pairs_above_chance_are_listed() -> None:
    assert len(alike(made_class(25, 0, independent=2)).listed) >= 26 * 25 / 2


def test_a_program_of_an_earlier_year_is_compared_but_not_with_another_one() -> None:
    last = ("last/one", "last/two")
    found = alike(dict.fromkeys(("this", *last), OWN), earlier=frozenset(last))
    assert set(names(found.listed)) == {("last/one", "this"), ("last/two", "this")}


def numbered(*ranges: range) -> tuple[Fingerprint, ...]:
    return tuple(
        Fingerprint(value=value, first_line=value, last_line=value)
        for each in ranges
        for value in each
    )


def test_text_of_many_groups_weighs_less_and_a_group_counts_once() -> None:
    both = {"a": numbered(range(60)), "b": numbered(range(35, 95))}

    def score(more: dict[str, tuple[Fingerprint, ...]]) -> float:
        return scores_of(likeness(both | more, earlier=frozenset(more)))[frozenset("ab")]

    assert score({}) == pytest.approx(25 / 60)
    one = numbered(range(35, 60), range(1000, 1100))
    copied = {f"last/{n}": one for n in range(5)}
    assert score({"last/1": one}) == score(copied) == pytest.approx(25 / 2 / (35 + 25 / 2))
    apart = {
        f"last/{n}": numbered(range(35, 60), range(n, n + 100)) for n in range(1000, 1500, 100)
    }
    assert score(apart) < 0.2


def without_a_colon(text: str) -> str:
    return re.sub(r"^(def .*):$", r"\1", text, count=1, flags=re.MULTILINE)


@pytest.fixture(scope="module")
def token_scores() -> Scores:
    texts = {
        name: without_a_colon(text) if name.startswith(PREFIX) else text
        for name, text in programs().items()
    }
    assert all(bool(prints(text)) != name.startswith(PREFIX) for name, text in texts.items())
    return scores_of(alike(texts, "tokens"))


@pytest.mark.parametrize("original", STYLE_OF)
def test_a_copy_with_a_syntax_error_is_told_by_tokens(token_scores: Scores, original: str) -> None:
    number = list(STYLE_OF).index(original)
    other_half = list(STYLE_OF.values())[(number + 7) % 20] if number % 5 == 4 else ""
    assert STYLE_OF[ranked(token_scores, original)[0]] in {STYLE_OF[original], other_half}
    score = token_scores[frozenset((PREFIX + original, original))]
    assert score >= (0.3 if other_half else 0.5)


def test_tokens_do_not_tell_names_texts_layout_and_comments_apart() -> None:
    first = 'def f(rows):\n    """Says."""\n    while rows[0] == "X" and rows: return rows[1:]\n'
    other = "def g(x):  # mine\n    while x[ 2 ] == '''y''' and \\\n x: return x[2:]\n"
    values = [
        [one.value for one in tokens(text)] for text in (first, other, first.replace("and", "or"))
    ]
    assert values[0] == values[1] != []
    assert values[0] != values[2]


COSTLY = {
    "zero bytes": "\0" * 1000,
    "brackets": "(" * 50_000,
    "quotes": "'''" * 100_001,
    "double quotes": '"' * 300_001,
    "texts": "'''a''' x\n" * 30_000,
    "prefixes": "r" * 300_000,
    "backslashes": "\\" * 300_001,
    "escapes": "'\\" * 100_000,
    "digits": "1" * 300_000,
}


@pytest.mark.parametrize("text", COSTLY.values(), ids=COSTLY)
def test_the_tokens_of_any_text_cost_little(text: str) -> None:
    before = time.process_time()
    tokens(text)
    assert time.process_time() - before < 5


ORIGINAL = '''\
def total(prices):
    """Add up in a way of one's own. <script>alert(1)</script>"""
    queue, carried = list(prices), {"sum": 0, "seen": []}
    while queue:
        price = queue.pop(0)
        carried["sum"], last = carried["sum"] + price, carried["sum"]
        carried["seen"].append((last, price, [last * 2 % 7, price - last]))
    if not carried["seen"] and prices:
        raise KeyError({"none": [carried, queue, {1: (2, 3)}]})
    return carried["sum"] if carried["seen"] or not prices else -1
def is_valid(text):
    return all(letter in set("0123456789") for letter in sorted(text)) and len(text) > 0
'''


@pytest.fixture(scope="module")
def graded_with_a_copy(graded_once: Course, tmp_path_factory: pytest.TempPathFactory) -> Course:
    course = Course.copy(graded_once.root, tmp_path_factory.mktemp("copy") / "course")
    course.write("submissions/tiny/ada/a1.py", ORIGINAL)
    copy = disguised(ORIGINAL, ("renamed", "reordered", "without comments"), 1)
    course.write("submissions/tiny/bob/a1.py", copy)
    course.ok("grade", "submissions/tiny")
    return course


@pytest.fixture
def with_a_copy(graded_with_a_copy: Course, tmp_path: Path) -> Course:
    return Course.copy(graded_with_a_copy.root, tmp_path / "course")


def saved(course: Course) -> dict[str, Any]:
    return json.loads((course.report / "similarity.json").read_text(encoding="utf-8"))


def test_the_pair_and_its_page(with_a_copy: Course) -> None:
    assert with_a_copy.ok("similarity", "reports/tiny").err == ""
    found = saved(with_a_copy)
    assert [(pair["first"], pair["second"]) for pair in found["pairs"]][:1] == [("ada", "bob")]
    assert found["by_tokens"] == ["syntax_error"]
    folder = with_a_copy.report / "similarity"
    index = (folder / "index.html").read_text(encoding="utf-8")
    assert "Similarity does not prove copying" in index
    assert '<a href="1.html#s1-m1">' in index
    page = (folder / "1.html").read_text(encoding="utf-8")
    assert 'class="match c0"' in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
    assert "<script>" not in page


def test_numbers_in_place_of_ids(with_a_copy: Course) -> None:
    outcome = with_a_copy.ok("similarity", "reports/tiny", "--anonymous")
    pages = (with_a_copy.report / "similarity").iterdir()
    text = "".join(page.read_text(encoding="utf-8") for page in pages)
    for name in ("ada", "bob"):
        assert f"<bdi>{name}</bdi>" not in text
        assert name not in outcome.out
    assert saved(with_a_copy)["pairs"][0]["first"].startswith("student-")


def test_files_changed_after_grading_are_not_compared(with_a_copy: Course) -> None:
    with_a_copy.write("submissions/tiny/bob/a1.py", "print(1)\n")
    outcome = with_a_copy.ok("similarity", "reports/tiny")
    assert outcome.err == "bob: not compared, it has changed since it was graded, or is gone\n"
    assert saved(with_a_copy)["pairs"] == []


def test_who_handed_in_another_file_is_not_compared(course: Course) -> None:
    course.write("class/ada/a1.py", course.path("reference/tiny/a1.py").read_text("utf-8"))
    course.write("class/bob/a2.py", "print(1)\n")
    course.ok("grade", "class", "--assignment", "tiny")
    outcome = course.ok("similarity", "reports/tiny")
    assert outcome.err == "bob: not compared, found a2.py, expected a1.py\n"


def test_a_run_whose_submissions_are_gone_is_refused(with_a_copy: Course) -> None:
    with_a_copy.path("submissions/tiny").rename(with_a_copy.path("elsewhere"))
    assert "the graded files have moved. Hint: move them back" in with_a_copy.refusal(
        "similarity", "reports/tiny"
    )


def test_a_copy_with_a_syntax_error_is_listed(with_a_copy: Course) -> None:
    copy = without_a_colon(disguised(ORIGINAL, ("renamed",), 1))
    with_a_copy.write("submissions/tiny/bob/a1.py", copy)
    with_a_copy.write("submissions/tiny/cem/a1.py", "def f(:\n")
    assert with_a_copy.run("grade", "submissions/tiny").status == 0
    with_a_copy.ok("similarity", "reports/tiny")
    found = saved(with_a_copy)
    (pair,) = (each for each in found["pairs"] if each["first"] == "ada")
    assert pair["second"] == "bob"
    assert pair["matches"]
    assert ["ada", "bob"] in found["groups"]
    assert found["by_tokens"] == ["bob", "syntax_error"]
    assert found["omitted"] == [{"id": "cem", "reason": "it has no code that can be compared"}]
    index = (with_a_copy.report / "similarity/index.html").read_text(encoding="utf-8")
    assert "have a syntax error" in index


def test_a_program_from_an_earlier_year_is_listed(with_a_copy: Course) -> None:
    with_a_copy.write("last-year/zoe/a1.py", ORIGINAL)
    with_a_copy.write("last-year/yan/a1.py", ORIGINAL)
    outcome = with_a_copy.ok("similarity", "reports/tiny", "--base", "last-year")
    found = saved(with_a_copy)
    assert found["earlier"] == 2
    pairs = {(pair["first"], pair["second"]) for pair in found["pairs"]}
    assert {("ada", "bob"), ("ada", "last-year/yan"), ("ada", "last-year/zoe")} <= pairs
    assert ("last-year/yan", "last-year/zoe") not in pairs
    assert "also with 2 earlier ones" in outcome.out


def test_a_class_without_a_pair_of_two_groups_has_no_chance_to_measure() -> None:
    many = tuple(f"{n:02}" for n in range(12))
    for few in ({}, {"a": OWN}, dict.fromkeys(many, "")):
        assert alike(few).listed == ()
    copies = likeness(dict.fromkeys(many, numbered(range(40))))
    assert len(copies.listed) == 66
    assert groups(copies.connected) == (many,)


class FailsOn:
    """A process in which a program that says `bomb` takes the others with it."""

    def run(self, payload: str) -> str:
        programs = json.loads(payload)["programs"]
        if any(b"bomb" in base64.b64decode(text) for files in programs for text in files):
            raise ToolFailed(Ending.CPU_LIMIT, "")
        return program_texts.run_fingerprints(payload)


def test_an_unreadable_program_does_not_affect_others() -> None:
    texts = {"ada": OWN, "bob": "bomb", "cem": OWN, "dan": "x" * (MAX_BYTES + 1), "eve": "def f(:"}
    submissions = [
        Submission(id=name, files=(SourceFile(name="a1.py", data=text.encode()),), origin=name)
        for name, text in texts.items()
    ]
    found = read_some(FailsOn(), submissions, TREE)
    assert [isinstance(each, ToolFailed) for each in found] == [False, True, False, True, False]
    ada, _, cem, _, eve = found
    assert ada == cem == ProgramPrints(prints(OWN), whole=True)
    assert eve == ProgramPrints((), whole=False)
