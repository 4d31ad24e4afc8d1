"""HTML-20: a parked domain, a barrier and a soft 404 are told apart from pages, and pages from them."""

from __future__ import annotations

import pytest

from scrapersky.extract.page import read_page
from scrapersky.extract.page_class import BLOCKED, PARKED, SOFT_404, PageClass, detect_page_class
from scrapersky.extract.report import report_home, report_page
from scrapersky.extract.results import Hints

URL = "https://lune.co.uk/menu"
FOOTER = '<footer>Lune Bakery, 12 Mill Lane · <a href="mailto:hello@lune.co.uk">hello@lune.co.uk</a></footer>'


def class_of(html: str, url: str = URL) -> str | None:
    found = detect_page_class(read_page(html, Hints(None, "lune.co.uk", url)), url)
    return found.name if found else None


@pytest.mark.parametrize(
    "words",
    [
        "This domain is for sale. Make an offer.",
        "lune.co.uk – buy this domain",
        "The domain lune.co.uk may be for sale!",
        "Diese Domain steht zum Verkauf",
        "Ce nom de domaine est à vendre",
        "¡Este dominio está en venta!",
        "Questo dominio è in vendita",
        "Deze domeinnaam is te koop",
        "Ta domena jest na sprzedaż",
        "Domänen är till salu",
        "Este domínio está à venda",
        "Tato doména je na prodej",
        "Этот домен продаётся",
        "此域名出售",
        "This web page is parked FREE, courtesy of your registrar",
    ],
)
def test_a_domain_that_is_offered_is_parked(words: str) -> None:
    assert class_of(f"<title>lune.co.uk</title><h1>{words}</h1>", "https://lune.co.uk/") == PARKED


def test_a_page_of_a_parking_firm_is_parked_whatever_it_says() -> None:
    html = '<title>lune.co.uk</title><p>Bread</p><script src="https://img.sedoparking.com/a.js"></script>'
    assert class_of(html) == PARKED


@pytest.mark.parametrize(
    "html",
    [
        "<title>Just a moment...</title><p>Enable JavaScript and cookies to continue</p>",
        "<title>Attention Required! | Cloudflare</title><h1>Sorry, you have been blocked</h1>",
        "<h1>Please verify you are a human</h1><div class=g-recaptcha></div>",
        "<p>Our systems have detected unusual traffic from your network.</p>",
        "<p>Ich bin kein Roboter</p>",
        "<p>Vérification de sécurité en cours</p>",
        "<p>We use cookies. Please accept all cookies to continue to our site. Cookie policy</p>",
        "<p>Cookies: Wir brauchen Cookies. Bitte akzeptieren Sie diese, um fortzufahren.</p>",
    ],
)
def test_a_barrier_is_no_page(html: str) -> None:
    assert class_of(html) == BLOCKED


@pytest.mark.parametrize(
    "heading",
    [
        "404", "Error 404", "404 – Page not found", "Page not found", "Not Found",
        "Seite nicht gefunden", "Diese Seite existiert nicht", "Page introuvable", "Página no encontrada",
        "Pagina non trovata", "Pagina niet gevonden", "Nie znaleziono strony", "Sidan kunde inte hittas",
        "Siden blev ikke fundet", "Sivua ei löytynyt", "Stránka nenalezena", "Az oldal nem található",
        "Página não encontrada", "Страница не найдена", "Sayfa bulunamadı", "ページが見つかりません",
    ],
)  # fmt: skip
def test_a_page_that_says_it_is_missing_is_a_soft_404_except_at_home(heading: str) -> None:
    html = f"<title>{heading} | Lune Bakery</title><h1>{heading}</h1>{FOOTER}"
    assert class_of(html) == SOFT_404
    assert class_of(f"<title>{heading} | Lune Bakery</title>{FOOTER}") == SOFT_404
    assert class_of(html, "https://lune.co.uk/") is None


@pytest.mark.parametrize(
    "html",
    [
        "<h1>Houses for sale</h1><p>Lovely houses in Leeds. Our domain is property.</p>",
        "<h1>Contact</h1><p>Write to hello@lune.co.uk</p><form><div class=g-recaptcha></div>"
        "<p>Please prove you are not a robot</p></form>",
        "<h1>Cookies</h1><p>We bake cookies, biscuits and more cookies. Accept our invitation!</p>",
        "<h1>Room 404</h1><p>Our escape room.</p>",
        "<h1>Lost and found: pages of our history</h1>",
        "<h1>Bread</h1><p>Parking is free. Parked cars are towed.</p>",
        "<title>The 404 Lounge</title><p>A bar in Atlanta, area code 404.</p>",
        f"<h1>How to sell a domain</h1><p>{'If your domain is for sale, read on. ' * 60}</p>",
        "",
    ],
)
def test_a_page_is_a_page(html: str) -> None:
    assert class_of(html) is None


def test_what_a_stranger_shows_is_no_contact_of_the_domain() -> None:
    body = (
        b"<title>lune.co.uk</title><h1>This domain is for sale</h1>"
        b"<p>Ask <a href='mailto:sales@broker.com'>sales@broker.com</a></p>"
    )
    report = report_page(body, "https://lune.co.uk/", "lune.co.uk", "text/html", None)
    assert report.contacts == []
    assert report.page_class == PageClass("parked", "domain is for sale")
    emails = [email["value"] for email in report.content["emails"]]
    assert emails == ["sales@broker.com"], "the evidence stays"
    home = report_home(body, "https://lune.co.uk/", "lune.co.uk", "text/html", None, {})
    assert home.page_class == PageClass(PARKED, "domain is for sale")
    assert home.fields.email_addresses == []
