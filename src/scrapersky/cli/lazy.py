"""Commands and modules that load when they are used: `--help` and completion load nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import click
from click.shell_completion import CompletionItem

ROOT = Path(__file__).parents[2]


class _LazyModule(ModuleType):
    """A module that is imported when one of its names is used."""

    def __getattr__(self, name: str) -> Any:
        return getattr(import_module(self.__name__), name)


def lazy_module(name: str) -> Any:
    """The module of this name, imported at its first use: a command's help must not load its database."""
    return _LazyModule(name)


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the help. The modules of its packages are its commands; those named `first` come first."""

    title: str
    packages: tuple[str, ...]
    first: tuple[str, ...] = ()

    def commands(self) -> dict[str, str]:
        """The module of each command."""
        names = {name: f"{package}.{name}" for package in self.packages for name in _modules(package)}
        return {name: names[name] for name in (*self.first, *sorted(names)) if name in names}


def _folder(module: str) -> Path:
    return ROOT.joinpath(*module.split("."))


def _modules(package: str) -> set[str]:
    folder = _folder(package)
    names = {path.stem for path in folder.glob("*.py") if path.stem != "__init__"}
    return names | {path.parent.name for path in folder.glob("*/__init__.py")}


def short_help(module: str) -> str:
    """The first line of a module's docstring, read without importing it."""
    path = _folder(module)
    path = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    with path.open(encoding="utf-8") as source:
        return source.readline().strip().strip('"')


class LazyGroup(click.Group):
    """A group whose commands are the modules of packages."""

    def __init__(self, *args: Any, sections: Sequence[Section] = (), **more: Any) -> None:
        super().__init__(*args, **more)
        self.sections = sections

    @property
    def modules(self) -> dict[str, str]:
        return {name: module for section in self.sections for name, module in section.commands().items()}

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.modules)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        module = self.modules.get(cmd_name)
        if module is None:
            return None
        command: click.Command = getattr(import_module(module), cmd_name)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        try:
            return super().resolve_command(ctx, args)
        except click.exceptions.NoSuchCommand as error:
            # click suggests only commands that are already imported.
            known = self.list_commands(ctx)
            raise click.exceptions.NoSuchCommand(error.command_name, possibilities=known, ctx=ctx) from None

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        known = [
            CompletionItem(name, help=short_help(module))
            for name, module in self.modules.items()
            if name.startswith(incomplete)
        ]
        return known or super().shell_complete(ctx, incomplete)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        for section in self.sections:
            with formatter.section(section.title):
                formatter.write_dl(
                    [(name, short_help(module)) for name, module in section.commands().items()]
                )
