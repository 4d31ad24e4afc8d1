"""What sites say against being contacted, in several languages, and what only sounds like it."""

from __future__ import annotations

import pytest

from scrapersky.extract.privacy.contact_objection import find_objection


@pytest.mark.parametrize(
    "text",
    [
        "No unsolicited emails, please.",
        "We do not accept unsolicited sales calls.",
        "This site will not give, sell, or otherwise transfer its e-mail addresses to any other party.",
        "Keine Werbung! Keine Akquise!",
        "Keine unverlangte Werbung per E-Mail.",
        "Der Nutzung der im Impressum veröffentlichten Kontaktdaten durch Dritte zur Übersendung von nicht "
        "ausdrücklich angeforderter Werbung wird hiermit widersprochen.",
        "Werbeanrufe sind unerwünscht.",
        "Pas de démarchage téléphonique.",
        "Démarchage commercial interdit",
        "No aceptamos publicidad.",
        "Não aceitamos publicidade.",
        "Non si accettano offerte commerciali.",
        "Geen acquisitie naar aanleiding van deze pagina.",
        "Vi undanber oss reklam och telefonförsäljning.",
        "Prosimy o nieprzesyłanie ofert handlowych.",
        "Nepřejeme si obchodní nabídky.",
    ],
)
def test_an_objection_is_found_with_its_words(text: str) -> None:
    quote = find_objection(f"Kontakt\nMustermann GmbH\n{text}\nTel. 030 1234")
    assert quote
    assert quote in f"{text} "


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Write to us: info@firma.de",
        "Our app shows no advertising.",
        "We help you with e-mail marketing and sales.",
        "Werbung und Akquise sind unsere Stärke.",
        "Keine Werbung in unserer App: wir verkaufen nichts.",
        "Agence de publicité, prospection commerciale",
        "Publicidad exterior en Madrid",
        "Reklama i oferty dla firm",
        "We do not sell dogs to third parties.",
    ],
)
def test_what_is_not_an_objection_is_none(text: str) -> None:
    assert find_objection(text) is None
