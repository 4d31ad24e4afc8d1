"""Signatures by the Standard Webhooks specification: an id, a time, and an HMAC of both and the body."""

from __future__ import annotations

import base64
import binascii
import hmac
import secrets as random
from collections.abc import Sequence

PREFIX = "whsec_"
KEY_BYTES = 32
# The specification asks for 24 to 64 bytes.
MIN_KEY_BYTES, MAX_KEY_BYTES = 24, 64
MAX_ID = 200
TOLERANCE_SECONDS = 300
ID, TIMESTAMP, SIGNATURE = "webhook-id", "webhook-timestamp", "webhook-signature"


class InvalidSignature(Exception):
    """The request was not signed by anybody who knows the secret, or not recently."""


def make_secret() -> str:
    return PREFIX + base64.b64encode(random.token_bytes(KEY_BYTES)).decode()


def decode_secret(secret: str) -> bytes:
    """The bytes of the key; ValueError for a text that is not a secret of this form."""
    try:
        key = base64.b64decode(secret.removeprefix(PREFIX), validate=True)
    except binascii.Error:
        raise ValueError("The secret is not base64 after whsec_") from None
    if not MIN_KEY_BYTES <= len(key) <= MAX_KEY_BYTES:
        raise ValueError(f"The secret must have {MIN_KEY_BYTES} to {MAX_KEY_BYTES} bytes, not {len(key)}")
    return key


def signed_headers(secrets: Sequence[str], message_id: str, timestamp: int, body: bytes) -> dict[str, str]:
    """The three headers; with two secrets there are two signatures, so that either may be replaced."""
    signatures = [_signature(secret, message_id, timestamp, body) for secret in secrets]
    return {ID: message_id, TIMESTAMP: str(timestamp), SIGNATURE: " ".join(signatures)}


def verify(
    secrets: Sequence[str], message_id: str, timestamp: str, signature: str, body: bytes, *, now: float
) -> None:
    """Raise InvalidSignature unless one of the secrets made one of the signatures in the last minutes."""
    if not (timestamp.isascii() and timestamp.isdigit() and len(timestamp) <= 12):
        raise InvalidSignature("the timestamp is not a number of seconds")
    if abs(now - int(timestamp)) > TOLERANCE_SECONDS:
        raise InvalidSignature("the timestamp is more than 5 minutes away")
    if not message_id or len(message_id) > MAX_ID or "." in message_id:
        raise InvalidSignature("the id is missing or invalid")
    sent = [part.encode() for part in signature.split(" ")[:10] if part.startswith("v1,")]
    expected = [_signature(secret, message_id, int(timestamp), body).encode() for secret in secrets]
    # Every pair is compared, so that the time does not say which one matched.
    if not sum(hmac.compare_digest(own, other) for own in expected for other in sent):
        raise InvalidSignature("no signature matches")


def _signature(secret: str, message_id: str, timestamp: int, body: bytes) -> str:
    content = f"{message_id}.{timestamp}.".encode() + body
    return "v1," + base64.b64encode(hmac.digest(decode_secret(secret), content, "sha256")).decode()
