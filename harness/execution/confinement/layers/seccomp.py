"""Limits the system calls that a submission may make. libseccomp builds the filter in the driver;
the process only has to load it.

Every other call is refused with EPERM. If a terminal is used, the kernel also reports to the driver
reads of descriptor 0 and waits that nothing can end, so that the driver need not wait for the time
limit. Calls are refused too if they only reveal facts about other processes: locks, pages in
memory, others' clocks, how full the machine is.
"""

import errno
import functools
import importlib
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from enum import Enum, auto
from types import ModuleType

from harness.common.errors import HarnessError
from harness.execution.confinement.layers import CONFINING_TIERS, Layer, ServerSetup

_FREE = [
    "access", "arch_prctl", "brk", "chdir", "close", "close_range", "dup", "dup2", "dup3",
    "epoll_create", "epoll_create1", "epoll_ctl", "epoll_pwait", "epoll_pwait2", "epoll_wait",
    "exit", "exit_group", "faccessat", "faccessat2", "fchdir", "fork", "fstat",
    "getcwd", "getdents", "getdents64", "getegid", "geteuid", "getgid", "getgroups",
    "getitimer", "getpgrp", "getpid", "getppid", "getrandom", "getresgid", "getresuid",
    "getrlimit", "getrusage", "gettid", "gettimeofday", "getuid", "kill", "lseek", "lstat",
    "mmap", "mprotect", "mremap", "munmap", "nanosleep", "newfstatat", "open", "openat",
    "pidfd_open", "pipe", "pipe2", "prctl", "readlink", "readlinkat", "recvfrom",
    "recvmsg", "restart_syscall", "riscv_flush_icache", "rseq", "rt_sigaction", "rt_sigpending",
    "rt_sigprocmask", "rt_sigreturn", "sched_yield",
    "sendmsg", "sendto", "seccomp", "set_robust_list", "set_tid_address", "setrlimit",
    "setsid", "sigaltstack", "stat", "statx", "tgkill", "time", "times",
    "ugetrlimit", "umask", "uname", "vfork", "wait4", "waitid", "write", "writev", "pwrite64",
]  # fmt: skip
_WRITES = (
    "fdatasync", "fsync", "ftruncate", "mkdir", "mkdirat", "rename", "renameat", "renameat2",
    "rmdir", "truncate", "unlink", "unlinkat",
)  # fmt: skip  # if a scenario has a folder; Landlock and the folder's owner say which
# Reported as done, without being done, if a scenario has a folder: `shutil` and `sqlite3` need
# them, and nobody else has these files. Neither modes nor times nor locks of a file ever change.
_PRETENDED = (
    "chmod", "fchmod", "fchmodat", "fchmodat2", "flock", "utime", "utimes", "utimensat",
    "futimesat",
)  # fmt: skip
_PRETENDED_LOCKS = (6, 7, 37, 38)  # F_SETLK and F_SETLKW, also of an open file
_NO_ATTRIBUTES = ("listxattr", "flistxattr", "llistxattr")
_READS = ("read", "readv", "pread64", "preadv")  # not preadv2, which tells of the page cache
_WAITS = {"select": 0, "pselect6": 0, "poll": 1, "ppoll": 1}  # position of the descriptor count
_DEADLINES = {"select": 4, "pselect6": 4, "ppoll": 2}  # position of a time; none there: no end
# The caller has one thread and no child: only a signal ends these waits.
_ENDLESS = ("futex", "pause", "rt_sigsuspend", "rt_sigtimedwait")
_TIMERS = ("setitimer",)
_SIGN = 0x80000000  # of a time in milliseconds: none
_PRIVATE = 0x80  # only a futex of this process: others can be waited for through a file
_FUTEX_MASK = 0x7F | _PRIVATE  # without the other flags
_FUTEX_WAITS = (0, 9)
_FUTEX_OPERATIONS = 14
_REAL_TIMER = 0
_FCNTL = (0, 1, 2, 3, 4, 1030)  # no locks; not F_SETOWN, which can send signals
_IOCTL = (
    0x5401, 0x5402, 0x5403, 0x5404, 0x540B, 0x540E, 0x540F, 0x5410, 0x5411, 0x5413, 0x541B,
    0x5421, 0x5429, 0x5450, 0x5451,
)  # fmt: skip  # terminal modes, sizes and groups, FIONREAD; not TIOCSTI, which types
_MADVISE = (4, 8, 14, 15)  # free memory, huge pages; not what moves pages of files
# Those that everybody has, and of this process and thread: any other is a process's, by its id.
_LAST_CLOCK = 11
_CLOCKS = ("clock_getres", "clock_gettime", "clock_nanosleep")
# The position of a process id that must be 0, the caller's own.
_ABOUT_ITSELF = {
    "getpgid": 0,
    "getpriority": 1,
    "getsid": 0,
    "prlimit64": 0,
    "sched_getaffinity": 0,
}
_THREAD = 0x00010000
_NEW_NAMESPACE = 0x7E020080 | 0x02000000
_AF_UNIX = 1

