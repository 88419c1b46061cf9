"""Reads an assignment's YAML files and compiles them. Every error carries file:line:column.

`loading` needs neither PyYAML nor pydantic, so that a cached plan loads fast.
"""
