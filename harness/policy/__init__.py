"""Checks a submission's source code against the rules in policy.yaml: imports, techniques,
structure.

`check` is pure. It runs under the assignment's Python interpreter in a limited process: load
`SOURCES` there and call `ENTRY` with a `PolicyRequest` as JSON.
"""
