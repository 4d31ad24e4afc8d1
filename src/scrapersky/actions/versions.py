"""Versions of rows: a tag that changes with the row, and the check that it has not changed since."""

from __future__ import annotations

import hashlib
from collections.abc import Set as AbstractSet
from datetime import UTC, datetime

from scrapersky.errors import Stale

# The tags that a client has read; None where it does not care.
ExpectedTags = AbstractSet[str] | None
ANY_TAG = "*"


def version_tag(version: object, *more: object) -> str:
    """A strong entity tag of a row's version, such as `updated_at`, and of what is shown beside the row."""
    parts = [_digest(version), *([_digest(*more)] if more else [])]
    return f'"{"-".join(parts)}"'


def _digest(*versions: object) -> str:
    return hashlib.sha256("\0".join(map(_text, versions)).encode()).hexdigest()[:32]


def _text(version: object) -> str:
    return version.astimezone(UTC).isoformat() if isinstance(version, datetime) else str(version)


def check_version(expected: ExpectedTags, version: object) -> None:
    """Raise Stale unless the client has read this version of the row, whatever was shown beside it."""
    if expected is None or ANY_TAG in expected:
        return
    if _digest(version) not in {tag.strip('"').partition("-")[0] for tag in expected}:
        raise Stale("The row has changed since it was read; read it again.")
