"""Checks files against a policy, and decides whether a program may run many scenarios in one
process.

This module does no I/O and runs none of the files. The limited process calls `run`.

`check_sharing` walks the syntax tree once. It looks at spellings only: no name becomes allowed
because the program defines it. This is the first of two checks. It keeps programs away from frames,
other modules and the namespaces behind objects, which the second check
(`harness.execution.inside.shared.snapshot`) does not examine. The second one detects state in the
program's own names. Importable Python modules are replaced by façades
(`harness.execution.inside.shared.facades`).
"""

import ast
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from string import Formatter

from harness.common import serial
from harness.model.policy import (
    MAX_SOURCE_BYTES,
    Finding,
    Policy,
    PolicyReport,
    PolicyRequest,
    Sharing,
    SourceFile,
    Unparsable,
    UnreadableKind,
)
from harness.policy.index import children, misspelt_guard, name_bound, node_kinds
from harness.policy.outline import outline
from harness.policy.reading import TOO_DEEP, PythonSource, compiles, read, tree_of
from harness.policy.rule import CheckedFile, findings_of, short, unchecked
from harness.policy.rules import policy_rules
from harness.policy.rules.structure import misspelt_words


def check(
    files: Sequence[SourceFile], policy: Policy | None, extra: Sequence[str] = ()
) -> PolicyReport:
    """Check every `.py` file against the policy; without a policy, only check whether Python can
    parse it.

    Findings are in the order of files, lines and columns. If none of the required files can be
    parsed, the submission is unparsable because of the first one. If only some cannot be parsed,
    there are notes about these. A file that Python can run but that is too deeply nested to check
    gets one finding for manual review. `extra` names the files that were submitted in addition.
    """
    programs = [file for file in files if file.name.endswith(".py")]
    module_names = frozenset(map(_module_name, programs))
    texts: dict[str, PythonSource | Unparsable | None] = {}
    readable: list[PythonSource] = []
    unreadable: list[Unparsable] = []
    is_any_read = False  # the required files
    for file in programs:
        text = _read(file, module_names)
        texts[file.name] = text
        if isinstance(text, Unparsable):
            unreadable.append(text)
        elif file.name not in extra:
            is_any_read = True
        if isinstance(text, PythonSource):
            readable.append(text)
    findings: list[Finding] = []
    notes: list[str] = []
    defined = _defined(readable, policy)
    for name, text in texts.items():
        if isinstance(text, Unparsable):
            continue
        if text is not None:
            notes += text.notes
            if policy is None or policy.names("module_level") is None:
                notes += _misspelt_guards(text)
        if policy is not None:
            of_file, left_out = _findings(name, text, policy, defined, extra)
            findings += of_file
            notes += left_out
    if unreadable and not is_any_read:
        return PolicyReport(unparsable=unreadable[0], notes=tuple(notes))
    for broken in unreadable:
        notes.append(_note_of_unreadable(broken))
        if broken.kind is UnreadableKind.TOO_DEEP and policy is not None:
            findings.append(unchecked(broken.file, broken.reason))
    form = outline(readable)
    return PolicyReport(findings=tuple(findings), notes=tuple(notes), outline=form)


def _note_of_unreadable(broken: Unparsable) -> str:
    place = broken.file
    if broken.line is not None:
        place += f", line {broken.line}"
    return f"{place} cannot be read: {broken.reason}. Checks that need it fail"


def _module_name(file: SourceFile) -> str:
    return file.name.removesuffix(".py")


def _misspelt_guards(text: PythonSource) -> Iterator[str]:
    """Yield notes about misspelt `if __name__ == "__main__"` lines that are never true, if the
    policy has no rule about them.
    """
    for node in text.index.tree.body:
        if not isinstance(node, ast.If):
            continue
        condition = misspelt_guard(node.test)
        if condition:
            yield f"{text.name}, line {node.lineno}: {misspelt_words(condition)}"


def _defined(readable: Sequence[PythonSource], policy: Policy | None) -> dict[str, frozenset[str]]:
    """Return the names defined by each of the submission's and the provided modules, keyed by
    module.
    """
    defined: dict[str, frozenset[str]] = {}
    for source in readable:
        module = source.name.removesuffix(".py")
        defined[module] = source.index.defined()
    if policy is not None:
        provided = frozenset((*policy.provided_names, *policy.provided_functions))
        for module in policy.provided_modules:
            defined[module] = provided
    return defined


