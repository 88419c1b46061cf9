"""The static half of the proof that a program keeps nothing from one scenario to the next.

An allow-list over the syntax tree: whatever is not known to leave the interpreter's state alone
means no, with a line and a reason. It need not prove that containers stay unchanged; the dynamic
half (`harness.execution.inside.shared.snapshot`) sees every change of what the names reach.
"""

from harness.policy.statelessness.proof import prove

__all__ = ["prove"]
