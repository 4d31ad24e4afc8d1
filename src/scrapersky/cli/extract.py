"""The `extract` group: extractors run on files, without a database; each sub-command loads when asked for."""

from __future__ import annotations

from importlib import import_module

import click

# Name of the sub-command, and where it lives.
_COMMANDS = {
    "pages": "scrapersky.cli.extract_pages:pages",
    "sitemap": "scrapersky.cli.extract_files:sitemap",
    "pagetype": "scrapersky.cli.extract_files:pagetype",
    "robots": "scrapersky.cli.extract_files:robots",
}


class _Lazy(click.Group):
    """Imports a sub-command when it is used, so that `--help` and the others stay quick."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _COMMANDS:
            return None
        module, _, name = _COMMANDS[cmd_name].partition(":")
        command: click.Command = getattr(import_module(module), name)
        return command


@click.group(cls=_Lazy)
def extract() -> None:
    """Run the extractors on files; no database is needed."""
