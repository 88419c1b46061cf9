"""How well copies are found, beside other tools, and what a class of a thousand costs: among twenty
programs and their disguised copies, and in classes of thirty independent programs with 1, 3, 10 and
25 copies of one more. All draws are fixed.

    python -m benchmarks.likeness

copydetect is installed at a pinned version into an environment of its own, as the graders of
`benchmarks.peers` are.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import time
import zlib
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from itertools import combinations
from pathlib import Path

from benchmarks.peers.environments import environment
from harness.model.study import group_by_name
from harness.study.likeness import groups, likeness
from tests.study.class_of_copies import (
    DISGUISES,
    PREFIX,
    SOURCE,
    STYLE_OF,
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

CLASS = 1000
COPIES = (1, 3, 10, 25)
DRAWS = 6
Scores = Mapping[frozenset[str], float]
Tool = Callable[[Mapping[str, str], str], Scores]  # of texts by name, and what all were given


def main() -> None:
    """Print all tables."""
    tools: dict[str, Tool] = {
        "ours": _ours_listed,
        "ours, by score": _ours,
        "ours, by tokens": _ours_by_tokens,
        "trees, not weighed": _plain_trees,
        "winnowing of text": _winnowing,
        "copydetect": partial(_copydetect, str(_python_with_copydetect())),
    }
    print(
        "tool                originals first  lowest copy  highest of other styles"
        "  precision  recall"
    )
    for tool, find in tools.items():
        if find is not _ours_listed:
            _row(tool, find(programs(), ""))
    for turned, said in ((0.0, "disguised"), (TURNED_BY_COPIES, "disguised, statements turned")):
        print(
            f"\n{said}\ntool                copies  lowest area under the curve  mean  apart in  by"
        )
        for tool, find in tools.items():
            for copies in COPIES:
                _classes(tool, find, copies, turned)
    print("\nten of one plan, statements turned  highest score of two  largest group")
    for share in (0.2, 0.3, 0.4, 0.5, 0.6):
        _alike(share)
    _cost()


def _alike(share: float) -> None:
    """Of programs that are not copies, none should be in a group with all others."""
    found = [alike(alike_by_chance(10, draw, share)) for draw in range(DRAWS)]
    highest = max(pair.score for each in found for pair in each.pairs)
    largest = max(len(group) for each in found for group in (*groups(each.connected), ("one",)))
    print(f"{share:34} {highest:21.2f} {largest:14}")


def _cost() -> None:
    texts = programs()
    kinds = list(DISGUISES)
    originals = [name for name in texts if name in STYLE_OF]
    many = {
        f"{number}": disguised(
            texts[originals[number % 20]],
            tuple(kinds[at] for at in range(5) if number >> at & 1),
            number,
        )
        + f"\n\ndef own_{number}(a):\n    return a + {number}\n"
        for number in range(CLASS)
    }
    begun = time.process_time()
    found = {name: prints(text) for name, text in many.items()}
    read = time.process_time() - begun
    likeness(found)
    total = time.process_time() - begun
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(f"\n{CLASS} programs: {read:.1f} s of CPU time to read, {total:.1f} s in all, {peak} MiB")


def _row(tool: str, scores: Scores) -> None:
    """A pair is called a copy when its score is above those of all pairs of other styles."""
    copies = {name: scores.get(frozenset((PREFIX + name, name)), 0.0) for name in STYLE_OF}
    first = sum(
        all(
            scores.get(frozenset((PREFIX + name, other)), 0.0) < copies[name]
            for other in STYLE_OF
            if other != name
        )
        for name in STYLE_OF
    )
    apart = max(
        scores.get(frozenset(pair), 0.0)
        for pair in combinations(STYLE_OF, 2)
        if STYLE_OF[pair[0]] != STYLE_OF[pair[1]]
    )
    best = sorted(
        (
            (scores.get(frozenset((PREFIX + name, other)), 0.0), name == other)
            for name in STYLE_OF
            for other in STYLE_OF
        ),
        reverse=True,
    )[: len(STYLE_OF)]
    precision = sum(right for _, right in best) / len(best)
    recall = sum(score > apart for score in copies.values()) / len(copies)
    print(
        f"{tool:19} {first:9} of 20 {min(copies.values()):12.2f} {apart:24.2f}"
        f" {precision:10.2f} {recall:7.2f}"
    )


def _classes(tool: str, find: Tool, copies: int, turned: float) -> None:
    """Of the pairs of a class, those of the source and its copies should be above all others: then
    it is "apart", by the difference of the lowest score of these and the highest of the others."""
    areas, gaps = [], []
    for draw in range(DRAWS):
        texts = made_class(copies, draw, turned=turned)
        scores = find(texts, reference_of(draw))
        same, others = [], []
        for pair in combinations(texts, 2):
            of_source = all(name.startswith(SOURCE) for name in pair)
            (same if of_source else others).append(scores.get(frozenset(pair), 0.0))
        areas.append(area_under_the_curve(same, others))
        gaps.append(min(same) - max(others))
    print(
        f"{tool:19} {copies:6} {min(areas):28.3f} {sum(areas) / DRAWS:5.3f}"
        f" {sum(gap > 0 for gap in gaps):4} of {DRAWS} {min(gaps):6.2f}"
    )


def area_under_the_curve(same: Iterable[float], others: Iterable[float]) -> float:
    """How often a pair of the same source has a higher score than another pair; a tie is half."""
    above = [(one > other) + (one == other) / 2 for one in same for other in others]
    return sum(above) / len(above)


def _ours(texts: Mapping[str, str], given: str) -> Scores:
    return scores_of(alike(texts, given=given))


def _ours_by_tokens(texts: Mapping[str, str], given: str) -> Scores:
    """As if every program had a syntax error."""
    return scores_of(alike(texts, "tokens", given))


def _ours_listed(texts: Mapping[str, str], given: str) -> Scores:
    """The same in the order of the page, where pairs of groups come first."""
    found = alike(texts, given=given)
    group_of = group_by_name(groups(found.connected))
    return {
        frozenset((pair.first, pair.second)): pair.score
        + (group_of.get(pair.first, -1) == group_of.get(pair.second, -2))
        for pair in found.pairs
    }


def _plain_trees(texts: Mapping[str, str], given: str) -> Scores:
    """The same fingerprints, of which what was given is taken away, and nothing is weighed."""
    return _shares(texts, given, lambda text: {one.value for one in prints(text)})


NOISE, GUARANTEE = 25, 50  # characters: what is shorter is never found, what is longer always


def _winnowing(texts: Mapping[str, str], given: str) -> Scores:
    """Schleimer, Wilkerson and Aiken, 2003, of the text in small letters without blanks."""

    def read(text: str) -> set[int]:
        plain = "".join(text.lower().split())
        hashes = [
            zlib.crc32(plain[at : at + NOISE].encode()) for at in range(len(plain) - NOISE + 1)
        ]
        window = GUARANTEE - NOISE + 1
        return {min(hashes[at : at + window]) for at in range(max(1, len(hashes) - window + 1))}

    return _shares(texts, given, read)


def _shares(texts: Mapping[str, str], given: str, read: Callable[[str], set[int]]) -> Scores:
    base = read(given) if given else set()
    values = {name: read(text) - base for name, text in texts.items()}
    return {
        frozenset((one, other)): len(values[one] & values[other])
        / max(1, min(len(values[one]), len(values[other])))
        for one, other in combinations(texts, 2)
    }


def _python_with_copydetect() -> Path:
    folder = Path(__file__).parents[1] / "build" / "peers"
    return environment(Path(sys.executable), "copydetect", folder) / "python"


COPYDETECT = """
import json, sys, tempfile
from itertools import combinations
from pathlib import Path
import copydetect
texts, given = json.load(sys.stdin)
with tempfile.TemporaryDirectory() as folder:
    def prints(number, text, base):
        path = Path(folder) / f"{number}.py"
        path.write_text(text, encoding="utf-8")
        return copydetect.CodeFingerprint(str(path), 25, 1, base)
    base = list(prints("given", given, None).hashes) if given else None
    found = {name: prints(number, text, base) for number, (name, text) in enumerate(texts.items())}
    print(json.dumps([
        (one, other, float(max(copydetect.compare_files(found[one], found[other])[1])))
        for one, other in combinations(found, 2)
    ]))
"""


def _copydetect(python: str, texts: Mapping[str, str], given: str) -> Scores:
    answer = subprocess.run(
        [python, "-c", COPYDETECT],
        input=json.dumps([dict(texts), given]),
        capture_output=True,
        text=True,
        check=True,
    )
    return {frozenset((one, other)): score for one, other, score in json.loads(answer.stdout)}


if __name__ == "__main__":
    main()
