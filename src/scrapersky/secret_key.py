"""The key of this installation: it encrypts stored secrets and signs what clients hand back."""

from __future__ import annotations

import hmac
import os
import secrets
import tempfile
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from scrapersky.database import data_folder
from scrapersky.embedded.system_folder import make_folders
from scrapersky.errors import ScraperSkyError, StartupError
from scrapersky.settings import Settings, is_strong_secret

KEY_FILE = "secret-key"
ID_BYTES, NONCE_BYTES = 8, 12


class UndecryptableSecret(ScraperSkyError):
    """The text was encrypted under another SECRET_KEY, or it was changed."""


@dataclass(frozen=True, slots=True)
class _Key:
    """The keys that one text gives, one for each purpose."""

    id: bytes
    encryption: AESGCM = field(repr=False)
    signature: bytes = field(repr=False)
    suppression: bytes = field(repr=False)


class SecretKey:
    """Encrypts and signs with the current key; what `previous` keys encrypted or signed stays valid."""

    __slots__ = ("_keys", "is_strong")

    def __init__(self, text: str, *, previous: str | None = None) -> None:
        self._keys = [_derive(part) for part in (text, previous) if part]
        self.is_strong = is_strong_secret(text)

    def __repr__(self) -> str:
        return f"SecretKey({self.key_id})"

    @property
    def key_id(self) -> str:
        """The name of the current key; it says nothing about the key."""
        return self._keys[0].id.hex()

    def encrypt(self, text: str, *, context: str = "") -> bytes:
        """The key's id, a nonce and the encrypted text; it decrypts with the same `context` only."""
        key, nonce = self._keys[0], os.urandom(NONCE_BYTES)
        return key.id + nonce + key.encryption.encrypt(nonce, text.encode(), context.encode())

    def decrypt(self, encrypted: bytes, *, context: str = "") -> str:
        nonce, text = encrypted[ID_BYTES : ID_BYTES + NONCE_BYTES], encrypted[ID_BYTES + NONCE_BYTES :]
        for key in self._keys:
            if key.id == encrypted[:ID_BYTES]:
                with suppress(InvalidTag, ValueError):
                    return key.encryption.decrypt(nonce, text, context.encode()).decode()
        raise UndecryptableSecret

    def is_current(self, encrypted: bytes) -> bool:
        """Whether this was encrypted under the current key and not under the previous one."""
        return encrypted[:ID_BYTES] == self._keys[0].id

    def sign(self, data: bytes) -> bytes:
        return _signature(self._keys[0], data)

    def suppression_hashes(self, data: bytes) -> list[bytes]:
        """The hash under the current key, then those under previous keys, which are still recognised."""
        return [hmac.digest(key.suppression, data, "sha256") for key in self._keys]

    def verify(self, data: bytes, signature: bytes) -> bool:
        """Whether we signed this."""
        return any(hmac.compare_digest(_signature(key, data), signature) for key in self._keys)


def load_secret_key(settings: Settings) -> SecretKey:
    """The key of the settings, or the one in the data folder, which is generated once."""
    current, previous = settings.secret_key, settings.secret_key_previous
    text = current.get_secret_value() if current else _stored_key(data_folder(settings))
    return SecretKey(text, previous=previous.get_secret_value() if previous else None)


def _derive(text: str) -> _Key:
    def part(purpose: bytes, length: int) -> bytes:
        return HKDF(hashes.SHA256(), length, salt=b"scrapersky", info=purpose).derive(text.encode())

    return _Key(
        part(b"id", ID_BYTES),
        AESGCM(part(b"encryption", 32)),
        part(b"signature", 32),
        part(b"suppression", 32),
    )


def _signature(key: _Key, data: bytes) -> bytes:
    return hmac.digest(key.signature, data, "sha256")


def _stored_key(folder: Path) -> str:
    path = folder / KEY_FILE
    try:
        if not path.exists():
            make_folders(folder, mode=0o755 if os.geteuid() == 0 else 0o700)
            _create(path)
        text = path.read_text(encoding="ascii").strip()
        is_open = path.stat().st_mode & 0o077
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not ASCII text"
        raise StartupError(f"The secret key {path} cannot be used: {reason}; set SECRET_KEY") from None
    if is_open:
        raise StartupError(f"Others can read the secret key {path}: run chmod 600 {path}")
    if not is_strong_secret(text):
        raise StartupError(f"The secret key {path} is damaged: restore it from a backup or set SECRET_KEY")
    return text


def _create(path: Path) -> None:
    """Write a new key; of several processes that do so at once, the first wins and all use its key."""
    handle, scratch = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}-")
    try:
        with open(handle, "w", encoding="ascii") as file:
            file.write(f"{secrets.token_urlsafe(32)}\n")
            file.flush()
            os.fsync(file.fileno())
        # Unlike a rename, a link never replaces a key that another process has just created.
        with suppress(FileExistsError):
            os.link(scratch, path)
    finally:
        os.unlink(scratch)
