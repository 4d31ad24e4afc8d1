"""Line breaks and other control characters behind mailto: and tel: make no contact of their own."""

from time import process_time

import pytest

from scrapersky.extract.html.link_payloads import strip_injection
from scrapersky.extract.report import report_page


def contacts(body):
    html = f'<html lang="de"><body><h1>Acme GmbH</h1>{body}</body></html>'
    report = report_page(html.encode(), "https://acme.de/kontakt", "acme.de", "text/html", "DE")
    return [contact.email or contact.phone for contact in report.contacts]


@pytest.mark.parametrize(
    "break_",
    [
        *(
            "%0d%0a",
            "%0A",
            "%0D",
            "%0a%0a",
            "%250d%250a",
            "\r\n",
            "\n",
            "\r",
            "&#13;&#10;",
            "&#10;",
            "&#x0a;",
        ),
        *(
            "&NewLine;",
            "&amp;#13;&amp;#10;",
            "\t",
            "%09",
            "%0b",
            "%0c",
            "%E2%80%A8",
            "\u2028",
            "%c2%85",
            "\r\n\t",
        ),
    ],
)
@pytest.mark.parametrize(
    "header", ["Bcc:evil@evil.com", "bcc: evil@evil.com", "Cc%3aevil@evil.com", "To:x@acme.de,evil@evil.com"]
)
def test_no_header_behind_a_line_break_becomes_a_contact(break_, header):
    assert contacts(f'<a href="mailto:info@acme.de{break_}{header}">Mail</a>') == ["info@acme.de"]
    assert contacts(f'<a href="mailto:?cc=info@acme.de{break_}{header}&amp;subject=x">Mail</a>') == [
        "info@acme.de"
    ]


@pytest.mark.parametrize(
    ("href", "found"),
    [
        ("mailto:in\nfo@acme.de", ["info@acme.de"]),
        ("mailto:info@ac\r\n\tme.de", ["info@acme.de"]),
        ("mailto:\n    info@acme.de\n  ", ["info@acme.de"]),
        ("mailto:%0d%0ainfo@acme.de%0d%0a", ["info@acme.de"]),
        ("mailto:a@acme.de,\n b@acme.de", ["a@acme.de", "b@acme.de"]),
        ("mailto:a@acme.de;%0d%0a b@acme.de", ["a@acme.de", "b@acme.de"]),
        ("mailto:info@acme.de?body=Hallo%0d%0aBcc:evil@evil.com", ["info@acme.de"]),
        ("mailto:in%0dfo@acme.de", []),
        ("mailto:info%00@acme.de", []),
        ("mailto:info@acme.de%00.evil.com", []),
        ("mailto:info@acme.de\x01", []),
        ("mailto:info@acme.de%7f,b@acme.de", []),
        ("tel:\n+49 30 25930170\n", ["+493025930170"]),
        ("tel:+49\t30&#13;25930170", ["+493025930170"]),
        ("tel:+49 30 25930170%0d%0a99", ["+493025930170"]),
        ("tel:+49 30 25930170%0aX-Tel: 5", ["+493025930170"]),
        ("tel:030%0d%0a25930170", []),
        ("tel:+49 30 25930170%00", []),
    ],
)
def test_a_value_broken_by_the_layout_is_joined_and_nothing_else(href, found):
    assert contacts(f'<a href="{href}">Kontakt</a>') == found


def test_json_ld_smuggles_no_header_either():
    data = '{"@type":"Organization","name":"Acme","email":"mailto:info@acme.de%0d%0aBcc:evil@evil.com"}'
    assert contacts(f'<script type="application/ld+json">{data}</script>') == ["info@acme.de"]


@pytest.mark.timed
@pytest.mark.parametrize("piece", ["\n", "%0d%0a", "a@b.de,\n", "%25", "%", ", "])
def test_very_long_payloads_take_little_time(piece):
    started = process_time()
    strip_injection(piece * 500_000)
    assert process_time() - started < 0.5


@pytest.mark.timed
def test_many_line_breaks_take_linear_time():
    """A hundred such links fit into a megabyte."""
    started = process_time()
    for _ in range(100):
        strip_injection("a\n" * 5_000)
    assert process_time() - started < 3
