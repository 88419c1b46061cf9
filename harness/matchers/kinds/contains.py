"""The matcher `{contains: text}`: a str that contains the text."""

from dataclasses import dataclass

from harness.common.escaping import QUOTE_LIMIT, quoted
from harness.matchers.comparison import contains_text
from harness.matchers.reading import TEXT, matcher_key
from harness.model.expectation import EXACT, TextMatcher, TextRules

_MAX_OF_TEXT = 2000  # characters
_MIN_LINES = 3  # texts with more lines are described by first and last line


@dataclass(frozen=True, slots=True, kw_only=True)
class Contains(TextMatcher):
    """A str that contains this text."""

    text: str

    def accepts_text(self, text: str, rules: TextRules = EXACT) -> bool:
        return contains_text(self.text, text, rules)

    def in_words(self, *, whole: bool = False) -> str:
        """Describe the text: in full if it is short or with `whole`, otherwise by its first and
        last line.
        """
        lines = self.text.strip("\n").split("\n")
        if len(lines) < _MIN_LINES:
            limit = _MAX_OF_TEXT if whole else QUOTE_LIMIT
            return f"text that contains {quoted(self.text, limit=limit)}"
        if whole:
            return "\n".join((f"text that contains these {len(lines)} lines:", *lines))
        ends = f"from {quoted(lines[0])} to {quoted(lines[-1])}"
        return f"text that contains {len(lines)} lines, {ends}"


CONTAINS = matcher_key("contains", Contains, text=TEXT)
