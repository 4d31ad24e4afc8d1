"""The settings as text: the reference page and the example file, generated from the classes."""

from __future__ import annotations

from typing import Literal, get_args, get_origin
from uuid import UUID

from pydantic.fields import FieldInfo

from scrapersky.settings.loader import is_secret
from scrapersky.settings.model import GROUPS, Settings

INTRODUCTION = """# Settings

Each setting is an environment variable. A `.env` file in the current folder is read as well; the environment
takes precedence. A secret can also be read from a file: `DATABASE_URL_FILE=/run/secrets/database` instead of
`DATABASE_URL`. An empty value counts as not set. Invalid values stop the start with one line per setting.

This page is generated from the code by `make docs`.
"""
EXAMPLE_INTRODUCTION = """# Every setting with its default.
# Copy to .env and uncomment the settings you want to change.
# Generated from the code by `make docs`.
"""


def settings_page() -> str:
    """The page docs/reference/settings.md."""
    parts = [INTRODUCTION]
    for group in GROUPS:
        rows = [_table_row(name, field) for name, field in group.model_fields.items()]
        heading = f"## {_title(group)}\n\n| Setting | Default | Allowed | Description |\n|---|---|---|---|\n"
        parts.append(heading + "\n".join(rows) + "\n")
    return "\n".join(parts)


def env_example() -> str:
    """The file .env.example."""
    parts = [EXAMPLE_INTRODUCTION]
    for group in GROUPS:
        lines = [f"# {_title(group)}"]
        lines += [
            f"# {field.description}\n#{name.upper()}={_default(name, field)}"
            for name, field in group.model_fields.items()
        ]
        parts.append("\n".join(lines) + "\n")
    return "\n".join(parts)


def group_of(name: str) -> str:
    """The heading under which a setting stands."""
    return next(_title(group) for group in GROUPS if name in group.model_fields)


def allowed_values(name: str) -> str:
    """What a setting accepts, in words."""
    return _allowed(name, Settings.model_fields[name]).replace("`", "")


def _title(group: type[object]) -> str:
    return (group.__doc__ or "").strip()


def _table_row(name: str, field: FieldInfo) -> str:
    default = _default(name, field)
    value = f"`{default}`" if default else "not set"
    return f"| `{name.upper()}` | {value} | {_allowed(name, field)} | {field.description} |"


def _default(name: str, field: FieldInfo) -> str:
    value = field.default
    if value is None:
        return ""
    return str(value).lower() if isinstance(value, bool) else str(value)


def _allowed(name: str, field: FieldInfo) -> str:
    if is_secret(name):
        return "secret"
    bounds = {
        key: getattr(part, key) for part in field.metadata for key in ("ge", "le") if hasattr(part, key)
    }
    if bounds:
        return f"{bounds['ge']} to {bounds['le']}"
    annotation = field.annotation
    if get_origin(annotation) is Literal:
        return ", ".join(f"`{word}`" for word in get_args(annotation))
    if annotation is bool:
        return "`true`, `false`"
    if annotation is UUID:
        return "a UUID"
    return "1 to 36500 or `keep`" if name.endswith("_retention_days") else "text"
