"""Permanently gives up rights that a submission must not have, in an order in which each step is
still permitted.

The driver builds the seccomp filters. Landlock has no maintained package, so this module makes its
system calls itself.
"""
# not pathlib: it would add memory to every fork
# ruff: noqa: PTH112

from __future__ import annotations

import ctypes
import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_PR_SET_PDEATHSIG = 1
_PR_SET_NO_NEW_PRIVS = 38
_SIGKILL = 9

_LANDLOCK_CREATE, _LANDLOCK_ADD, _LANDLOCK_RESTRICT = 444, 445, 446
_RIGHTS_BY_ABI = (0, 0x1FFF, 0x3FFF, 0x7FFF, 0x7FFF, 0xFFFF)  # index: ABI, later ones as the last
_WRITE_FILE, _READ_FILE, _READ_DIR, _TRUNCATE = 1 << 1, 1 << 2, 1 << 3, 1 << 14
_OF_FILES = _WRITE_FILE | _READ_FILE | _TRUNCATE
# Read and write files, make and remove them and folders, cut them off; no links, no devices.
_WRITING = 1 << 1 | 1 << 2 | 1 << 3 | 1 << 4 | 1 << 5 | 1 << 7 | 1 << 8 | 1 << 14

_SECCOMP_SET_MODE_FILTER = 1
_FILTER_NEW_LISTENER = 1 << 3
_SECCOMP_NR = {"x86_64": 317, "aarch64": 277, "riscv64": 277, "armv7l": 383, "ppc64le": 358}

_libc = ctypes.CDLL(None, use_errno=True)
_syscall = _libc.syscall
_syscall.restype = ctypes.c_long


class ConfinementError(Exception):
    """A step of the confinement was refused. `str()` names the step."""


class _FilterProgram(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("filter", ctypes.c_void_p)]


class _RulesetAttributes(ctypes.Structure):
    _fields_ = [
        ("handled_access_fs", ctypes.c_uint64),
        ("handled_access_net", ctypes.c_uint64),
        ("scoped", ctypes.c_uint64),
    ]


class _PathBeneath(ctypes.Structure):
    _pack_ = 1
    _fields_ = [("allowed_access", ctypes.c_uint64), ("parent_fd", ctypes.c_int32)]


class LoadedFilter:
    """A seccomp filter in memory that this process or its forks can load into the kernel."""

    def __init__(self, program: bytes) -> None:
        self._code = ctypes.create_string_buffer(program, len(program))
        address = ctypes.cast(self._code, ctypes.c_void_p)
        self._program = _FilterProgram(len(program) // 8, address.value)
        self._reference = ctypes.byref(self._program)
        self._number = _SECCOMP_NR[os.uname().machine]

    def load(self, flags: int = 0) -> int:
        """Load the filter. Return the descriptor of its listener if `flags` ask for one."""
        result = _syscall(self._number, _SECCOMP_SET_MODE_FILTER, flags, self._reference)
        return _checked("seccomp", result)


def _checked(step: str, result: int) -> int:
    if result < 0:
        raise ConfinementError(f"{step}: {os.strerror(ctypes.get_errno())}")
    return result


def die_with_parent(parent: int | None = None) -> None:
    """Have the kernel kill this process when the thread that started it ends.

    Kill it at once if it is not `parent`'s child any more. The kernel forgets this setting at a
    change of user.
    """
    apply_prctls([(_PR_SET_PDEATHSIG, _SIGKILL)])
    if parent is not None and os.getppid() != parent:
        os._exit(1)


def apply_prctls(prctls: list[tuple[int, int]]) -> None:
    """Call prctl once for each option and value."""
    for option, value in prctls:
        _checked(f"prctl {option}", _libc.prctl(option, value, 0, 0, 0))


def confine(setup: dict[str, Any], parent: int) -> int:
    """Apply the restrictions in `setup` to this process.

    Return the descriptor of the seccomp listener, or -1 if none was asked for.
    """
    ruleset = -1
    if setup["restricts_files"]:
        ruleset = _landlock_ruleset(setup["readable"], setup["directory"], setup["writable"])
    uid = setup["uid"]
    if uid is not None:
        try:
            os.setgroups([])
            os.setresgid(uid, uid, uid)
            os.setresuid(uid, uid, uid)
        except OSError as error:
            raise ConfinementError(f"cannot become user {uid}: {error.strerror}") from None
    apply_prctls(setup["prctls"])  # a change of user would undo some of them
    if setup["dies_with_parent"]:  # after the change of user
        die_with_parent(parent)
    if setup["restricts_files"] or setup["filter"]:
        apply_prctls([(_PR_SET_NO_NEW_PRIVS, 1)])
    if ruleset >= 0:
        _checked("landlock", _syscall(_LANDLOCK_RESTRICT, ruleset, 0))
        os.close(ruleset)
    if not setup["filter"]:
        return -1
    listener = LoadedFilter(setup["filter"]).load(_FILTER_NEW_LISTENER if setup["notify"] else 0)
    return listener if setup["notify"] else -1


def _landlock_ruleset(readable: list[str], directory: str, writable: str) -> int:
    abi = _syscall(_LANDLOCK_CREATE, None, 0, 1)
    if abi < 3:
        raise ConfinementError(f"landlock: ABI {max(abi, 0)}, needs 3")
    rights = _RIGHTS_BY_ABI[min(abi, len(_RIGHTS_BY_ABI) - 1)]
    attributes = _RulesetAttributes(
        handled_access_fs=rights,
        handled_access_net=3 if abi >= 4 else 0,  # TCP bind and connect
        scoped=3 if abi >= 6 else 0,  # abstract Unix sockets, signals
    )
    size = 24 if abi >= 6 else 16 if abi >= 4 else 8
    ruleset = _checked("landlock", _syscall(_LANDLOCK_CREATE, ctypes.byref(attributes), size, 0))
    for path in (*readable, directory):
        _allow(ruleset, path, _READ_FILE | _READ_DIR)
    _allow(ruleset, os.devnull, _READ_FILE | (_WRITE_FILE | _TRUNCATE) & rights)
    if writable:
        _allow(ruleset, writable, _WRITING & rights)
    return ruleset


def _allow(ruleset: int, path: str, rights: int) -> None:
    try:
        place = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except FileNotFoundError:
        return
    if not os.path.isdir(path):
        rights &= _OF_FILES
    rule = _PathBeneath(allowed_access=rights, parent_fd=place)
    added = _syscall(_LANDLOCK_ADD, ruleset, 1, ctypes.byref(rule), 0)
    os.close(place)
    _checked(f"landlock, {path}", added)
