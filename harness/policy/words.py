"""Plain names for the parts of Python, and which parts are never judged."""

from __future__ import annotations

# Parts that a file cannot be written without, or that are judged by another rule (names and calls
# as built-ins, attributes as methods, imports as imports), or that only occur inside a part
# that is judged itself (a `comprehension` inside a ListComp, an `ExceptHandler` inside a Try).
ALWAYS_ALLOWED = frozenset(
    """
    Module Expr Load Store Del Name Constant Call Attribute Assign AnnAssign Pass Import ImportFrom
    alias arguments arg keyword comprehension ExceptHandler withitem match_case FormattedValue
    MatchValue MatchSingleton MatchSequence MatchMapping MatchClass MatchStar MatchAs MatchOr
    TypeIgnore TypeVar ParamSpec TypeVarTuple Interpolation
    """.split()  # noqa: SIM905
)

# Operators are judged only by a policy that names one of their family; otherwise whoever permits
# `BinOp` permits every `+`, `@` and `<<`.
OPERATOR_FAMILIES = (
    frozenset(
        """
        Add Sub Mult MatMult Div Mod Pow LShift RShift BitOr BitXor BitAnd FloorDiv
        """.split()  # noqa: SIM905
    ),
    frozenset({"Invert", "Not", "UAdd", "USub"}),
    frozenset({"And", "Or"}),
    frozenset({"Eq", "NotEq", "Lt", "LtE", "Gt", "GtE", "Is", "IsNot", "In", "NotIn"}),
)
OPERATORS = frozenset().union(*OPERATOR_FAMILIES)

FRIENDLY = {
    "FunctionDef": "a function of one's own",
    "AsyncFunctionDef": "an async function",
    "ClassDef": "a class",
    "Return": "return",
    "Delete": "del",
    "AugAssign": "an assignment such as +=",
    "TypeAlias": "a type statement",
    "For": "a for loop",
    "AsyncFor": "an async for loop",
    "While": "a while loop",
    "If": "an if statement",
    "With": "with",
    "AsyncWith": "async with",
    "Match": "match",
    "Raise": "raise",
    "Try": "try/except",
    "TryStar": "try/except*",
    "Assert": "assert",
    "Global": "global",
    "Nonlocal": "nonlocal",
    "Break": "break",
    "Continue": "continue",
    "BoolOp": "and/or",
    "NamedExpr": "an assignment expression (:=)",
    "BinOp": "arithmetic",
    "UnaryOp": "a sign or not",
    "Lambda": "a lambda",
    "IfExp": "a conditional expression (… if … else …)",
    "Dict": "a dictionary",
    "Set": "a set",
    "ListComp": "a list comprehension",
    "SetComp": "a set comprehension",
    "DictComp": "a dictionary comprehension",
    "GeneratorExp": "a generator expression",
    "Await": "await",
    "Yield": "yield",
    "YieldFrom": "yield from",
    "Compare": "a comparison",
    "JoinedStr": "an f-string",
    "TemplateStr": "a template string",
    "Subscript": "indexing with [ ]",
    "Starred": "unpacking with *",
    "List": "a list",
    "Tuple": "a tuple",
    "Slice": "a slice",
    "Add": "the operator +",
    "Sub": "the operator -",
    "Mult": "the operator *",
    "MatMult": "the operator @",
    "Div": "the operator /",
    "Mod": "the operator %",
    "Pow": "the operator **",
    "LShift": "the operator <<",
    "RShift": "the operator >>",
    "BitOr": "the operator |",
    "BitXor": "the operator ^",
    "BitAnd": "the operator &",
    "FloorDiv": "the operator //",
    "Invert": "the operator ~",
    "Not": "the operator not",
    "UAdd": "the sign +",
    "USub": "the sign -",
    "And": "the operator and",
    "Or": "the operator or",
    "Eq": "the comparison ==",
    "NotEq": "the comparison !=",
    "Lt": "the comparison <",
    "LtE": "the comparison <=",
    "Gt": "the comparison >",
    "GtE": "the comparison >=",
    "Is": "the comparison is",
    "IsNot": "the comparison is not",
    "In": "the operator in",
    "NotIn": "the operator not in",
}


def friendly(node_name: str) -> str:
    """A syntax node's name as a student knows it: "a list comprehension"."""
    return FRIENDLY.get(node_name, f"the syntax {node_name}")


def short(text: str, most: int = 60) -> str:
    """A name or line fit for a sentence: one line, not longer than `most`."""
    flat = " ".join(text.split())
    return flat if len(flat) <= most else flat[: most - 1] + "…"
