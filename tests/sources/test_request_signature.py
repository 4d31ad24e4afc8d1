"""Signatures of requests, against the examples that Amazon publishes for S3."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from scrapersky.sources.request_signature import BucketKey, sign_request

NOW = datetime(2013, 5, 24, tzinfo=UTC)
KEYS = BucketKey("AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY")
HOST = "https://examplebucket.s3.amazonaws.com"


@pytest.mark.parametrize(
    ("path", "headers", "signature"),
    [
        (
            "/test.txt",
            {"Range": "bytes=0-9"},
            "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41",
        ),
        ("/?max-keys=2&prefix=J", {}, "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"),
    ],
)
def test_the_published_examples_have_these_signatures(
    path: str, headers: dict[str, str], signature: str
) -> None:
    signed = sign_request(KEYS, HOST + path, headers, NOW)
    assert signed["Authorization"].endswith(f"Signature={signature}")
    assert "Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request" in signed["Authorization"]
    assert "wJalr" not in repr(KEYS)
