"""Options that commands share, each declared once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]

# The curation statuses as they are typed.
CURATION_STATUSES = click.Choice(
    ("new", "selected", "maybe", "rejected", "archived", "not-a-fit"), case_sensitive=False
)

json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON instead of a table.")
quiet_option = click.option("--quiet", is_flag=True, help="No progress.")
yes_option = click.option("--yes", is_flag=True, help="Skip the confirmation prompt.")
dry_run_option = click.option("--dry-run", is_flag=True, help="Only print how many rows would change.")
encoding_option = click.option(
    "--encoding", default="", help="Encoding of the file, such as cp1250 or shift_jis [default: detected]."
)
STATUS_HELP = "Processing status, such as queued, running, complete or error; none where it was never queued."
DOMAIN_HELP = "Only rows of this domain; lists also take a part of its name."
domain_option = click.option("--domain", help=DOMAIN_HELP)
curation_option = click.option("--curation", type=CURATION_STATUSES, help="Filter by curation status.")


def limit_option(
    maximum: int | None = 10_000, default: int | None = 50, what: str = "Maximum rows."
) -> Decorator:
    return click.option(
        "--limit",
        type=click.IntRange(1, maximum),
        default=default,
        show_default=default is not None,
        help=what,
    )


def all_options(*options: Decorator) -> Decorator:
    """Several options as one decorator, in the order of the help."""

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate
