"""Fuzz target: every text has a page type with a reason; for atheris, or for pytest without it."""

import sys

from scrapersky.extract.pagetypes import classify_url
from scrapersky.extract.pagetypes.topics import PAGE_TYPES

SEEDS = (
    b"https://e.com/",
    b"kontakt",
    b"?page=",
    b"%C3%BC",
    b"/blog/",
    b"\xe4\xbc\x9a",
    b"-",
    b".pdf",
    b"#!/",
    b"|",
)


def TestOneInput(data: bytes) -> None:  # noqa: N802 - the name that fuzzers call.
    """One run over one input."""
    text = data.decode("utf-8", "surrogateescape")
    found = classify_url(text, anchor=text[::-1], title=text)
    assert found.page_type in PAGE_TYPES
    assert found.reason
    assert found.priority in (1, 2, 3)


def main() -> None:
    """Hand the target to the fuzzer."""
    import atheris

    atheris.instrument_all()
    atheris.Setup(sys.argv, TestOneInput)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
