"""Addresses of authorities, chambers and hosts, which stand in the legal texts of everybody."""

from __future__ import annotations

import pytest

from scrapersky.extract.page import read_page
from scrapersky.extract.results import Hints

OWN = "<h1>Kontakt</h1><p>Holzwerk Brandt GmbH<br>Am Sägewerk 7<br>37671 Höxter</p>"
OTHERS = {
    "DE": [
        "<p>Die Verbraucherschlichtungsstelle ist zuständig, Straßburger Straße 8, 77694 Kehl.</p>",
        "<p>Die zuständige Aufsichtsbehörde ist:</p><p>Landesbeauftragte für Datenschutz<br>"
        "Kavalleriestraße 2<br>40213 Düsseldorf</p>",
        "<p>Zuständige Kammer: Landeszahnärztekammer Hessen, Rhonestraße 4, 60528 Frankfurt am Main</p>",
    ],
    "FR": ["<h2>Hébergeur</h2><p>Nuage<br>22 Boulevard Flaubert<br>63000 Clermont-Ferrand</p>"],
    "IT": [
        "<p>Può proporre reclamo al Garante per la protezione dei dati, Piazza Venezia 11, 00187 Roma.</p>"
    ],
    "ES": ["<p>Reclame ante la Agencia Española de Protección de Datos, C/ Jorge Juan, 6, 28001 Madrid.</p>"],
    "TR": ["<p>Kişisel Verileri Koruma Kurumu, Nasuh Akar Mah. Ziyabey Cad. No:12 06520 Ankara</p>"],
}


def streets(body: str, country: str) -> list[str]:
    page = f"<html><body>{body}</body></html>"
    return [address.street for address in read_page(page.encode(), Hints(country)).addresses]


@pytest.mark.parametrize(("country", "text"), [(c, text) for c, texts in OTHERS.items() for text in texts])
def test_who_must_be_named_in_legal_texts_is_not_the_organisation(country: str, text: str) -> None:
    assert streets(text, country) == []


def test_the_own_address_stays_beside_and_a_body_has_one_on_its_own_page() -> None:
    assert streets(OWN + "".join(OTHERS["DE"]), "DE") == ["Am Sägewerk 7"]
    title = "<title>Landeszahnärztekammer Hessen</title>"
    assert streets(title + OTHERS["DE"][2], "DE") == ["Rhonestraße 4"]


def test_a_letter_that_changes_its_length_hides_no_own_address() -> None:
    assert streets("<p>Kadıköy / İstanbul</p><p>Moda Cad. No:12 34710 Kadıköy</p>", "TR")
