"""What people do with contacts: create, edit, tag, delete, validate."""

from scrapersky.actions.contacts.edits import create_contact, delete_contacts, tag_contacts, update_contact
from scrapersky.actions.contacts.validation import validate_contacts, validate_matching

__all__ = [
    "create_contact",
    "delete_contacts",
    "tag_contacts",
    "update_contact",
    "validate_contacts",
    "validate_matching",
]
