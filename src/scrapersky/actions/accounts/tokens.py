"""Random texts that prove who a caller is; only their hashes are stored."""

from __future__ import annotations

import hashlib
import re
import secrets

BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
KEY_ID_LENGTH = 8
# 32 random bytes in base 62.
KEY_SECRET_LENGTH = 43
KEY = re.compile(rf"(ssky_[0-9A-Za-z]{{{KEY_ID_LENGTH}}})_[0-9A-Za-z]{{{KEY_SECRET_LENGTH}}}")


def make_token() -> str:
    """256 random bits, for a cookie or a link."""
    return secrets.token_urlsafe(32)


def make_api_key() -> tuple[str, str]:
    """A prefix that a key is found by, and the whole key."""
    prefix = "ssky_" + "".join(secrets.choice(BASE62) for _ in range(KEY_ID_LENGTH))
    return prefix, f"{prefix}_{_base62(secrets.token_bytes(32))}"


def key_prefix(key: str) -> str | None:
    """The prefix of a well-formed key."""
    match = KEY.fullmatch(key)
    return match[1] if match else None


def hash_token(token: str) -> bytes:
    """A plain hash is enough: nobody can guess 256 bits."""
    return hashlib.sha256(token.encode()).digest()


def _base62(data: bytes) -> str:
    number, digits = int.from_bytes(data), []
    for _ in range(KEY_SECRET_LENGTH):
        number, digit = divmod(number, len(BASE62))
        digits.append(BASE62[digit])
    return "".join(reversed(digits))
