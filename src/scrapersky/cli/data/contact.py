"""Contacts: add, edit, tag, delete, notice, list, show, curate, reset, run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from scrapersky.cli.command import database_command
from scrapersky.cli.lazy import lazy_module
from scrapersky.cli.options import all_options, yes_option
from scrapersky.cli.output import echo, echo_json
from scrapersky.cli.rows import confirm, row_group
from scrapersky.declarations.stages import AUTO_EMAIL_VALIDATION
from scrapersky.log import pluralize

if TYPE_CHECKING:
    from scrapersky.actions import contacts
    from scrapersky.cli.runtime import App
    from scrapersky.queries.installation import setting_overrides
    from scrapersky.queries.privacy import notices
    from scrapersky.queries.rows import details as rows
    from scrapersky.queries.rows import entities
else:
    contacts = lazy_module("scrapersky.actions.contacts")
    entities = lazy_module("scrapersky.queries.rows.entities")
    notices = lazy_module("scrapersky.queries.privacy.notices")
    rows = lazy_module("scrapersky.queries.rows.details")
    setting_overrides = lazy_module("scrapersky.queries.installation.setting_overrides")

FIELDS = {
    "email": "E-mail address.",
    "phone_number": "Phone number, with its country, such as +44 20 7946 0958.",
    "phone_extension": "Extension of the number.",
    "name": "The person.",
    "job_title": "The person's job.",
    "address": "Postal address.",
    "country": "A code such as DE.",
    "notes": "Notes for people.",
}

contact = row_group("contact", __doc__)
field_options = all_options(
    *(click.option(f"--{name.replace('_', '-')}", name, help=text) for name, text in FIELDS.items())
)
ids_argument = click.argument("ids", nargs=-1, required=True, metavar="ID...")


@database_command(contact)
@click.argument("domain")
@field_options
@click.option("--tag", "tags", multiple=True, help="A tag; may be repeated.")
@click.option("--source-url", help="The page where it was read [default: you].")
async def add(
    app: App, domain: str, tags: tuple[str, ...], source_url: str | None, as_json: bool, **fields: str | None
) -> None:
    """Add a contact of DOMAIN, which is created if it is new."""
    values = {**_set_fields(fields), **({"tags": list(tags)} if tags else {})}
    row = await contacts.create_contact(
        app.engine, app.actor, domain, values, source_url=source_url, validate=await _validates(app)
    )
    _print(row, as_json=as_json)


@database_command(contact)
@click.argument("row_id", metavar="ID")
@field_options
@click.option(
    "--clear",
    multiple=True,
    type=click.Choice([name.replace("_", "-") for name in FIELDS]),
    help="Empty this field; may be repeated.",
)
async def edit(app: App, row_id: str, clear: tuple[str, ...], as_json: bool, **fields: str | None) -> None:
    """Set fields of a contact; no later crawl changes them."""
    values = {**_set_fields(fields), **dict.fromkeys(name.replace("-", "_") for name in clear)}
    if not values:
        raise click.UsageError("Name a field to set, or one to --clear.")
    [contact_id] = await _ids(app, (row_id,))
    row = await contacts.update_contact(
        app.engine, app.actor, contact_id, values, validate=await _validates(app)
    )
    _print(row, as_json=as_json)


@database_command(contact)
@ids_argument
@click.option("--add", "added", multiple=True, help="A tag to add; may be repeated.")
@click.option("--remove", "removed", multiple=True, help="A tag to remove; may be repeated.")
async def tag(
    app: App, ids: tuple[str, ...], added: tuple[str, ...], removed: tuple[str, ...], as_json: bool
) -> None:
    """Add tags to contacts, and remove others."""
    contact_ids = await _ids(app, ids)
    changed = await contacts.tag_contacts(app.engine, app.actor, contact_ids, add=added, remove=removed)
    if as_json:
        echo_json({"updated_count": changed})
    else:
        click.echo(f"{pluralize(changed, 'contact')} changed")


@database_command(contact)
@ids_argument
@yes_option
async def delete(app: App, ids: tuple[str, ...], yes: bool, as_json: bool) -> None:
    """Delete contacts with their sightings; no later crawl brings them back."""
    contact_ids = await _ids(app, ids)
    if len(contact_ids) != 1 and not yes:
        confirm(len(contact_ids), "delete contacts")
    deleted = await contacts.delete_contacts(app.engine, app.actor, contact_ids)
    if as_json:
        echo_json({"deleted_count": deleted})
    else:
        click.echo(f"{pluralize(deleted, 'contact')} deleted")


@database_command(contact)
@click.argument("row_id", metavar="ID")
async def notice(app: App, row_id: str, as_json: bool) -> None:
    """Print the notice that the person must get (Article 14 of the GDPR), with the source of the data."""
    [contact_id] = await _ids(app, (row_id,))
    written = await notices.NoticeQuery(app.engine).notice(
        app.tenant_id,
        contact_id,
        controller=app.settings.privacy_controller,
        rights_contact=app.settings.privacy_contact,
    )
    if as_json:
        echo_json(written)
    else:
        echo(written["text"])


def _set_fields(fields: dict[str, str | None]) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value is not None}


async def _validates(app: App) -> bool:
    """Whether new addresses are queued for validation."""
    settings = await setting_overrides.SettingQuery(app.engine, app.settings).current()
    return bool(getattr(settings, AUTO_EMAIL_VALIDATION.setting))


async def _ids(app: App, ids: tuple[str, ...]) -> list[Any]:
    return await rows.RowQuery(app.engine).ids(entities.get_entity("contact"), app.tenant_id, ids)


def _print(row: dict[str, Any], *, as_json: bool) -> None:
    if as_json:
        echo_json(row)
    else:
        click.echo(f"{row['id']}  {row['email'] or row['phone_number']}")
