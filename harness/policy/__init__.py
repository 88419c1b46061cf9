"""Checks a submission's text against the sheet's rules: imports, techniques, structure. `check` is
pure. It runs under the assignment's own interpreter, in a limited process: `SOURCES` is what to
load there, `ENTRY` what to call with a `PolicyRequest` as JSON."""