_REFUSED_TO_CHILDREN = [
    "clone", "fork", "vfork", "kill", "tgkill", "pidfd_open", "pidfd_send_signal", "sendmsg",
    "recvmsg", "sendto", "recvfrom", "prctl", "seccomp", "setrlimit", "setsid",
]  # fmt: skip
_REFUSED_ALONE = [
    "getrusage"
]  # it counts reads from the disk, which shows what nobody has read before


@functools.cache
def server_filter(*, notify: bool, writes: bool = False) -> bytes:
    """Return the filter, as BPF code, with the system calls that a submission's server and its
    descendants may make.
    """
    lib = _library()
    built = lib.SyscallFilter(lib.ERRNO(errno.EPERM))
    for name in (*_FREE, *(_WRITES if writes else ())):
        _add(lib, built, lib.ALLOW, name)
    low = 0xFFFFFFFF
    if writes:
        _pretend(lib, built)
    # The descriptor of a read tells whether it may be one of the terminal, of a wait their count.
    terminal_reads = [(name, lib.Arg(0, lib.EQ, 0), lib.Arg(0, lib.NE, 0)) for name in _READS]
    for name, told, untold in terminal_reads:
        if notify:
            _add(lib, built, lib.NOTIFY, name, told)
            _add(lib, built, lib.ALLOW, name, untold)
        else:
            _add(lib, built, lib.ALLOW, name)
    if notify:
        _add_waits(lib, built)
    else:
        _add(lib, built, lib.ALLOW, "futex", lib.Arg(1, lib.MASKED_EQ, _PRIVATE, _PRIVATE))
        for name in {*_WAITS, *_ENDLESS, *_TIMERS} - {"futex"}:
            _add(lib, built, lib.ALLOW, name)
    for name, at, commands in (
        ("fcntl", 1, _FCNTL),
        ("ioctl", 1, _IOCTL),
        ("madvise", 2, _MADVISE),
    ):
        for command in commands:
            _add(lib, built, lib.ALLOW, name, lib.Arg(at, lib.MASKED_EQ, low, command))
    for name in _CLOCKS:
        _add(lib, built, lib.ALLOW, name, lib.Arg(0, lib.LE, _LAST_CLOCK))
    for name, at in _ABOUT_ITSELF.items():
        _add(lib, built, lib.ALLOW, name, lib.Arg(at, lib.EQ, 0))
    _add(lib, built, lib.ALLOW, "socketpair", lib.Arg(0, lib.EQ, _AF_UNIX))
    _add(lib, built, lib.ALLOW, "clone", lib.Arg(0, lib.MASKED_EQ, _THREAD | _NEW_NAMESPACE, 0))
    _add(lib, built, lib.ERRNO(errno.ENOSYS), "clone3")
    _add(lib, built, lib.ERRNO(errno.ENOSYS), "openat2")
    return _exported(built)


def _pretend(lib: ModuleType, built: object) -> None:
    for name in _PRETENDED:
        _add(lib, built, lib.ERRNO(0), name)
    for command in _PRETENDED_LOCKS:
        _add(lib, built, lib.ERRNO(0), "fcntl", lib.Arg(1, lib.MASKED_EQ, 0xFFFFFFFF, command))
    for name in _NO_ATTRIBUTES:
        _add(lib, built, lib.ERRNO(errno.ENOTSUP), name)


def _add_waits(lib: ModuleType, built: object) -> None:
    """Make the kernel report to the driver every wait that may be for the terminal, every wait
    without a time limit, and every timer that could end such a wait.
    """
    for name, count in _WAITS.items():
        _add(lib, built, lib.NOTIFY, name, lib.Arg(count, lib.NE, 0))
    for name, deadline in _DEADLINES.items():
        none = lib.Arg(_WAITS[name], lib.EQ, 0)
        _add(lib, built, lib.NOTIFY, name, none, lib.Arg(deadline, lib.EQ, 0))
        _add(lib, built, lib.ALLOW, name, none, lib.Arg(deadline, lib.NE, 0))
    none = lib.Arg(_WAITS["poll"], lib.EQ, 0)
    _add(lib, built, lib.NOTIFY, "poll", none, lib.Arg(2, lib.MASKED_EQ, _SIGN, _SIGN))
    _add(lib, built, lib.ALLOW, "poll", none, lib.Arg(2, lib.MASKED_EQ, _SIGN, 0))
    for name in ("pause", "rt_sigsuspend"):
        _add(lib, built, lib.NOTIFY, name)
    _add(lib, built, lib.NOTIFY, "rt_sigtimedwait", lib.Arg(2, lib.EQ, 0))
    _add(lib, built, lib.ALLOW, "rt_sigtimedwait", lib.Arg(2, lib.NE, 0))
    for operation in range(_FUTEX_OPERATIONS):
        is_it = lib.Arg(1, lib.MASKED_EQ, _FUTEX_MASK, operation | _PRIVATE)
        if operation not in _FUTEX_WAITS:
            _add(lib, built, lib.ALLOW, "futex", is_it)
            continue
        _add(lib, built, lib.NOTIFY, "futex", is_it, lib.Arg(3, lib.EQ, 0))
        _add(lib, built, lib.ALLOW, "futex", is_it, lib.Arg(3, lib.NE, 0))
    _add(lib, built, lib.NOTIFY, "setitimer", lib.Arg(0, lib.EQ, _REAL_TIMER))
    _add(lib, built, lib.ALLOW, "setitimer", lib.Arg(0, lib.NE, _REAL_TIMER))


