"""The command line that repeats a command."""

from collections.abc import Collection, Mapping
from typing import Any

import click

_KEY = f"{__name__}.words"


class RepeatedCommand(click.Command):
    """A command that is run again, without the options in `only_once`."""

    only_once: Collection[str] = ()

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse, and keep the words of the repeated command for `words_to_repeat`."""
        # Parsing empties the list.
        entered = list(args)
        left = super().parse_args(ctx, args)
        if not ctx.resilient_parsing:  # a shell that completes words has not all of them
            ctx.meta[_KEY] = self._words(ctx, entered)
        return left

    def _words(self, ctx: click.Context, entered: list[str]) -> tuple[str, ...]:
        values, _, parameters = self.make_parser(ctx).parse_args(entered)
        options: list[str] = []
        arguments: list[str] = []
        for parameter in dict.fromkeys(parameters):
            if parameter.name in self.only_once:
                continue
            if isinstance(parameter, click.Option):
                options += _of_option(parameter, values)
            else:
                arguments += _each(values[str(parameter.name)])
        if any(argument.startswith("-") for argument in arguments):
            arguments.insert(0, "--")
        return ("harness", str(self.name), *options, *arguments)


def words_to_repeat(ctx: click.Context) -> tuple[str, ...]:
    """Return the words of the command of this context, a `RepeatedCommand`."""
    words: tuple[str, ...] = ctx.meta[_KEY]
    return words


def _of_option(option: click.Option, values: Mapping[str, Any]) -> list[str]:
    name = max(option.opts, key=len)
    if option.is_flag:
        return [name]
    words: list[str] = []
    for value in _each(values[str(option.name)]):
        words += [name, value]
    return words


def _each(value: Any) -> list[str]:
    """Return the values of a parameter that may have several."""
    if isinstance(value, str):
        return [value]
    return list(value)
