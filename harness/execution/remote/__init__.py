"""The course's stand-in modules, run in a process of their own and called from a submission's."""

from harness.execution.remote.names import ProxyNames, proxy_names
from harness.execution.remote.peer import StandInProcess, StandInUnusableError, exchange

__all__ = ["ProxyNames", "StandInProcess", "StandInUnusableError", "exchange", "proxy_names"]
