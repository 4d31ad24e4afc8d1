"""Contacts as people make and change them: create, edit, tag, delete."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Response
from pydantic import BaseModel, ConfigDict, Field

from scrapersky.actions.contacts import create_contact, delete_contacts, tag_contacts, update_contact
from scrapersky.actions.contacts.fields import MAX_LENGTHS, MAX_PROFILES, MAX_TAGS
from scrapersky.actions.versions import version_tag
from scrapersky.api.caller import Caller, Context, Operator, Viewer
from scrapersky.api.context import PREFIX, ApiContext
from scrapersky.api.etags import IfMatch
from scrapersky.api.models import Body
from scrapersky.declarations.stages import AUTO_EMAIL_VALIDATION
from scrapersky.queries.installation.setting_overrides import SettingQuery
from scrapersky.queries.privacy.notices import NoticeQuery

router = APIRouter(prefix="/contacts", tags=["contacts"])

Tag = Annotated[str, Field(min_length=1, max_length=50, pattern=r"^[^\s,;]+$")]
Tags = Annotated[list[Tag], Field(max_length=MAX_TAGS)]
ContactIds = Annotated[list[UUID], Field(min_length=1, max_length=10_000)]


def _text(name: str, description: str) -> Any:
    return Field(default=None, max_length=MAX_LENGTHS[name], description=description)


class ContactFields(Body):
    """Fields that are left out stay as they are; null empties a field."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"name": "Ada Lovelace", "tags": ["vip"]}]})

    email: str | None = _text("email", "Stored in lower case.")
    phone_number: str | None = _text("phone_number", "Stored in E.164.")
    phone_extension: str | None = _text("phone_extension", "Digits after the number.")
    name: str | None = _text("name", "The person.")
    job_title: str | None = _text("job_title", "The person's job.")
    address: str | None = _text("address", "The postal address.")
    country: str | None = _text("country", "A code such as DE, or a name.")
    social_urls: Annotated[
        dict[str, str] | None, Field(max_length=MAX_PROFILES, description="Profiles by network.")
    ] = None
    notes: str | None = _text("notes", "Only for people.")
    tags: Tags | None = None


class NewContact(ContactFields):
    model_config = ConfigDict(
        json_schema_extra={"examples": [{"domain": "example.com", "email": "ada@example.com"}]},
    )

    domain: Annotated[str, Field(min_length=1, max_length=2_048, description="Created if it is new.")]
    source_url: Annotated[
        str | None, Field(max_length=2_048, description="Where it was read; without it, the person.")
    ] = None


class Contact(BaseModel):
    """`edited_fields` are those that a person has set; no later crawl changes them."""

    id: UUID
    domain_id: UUID
    email: str | None
    email_type: str | None
    email_relation: str | None
    phone_number: str | None
    phone_type: str | None
    phone_extension: str | None
    name: str | None
    job_title: str | None
    address: str | None
    country: str | None
    social_urls: dict[str, Any]
    notes: str | None
    tags: list[str]
    edited_fields: list[str]
    source_url: str
    lead_source: str | None
    lawful_basis: str
    contact_curation_status: str
    email_validation_status: str | None
    email_validation_result: str | None
    created_at: datetime
    updated_at: datetime


class ContactTags(Body):
    model_config = ConfigDict(json_schema_extra={"examples": [{"tags": ["vip", "2026"]}]})

    tags: Tags


class TagChange(Body):
    model_config = ConfigDict(
        json_schema_extra={"examples": [{"contact_ids": [str(UUID(int=1))], "add": ["vip"], "remove": []}]}
    )

    contact_ids: ContactIds
    add: Annotated[Tags, Field(default_factory=list)]
    remove: Annotated[Tags, Field(default_factory=list)]


class ContactSelection(Body):
    contact_ids: ContactIds


class ContactNotice(BaseModel):
    """`is_complete` unless PRIVACY_CONTROLLER or PRIVACY_CONTACT is not set."""

    text: str
    source_url: str
    is_complete: bool


class UpdatedCount(BaseModel):
    updated_count: int


class DeletedCount(BaseModel):
    deleted_count: int


async def validates_addresses(caller: Caller, context: ApiContext) -> bool:
    """Whether new addresses are queued for validation."""
    settings = await SettingQuery(caller.engine, context.settings, context.secret_key).current()
    return bool(getattr(settings, AUTO_EMAIL_VALIDATION.setting))


@router.post("", status_code=201)
async def add_contact(body: NewContact, caller: Operator, context: Context, response: Response) -> Contact:
    """Create a contact. Its address is validated if AUTO_EMAIL_VALIDATION is on."""
    values = body.model_dump(exclude_unset=True, exclude={"domain", "source_url"})
    row = await create_contact(
        caller.engine,
        caller.actor,
        body.domain,
        values,
        source_url=body.source_url,
        validate=await validates_addresses(caller, context),
    )
    response.headers["Location"] = f"{PREFIX}/contacts/{row['id']}"
    response.headers["ETag"] = version_tag(row["updated_at"])
    return Contact(**row)


@router.post("/tags", name="tag_contacts")
async def change_tags(body: TagChange, caller: Operator) -> UpdatedCount:
    """Add tags to contacts and remove others."""
    changed = await tag_contacts(
        caller.engine, caller.actor, body.contact_ids, add=body.add, remove=body.remove
    )
    return UpdatedCount(updated_count=changed)


@router.post("/delete", name="delete_contacts")
async def delete_many(body: ContactSelection, caller: Operator) -> DeletedCount:
    """Delete contacts with their sightings; no later crawl brings them back."""
    return DeletedCount(deleted_count=await delete_contacts(caller.engine, caller.actor, body.contact_ids))


@router.patch("/{row_id:uuid}", name="edit_contact")
@router.put("/{row_id:uuid}", name="put_contact")
async def edit_contact(
    row_id: UUID,
    body: ContactFields,
    caller: Operator,
    context: Context,
    if_match: IfMatch,
    response: Response,
) -> Contact:
    """Set fields of a contact; PUT and PATCH are the same. A new address is validated again."""
    values = body.model_dump(exclude_unset=True)
    validate = await validates_addresses(caller, context)
    row = await update_contact(
        caller.engine, caller.actor, row_id, values, validate=validate, expected_tags=if_match
    )
    response.headers["ETag"] = version_tag(row["updated_at"])
    return Contact(**row)


@router.put("/{row_id:uuid}/tags", name="set_contact_tags")
async def set_tags(
    row_id: UUID, body: ContactTags, caller: Operator, if_match: IfMatch, response: Response
) -> Contact:
    """Replace the tags of a contact."""
    row = await update_contact(caller.engine, caller.actor, row_id, body.model_dump(), expected_tags=if_match)
    response.headers["ETag"] = version_tag(row["updated_at"])
    return Contact(**row)


@router.get("/{row_id:uuid}/notice", name="get_contact_notice")
async def get_notice(row_id: UUID, caller: Viewer, context: Context) -> ContactNotice:
    """The notice that the person must get (Article 14 of the GDPR), with the source of the data."""
    notice = await NoticeQuery(caller.engine).notice(
        caller.actor.tenant_id,
        row_id,
        controller=context.settings.privacy_controller,
        rights_contact=context.settings.privacy_contact,
    )
    return ContactNotice(**notice)


@router.delete("/{row_id:uuid}", status_code=204)
async def delete_contact(row_id: UUID, caller: Operator, if_match: IfMatch) -> None:
    """Delete a contact with its sightings; no later crawl brings it back."""
    await delete_contacts(caller.engine, caller.actor, [row_id], expected_tags=if_match)
