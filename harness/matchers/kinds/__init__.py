"""The matchers, one module for each topic.

A matcher defines how it is read from YAML, its JSON Schema, what it accepts and how it is
described. New modules are found automatically.
"""

import re
from collections.abc import Mapping
from functools import cache
from inspect import isabstract

from harness.common.discovery import extensions, subclasses
from harness.common.words import listed
from harness.matchers.reading import MatcherKey, Part, Schema, YamlNode, nearest
from harness.model.expectation import Matcher

_WRITTEN = re.compile(r"\{\s*(\w+):")
DEFINITIONS = {False: "Matcher", True: "TextMatcher"}
# Keys that authors try but that resemble no matcher's key, each with its hint.
_GUESSES: Mapping[str, str] = {
    **dict.fromkeys(("any_order", "in_any_order", "sorted"), "write unordered: true"),
    **dict.fromkeys(("tolerance", "delta", "epsilon", "abs"), "write within: 0.01"),
    **dict.fromkeys(("regex", "pattern", "re"), 'write {matches: "…"}'),
    **dict.fromkeys(("includes", "has", "substring"), "write {contains: …}"),
    **dict.fromkeys(("anything", "ignore"), "write {any: true}"),
    **dict.fromkeys(("instance", "instance_of", "isinstance", "class"), "write {type: Pet}"),
    **dict.fromkeys(("value", "literal", "repr", "eval"), 'write {python: "…"}'),
    **dict.fromkeys(("starts_with", "startswith"), 'write {matches: "^…"}'),
    **dict.fromkeys(("ends_with", "endswith"), 'write {matches: "…$"}'),
    **dict.fromkeys(("prints", "returns"), "write only the matcher, such as {contains: …}"),
}


@cache
def matcher_keys() -> Mapping[str, MatcherKey]:
    """Return all matchers by their key in YAML. Raise ValueError if two have the same key."""
    keys = extensions(__name__, __path__, MatcherKey, lambda key: key.name)
    return {key.name: key for key in keys}


@cache
def matcher_classes() -> Mapping[str, type[Matcher]]:
    """Return all matcher classes by name, for reading stored plans."""
    classes = subclasses(__name__, __path__, Matcher, lambda kind: kind.__name__)  # type: ignore[type-abstract]
    return {kind.__name__: kind for kind in classes if not isabstract(kind)}


def _names(*, for_text: bool) -> tuple[str, ...]:
    """Return the keys for a hint, those that apply to text first."""
    keys = sorted(matcher_keys().values(), key=lambda key: not key.for_text)
    return tuple(key.name for key in keys if key.for_text or not for_text)


def read(field: YamlNode) -> Matcher:
    """Return the matcher for a mapping `{key: …}`.

    If it is invalid, note an error and raise Refused.
    """
    key = _stated_key(field)
    if field.for_text and not key.for_text:
        field.at(key.name).refuse("this matcher is not for text", key=True)
    for other in field.data:
        if other == key.name or other in key.others:
            continue
        names = _owners()[other]
        takes = "take"
        if len(names) == 1:
            takes = "takes"
        field.at(other).refuse(f"only {listed(names)} {takes} {other}", key=True)
    return key.read(field)


def _owners() -> dict[str, list[str]]:
    """Return, for each additional key such as `within`, the names of the matchers that
    accept it.
    """
    owners: dict[str, list[str]] = {}
    for key in matcher_keys().values():
        for other in key.others:
            owners.setdefault(other, []).append(key.name)
    return owners


def _stated_key(field: YamlNode) -> MatcherKey:
    """Return the matcher whose key is in the mapping.

    If there is none or more than one, note an error and raise Refused.
    """
    data, keys, owners = field.data, matcher_keys(), _owners()
    all_names = f"matchers are {listed(_names(for_text=field.for_text), 'or')}"
    unknown = [name for name in data if name not in keys and name not in owners]
    stated = [name for name in data if name in keys or name in unknown]
    if data.keys() == set(unknown) and len(data) != 1 and not field.for_text:
        hint = 'a dictionary is written {python: "{…}"}'
        field.refuse(f"expected a matcher, got a mapping of {len(data)} keys", hint)
    if unknown:
        guessed = _GUESSES.get(str(unknown[0]), "")
        hint = guessed or nearest(str(unknown[0]), _names(for_text=False)) or all_names
        field.at(unknown[0]).refuse("unknown matcher", hint, key=True)
    # An additional key of one matcher may be the main key of another.
    whole = [name for name in stated if {name, *keys[name].others}.issuperset(stated)]
    if len(whole) == 1:
        stated = whole
    if len(stated) != 1:
        field.refuse(f"expected one matcher, got {len(stated)}", all_names)
    return keys[stated[0]]


def schemas() -> dict[str, Schema]:
    """Return the JSON Schema definitions for a matcher of any value and for a matcher of text."""
    definitions: dict[str, Schema] = {}
    for for_text, name in DEFINITIONS.items():
        any_matcher = {"$ref": f"#/$defs/{name}"}
        choices: list[Schema] = []
        for key in matcher_keys().values():
            if key.for_text or not for_text:
                choices.append(key.schema(any_matcher))
        definitions[name] = {"anyOf": choices}
    return definitions


def read_matcher(field: YamlNode) -> Matcher:
    """Return the matcher in the data. For a plain value, note an error and raise Refused."""
    if not isinstance(field.data, dict):
        hint = "write {contains: …} or {number: …} for a text, {one_of: […]} for a whole value"
        field.expected("a matcher", hint)
    return read(field)


MATCHER = Part(read=read_matcher, schema=lambda matcher: matcher)


def hint_for(text: str) -> str:
    """Return the hint for a text that looks like a mistyped matcher, such as `{unorderd: [1]}`;
    otherwise "".
    """
    found = _WRITTEN.match(text)
    if found is None or found[1] in matcher_keys():
        return ""
    return _GUESSES.get(found[1], "") or nearest(found[1], matcher_keys())
