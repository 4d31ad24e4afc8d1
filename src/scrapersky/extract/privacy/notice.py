"""The notice that a person must get whose data was not obtained from them (Article 14 of the GDPR)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

CATEGORIES = {
    "email": "e-mail address",
    "phone_number": "phone number",
    "name": "name",
    "job_title": "job",
    "address": "business address",
    "social_urls": "public profiles",
}


def write_notice(contact: Mapping[str, Any], *, controller: str, rights_contact: str) -> str:
    """The notice about one contact, with the source and the date on which it was read there."""
    categories = [text for name, text in CATEGORIES.items() if contact.get(name)]
    read = contact["first_seen_at"]
    return "\n\n".join(
        [
            f"Responsible for your data: {controller}. Contact for your rights: {rights_contact}.",
            f"We hold these data about you: {', '.join(categories)}.",
            f"Source: {contact['source_url']}, read on {read:%Y-%m-%d}. The page is publicly accessible.",
            f"Purpose: to contact your business about its work. Legal basis: {contact['lawful_basis']}.",
            "You may ask for access to your data, their correction, erasure or restriction, and complain to "
            "a supervisory authority. You may object to direct marketing at any time; we then delete your "
            "data and keep only a hash, so that they are not collected again.",
        ]
    )
