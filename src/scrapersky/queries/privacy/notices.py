"""The notice to the person of a contact (Article 14), from where and when the contact was read."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from scrapersky import tables
from scrapersky.errors import NotFound
from scrapersky.extract.privacy.notice import write_notice
from scrapersky.queries.contact_rows import contact_rows
from scrapersky.queries.read_model import Query


class NoticeQuery(Query):
    async def notice(
        self, tenant_id: UUID, contact_id: UUID, *, controller: str, rights_contact: str
    ) -> dict[str, Any]:
        """The text, the page that is the source, and whether the settings name who is responsible."""
        contacts = tables.contacts.c
        rows = await self.dicts(
            contact_rows(self._engine).where(contacts.tenant_id == tenant_id, contacts.id == contact_id)
        )
        if not rows:
            raise NotFound(f"There is no contact {contact_id}")
        text = write_notice(
            rows[0],
            controller=controller or "[PRIVACY_CONTROLLER is not set]",
            rights_contact=rights_contact or "[PRIVACY_CONTACT is not set]",
        )
        is_complete = bool(controller and rights_contact)
        return {"text": text, "source_url": rows[0]["source_url"], "is_complete": is_complete}
