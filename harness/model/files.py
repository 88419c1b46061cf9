"""Files as values: what a scenario's folder holds, described."""

from __future__ import annotations

import hashlib

from harness.model.values import Value, ValueKind


def file_value(data: bytes) -> Value:
    """A file's bytes: a text as a str, anything else by its size and digest."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        text = "\0"
    if "\0" in text:
        digest = hashlib.sha256(data).hexdigest()
        return place_value("binary file", f"{len(data)} bytes, SHA-256 {digest}")
    return Value(ValueKind.STR, text)


def place_value(name: str, words: str) -> Value:
    """What is no text: a folder, a link, a binary file."""
    return Value(ValueKind.FOREIGN, name, (Value(ValueKind.STR, words),))
