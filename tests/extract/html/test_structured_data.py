"""Structured data becomes flat things with type and source."""

import pytest

from scrapersky.extract.html import parse_document
from scrapersky.extract.html.structured_data import MAX_THINGS, types_of


def things(html):
    return parse_document(html).things


def ld(text):
    return f'<script type="application/ld+json">{text}</script>'


def test_graphs_and_nested_objects_are_flattened():
    found = things(
        ld('{"@graph":[{"@type":"http://schema.org/Dentist","address":{"@type":"PostalAddress"}}]}')
    )
    assert [types_of(thing) for thing in found] == [("Dentist",), ("PostalAddress",)]
    assert {thing["@source"] for thing in found} == {"json-ld"}


@pytest.mark.parametrize(
    "text",
    [
        '<!-- {"@type":"Person","name":"A"} -->',
        '{"@type":"Person","name":"A",}',
        '[{"@type":"Person","name":"A"},]',
        '//<![CDATA[\n{"@type":"Person","name":"A"}\n//]]>'.replace("//", ""),
        '{"@type":"Person",\n"name":"A"};',
        '{"@type":"Person","name":"A","note":"line\nbreak"}',
    ],
)
def test_common_faults_are_repaired(text):
    assert [thing["name"] for thing in things(ld(text))] == ["A"]


@pytest.mark.parametrize("text", ["", "{", "null", "3", '"x"', "[" * 10_000, '{"a":1}', '{"@type":5}'])
def test_what_cannot_be_read_is_left_out(text):
    assert all(thing["@source"] == "json-ld" for thing in things(ld(text)))


def test_microdata_nests_and_lists():
    found = things(
        "<div itemscope itemtype='https://schema.org/Organization'><b itemprop=name>Firma</b>"
        "<a itemprop=email href='mailto:a@firma.de'>x</a>"
        "<i itemprop=telephone>1</i><i itemprop=telephone>2</i>"
        "<div itemprop=address itemscope itemtype='https://schema.org/PostalAddress'>"
        "<span itemprop=postalCode>10115</span></div></div>"
    )
    organisation, address = found
    assert organisation["name"] == "Firma"
    assert organisation["email"] == "mailto:a@firma.de"
    assert organisation["telephone"] == ["1", "2"]
    assert organisation["address"] is address
    assert address["postalCode"] == "10115"
    assert "postalCode" not in organisation


def test_rdfa_is_read_like_microdata():
    found = things("<div vocab='https://schema.org/' typeof=Person><span property=name>Ada</span></div>")
    assert (found[0]["@type"], found[0]["name"], found[0]["@source"]) == ("Person", "Ada", "rdfa")


def test_an_hcard_becomes_a_person_with_an_address():
    found = things(
        "<div class=vcard><b class=fn>Ada</b><i class=title>Chef</i>"
        "<a class=email href='mailto:a@firma.de'>m</a>"
        "<span class=tel>Tel <span class=value>030 1</span></span>"
        "<span class=adr><span class=locality>Bonn</span></span></div>"
    )
    address, person = found
    assert person["@type"] == "Person"
    assert (person["name"], person["jobTitle"], person["telephone"]) == ("Ada", "Chef", "030 1")
    assert address["addressLocality"] == "Bonn"


def test_ten_thousand_persons_are_capped_and_flagged():
    doc = parse_document("<div itemscope itemtype=Person><b itemprop=name>A</b></div>" * 10_000)
    assert len(doc.things) == MAX_THINGS
    assert doc.truncated
