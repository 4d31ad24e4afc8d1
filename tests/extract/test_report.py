"""Reports are typed, and cross the boundary of a process without any loss."""

from dataclasses import fields

import pytest

from scrapersky import tables
from scrapersky.extract.report import HomeFields, PageFields, column_values, report_home, report_page
from scrapersky.sandbox.codec import decode_result, encode_call, run_encoded_call

BODY = b"""<html lang=en><title>Lune</title><h1>Bakery</h1>
<p>Jane Miller, Managing Director, <a href="mailto:jane.miller@lune.co.uk">jane.miller@lune.co.uk</a></p>
<p>Tel. <a href="tel:+442079460958">020 7946 0958</a></p><a href=/contact>Contact</a>
<script type="application/ld+json">{"@type":"Bakery","sameAs":["https://facebook.com/lune"]}</script>"""
PLACE = ("https://lune.co.uk/", "lune.co.uk", "text/html", "GB")


@pytest.mark.parametrize(("function", "more"), [(report_page, ()), (report_home, ({"Server": "nginx"},))])
def test_a_report_crosses_the_boundary_unchanged(function, more):
    arguments = (BODY, *PLACE, *more)
    report = function(*arguments)
    assert decode_result(function, run_encoded_call(b"".join(encode_call(function, arguments, {})))) == report


def test_contacts_and_links_have_types():
    page, home = report_page(BODY, *PLACE), report_home(BODY, *PLACE, {})
    assert [(contact.email, contact.phone) for contact in page.contacts] == [
        ("jane.miller@lune.co.uk", "+442079460958")
    ]
    assert (page.contacts[0].name, page.contacts[0].job_title) == ("Jane Miller", "Managing Director")
    assert [link.url for link in home.links if link.priority == 1] == ["https://lune.co.uk/contact"]
    assert home.fields.facebook_url == "https://www.facebook.com/lune"


@pytest.mark.parametrize(("kind", "table"), [(PageFields, tables.pages), (HomeFields, tables.domains)])
def test_every_field_is_a_column(kind, table):
    assert {field.name for field in fields(kind)} <= set(table.columns.keys())


def test_fields_are_given_by_column():
    assert column_values(report_page(BODY, *PLACE).fields)["h1"] == "Bakery"


def test_contacts_of_a_page_that_asks_not_to_be_contacted_carry_its_words() -> None:
    html = b"<p>Mail: info@firma-beck.de</p><p>Keine Werbung!</p>"
    report = report_page(html, "https://firma-beck.de/", "firma-beck.de", "text/html", "DE")
    assert [contact.contact_objection for contact in report.contacts] == ["Keine Werbung!"]


def test_the_report_of_a_home_page_holds_what_its_page_report_says():
    home = report_home(BODY, *PLACE, {"Server": "nginx"})
    assert home.page == report_page(BODY, *PLACE)
    assert home.page.contacts
