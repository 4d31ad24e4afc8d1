"""Phone numbers are read in their country's way, and other numbers are left alone."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scrapersky.extract.country import detect_country
from scrapersky.extract.html import parse_document
from scrapersky.extract.phones import find_phones
from scrapersky.extract.phones.extractor import MAX_PHONES
from scrapersky.extract.phones.numbers import read_number
from scrapersky.extract.results import Hints


def phones(html, country):
    doc, hints = parse_document(html), Hints(country)
    return find_phones(doc, hints, country=detect_country(doc, hints))


def found(html, country):
    return {phone.e164 for phone in phones(html, country)}


def kinds(html, country):
    return {phone.e164: phone.kind for phone in phones(html, country)}


@pytest.mark.parametrize(
    ("text", "country", "numbers"),
    [
        ("Tel. 030 / 284 719-36", "DE", ["+493028471936"]),
        ("+49 (0)30 28471936", "US", ["+493028471936"]),
        ("0049 30 28471936", "DE", ["+493028471936"]),
        ("Telefon 0043 (0) 1 5128473", "AT", ["+4315128473"]),
        ("Tel. +39 (0)541 283746", "IT", ["+390541283746"]),
        ("Tel 0541.283746 Cell 347/2918463", "IT", ["+390541283746", "+393472918463"]),
        ("044 382 17 41/42", "CH", ["+41443821741", "+41443821742"]),
        ("Tél. 02.40.73.18.56", "FR", ["+33240731856"]),
        ("Call (617) 482-7193", "US", ["+16174827193"]),
        ("617.482.7193", "US", ["+16174827193"]),
        ("Phone: 1-800-739-4628", "US", ["+18007394628"]),
        ("Tel: 12 293 84 71", "PL", ["+48122938471"]),
        ("tel. 604 291 738, 604291739", "CZ", ["+420604291738", "+420604291739"]),
        ("Ring 08-502 738 41", "SE", ["+46850273841"]),
        ("Tlf. 97 92 48 31", "DK", ["+4597924831"]),
        ("電話 ０６－６３１４－７２８５", "JP", ["+81663147285"]),
        ("Phone: 020-26847193 / 94", "IN", ["+912026847193", "+912026847194"]),
        ("Mob: 98224 71836", "IN", ["+919822471836"]),
        ("00 91 9822471836 / 00 91 9763482915", "IN", ["+919822471836", "+919763482915"]),
        ("Hotline: 0912.483.756", "VN", ["+84912483756"]),
        ("Telefone: (11) 3862-4719", "BR", ["+551138624719"]),
        ("Τηλ: 27210 84719", "GR", ["+302721084719"]),
        ("هاتف: ٠١٠٢٢٨٤٧١٩٣", "EG", ["+201022847193"]),
        ("Telefon\t0251 394821", "DE", ["+49251394821"]),
        ("Phone\n082 471 9363", "ZA", ["+27824719363"]),
    ],
)
def test_numbers_in_text(text, country, numbers):
    html = "<p>" + text.replace("\n", "</p><p>").replace("\t", "</p><p>") + "</p>"
    assert found(html, country) == set(numbers)


@pytest.mark.parametrize(
    "text",
    [
        "12.03.2019 14:05",
        "2019-11-20 14",
        "1999 - 2019",
        "08.00-12.00 13.00-17.30",
        "IBAN DE89 3704 0044 0532 0130 00",
        "ISBN 978-3-16-148410-0",
        "USt-IdNr. DE 283746152",
        "Steuernummer 030/284/71936",
        "HRB 0302847193",
        "Konto-Nr. 0302 847 193",
        "EAN 4016138728194",
        "Art.-Nr. 030 2847 1936",
        "Seriennummer 0302 8471 936",
        "52.520008, 13.404954",
        "192.168.100.254",
        "1.250.000 €",
        "Auflage 1.250.000",
        "48147 Münster 2024",
        "id=0302847193",
        "v=1748983646",
        "0301234567890",
        "Tel. 030 1234567",
        "Tel. 0000000000",
        "Tel. 12",
        "4711 0815 2342",
    ],
)
def test_other_numbers_are_left_alone(text):
    assert found(f"<p>{text}</p>", "DE") == set()


@pytest.mark.parametrize(
    ("href", "country", "number"),
    [
        ("tel:+493028471936", None, "+493028471936"),
        ("tel:030%2028471936", "DE", "+493028471936"),
        ("TEL://030-28471936", "DE", "+493028471936"),
        ("callto:+493028471936", None, "+493028471936"),
        ("skype:+493028471936?call", None, "+493028471936"),
        ("https://wa.me/5511964827315?text=x", None, "+5511964827315"),
        ("https://api.whatsapp.com/send?text=a&phone=%2B5511964827315", None, "+5511964827315"),
        ("whatsapp://send?phone=5511964827315", None, "+5511964827315"),
        ("https://wa.me/11964827315", "BR", "+5511964827315"),
    ],
)
def test_numbers_in_links(href, country, number):
    assert found(f"<a href='{href}'>x</a>", country) == {number}


@pytest.mark.parametrize(
    "href", ["tel:", "tel:0123456789", "tel:call-us", "https://wa.me/message/ABC", "skype:bob?chat"]
)
def test_links_without_a_number_give_none(href):
    assert found(f"<a href='{href}'>x</a>", "DE") == set()


def test_fax_and_mobile_are_told_by_their_labels():
    html = "<p>Tel: 0251 394821<br>Fax: 0251 394829<br>Mobil: 0171 2847193</p><p>Tel./Fax 0251 394822</p>"
    assert kinds(html, "DE") == {
        "+49251394821": "phone",
        "+49251394829": "fax",
        "+491712847193": "mobile",
        "+49251394822": "phone",
    }


@pytest.mark.parametrize(
    ("text", "country"),
    [
        ("Télécopie : 02 40 73 18 57", "FR"),
        ("Faks 12 293 84 72", "PL"),
        ("FAX 06-6314-7286", "JP"),
        ("02 40 73 18 57 (fax)", "FR"),
    ],
)
def test_fax_in_other_languages(text, country):
    assert set(kinds(f"<p>{text}</p>", country).values()) == {"fax"}


def test_an_extension_is_kept_apart():
    phone = phones("<p>Phone (617) 482-7193 ext. 204</p>", "US")[0]
    assert (phone.e164, phone.extension) == ("+16174827193", "204")


def test_structured_data_counts_and_adds_to_the_confidence():
    html = (
        '<script type="application/ld+json">{"@type":"Store","telephone":"+49 30 28471936",'
        '"faxNumber":"030 28471937",'
        '"address":{"addressCountry":"DE"}}</script>'
    )
    alone = phones(html, None)
    both = phones(html + "<p>Tel. +49 30 28471936</p>", None)
    assert [phone.kind for phone in alone] == ["phone", "fax"]
    assert both[0].confidence > alone[0].confidence


def test_the_end_of_a_bank_account_continues_no_number():
    assert found("<p>č. účtu: 2301847562/2010</p>", "DE") == set()
    assert found("<p>044 211 45 67 / 68</p>", "CH") == {"+41442114567", "+41442114568"}


def test_a_number_of_more_than_fifteen_digits_is_none():
    assert read_number("201000001000001", "DE") is None


def test_a_page_of_many_numbers_is_capped():
    html = "<br>".join(f"Tel. +49 30 2847{number}" for number in range(1000, 1500))
    assert len(found(html, "DE")) == MAX_PHONES


@given(st.text(max_size=60), st.sampled_from(["DE", "US", "IT", "JP", None]))
@settings(max_examples=300)
def test_reading_a_number_never_raises_and_is_stable(text, country):
    number = read_number(text, country)
    if number is not None:
        again = read_number(number.e164, None)
        assert again is not None
        assert again.e164 == number.e164
    found(text, country)


@pytest.mark.timed
@pytest.mark.parametrize("piece", ["1", "1 ", "12-", "(0)", "030 2847193 ", "+", "Tel. ", "1/2"])
def test_time_grows_with_the_length_and_no_faster(piece):
    def seconds(size):
        doc = parse_document("<p>" + piece * (size // len(piece)))
        started = time.process_time()
        find_phones(doc, Hints("DE"), country="DE")
        return time.process_time() - started

    seconds(5_000)
    assert any(seconds(100_000) < max(0.15, 15 * seconds(10_000)) for _ in range(4))