def _read(file: SourceFile, module_names: frozenset[str]) -> PythonSource | Unparsable | None:
    """Return the parsed file, or why Python cannot parse it.

    None if Python can run it but it is too deeply nested for a tree.
    """
    try:
        return read(file.name, file.data, module_names)
    except (RecursionError, MemoryError):
        if compiles(file.data):
            return None
        return Unparsable(file=file.name, reason=TOO_DEEP, kind=UnreadableKind.TOO_DEEP)


def _findings(
    name: str,
    text: PythonSource | None,
    policy: Policy,
    defined: Mapping[str, frozenset[str]],
    extra: Sequence[str],
) -> tuple[tuple[Finding, ...], tuple[str, ...]]:
    not_checked = (unchecked(name, TOO_DEEP),)
    if text is None:
        return not_checked, ()
    is_extra = name in extra
    modules = frozenset(module.removesuffix(".py") for module in extra)
    rules = policy.of(name)
    if is_extra:
        rules = policy.of_extra()
    file = CheckedFile(
        source=text,
        policy=rules,
        defined=defined,
        extra=modules,
        is_extra=is_extra,
    )
    try:
        return findings_of(file, policy_rules())
    except (RecursionError, MemoryError):
        return not_checked, ()


def run(request: str) -> str:
    """Answer a `PolicyRequest` given as JSON with a `PolicyReport` as JSON.

    Raise SerialError if the request is invalid.
    """
    asked = serial.loads(PolicyRequest, request)
    report = check(asked.files, asked.policy, asked.extra_modules)
    if asked.program is not None and report.unparsable is None:
        sharing = check_sharing(asked.program.submitted, asked.program.provided)
        report = replace(report, sharing=sharing)
    return serial.dumps(report)


LIBRARY = frozenset({"math", "random", "string", "typing"})
_IMPORTS = LIBRARY | {"__future__"}

# Names that read or write namespaces, run text, open files, make types, show the address of an
# object, or are built-in objects that can hold an attribute. `super()` without arguments is checked
# separately (`_is_harmless_super`).
_NAMES = frozenset(
    """
    aiter anext breakpoint compile copyright credits delattr dir eval exec getattr globals
    hasattr hash help id license locals memoryview open setattr super type vars
    """.split()  # noqa: SIM905
)
_PREFIXES = (
    "gi_",
    "cr_",
    "ag_",
    "f_",
    "tb_",
    "co_",
)  # attributes of generators, frames, tracebacks and code objects
_ATTRIBUTES = frozenset({"format_map", "obj", "with_traceback"})
# A program that catches one of these may go on after a limit of recursion or memory was reached,
# and the place of that limit may reveal a process's earlier runs. An uncaught one is noticed.
_LIMITS = frozenset(
    """
    BaseException BaseExceptionGroup Exception ExceptionGroup MemoryError RecursionError
    RuntimeError StopIteration
    """.split()  # noqa: SIM905
)
_MAY_CATCH = "may catch a limit"
_METADATA = frozenset(
    """
    __author__ __copyright__ __credits__ __date__ __email__ __license__ __maintainer__ __status__
    __version__
    """.split()  # noqa: SIM905
)
_METHODS = frozenset(
    f"__{name}__"
    for name in """
    init str repr format eq ne lt le gt ge hash bool len length_hint contains iter next reversed
    getitem setitem delitem missing call enter int float complex index round trunc floor ceil
    neg pos abs invert add sub mul matmul truediv floordiv mod divmod pow lshift rshift and xor or
    radd rsub rmul rmatmul rtruediv rfloordiv rmod rdivmod rpow rlshift rrshift rand rxor ror
    iadd isub imul imatmul itruediv ifloordiv imod ipow ilshift irshift iand ixor ior
    """.split()  # noqa: SIM905
)
_STATEMENTS = node_kinds("Global Nonlocal AsyncFunctionDef AsyncFor AsyncWith Await")
_MAX_SPEC_DEPTH = 2  # `{:{}}`: Python formats no deeper


