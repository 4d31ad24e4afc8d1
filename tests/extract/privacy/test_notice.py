"""The notice of Article 14 says who, what, from where, since when, why, and which rights there are."""

from __future__ import annotations

from datetime import UTC, datetime

from scrapersky.extract.privacy.notice import write_notice


def test_the_notice_names_source_date_categories_and_rights() -> None:
    contact = {
        "email": "anna@firma.de",
        "phone_number": None,
        "name": "Anna Beck",
        "source_url": "https://firma.de/team",
        "first_seen_at": datetime(2026, 5, 3, tzinfo=UTC),
        "lawful_basis": "legitimate interest",
    }
    notice = write_notice(contact, controller="Sky Ltd, Road 1", rights_contact="privacy@sky.example")
    for part in ("Sky Ltd, Road 1", "privacy@sky.example", "https://firma.de/team", "2026-05-03"):
        assert part in notice
    assert "e-mail address, name" in notice
    assert "phone number" not in notice
    assert "legitimate interest" in notice
    assert "object to direct marketing" in notice
