"""Text statistics."""

import sys
from collections import Counter
from collections.abc import Iterator

from splitting import words


def word_counts(text: str) -> dict[str, int]:
    """How often each word occurs."""
    return Counter(words(text))


def vocabulary(text: str) -> set[str]:
    """The different words."""
    return set(words(text))


def average_length(text: str) -> float:
    """The average length of the words; 0.0 for no words."""
    found = words(text)
    return sum(map(len, found)) / len(found) if found else 0.0


def long_words(text: str, least: int = 5) -> Iterator[str]:
    """The words with at least so many letters."""
    for word in words(text):
        if len(word) >= least:
            yield word


def most_common(text: str, *, count: int = 3) -> list[tuple[str, int]]:
    """The most frequent words and how often they occur."""
    pairs = sorted(
        word_counts(text).items(), key=lambda pair: (-pair[1], pair[0])
    )
    return pairs[:count]


def longest(words: list[str]) -> str:
    """The longest word; ValueError for none."""
    if not words:
        raise ValueError("no words")
    return max(words, key=len)


def read_words(path: str) -> list[str]:
    """The words of a file."""
    with open(path, encoding="utf-8") as file:
        return words(file.read())


def report(text: str) -> str:
    """A line for each different word."""
    counts = word_counts(text)
    return "".join(f"{word}: {counts[word]}\n" for word in sorted(counts))


def write_report(source: str, target: str) -> int:
    """Write the report about one file into another."""
    with open(source, encoding="utf-8") as file:
        text = file.read()
    with open(target, "w", encoding="utf-8") as file:
        return file.write(report(text))


def append_line(path: str, text: str) -> int:
    """Add a line to the end of a file."""
    with open(path, "a", encoding="utf-8") as file:
        return file.write(text + "\n")


def main(arguments: list[str]) -> int:
    """The program; its exit status."""
    if arguments == ["-"]:
        print(report(sys.stdin.read()), end="")
        return 0
    if len(arguments) != 2:
        print("usage: text_stats.py SOURCE TARGET")
        return 2
    source, target = arguments
    write_report(source, target)
    print(f"words: {len(read_words(source))}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
