"""The scan of the links of a page loses none that leads to a mailbox or a phone."""

import pytest

from scrapersky.extract.html import parse_document
from scrapersky.extract.html.contact_links import CONTACT_LINKS


def kept(*addresses: str) -> list[str]:
    body = "".join(f'<a href="{address}">x</a>' for address in addresses)
    return [link.raw for link in parse_document(body).scan(CONTACT_LINKS)]


@pytest.mark.parametrize(
    "address",
    ["MailTo:a@b.de", "tel:030", "Tel :030", "SMS:030", "fax:030", "skype:x?call", "https://WA.me/49",
     "javascript:x()", "viber://chat?number=49", "callto:030", "/cdn-cgi/l/email-protection#7f",
     "https://x.social/@firma", "znvygb:n@o"],
)  # fmt: skip
def test_a_link_to_a_mailbox_or_a_number_is_kept_however_it_is_written(address):
    assert kept("a.html", address, "https://firma.de/") == [address]


def test_a_capital_that_becomes_two_letters_shifts_no_places():
    assert kept("/İİİİİİİİİİİİİİ", "/b", "TEL:030", "/c") == ["TEL:030"]