def check_sharing(submitted: Sequence[SourceFile], provided: Sequence[SourceFile]) -> Sharing:
    """Return whether the program may run many scenarios in one process, or the first reason why
    not.

    A `provided` file replaces a `submitted` file with the same name.
    """
    files: dict[str, SourceFile] = {}
    for file in (*submitted, *provided):
        if file.name.endswith(".py"):
            files[file.name] = file
    submitted_only = set(files)
    submitted_only.difference_update(file.name for file in provided)
    modules = frozenset(map(_module_name, files.values()))
    for name, file in files.items():
        module = _module_name(file)
        if module in sys.stdlib_module_names or _is_dunder(module):
            return _no(f"{name} has the same name as a module of Python")
        if len(file.data) > MAX_SOURCE_BYTES:
            return _no(f"{name} is larger than {MAX_SOURCE_BYTES // 1024} KiB")
        try:
            found = _first_refused(tree_of(file.data), modules)
            if found is None:
                continue
            reason = _sentence(file.data, *found)
        except (SyntaxError, ValueError):
            return _no("a file cannot be read as Python")
        except (RecursionError, MemoryError):
            return _no(TOO_DEEP)
        is_only_file = submitted_only == {name}
        if not is_only_file:
            reason = f"{name}, {reason}"
        return _no(reason)
    return Sharing(allowed=True)


def _no(reason: str) -> Sharing:
    return Sharing(allowed=False, reason=reason)


def _first_refused(tree: ast.Module, modules: frozenset[str]) -> tuple[ast.AST, str] | None:
    """Return the first node of the source that is refused, with the reason."""
    # With each node: whether it is in the body of a class, and the first parameter of its method.
    left: list[tuple[ast.AST, bool, str]] = [(tree, False, "")]
    while left:
        node, in_class, instance = left.pop()
        why = _why_refused(node, modules, in_class=in_class, instance=instance)
        if why is not None:
            return node, why
        if isinstance(node, ast.ClassDef):
            in_class, instance = True, ""
        elif isinstance(node, ast.FunctionDef | ast.Lambda):
            instance = _first_parameter(node) if in_class else ""
            in_class = False
        parts = reversed(_parts(node))
        left.extend((part, in_class, instance) for part in parts)
    return None


def _first_parameter(node: ast.FunctionDef | ast.Lambda) -> str:
    parameters = (*node.args.posonlyargs, *node.args.args)
    if not parameters:
        return ""
    return parameters[0].arg


def _parts(node: ast.AST) -> tuple[ast.AST, ...]:
    """Return the child nodes to check, without those that are harmless in this place."""
    parts = children(node)
    if isinstance(node, ast.Attribute | ast.Call) and _is_harmless_super(node):
        return parts[1:]  # arguments of `super` itself
    if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
        raised, *arguments = children(node.exc)
        return (*_beside_limits(raised), *arguments, *parts[1:])
    if isinstance(node, ast.Raise | ast.ClassDef):
        return _beside_limits(*parts)
    return parts


def _beside_limits(*parts: ast.AST) -> tuple[ast.AST, ...]:
    return tuple(part for part in parts if not _names_a_limit(part))


def _names_a_limit(node: ast.AST) -> bool:
    return isinstance(node, ast.Name) and node.id in _LIMITS


def _may_catch_a_limit(node: ast.AST) -> bool:
    """Return whether this node lets a program continue after any exception, or names an exception
    such as RecursionError.
    """
    match node:
        case ast.ExceptHandler(type=None):
            return True
        case ast.Try() | ast.TryStar():
            return _is_left_at_its_end(node)
        case ast.FunctionDef(name="__exit__") | ast.Attribute(attr="mro"):
            return True
    return _names_a_limit(node)


def _is_left_at_its_end(node: ast.Try | ast.TryStar) -> bool:
    """Return whether `finally` contains a `return`, `break` or `continue` that may discard an
    exception.
    """
    for statement in node.finalbody:
        for part in ast.walk(statement):
            if isinstance(part, ast.Return | ast.Break | ast.Continue):
                return True
    return False


