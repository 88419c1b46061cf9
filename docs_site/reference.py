"""The reference, made of what the program itself says: the commands, every key of the YAML files,
matchers and rules. UndescribedError where one has no words."""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import click

from harness.assignment.schema import file_schemas
from harness.cli import cli, listings
from harness.judging.explain.rules import registered_rules
from harness.matchers.kinds import DEFINITIONS, matcher_keys
from harness.policy.rules import policy_rules

Schema = Mapping[str, Any]
FILES = {"scenarios": "Scenario files"}  # the others are called by their names
MATCHERS = frozenset(DEFINITIONS.values())


class UndescribedError(Exception):
    """Something that users write has no words."""


def reference_pages() -> dict[str, str]:
    """All pages, by their paths in the site."""
    return {
        "reference/commands.md": commands_page(),
        **{f"reference/yaml/{kind}.md": page for kind, page in yaml_pages().items()},
        "reference/matchers.md": matchers_page(),
        "reference/rules.md": rules_page(),
    }


def commands_page(group: click.Group = cli) -> str:
    """Every command with its arguments and options, in the order of `harness --help`."""
    lines = ["# Commands", "", "As `harness COMMAND --help` has them.", ""]
    section = ""
    for listing in listings():
        if listing.section != section:
            section = listing.section
            lines += [f"## {section}", ""]
        command = group.get_command(click.Context(group), listing.name)
        assert command is not None
        lines += [f"### harness {listing.name}", "", *_command(command, listing.name), ""]
    return "\n".join(lines)


def _command(command: click.Command, name: str) -> Iterator[str]:
    context = click.Context(command, info_name=f"harness {name}")
    yield f"```\n{' '.join([context.command_path, *command.collect_usage_pieces(context)])}\n```\n"
    yield _described(inspect.cleandoc(command.help or ""), f"the command {name}") + "\n"
    rows = []
    for parameter in command.get_params(context):
        record = parameter.get_help_record(context)
        if isinstance(parameter, click.Option) and record is not None:
            option, text = record
            rows.append((f"`{option}`", _described(text, f"{name} {option}")))
    yield from _table(("option", "what it does"), rows)
    examples = (command.epilog or "").replace("\b\nExamples:\n", "")
    if examples:
        yield f"\n```\n{inspect.cleandoc(examples)}\n```"


def yaml_pages() -> dict[str, str]:
    """A page for each kind of YAML file, by its name: its keys, and those of what they hold."""
    pages = {}
    for kind, schema in file_schemas().items():
        parts = {name: part for name, part in schema["$defs"].items() if name not in MATCHERS}
        lines = [f"# {FILES.get(kind, f'{kind}.yaml')}", ""]
        for name in [kind, *(name for name in parts if name != kind)]:
            lines += _keys(name, parts, top=name == kind)
        pages[kind] = "\n".join(lines)
    return pages


def _keys(name: str, parts: Mapping[str, Schema], *, top: bool) -> Iterator[str]:
    schema = parts[name]
    if not top:
        yield f"## {name}\n"
    about = _line(schema.get("description", ""))
    if about != f"{name}.yaml.":
        yield f"{about}\n"
    properties = schema.get("properties", {})
    if not properties:
        yield f"{_type(schema).capitalize()}.\n"
    needed = schema.get("required", ())
    rows = []
    for key, part in properties.items():
        of_part = parts.get(part.get("$ref", "").rpartition("/")[2], {}).get("description", "")
        about = _line(part.get("description", of_part))
        about = _described(about, f"the key {key} of {name}")
        default = (
            json.dumps(part["default"]) if part.get("default") not in (None, "", [], {}) else ""
        )
        about += f" Default: `{default}`." if default and len(default) < 60 else ""
        rows.append((f"`{key}`" + " (needed)" * (key in needed), _type(part), about))
    yield from _table(("key", "type", "meaning"), rows)
    yield ""


def _type(schema: Schema) -> str:
    """What may be written there, with links to what it is made of."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        if name in MATCHERS:
            return "a [matcher](../matchers.md)"
        return f"[{name}](#{name.lower()})"
    if "enum" in schema or "const" in schema:
        values = schema.get("enum", [schema.get("const")])
        return " or ".join(f"`{json.dumps(each).strip(chr(34))}`" for each in values)
    for choice in ("anyOf", "oneOf"):
        if choice in schema and "properties" not in schema:
            return " or ".join(dict.fromkeys(map(_type, schema[choice])))
    if schema.get("type") == "array":
        return f"a list of {_type(schema['items'])}" if schema.get("items") else "a list"
    if schema.get("type") == "object":
        values = schema.get("additionalProperties")
        return (
            f"a mapping to {_type(values)}" if isinstance(values, dict) and values else "a mapping"
        )
    plain = {"string": "text", "integer": "a whole number", "number": "a number"}
    plain |= {"boolean": "`true` or `false`", "null": "nothing"}
    return plain.get(str(schema.get("type")), "a value")


def matchers_page() -> str:
    """Every matcher: its keys and what it accepts."""
    lines = ["# Matchers", "", "What may stand where a value or a text is expected; how they are"]
    lines += ["used is in [writing scenarios](../writing-scenarios.md).", ""]
    rows = []
    for key in matcher_keys().values():
        others = [f"{part}: …" for part in key.others]
        written = "{" + ", ".join([f"{key.name}: …", *others]) + "}"
        about = _sentence(inspect.getdoc(key.make) or "")
        of = "texts" if key.for_text else "any value"
        rows.append((f"`{written}`", of, _described(about, f"the matcher {key.name}")))
    return "\n".join([*lines, *_table(("matcher", "for", "accepts"), rows)])


def rules_page() -> str:
    """The rules of a policy, and those that explain failures."""
    lines = ["# Rules", "", "## Of a policy", ""]
    lines += ["What `policy.yaml` can forbid, as findings are called in `results.json`.", ""]
    rows = [
        (
            f"`{rule.kind.name}`",
            f"`{rule.setting.key}`" if rule.setting is not None else "always",
            _described(_line(inspect.getdoc(rule.check) or ""), f"the rule {rule.kind.name}"),
        )
        for rule in policy_rules()
    ]
    lines += _table(("finding", "key", "what is found"), rows)
    lines += ["", "## Of explanations", ""]
    lines += ["In the order in which they are tried; [causes](../causes.md) says how.", ""]
    explained = [
        (f"`{rule.name}`", _described(rule.words, f"the rule {rule.name}"))
        for rule in registered_rules()
    ]
    return "\n".join([*lines, *_table(("rule", "what a function does"), explained)])


def _described(text: str, what: str) -> str:
    if not text.strip():
        raise UndescribedError(f"{what} has no words of its own")
    return text


def _sentence(text: str) -> str:
    return re.split(r"(?<=\.)\s+(?=[A-Z])", _line(text))[0]


def _line(text: str) -> str:
    """The first paragraph as one line."""
    return " ".join(text.partition("\n\n")[0].split())


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """A Markdown table; of no rows nothing."""
    for number, row in enumerate(rows):
        if not number:
            yield f"| {' | '.join(head)} |"
            yield "|---" * len(head) + "|"
        yield f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in row)} |"
