"""How well copies are found among twenty programs and their disguised copies, beside copydetect
where that is installed; and what a class of a thousand costs.

    python -m benchmarks.likeness
"""

from __future__ import annotations

import resource
import tempfile
import time
from collections.abc import Mapping
from importlib.util import find_spec
from itertools import combinations
from pathlib import Path

from harness.model.study import Fingerprint
from harness.study.program_texts import fingerprints
from harness.study.similarity import similar_pairs
from tests.study.class_of_copies import PREFIX, STYLE_OF, programs
from tests.study.disguises import DISGUISES, disguised

CLASS = 1000
Scores = Mapping[frozenset[str], float]


def main() -> None:
    """Print both tables."""
    texts = programs()
    print("tool         originals first  lowest copy  highest of other styles  precision  recall")
    _row("ours", _ours(texts))
    if find_spec("copydetect") is not None:
        _row("copydetect", _copydetect(texts))
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
    prints = {name: _prints(text) for name, text in many.items()}
    read = time.process_time() - begun
    similar_pairs(prints)
    total = time.process_time() - begun
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(f"{CLASS} programs: {read:.1f} s of CPU time to read, {total:.1f} s in all, {peak} MiB")


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
        f"{tool:12} {first:9} of 20 {min(copies.values()):12.2f} {apart:24.2f}"
        f" {precision:10.2f} {recall:7.2f}"
    )


def _prints(text: str) -> tuple[Fingerprint, ...]:
    return tuple(
        Fingerprint(value=value, first_line=first, last_line=last, file=file)
        for value, first, last, file in fingerprints([text.encode()])
    )


def _ours(texts: Mapping[str, str]) -> Scores:
    pairs = similar_pairs({name: _prints(text) for name, text in texts.items()})
    return {frozenset((pair.first, pair.second)): pair.score for pair in pairs}


def _copydetect(texts: Mapping[str, str]) -> Scores:
    import copydetect  # type: ignore[import-not-found]  # noqa: PLC0415  (an optional peer)

    with tempfile.TemporaryDirectory() as folder:
        prints = {}
        for name, text in texts.items():
            path = Path(folder) / f"{name}.py"
            path.write_text(text, encoding="utf-8")
            prints[name] = copydetect.CodeFingerprint(str(path), 25, 1)
        scores = {}
        for one, other in combinations(texts, 2):
            _, shares, _ = copydetect.compare_files(prints[one], prints[other])
            scores[frozenset((one, other))] = float(max(shares))
        return scores


if __name__ == "__main__":
    main()
