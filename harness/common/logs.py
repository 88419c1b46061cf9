"""Logs the harness's work, one line for each event, on stderr or in a file. Silent by default.

Each package logs under its own name (`harness.execution`, `harness.intake`, …). Worker processes
inherit the environment, and with it where to log.
"""

from __future__ import annotations

import logging
import os

VARIABLE = "HARNESS_LOG"
STDERR = "-"
_FORMAT = "%(asctime)s %(process)d %(name)s: %(message)s"
_OURS = logging.getLogger("harness")
_OURS.addHandler(logging.NullHandler())


def logger_of(module: str) -> logging.Logger:
    """Return the logger of the package that a module of ours belongs to, from its `__name__`."""
    return logging.getLogger(".".join(module.split(".")[:2]))


def log_to(target: str) -> None:
    """Log to the file `target`, or to stderr if it is `STDERR`; also in processes started later.
    Raises OSError if the file cannot be written."""
    handler: logging.Handler = logging.StreamHandler()
    if target != STDERR:
        target = os.path.abspath(target)  # noqa: PTH100  (the variable is a text)
        handler = logging.FileHandler(target, encoding="utf-8", errors="backslashreplace")
    handler.setFormatter(logging.Formatter(_FORMAT))
    _OURS.addHandler(handler)
    _OURS.setLevel(logging.INFO)
    os.environ[VARIABLE] = target


def log_as_parent() -> None:
    """Log to the same place as the process that started this one, if it logs."""
    if target := os.environ.get(VARIABLE):
        log_to(target)


def stop() -> None:
    """Be silent again."""
    os.environ.pop(VARIABLE, None)
    _OURS.setLevel(logging.NOTSET)
    for handler in _OURS.handlers[1:]:
        _OURS.removeHandler(handler)
        handler.close()
