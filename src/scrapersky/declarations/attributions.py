"""Whom the terms of a source ask to name wherever its places are shown, by the name of the source."""

from __future__ import annotations

# Google asks for its name, untranslated and unchanged, beside what comes from it.
ATTRIBUTIONS = {"google_places": "Google Maps", "openstreetmap": "© OpenStreetMap contributors"}
# Sources whose licence also covers what is derived from their data, such as the contacts of a business.
DERIVED_ATTRIBUTIONS = {"openstreetmap": ATTRIBUTIONS["openstreetmap"]}
