"""Which role belongs to whom: the row, the block, the label and the sentence decide."""

from __future__ import annotations

import pytest

from scrapersky.extract.page import read_page
from scrapersky.extract.results import Hints, Person

# A fragment of a page, and what everybody on it does; no list need know the names.
FRAGMENTS = {
    "the row": (
        "<h2>Governing Body</h2><table><tr><td>Principal</td><td>Mr T. Mokoena</td></tr>"
        "<tr><td>Chairperson</td><td>Sipho Dlamini</td></tr>"
        "<tr><td>Secretary</td><td>Ms Nomvula Khumalo</td></tr></table>",
        {"T. Mokoena": "Principal", "Sipho Dlamini": "Chairperson", "Nomvula Khumalo": "Secretary"},
    ),
    "the block": (
        "<p>PRESIDENTE<br>Lic. Heriberto Zamudio</p><p>SECRETARIA<br>Mtra. Ana Aguilar</p>"
        "<p>TESORERO<br>Rogelio Treviño</p>",
        {"Heriberto Zamudio": "PRESIDENTE", "Ana Aguilar": "SECRETARIA", "Rogelio Treviño": "TESORERO"},
    ),
    "several names in one cell": (
        "<h2>Vorstand</h2><table><tr><td>Kassenwart</td><td>Uwe Kaiser</td></tr>"
        "<tr><td>Beisitzer</td><td>Jörn Pohl, Mandy Zeidler, Cem Yıldız</td></tr></table>",
        {
            "Uwe Kaiser": "Kassenwart",
            "Jörn Pohl": "Beisitzer",
            "Mandy Zeidler": "Beisitzer",
            "Cem Yıldız": "Beisitzer",
        },
    ),
    "several names below an office": (
        "<p>Vertreten durch die Geschäftsführer:<br>Hinnerk Brandt, Swantje Brandt-Koch</p>",
        {"Hinnerk Brandt": "Geschäftsführer", "Swantje Brandt-Koch": "Geschäftsführer"},
    ),
    "a profession in the plural": (
        "<h1>Team</h1><h2>Medizinische Praxisassistentinnen</h2><p>Vreni Ambühl<br>Jessica Pereira<br>"
        "Ursina Gfeller</p>",
        dict.fromkeys(["Vreni Ambühl", "Jessica Pereira", "Ursina Gfeller"], "Praxisassistentinnen"),
    ),
    "an apposition": (
        "<p>Call us any day. Today our shop manager, Kendra Yoakum, runs the workshop, and Tom Hill, our head"
        " mechanic, fixes what you bring.</p>",
        {"Kendra Yoakum": "shop manager", "Tom Hill": "head mechanic"},
    ),
    "a form of address behind any label": (
        "<p>Atención al cliente: Sra. Graciela Bustos</p>",
        {"Graciela Bustos": "Atención al cliente"},
    ),
    "an address made of the name": (
        "<p>Box office: Fern Delacroix, fern@lakeviewarts.org, ext. 14</p>",
        {"Fern Delacroix": "Box office"},
    ),
    "an office behind a comma": (
        "<h2>Tanner Fenstermacher, Herd Manager</h2><p>He looks after 240 cows.</p>",
        {"Tanner Fenstermacher": "Herd Manager"},
    ),
    "titles on several headings": (
        "<h2>Especialistas</h2><h4>Dra. Constanza Riquelme</h4><p>Odontopediatra</p>"
        "<h4>Dr. Nibaldo Oyarzún</h4><p>Implantología</p>",
        {"Constanza Riquelme": "", "Nibaldo Oyarzún": ""},
    ),
    "a title in small letters": ("<p>Revisore: rag. Pierluigi Conti</p>", {"Pierluigi Conti": "Revisore"}),
    "a blank alone": (
        "<h2>의료진</h2><ul><li>남궁현우 대표원장</li><li>김지수 원장</li></ul>",
        {"남궁현우": "대표원장", "김지수": "원장"},
    ),
    "a rare family name behind its label": ("<p>상호: 한빛 | 대표: 금동식</p>", {"금동식": "대표"}),
}


def people(body: str, **hints: str) -> dict[str, Person]:
    page = f"<html><body>{body}</body></html>"
    return {person.name: person for person in read_page(page.encode(), Hints(**hints)).people}


@pytest.mark.parametrize("place", FRAGMENTS)
def test_everybody_gets_their_own_role(place: str) -> None:
    body, expected = FRAGMENTS[place]
    found = people(body)
    assert list(found) == list(expected)
    assert all((found[name].role or "").endswith(role) for name, role in expected.items())


def test_the_founder_that_markup_declares_is_one() -> None:
    body = (
        '<script type="application/ld+json">{"@type": "LocalBusiness", "name": "Decks",'
        ' "founder": {"@type": "Person", "name": "Wyatt Kowalczyk"}}</script>'
    )
    assert people(body)["Wyatt Kowalczyk"].role == "Founder"


def test_whoever_speaks_within_a_part_of_testimonials_is_no_contact() -> None:
    card = "<div><p>Brilliant.</p><h4>Peter Hughes</h4><p>Marketing Director</p></div>"
    about = "<p>We build decks of oak and larch, and have done so for many years all over the county.</p>" * 2
    assert "Peter Hughes" in people(about + card)
    assert people(f'{about}<section class="home-testimonials">{card}</section>') == {}