def _why_refused(
    node: ast.AST, modules: frozenset[str], *, in_class: bool, instance: str
) -> str | None:
    """Return why a node is refused, or None if it is allowed.

    The reason is "" if the source line is clear enough.
    """
    if isinstance(node, _STATEMENTS) or getattr(node, "type_params", None):
        return ""
    if _may_catch_a_limit(node):
        return _MAY_CATCH
    if type(node).__name__ == "TypeAlias":  # from Python 3.12 on
        return ""
    match node:
        case ast.Import() | ast.ImportFrom():
            is_allowed = _is_known_import(node, modules)
            return None if is_allowed else ""
        case ast.alias():
            return None  # checked as part of its statement
        case ast.FunctionDef(name=name):
            is_method = in_class and name in _METHODS
            is_refused = name in _ATTRIBUTES or (_is_dunder(name) and not is_method)
            return "" if is_refused else None
        case ast.Name(id=name):
            is_refused = name in _NAMES
            if _is_dunder(name):
                is_read_name = name == "__name__" and isinstance(node.ctx, ast.Load)
                is_refused = not is_read_name and name not in _METADATA
            return "" if is_refused else None
        case ast.Attribute():
            return _why_attribute(node, instance)
        case ast.ClassDef() if node.keywords:
            return "has a keyword"
        case ast.MatchClass() if node.kwd_attrs:
            return "matches attributes"
        case ast.comprehension() if node.is_async:
            return ""
    given: str | None = name_bound(node)
    if isinstance(node, ast.arg | ast.keyword):
        given = node.arg
    if _is_dunder(given or ""):
        return ""
    return None


def _is_known_import(node: ast.Import | ast.ImportFrom, modules: frozenset[str]) -> bool:
    known = modules | _IMPORTS
    if isinstance(node, ast.ImportFrom):
        is_known = not node.level and node.module in known
        if not is_known:
            return False
    for alias in node.names:
        if alias.asname is not None and _is_dunder(alias.asname):
            return False
        if isinstance(node, ast.Import):
            if alias.name not in known:
                return False
        elif _is_dunder(alias.name):
            return False
    return True


def _why_attribute(node: ast.Attribute, instance: str) -> str | None:
    name = node.attr
    value = node.value
    if _is_dunder(name):
        return None if _is_harmless_super(node) else ""
    if name in _ATTRIBUTES or name.startswith(_PREFIXES):
        return ""
    if not isinstance(node.ctx, ast.Load):
        if instance and isinstance(value, ast.Name) and value.id == instance:
            return None
        if isinstance(node.ctx, ast.Store):
            return "is set"
        return "is deleted"
    if name == "format":
        return _why_format(value)
    return None


def _why_format(value: ast.expr) -> str | None:
    """Return why the method `format` of this value is refused; None if it is allowed."""
    match value:
        case ast.Constant(value=str(text)):
            if _is_plain_format(text):
                return None
            return "looks into its arguments"
    return "formats a text that is not a literal"


def _is_harmless_super(node: ast.Attribute | ast.Call) -> bool:
    """Return whether this is `super()`, or `super().method` for an ordinary method or
    `__init__`.
    """
    if isinstance(node, ast.Attribute):
        if node.attr not in _METHODS or not isinstance(node.value, ast.Call):
            return False
        node = node.value
    is_super = isinstance(node.func, ast.Name) and node.func.id == "super"
    return is_super and not node.args and not node.keywords


def _is_plain_format(text: str, depth: int = 1) -> bool:
    """Return whether the text is a valid format string whose fields are only numbers and names."""
    try:
        fields = list(Formatter().parse(text))
    except ValueError:  # it raises an error, but fields before the error are evaluated first
        return False
    for _, name, spec, _ in fields:
        if name and not (name.isidentifier() or name.isdecimal()):
            return False
        if spec and not (depth < _MAX_SPEC_DEPTH and _is_plain_format(spec, depth + 1)):
            return False
    return True


def _is_dunder(name: str) -> bool:
    """Return whether Python gives the name a special meaning, such as `__name__`."""
    return name.startswith("__") and name.endswith("__")


def _sentence(data: bytes, node: ast.AST, why: str) -> str:
    """Return a sentence with the first refused line and its place."""
    text = data.decode("utf-8", "replace").removeprefix("\ufeff")
    found = ast.get_source_segment(text, node) or type(node).__name__
    first, _, rest = found.partition("\n")
    shown = short(first)
    if rest:
        shown += " …"
    sentence = f"line {getattr(node, 'lineno', 1)}: `{shown}`"
    if why:
        sentence += f" {why}"
    return sentence
