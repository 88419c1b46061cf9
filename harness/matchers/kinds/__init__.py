"""The matchers: those of one subject in a file, with all about them (how they are read from YAML,
their JSON Schema, what they accept and their words); a new file is found by itself."""

from collections.abc import Mapping
from functools import cache
from inspect import isabstract

from harness.common.discovery import extensions, subclasses
from harness.common.words import listed
from harness.matchers.reading import Field, MatcherKey, Part, Schema, nearest
from harness.model.expectation import Matcher

DEFINITIONS = {False: "Matcher", True: "TextMatcher"}


@cache
def matcher_keys() -> Mapping[str, MatcherKey]:
    """All matchers by the key that names them in YAML; ValueError where two have one name."""
    keys = extensions(__name__, __path__, MatcherKey, lambda key: key.name)
    return {key.name: key for key in keys}


@cache
def matcher_classes() -> Mapping[str, type[Matcher]]:
    """The classes of matchers by their names, as a stored plan names them."""
    classes = subclasses(__name__, __path__, Matcher, lambda kind: kind.__name__)  # type: ignore[type-abstract]
    return {kind.__name__: kind for kind in classes if not isabstract(kind)}


def _names(*, for_text: bool) -> tuple[str, ...]:
    """The keys as a hint lists them, those that fit a text first."""
    keys = sorted(matcher_keys().values(), key=lambda key: not key.for_text)
    return tuple(key.name for key in keys if key.for_text or not for_text)


def read(field: Field) -> Matcher:
    """The matcher that a mapping `{key: …}` describes; Refused."""
    data, keys = field.data, matcher_keys()
    all_names = f"matchers are {listed(_names(for_text=field.for_text), 'or')}"
    owners: dict[str, list[str]] = {}
    for each in keys.values():
        for other in each.others:
            owners.setdefault(other, []).append(each.name)
    stated = [name for name in data if name in keys or name not in owners]
    unknown = [name for name in stated if name not in keys]
    if data.keys() == set(unknown) and len(data) != 1 and not field.for_text:
        hint = 'a dictionary is written {python: "{…}"}'
        field.refuse(f"expected a matcher, got a mapping of {len(data)} keys", hint)
    if unknown:
        hint = nearest(str(unknown[0]), _names(for_text=False)) or all_names
        field.at(unknown[0]).refuse("unknown matcher", hint, of_key=True)
    whole = [n for n in stated if all(o == n or o in keys[n].others for o in stated)]
    stated = whole if len(whole) == 1 else stated
    if len(stated) != 1:
        field.refuse(f"expected one matcher, got {len(stated)}", all_names)
    key = keys[stated[0]]
    if field.for_text and not key.for_text:
        field.at(key.name).refuse("this matcher is not for text", of_key=True)
    for other in data:
        if other != key.name and other not in key.others:
            names = owners[other]
            take = f"{listed(names)} take" if len(names) > 1 else f"{names[0]} takes"
            field.at(other).refuse(f"only {take} {other}", of_key=True)
    return key.read(field)


def schemas() -> dict[str, Schema]:
    """The JSON Schema definitions of a matcher for any value and of one for a text."""
    return {
        name: {
            "anyOf": [
                key.schema({"$ref": f"#/$defs/{name}"})
                for key in matcher_keys().values()
                if key.for_text or not text
            ]
        }
        for text, name in DEFINITIONS.items()
    }


def read_matcher(field: Field) -> Matcher:
    """The data as a matcher and no plain value; Refused."""
    if not isinstance(field.data, dict):
        hint = "write {contains: …} or {number: …} for a text, {one_of: […]} for a whole value"
        field.expected("a matcher", hint)
    return read(field)


MATCHER = Part(read=read_matcher, schema=lambda matcher: matcher)