class ReportedCall(Enum):
    """The kinds of system calls that the kernel reports to the driver before they happen."""

    READ = auto()  # it reads from the terminal
    WAIT = auto()  # it waits for descriptors, of which the terminal may be one
    TIMER = auto()  # it has itself woken later
    ENDLESS_WAIT = auto()  # it waits, and nothing it did wakes it


def asked_by(number: int, arguments: Sequence[int]) -> ReportedCall:
    """Return the reason why a program makes the system call of this number with these arguments."""
    name = _names().get(number, "")
    if name in _TIMERS:
        return ReportedCall.TIMER
    if name in _WAITS and arguments[_WAITS[name]]:
        return ReportedCall.WAIT
    if name in _ENDLESS or name in _WAITS:
        return ReportedCall.ENDLESS_WAIT
    return ReportedCall.READ


@functools.cache
def _names() -> Mapping[int, str]:
    return numbers_of((*_WAITS, *_ENDLESS, *_TIMERS))


def numbers_of(names: Iterable[str]) -> Mapping[int, str]:
    """Return a mapping from the numbers of these system calls on this machine to their names."""
    lib = _library()
    return {lib.resolve_syscall(lib.system_arch(), name): name for name in names}


@functools.cache
def child_filter(*, shared: bool = False) -> bytes:
    """Return the filter, as BPF code, with the system calls that a scenario may not make although
    its server may.

    A process that scenarios share may ask how much memory it used: our own code there does so, and
    the program cannot.
    """
    lib = _library()
    built = lib.SyscallFilter(lib.ALLOW)
    for name in (*_REFUSED_TO_CHILDREN, *(() if shared else _REFUSED_ALONE)):
        _add(lib, built, lib.ERRNO(errno.EPERM), name)
    _add(lib, built, lib.ERRNO(errno.EPERM), "prlimit64", lib.Arg(2, lib.NE, 0))
    return _exported(built)


@functools.cache
def _find_pyseccomp() -> ModuleType | str:
    """Return the package pyseccomp, or the reason why it is missing.

    The import is delayed because it runs a program to find the library; commands that confine
    nothing need not wait for it.
    """
    try:
        return importlib.import_module("pyseccomp")
    except (ImportError, OSError, RuntimeError) as error:  # the package, or the library it wraps
        return f"libseccomp or pyseccomp is missing ({error})"


def _library() -> ModuleType:
    if isinstance(found := _find_pyseccomp(), str):
        raise HarnessError(found)
    return found


def _add(lib: ModuleType, built: object, action: int, name: str, *arguments: object) -> None:
    known = False  # not every name exists on every machine
    with suppress(OSError):
        known = lib.resolve_syscall(lib.system_arch(), name) >= 0
    if not known:
        return
    try:
        built.add_rule(action, name, *arguments)  # type: ignore[attr-defined]
    except OSError as error:  # for example, the kernel or a container refuses the rule
        raise HarnessError(f"libseccomp refuses a rule for {name}: {error.strerror}") from None


def _exported(built: object) -> bytes:
    with tempfile.TemporaryFile() as file:
        built.export_bpf(file)  # type: ignore[attr-defined]
        file.seek(0)
        program = file.read()
    if not program or len(program) % 8:
        raise HarnessError("libseccomp exported no filter")
    return program


class Seccomp(Layer):
    """Filters system calls: no new processes, sockets or signals.

    Also reports a program's reads.
    """

    name = "seccomp"
    tiers = CONFINING_TIERS
    order = 40
    notifies = True

    def unavailable(self) -> str:
        found = _find_pyseccomp()
        return found if isinstance(found, str) else ""

    def set_up_server(self, setup: ServerSetup) -> None:
        setup.filter = server_filter(notify=setup.notify, writes=bool(setup.writable))
        setup.child_filter = child_filter()
        setup.shared_filter = child_filter(shared=True)
