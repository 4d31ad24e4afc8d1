"""What counts as the same mailbox, number and domain."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrapersky.extract.privacy.identifiers import (
    Identifier,
    canonical_email,
    covering_domains,
    email_identifiers,
    find_identifiers,
    hidden_forms,
    read_identifier,
)


@pytest.mark.parametrize(
    "written",
    [
        "anna@bäckerei.de",
        "ANNA@BÄCKEREI.DE",
        " anna@xn--bckerei-5wa.de ",
        "anna+news@Bäckerei.de",
        "anna @ bäckerei.de",
        "anna\u200b@bäckerei.de",
        "ａｎｎａ＠bäckerei.de",
        "mailto:anna@bäckerei.de?subject=Hi",
        "Anna Beck <anna@bäckerei.de>",
        "anna@bäckerei.de.",
    ],
)
def test_one_mailbox_in_all_its_forms(written: str) -> None:
    assert read_identifier(written) == Identifier("email", "anna@xn--bckerei-5wa.de")


def test_dots_do_not_count_at_google_mail_only() -> None:
    assert canonical_email("a.n.n.a+x@googlemail.com") == canonical_email("anna@gmail.com")
    assert canonical_email("a.nna@firma.de") != canonical_email("anna@firma.de")


@pytest.mark.parametrize(
    "written", ["+49 30 901820", "0049 (0)30 90 18 20", "tel:+4930901820", "+49-30-901820", "030/901820"]
)
def test_one_number_in_all_its_forms(written: str) -> None:
    assert read_identifier(written, country="DE") == Identifier("phone", "+4930901820")


@pytest.mark.parametrize("written", ["Firma.de", "https://www.firma.de/kontakt", "@firma.de", "firma.de."])
def test_one_domain_in_all_its_forms(written: str) -> None:
    assert read_identifier(written) == Identifier("domain", "firma.de")


@pytest.mark.parametrize(
    "written", ["", "   ", "co.uk", "030 901820", "anna@", "@", "anna@localhost", "gmbh"]
)
def test_what_identifies_nobody_is_refused_with_a_reason(written: str) -> None:
    reason = read_identifier(written)
    assert isinstance(reason, str)
    assert reason


def test_a_domain_covers_what_is_below_it_and_nothing_beside_it() -> None:
    covering = {one.value for one in covering_domains("mail.shop.firma.co.uk")}
    assert covering == {"mail.shop.firma.co.uk", "shop.firma.co.uk", "firma.co.uk"}
    assert Identifier("domain", "firma.de") in email_identifiers("info@mail.firma.de")
    assert Identifier("domain", "firma.de") not in email_identifiers("info@meinefirma.de")


@pytest.mark.parametrize(
    "text",
    [
        "Write to anna@firma.de, please.",
        '<a href="mailto:anna%40firma.de">',
        "anna&#64;firma.de",
        "anna&#x40;firma&#46;de",
        r'{"mail": "anna\u0040firma.de"}',
        "https://firma.de/?to=anna%2Bnews%40firma.de&x=1",
        "&#97;&#110;&#110;&#97;&#64;firma.de",
    ],
)
def test_addresses_are_found_as_texts_write_them(text: str) -> None:
    found = {
        one
        for form in (text, *hidden_forms(text))
        for found in find_identifiers(form)
        for one in found.identifiers
    }
    assert Identifier("email", "anna@firma.de") in found


@given(st.text(max_size=80))
def test_reading_never_raises_and_reads_its_own_result_as_the_same(text: str) -> None:
    list(find_identifiers(text))
    identifier = read_identifier(text)
    if isinstance(identifier, Identifier):
        assert read_identifier(identifier.value, kind=identifier.kind) == identifier
