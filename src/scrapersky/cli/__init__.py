"""The command line: thin shells; each group loads when it is asked for."""

from __future__ import annotations

from importlib import import_module

import click

# Name of the group, and where it lives.
_GROUPS = {"extract": "scrapersky.cli.extract:extract"}


class _Lazy(click.Group):
    """Imports a group when it is used, so that a command pays only for what it needs."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_GROUPS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _GROUPS:
            return None
        module, _, name = _GROUPS[cmd_name].partition(":")
        command: click.Command = getattr(import_module(module), name)
        return command


@click.group(cls=_Lazy)
def main() -> None:
    """Find businesses and their contacts."""
