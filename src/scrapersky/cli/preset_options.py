"""Parameters of lists as arguments of rules and saved views: `page_type=login`."""

from __future__ import annotations

from collections import defaultdict

import click

from scrapersky.cli.options import Decorator

ENTITY_NAMES = ("place", "business", "domain", "sitemap", "page", "contact")
entity_argument = click.argument("entity", type=click.Choice(ENTITY_NAMES))
# Searches are listed but nobody decides about them.
list_argument = click.argument("entity", type=click.Choice((*ENTITY_NAMES, "search")))


def params_option(name: str, about: str) -> Decorator:
    return click.option(f"--{name}", "params", multiple=True, metavar="NAME=VALUE", help=about)


def parse_params(texts: tuple[str, ...]) -> dict[str, list[str]]:
    """A name that is repeated has several values."""
    params: dict[str, list[str]] = defaultdict(list)
    for text in texts:
        name, sign, value = text.partition("=")
        if not sign:
            raise click.UsageError(
                f"Invalid parameter {text!r}; expected NAME=VALUE, such as page_type=login"
            )
        params[name].append(value)
    return dict(params)
