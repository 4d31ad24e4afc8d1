"""Fuzz target: choosing a charset and decoding never raise. Run by atheris, or by plain pytest."""

import random
import sys

from scrapersky.extract.html.charset import decode_html

LABELS = (
    "utf-8",
    "utf-7",
    "zlib",
    "idna",
    "undefined",
    "hz",
    "punycode",
    "koi8-r",
    "big5",
    "x-user-defined",
    "utf-16",
)


def TestOneInput(data: bytes) -> None:  # noqa: N802 - the name that fuzzers call.
    """One run: the first bytes are the header's label, the rest the body."""
    text, _ = decode_html(data[8:], content_type=f"text/html; charset={data[:8].decode('latin-1')}")
    text.encode("utf-8", "surrogatepass")


def test_random_bytes_under_any_label_are_decoded():
    dice = random.Random(11)
    for label in LABELS:
        for _ in range(50):
            body = dice.randbytes(dice.randint(0, 200))
            decode_html(b"<meta charset=" + label.encode() + b">" + body)
            decode_html(body, content_type=f"text/html; charset={label}")
            TestOneInput(body)


def main() -> None:
    """Hand the target to the fuzzer."""
    import atheris

    atheris.instrument_all()
    atheris.Setup(sys.argv, TestOneInput)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
