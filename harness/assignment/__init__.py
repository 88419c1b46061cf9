"""Reads an assignment's YAML files and compiles them; every mistake has file:line:column. `loading`
needs neither PyYAML nor pydantic: a cached plan is loaded without them."""
