"""Whom the terms of a source ask to name wherever its places are shown, by the name of the source."""

from __future__ import annotations

# Google asks for its name, untranslated and unchanged, beside what comes from it.
ATTRIBUTIONS = {"google_places": "Google Maps"}
