"""Fuzz target: a canonical URL is its own canonical form; for atheris, or for pytest without it."""

import sys

from scrapersky.extract.urls import read_url
from scrapersky.extract.urls.canonical import path_depth, trap_reason

SEEDS = (
    b"https://",
    b"e.com",
    b"/..",
    b"?utm_a=1",
    b"&x",
    b"#",
    b";jsessionid=1",
    b"\\",
    b"%2e",
    b"xn--",
    b"\xff",
)


def TestOneInput(data: bytes) -> None:  # noqa: N802 - the name that fuzzers call.
    """One run over one input."""
    text = data.decode("utf-8", "surrogateescape")
    for base in ("", "https://example.com/a/b?c"):
        url, reason = read_url(text, base=base)
        assert bool(url) != bool(reason)
        if url:
            assert read_url(url).url == url
    trap_reason(text)
    path_depth(text)


def main() -> None:
    """Hand the target to the fuzzer."""
    import atheris

    atheris.instrument_all()
    atheris.Setup(sys.argv, TestOneInput)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
