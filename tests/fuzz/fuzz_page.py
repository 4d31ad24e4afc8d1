"""Fuzz target: reading a page never raises. Run by atheris, or by plain pytest over random inputs."""

import random
import sys

from scrapersky.extract.page import read_page
from scrapersky.extract.results import Hints

PIECES = (
    b"<p>", b"</div>", b"<a href='mailto:", b"info@firma.de", b" (at) ", b"&#64;", b"<script>", b"'+'",
    b"document.write(", b"String.fromCharCode(", b"</script>", b"<span style='display:none'>",
    b"data-cfemail='7f",
    b"kode=\"", b"\x00", b"\xff\xfe", b"+49 30 ", b"0251/394821", b"<div itemscope itemtype=Person>",
    b"<script type='application/ld+json'>{\"@type\":", b"[[[", b"<style>.a{display:none", b"<!--",
    b"<table><tr><td>", b"tel:", b"\xf0\x9f", b"<noscript>", b"10115 Berlin",
)  # fmt: skip


def TestOneInput(data: bytes) -> None:  # noqa: N802 - the name that fuzzers call.
    """One run over one input."""
    reading = read_page(data, Hints("DE", "firma.de", "https://firma.de/kontakt"))
    for finding in (*reading.emails, *reading.phones, *reading.people, *reading.addresses):
        str(finding).encode("utf-8")


def test_random_soup_is_read():
    dice = random.Random(7)
    for _ in range(300):
        TestOneInput(b"".join(dice.choice(PIECES) for _ in range(dice.randint(1, 60))))


def main() -> None:
    """Hand the target to the fuzzer."""
    import atheris

    atheris.instrument_all()
    atheris.Setup(sys.argv, TestOneInput)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
