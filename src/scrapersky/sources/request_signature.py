"""Signs requests to object storage: AWS Signature Version 4 of a GET without a body."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from urllib.parse import urlsplit

ALGORITHM = "AWS4-HMAC-SHA256"
NO_BODY = hashlib.sha256(b"").hexdigest()


@dataclass(frozen=True, slots=True)
class BucketKey:
    """A key pair and the region of its buckets; `repr` hides the secret."""

    access_key: str
    secret_key: str = field(repr=False)
    region: str = "us-east-1"


def sign_request(
    credentials: BucketKey, url: str, headers: Mapping[str, str], now: datetime
) -> dict[str, str]:
    """The headers with a signature over all of them, the address and the time.

    The path and the sorted query of the address must be encoded as they are sent.
    """
    parts, moment = urlsplit(url), now.astimezone(UTC).strftime("%Y%m%dT%H%M%SZ")
    added = {"x-amz-content-sha256": NO_BODY, "x-amz-date": moment}
    signed = {name.lower(): value.strip() for name, value in headers.items()} | added | {"host": parts.netloc}
    names = ";".join(sorted(signed))
    lines = "".join(f"{name}:{signed[name]}\n" for name in sorted(signed))
    request = f"GET\n{parts.path or '/'}\n{parts.query}\n{lines}\n{names}\n{NO_BODY}"
    scope = f"{moment[:8]}/{credentials.region}/s3/aws4_request"
    text = f"{ALGORITHM}\n{moment}\n{scope}\n{hashlib.sha256(request.encode()).hexdigest()}"
    key = f"AWS4{credentials.secret_key}".encode()
    for part in scope.split("/"):
        key = hmac.digest(key, part.encode(), "sha256")
    signature = hmac.digest(key, text.encode(), "sha256").hex()
    credential = f"{credentials.access_key}/{scope}"
    header = f"{ALGORITHM} Credential={credential},SignedHeaders={names},Signature={signature}"
    return {**headers, **added, "Authorization": header}
