"""Groups whose commands are imported when they are run: `--help` and completion import nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

import click
from click.shell_completion import CompletionItem


class LazyGroup(click.Group):
    """`commands` maps a name to where the command lives ("module:attribute") and one line about it."""

    def __init__(self, *args: Any, lazy: Mapping[str, tuple[str, str]] | None = None, **more: Any) -> None:
        super().__init__(*args, **more)
        self.lazy = dict(lazy or {})

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [*self.lazy, *super().list_commands(ctx)]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.lazy:
            return super().get_command(ctx, cmd_name)
        module, _, attribute = self.lazy[cmd_name][0].partition(":")
        command: click.Command = getattr(import_module(module), attribute)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        try:
            return super().resolve_command(ctx, args)
        except click.exceptions.NoSuchCommand as error:
            # click itself knows only the commands that are imported already.
            known = self.list_commands(ctx)
            raise click.exceptions.NoSuchCommand(error.command_name, possibilities=known, ctx=ctx) from None

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        known = [
            CompletionItem(name, help=about)
            for name, (_, about) in self.lazy.items()
            if name.startswith(incomplete)
        ]
        return known or super().shell_complete(ctx, incomplete)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The list from the table, so that nothing is imported for it."""
        known = [(name, about) for name, (_, about) in self.lazy.items()]
        known += [(name, one.get_short_help_str()) for name, one in self.commands.items()]
        if known:
            with formatter.section("Commands"):
                formatter.write_dl(known)
