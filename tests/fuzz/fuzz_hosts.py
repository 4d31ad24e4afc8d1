"""Fuzz target: a domain is read without raising, and its key reads as itself; for atheris or pytest."""

import sys

from scrapersky.extract.urls import read_host
from scrapersky.extract.urls.hosts import politeness_key

SEEDS = (
    b"HTTPS://WWW.",
    b"example.com",
    b".co.uk",
    b"xn--",
    b"[::1]",
    b"127.1",
    b"@",
    b":80",
    b"\xc3\xbc",
    b"%2f",
)


def TestOneInput(data: bytes) -> None:  # noqa: N802 - the name that fuzzers call.
    """One run over one input."""
    text = data.decode("utf-8", "surrogateescape")
    reading = read_host(text)
    politeness_key(text)
    assert bool(reading.reason) != reading.ok
    if reading.ok:
        assert read_host(reading.host).host == reading.host


def main() -> None:
    """Hand the target to the fuzzer."""
    import atheris

    atheris.instrument_all()
    atheris.Setup(sys.argv, TestOneInput)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
