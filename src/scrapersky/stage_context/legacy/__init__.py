"""What the import of an original database uses: our side of it, and the key of its encrypted address."""

from __future__ import annotations

from base64 import b64decode, b64encode

from scrapersky.engine.database import Database
from scrapersky.engine.outcome import Discard
from scrapersky.secret_key import SecretKey, UndecryptableSecret
from scrapersky.stage_context.legacy.target import LegacyTarget

PURPOSE = "legacy database"


def encrypt_address(key: SecretKey, url: str) -> str:
    """The address of a source as it may be stored; it holds a password."""
    return b64encode(key.encrypt(url, context=PURPOSE)).decode()


class LegacyImport:
    """Our side of an import."""

    def __init__(self, database: Database, key: SecretKey) -> None:
        self.target, self._key = LegacyTarget(database), key

    def decrypt(self, address: str) -> str:
        try:
            return self._key.decrypt(b64decode(address), context=PURPOSE)
        except (UndecryptableSecret, ValueError):
            raise Discard("the address was encrypted under another SECRET_KEY; import it again") from None
