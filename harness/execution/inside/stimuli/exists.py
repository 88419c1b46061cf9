"""Observes one name of the submission: its kind and its parameters. It never calls the object."""

from __future__ import annotations

from ..messages import codec

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import CodeType
    from typing import Any

    from ..scenario.evaluate import CompiledStimulus, EvaluationContext, StimulusAnswer

_FUNCTION = type(lambda: None)
_WRAPPERS = (staticmethod, classmethod)
_MAX_WRAPPED = 10
_MAX_NAMES = 200
_VARIABLE, _KEYWORDS = 4, 8  # flags of code: it takes `*args`, `**kwargs`
_MAX_DEFAULT = 60  # characters
_SAMPLE = compile("a\nb\nc\nd\ne\nf.g = 0", "", "exec")
_WORD = 2  # bytes of an instruction: its number and its argument
_NOTHING = object()


def perform(
    stimulus: CompiledStimulus,
    context: EvaluationContext,
    answer: StimulusAnswer,
    finished: Callable[[str], None],
) -> None:
    """Set `value` to the name's kind ("function", "class", "value" or "nothing"), the parameters
    as written in the source (None if unknown), and a class's attributes.
    """
    answer.reach("stimulus")
    first, *rest = stimulus.source.split(".")
    thing: Any = context.names.get(first, _NOTHING)
    owner: Any = None
    for name in rest:
        owner = thing
        thing = _member(owner, name)
    answer.fields["value"] = codec.encode(_described(thing, owner), answer.budget)


def _member(owner: Any, name: str) -> Any:
    """Return the object that a class or module has under this name; from a class without calling
    descriptors.
    """
    if owner is _NOTHING:
        return _NOTHING
    if not _is_class(owner):
        return getattr(owner, name, _NOTHING)
    for base in codec.mro_of(owner):
        space = codec.space_of(base)
        if name in space:
            return space[name]
    return _NOTHING


def _described(thing: Any, owner: Any) -> dict[str, Any]:
    if thing is _NOTHING:
        return {"is": "nothing", "parameters": None, "attributes": []}
    if _is_class(thing):
        attributes = sorted(_attributes(thing))[:_MAX_NAMES]
        return {"is": "class", "parameters": _of_class(thing), "attributes": attributes}
    is_bound = owner is not None and _is_class(owner) and type(thing) is not staticmethod
    if type(thing) in _WRAPPERS:
        thing = thing.__func__
    if callable(thing):
        parameters = _of_function(thing, first=int(is_bound))
        return {"is": "function", "parameters": parameters, "attributes": []}
    return {"is": "value", "parameters": None, "attributes": []}


def _is_class(thing: object) -> bool:
    return type in codec.mro_of(type(thing))


def _of_class(kind: type) -> list[str] | None:
    """Return the parameters for making an object of the class, without `self`."""
    for base in codec.mro_of(kind):
        space = codec.space_of(base)
        for name in ("__init__", "__new__"):
            maker = space.get(name)
            if type(maker) is staticmethod:
                maker = maker.__func__
            if type(maker) is _FUNCTION:
                return _of_function(maker, first=1)
    return []


def _of_function(function: Any, first: int) -> list[str] | None:
    """Return a function's parameters as written in the source, without the first `first` ones."""
    for _ in range(_MAX_WRAPPED):
        inner = getattr(function, "__wrapped__", None)
        if type(inner) is not _FUNCTION:
            break
        function = inner
    if type(function) is not _FUNCTION:
        return None
    code: CodeType = function.__code__
    count = code.co_argcount
    names = code.co_varnames
    texts: list[str] = list(names[:count])
    defaults = function.__defaults__ or ()
    for at, value in enumerate(defaults, count - len(defaults)):
        texts[at] += "=" + _shown(value)
    rest = count + code.co_kwonlyargcount
    if code.co_flags & _VARIABLE:
        texts.append("*" + names[rest])
        rest += 1
    elif code.co_kwonlyargcount:
        texts.append("*")
    by_name = function.__kwdefaults__ or {}
    for name in names[count : count + code.co_kwonlyargcount]:
        texts.append(f"{name}={_shown(by_name[name])}" if name in by_name else name)
    if code.co_flags & _KEYWORDS:
        texts.append("**" + names[rest])
    return texts[first:][:_MAX_NAMES]


def _shown(default: object) -> str:
    """Return a parameter's default as source text if it is plain data."""
    return repr(default)[:_MAX_DEFAULT] if codec.is_data(default) else "…"


def _attributes(kind: type) -> set[str]:
    """Return the public attributes that objects of the class have according to its body:
    assignments to `self` in methods, annotations, slots, properties and values in the class
    body.
    """
    found: set[str] = set()
    for base in codec.mro_of(kind)[:-1]:
        space = codec.space_of(base)
        annotated = space.get("__annotations__")
        if type(annotated) is dict:
            found |= annotated.keys()
        for name, part in space.items():
            function = part.__func__ if type(part) in _WRAPPERS else part
            if type(function) is not _FUNCTION:
                found.add(name)
            else:
                found |= _stored(function.__code__)
    return {name for name in found if type(name) is str and name[:1] != "_"}


def _instructions(code: CodeType) -> list[tuple[int, int]]:
    text = code.co_code
    return [(text[at], text[at + 1]) for at in range(0, len(text), _WORD)]


def _stored(code: CodeType) -> set[str]:
    """Return the names of the attributes that a function's code assigns."""
    names = code.co_names
    if len(names) > 256:  # then an argument takes two instructions
        return set(names)
    return {names[argument] for number, argument in _instructions(code) if number == _STORE}


# The number of the instruction that assigns to an attribute, which differs between versions: in the
# sample only that one has the seventh name.
_STORE = {argument: number for number, argument in _instructions(_SAMPLE)}.get(6, -1)
