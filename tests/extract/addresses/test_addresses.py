"""Postal addresses: many countries, shapes of markup, and text that only looks like one."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrapersky.extract.addresses import find_addresses
from scrapersky.extract.html import parse_document
from scrapersky.extract.results import Address, Hints


def found(body: str, country: str | None = None, *, domain: str | None = None) -> tuple[Address, ...]:
    return find_addresses(parse_document(f"<html><body>{body}</body></html>"), Hints(country, domain))


def lines(*texts: str) -> str:
    return "<p>" + "<br>".join(texts) + "</p>"


@pytest.mark.parametrize(
    ("country", "text", "street", "postcode", "city"),
    [
        ("DE", ("Sohn GmbH", "Lindenallee 12a", "04109 Leipzig"), "Lindenallee 12a", "04109", "Leipzig"),
        ("DE", ("Am alten Markt 3", "D-99084 Erfurt", "Tel. 0361 12"), "Am alten Markt 3", "99084", "Erfurt"),
        ("DE", ("Besuch in der Ahornstraße 7, 70173 Stuttgart.",), "Ahornstraße 7", "70173", "Stuttgart"),
        ("DE", ("Wiesengrund 4 · 27356 Rotenburg (Wümme) · Tel",), "Wiesengrund 4", "27356", "Rotenburg"),
        ("AT", ("Bäckerei Huber", "Kirchengasse 5/2", "A-8010 Graz"), "Kirchengasse 5/2", "8010", "Graz"),
        ("AT", ("Dorfplatz 1, 6460 Imst, Österreich",), "Dorfplatz 1", "6460", "Imst"),
        ("CH", ("Seestrasse 44 | 8700 Küsnacht ZH",), "Seestrasse 44", "8700", "Küsnacht"),
        ("CH", ("Rue du Lac 9", "CH-1800 Vevey"), "Rue du Lac 9", "1800", "Vevey"),
        ("CH", ("Via Nassa 22", "6900 Lugano"), "Via Nassa 22", "6900", "Lugano"),
        ("FR", ("Adresse : 12 bis, rue des Lys", "69003 Lyon"), "12 bis, rue des Lys", "69003", "Lyon"),
        ("FR", ("SARL Dupré - ZA du Moulin - 35600 Redon",), "ZA du Moulin", "35600", "Redon"),
        ("FR", ("Le siège est au 8 avenue Foch 31000 Toulouse",), "8 avenue Foch", "31000", "Toulouse"),
        ("BE", ("Kerkstraat 101", "B-9000 Gent"), "Kerkstraat 101", "9000", "Gent"),
        ("BE", ("Chaussée de Wavre 15, 1050 Ixelles, Belgique",), "Chaussée de Wavre 15", "1050", "Ixelles"),
        ("NL", ("Prinsengracht 263-H", "1016 GV Amsterdam"), "Prinsengracht 263-H", "1016 GV", "Amsterdam"),
        ("LU", ("12, rue de la Gare", "L-4999 Schouweiler"), "12, rue de la Gare", "4999", "Schouweiler"),
        ("ES", ("Domicilio: Calle Olmo, 23, 2º B, 28012 Madrid",), "Calle Olmo, 23", "28012", "Madrid"),
        ("ES", ("Avda. de la Paz 7", "46001 València (España)"), "Avda. de la Paz 7", "46001", "València"),
        ("PT", ("Rua das Flores, 51", "4050-262 Porto"), "Rua das Flores, 51", "4050-262", "Porto"),
        ("IT", ("Sede legale: Via Garibaldi 18, 20121 Milano (MI)",), "Via Garibaldi 18", "20121", "Milano"),
        ("IT", ("I-39100 Bolzano, Piazza Walther 2",), "Piazza Walther 2", "39100", "Bolzano"),
        ("PL", ("ul. Długa 14/3", "00-238 Warszawa"), "ul. Długa 14/3", "00-238", "Warszawa"),
        ("CZ", ("Sídlo: Husova 8, 110 00 Praha 1",), "Husova 8", "110 00", "Praha"),
        ("SK", ("Hlavná 25", "040 01 Košice"), "Hlavná 25", "040 01", "Košice"),
        ("HU", ("Székhely: 1052 Budapest, Váci utca 12.",), "Váci utca 12", "1052", "Budapest"),
        ("RO", ("Str. Lipscani nr. 33, București, 030033",), "Str. Lipscani nr. 33", "030033", "București"),
        ("BG", ("ул. Раковски 45", "1000 София"), "ул. Раковски 45", "1000", "София"),
        ("GR", ("Ερμού 56", "105 63 Αθήνα"), "Ερμού 56", "105 63", "Αθήνα"),
        ("SE", ("Storgatan 3", "SE-111 22 Stockholm"), "Storgatan 3", "111 22", "Stockholm"),
        ("NO", ("Kirkegata 20, 0153 Oslo",), "Kirkegata 20", "0153", "Oslo"),
        ("DK", ("Nørregade 10, 2. th", "1165 København K"), "Nørregade 10", "1165", "København K"),
        ("FI", ("Mannerheimintie 5 A 12", "00100 Helsinki"), "Mannerheimintie 5 A 12", "00100", "Helsinki"),
        ("EE", ("Pikk tänav 21, 10133 Tallinn",), "Pikk tänav 21", "10133", "Tallinn"),
        ("LV", ("Brīvības iela 40, Rīga, LV-1050",), "Brīvības iela 40", "1050", "Rīga"),
        ("LT", ("Gedimino pr. 9, LT-01103 Vilnius",), "Gedimino pr. 9", "01103", "Vilnius"),
        ("HR", ("Ilica 15", "10000 Zagreb"), "Ilica 15", "10000", "Zagreb"),
        ("SI", ("Slovenska cesta 4, 1000 Ljubljana",), "Slovenska cesta 4", "1000", "Ljubljana"),
        ("TR", ("Bağdat Caddesi No: 120, 34728 Kadıköy",), "Bağdat Caddesi No: 120", "34728", "Kadıköy"),
        ("RU", ("101000, Москва, ул. Мясницкая, 24",), "ул. Мясницкая, 24", "101000", "Москва"),
        ("UA", ("вул. Хрещатик, 22, Київ, 01001",), "вул. Хрещатик, 22", "01001", "Київ"),
        ("US", ("Office 480 Maple Ave", "Springdale, AR 72764"), "480 Maple Ave", "72764", "Springdale"),
        ("US", ("P.O. Box 1482, Bozeman, MT 59715",), "P.O. Box 1482", "59715", "Bozeman"),
        ("CA", ("220 King St W, Suite 400, Toronto, ON M5H 1K4",), "220 King St W", "M5H 1K4", "Toronto"),
        ("GB", ("Unit 4, Mill Lane", "Ludlow", "SY8 1AA"), "Mill Lane", "SY8 1AA", "Ludlow"),
        ("GB", ("27 High Street, Oban, Argyll PA34 4AB",), "27 High Street", "PA34 4AB", "Argyll"),
        ("IE", ("14 Main Street, Kinsale, Co. Cork, P17 X456",), "14 Main Street", "P17 X456", ""),
        ("BR", ("Rua Chile, 12 - Sé, São Paulo - SP, 01304-001",), "Rua Chile, 12", "01304-001", "São Paulo"),
        ("AR", ("Av. Callao 1543", "C1042AAB Buenos Aires"), "Av. Callao 1543", "C1042AAB", "Buenos Aires"),
        ("MX", ("Calle Sol 77, 06000 Ciudad de México",), "Calle Sol 77", "06000", "Ciudad de México"),
        ("IN", ("12/4, MG Road, Shivaji Nagar,", "Bengaluru - 560001"), "MG Road", "560001", "Bengaluru"),
        ("AU", ("5 Harbour Street, Hobart TAS 7000",), "5 Harbour Street", "7000", "Hobart"),
        ("NZ", ("18 Queen Street", "Nelson 7010"), "18 Queen Street", "7010", "Nelson"),
        ("ZA", ("33 Long Street, Cape Town, 8001",), "33 Long Street", "8001", "Cape Town"),
        ("SG", ("10 Orchard Road, #04-02, Singapore 238826",), "10 Orchard Road", "238826", "Singapore"),
        ("ID", ("Jl. Sudirman No. 45, Jakarta 10210",), "Jl. Sudirman No. 45", "10210", "Jakarta"),
        ("MY", ("12 Jalan Ampang, 50450 Kuala Lumpur",), "12 Jalan Ampang", "50450", "Kuala Lumpur"),
        ("JP", ("〒530-0001", "大阪府大阪市北区梅田2-4-9"), "梅田2-4-9", "530-0001", "大阪府大阪市北区"),
        ("CN", ("北京市朝阳区建国路88号 100022",), "建国路88号", "100022", "北京市朝阳区"),
        ("KR", ("서울특별시 강남구 테헤란로 152 06236",), "테헤란로 152", "06236", "서울특별시 강남구"),
        ("IN", ("12, Shivaji Road", "Pune,", "PIN Code: 411001"), "12, Shivaji Road", "411001", "Pune"),
        ("MX", ("Calle Sol 22", "Mérida, Yucatán, C.P. 97000"), "Calle Sol 22", "97000", "Mérida"),
        ("MX", ("Roble #505, Centro | León, Nuevo León | 64000",), "Roble #505", "64000", "León"),
        ("DE", ("Lindenallee 12, 04109", "Leipzig"), "Lindenallee 12", "04109", "Leipzig"),
        ("ES", ("Calle Olmo 23", "Madrid, 28012"), "Calle Olmo 23", "28012", "Madrid"),
        ("PL", ("00-238 Warszawa", "ul. Długa 1024"), "ul. Długa 1024", "00-238", "Warszawa"),
    ],
)  # fmt: skip
def test_addresses_of_many_countries_are_read(
    country: str, text: tuple[str, ...], street: str, postcode: str, city: str
) -> None:
    (address,) = found(lines(*text), country)
    assert street in address.street
    assert address.postcode == postcode
    assert city in (address.city or "")
    assert address.country == country


@pytest.mark.parametrize(
    ("country", "text", "street", "city"),
    [
        ("BR", ("R. das Flores, 88 - Centro, Campinas - SP", "(19) 3232-1"), "R. das Flores, 88", "Campinas"),
        ("HU", ("Cím", "Szeged, Petőfi tér 4."), "Petőfi tér 4", "Szeged"),
        ("UG", ("Address: Plot 7, Acacia Avenue, P.O Box 4410, Kampala",), "Acacia Avenue", "Kampala"),
        ("AE", ("Office 12, Al Wasl Road, Dubai, UAE", "Tel: +971 4 555 0100"), "Al Wasl Road", "Dubai"),
        ("VN", ("Địa chỉ: Số 12, đường Lê Lợi, Quận 1", "Thành phố Huế"), "đường Lê Lợi", "Huế"),
        ("CA", ("1200, boul. Guy", "Lévis (Québec)", "Tél : (418) 555-0199"), "1200, boul. Guy", "Lévis"),
        ("IT", ("📍 Via Mazzini 31, Rimini",  "info@esempio.test"), "Via Mazzini 31", "Rimini"),
        ("GH", ("Location: 14 Ring Road East, Accra, Ghana",), "14 Ring Road East", "Accra"),
    ],
)  # fmt: skip
def test_addresses_without_a_postcode_need_a_street_a_city_and_a_reason(
    country: str, text: tuple[str, ...], street: str, city: str
) -> None:
    (address,) = found(lines(*text), country)
    assert street in address.street
    assert address.postcode is None
    assert city in (address.city or "")


@pytest.mark.parametrize(
    ("country", "text"),
    [
        ("DE", "Seit 1998 betreuen wir 12500 Kunden in 45 Ländern."),
        ("DE", "Die Stadt zählt 84512 Einwohner, 312 mehr als 2019."),
        ("DE", "Allianz der Handwerker, 10900 Berlin"),
        ("DE", "HRB 38698 Amtsgericht Potsdam"),
        ("DE", "IBAN DE02 1203 0000 0000 2020 51"),
        ("DE", "Artikel 12, 24103 Stück auf Lager"),
        ("AT", "© 2024 Huber Installationen, alle Rechte vorbehalten"),
        ("AT", "Am 12. März 2019 Eröffnung der neuen Halle"),
        ("FR", "Capital de 20000 Euros, RCS Bordeaux 750 855 819"),
        ("FR", "Le 14 juillet 2021 Paris accueille 35000 Visiteurs"),
        ("US", "Call 555-0134 or text 90210 for details"),
        ("US", "Prices start at $ 12,500 in 2023"),
        ("SE", "Organisationsnummer 556 12 3456, bankgiro 123-4567"),
        ("CZ", "IČ: 667 14 699, DIČ: CZ6807080599"),
        ("PL", "Tel. 22-123 45 67, NIP 521-000-00-00"),
        ("IN", "GSTIN 06ABCDE1234F1Z5, order 560001 shipped"),
        ("GB", "Model AB12 3CD is our best seller this year"),
        ("JP", "〒163-0000 東京都○○区○○○1-2-3"),
        ("US", "Address: 34 Street Name, City Name Here, United States"),
        ("DE", "Musterstraße 1, 12345 Musterstadt"),
        ("ZA", "Based in Sherwood, Gqeberha"),
        ("IT", "Nel 2019 Roma ha ospitato 15000 Persone in Via Veneto"),
        ("NL", "Sinds 2010 BV, ruim 1500 Klanten"),
    ],
)
def test_numbers_dates_and_placeholders_are_no_addresses(country: str, text: str) -> None:
    assert found(lines(text), country) == ()


def test_json_ld_microdata_and_text_give_one_address_with_all_evidence() -> None:
    body = (
        '<script type="application/ld+json">{"@type":"LocalBusiness","address":{"@type":"PostalAddress",'
        '"streetAddress":"Lindenallee 12","postalCode":"04109","addressLocality":"Leipzig",'
        '"addressCountry":"DE"}}</script>'
        '<div itemscope itemtype="https://schema.org/PostalAddress">'
        '<span itemprop="streetAddress">Lindenallee 12</span>'
        '<span itemprop="postalCode">04109</span> <span itemprop="addressLocality">Leipzig</span></div>'
        "<footer>Lindenallee 12, 04109 Leipzig</footer>"
    )
    (address,) = found(body, "DE")
    assert (address.street, address.postcode, address.city, address.country) == (
        "Lindenallee 12",
        "04109",
        "Leipzig",
        "DE",
    )
    assert {"json-ld", "microdata", "text"} <= {evidence.method for evidence in address.evidence}
    assert address.confidence > 0.95


def test_an_hcard_is_an_address() -> None:
    body = (
        '<div class="vcard"><span class="fn org">Acme</span><div class="adr">'
        '<div class="street-address">5 Elm Row</div><span class="locality">Ely</span> '
        '<span class="postal-code">CB7 4AA</span></div></div>'
    )
    (address,) = found(body, "GB")
    assert (address.street, address.postcode, address.city) == ("5 Elm Row", "CB7 4AA", "Ely")


def test_a_street_that_holds_the_whole_address_is_taken_apart() -> None:
    address = '{"@type":"PostalAddress","streetAddress":"Dorpsstraat 9, 1234 AB Utrecht"}'
    body = f'<script type="application/ld+json">{address}</script>'
    (address,) = found(body, "NL")
    assert (address.street, address.postcode, address.city) == ("Dorpsstraat 9", "1234 AB", "Utrecht")


def test_two_branches_stay_two_addresses() -> None:
    body = lines("Marktplatz 1", "04109 Leipzig") + lines("Marktplatz 1", "01067 Dresden")
    assert {address.city for address in found(body, "DE")} == {"Leipzig", "Dresden"}


def test_a_postcode_ends_the_address_before_the_next_on_its_line() -> None:
    seen = found(lines("12 Shivaji Road, Pune 411001 Plot 9, Ring Road, Nagpur 440001"), "IN")
    assert [address.street for address in seen] == ["12 Shivaji Road", "Plot 9, Ring Road"]


def test_the_address_of_a_vendor_abroad_is_not_the_organisations() -> None:
    street = lines("555 West 18th Street", "New York, NY 10011, USA")
    assert found("<p>Videos zeigt uns Vimeo LLC</p>" + street, "DE") == ()
    assert len(found("<p>Unser Büro in Amerika</p>" + street, "DE")) == 1


def test_an_address_that_no_visitor_sees_is_not_delivered_unseen() -> None:
    thing = (
        '{"@type":"PostalAddress","streetAddress":"7 Elm Row","postalCode":"CB7 4AA","addressLocality":"Ely"}'
    )
    markup = f'<script type="application/ld+json">{thing}</script>'
    (hidden,) = found(markup, "GB")
    (shown,) = found(markup + "<p>Visit us at 7 Elm Row</p>", "GB")
    assert hidden.confidence < 0.9 <= shown.confidence


def test_a_foreign_address_keeps_its_own_country() -> None:
    (address,) = found(lines("Host: 44 Pine Street, Suite 3, Denver, Colorado 80202, USA"), "FR")
    assert (address.country, address.city) == ("US", "Denver")


@pytest.mark.parametrize(("domain", "country"), [("beispiel.de", "DE"), ("beispiel.at", None), (None, None)])
def test_without_a_hint_the_domain_tells_the_country(domain: str | None, country: str | None) -> None:
    seen = found(lines("Lindenallee 12", "04109 Leipzig"), domain=domain)
    assert [address.country for address in seen] == ([country] if country else [])


def test_evidence_quotes_the_text_where_it_stands() -> None:
    doc = parse_document("<p>Besuch</p><p>Lindenallee 12<br>04109 Leipzig</p>")
    (address,) = find_addresses(doc, Hints("DE", None))
    (evidence,) = address.evidence
    assert doc.text[evidence.start :].startswith(evidence.quote)
    assert evidence.quote == "Lindenallee 12\n04109 Leipzig"


@given(
    st.lists(
        st.one_of(
            st.text(max_size=60),
            st.from_regex(r"[A-Z][a-z]{2,9} \d{1,3}[a-z]?, \d{4,6} [A-Z][a-z]+", fullmatch=True),
        )
    ),
    st.sampled_from(["DE", "US", "GB", "IN", "JP", "HU", "BR", "ZZ", None]),
)
def test_no_text_makes_it_raise(texts: list[str], country: str | None) -> None:
    for address in find_addresses(parse_document("<p>" + "<br>".join(texts) + "</p>"), Hints(country, None)):
        assert address.street
        assert 0 < address.confidence <= 1


@pytest.mark.timed
@pytest.mark.parametrize(
    "piece",
    [
        "12345 ",
        "Str. 5, ",
        "A-1 ",
        "12 rue ",
        "P.O. Box 1 ",
        "1-2-3 ",
        "大阪市北区1-",
        "Plot 1, ",
        ", ",
        "AB1 2CD ",
        "Via ",
        "- ",
        "№ 5 ",
    ],
)
def test_time_grows_with_the_length_of_the_text_only(piece: str) -> None:
    def seconds(times: int) -> float:
        doc = parse_document(f"<p>{piece * times}</p>")
        best = 9.0
        for _ in range(3):
            begin = time.process_time()
            find_addresses(doc, Hints("DE", None))
            best = min(best, time.process_time() - begin)
        return best

    assert seconds(20_000) < 20 * max(seconds(2_000), 0.002)
