"""What a page says of itself (R114, R116), each true answer with its evidence."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrapersky.extract.html import parse_document
from scrapersky.extract.metadata import SiteMetadata, read_site_metadata
from scrapersky.extract.results import Hints

URL = "https://www.acme.example/de/"
HINTS = Hints(country="DE", site_domain="acme.example", url=URL)
WORDPRESS_PAGE = """<!DOCTYPE html><html lang="de-DE"><head><title> Acme  Bakery </title>
<meta name="description" content=""><meta name="description" content="Fresh bread.">
<meta property="og:description" content="Bread for all."><meta property="og:site_name" content="Acme">
<meta name="generator" content="WordPress 6.4.2">
<meta name="generator" content="Elementor 3.18.3; features: e_dom_optimization">
<meta name="robots" content="index, follow"><link rel="canonical" href="/de/start">
<link rel="shortcut icon" href="/favicon.ico"><link rel="apple-touch-icon" href="/touch.png">
<link rel="alternate" hreflang="de" href="/de/"><link rel="alternate" hreflang="en" href="/en/">
<link rel="stylesheet" href="/wp-content/themes/hello-elementor/style.css">
<script src="/wp-content/plugins/woocommerce/a.js"></script>
<script src="/wp-content/plugins/contact-form-7/b.js"></script>
<script src="/wp-content/plugins/wpforms-lite/c.js"></script>
<script class="yoast-schema-graph" type="application/ld+json">
{"@graph":[{"@type":"Organization","name":"Acme"}]}</script>
<script src="https://www.googletagmanager.com/gtag/js?id=G-ABCDEF1234"></script>
<script>(function(){})('GTM-ABC123')</script></head>
<body class="home"><header><a href="/"><img class="site-logo" src="/img/acme.svg" alt="Acme"></a></header>
<h1>Fresh <b>bread</b></h1><div class="elementor-element">text</div>
<form class="wpcf7-form"><input type="email" name="mail"><textarea></textarea></form>
<form role="search"></form>
<div id="cookie-banner">Cookies</div>
<footer>© 2019 - 2025 Acme, 20301 Town <a href="/datenschutz">Datenschutz</a></footer></body></html>"""


def metadata(html: str, hints: Hints = HINTS) -> SiteMetadata:
    return read_site_metadata(parse_document(html, url=hints.url), hints)


@pytest.mark.req("R116")
def test_all_fields_of_a_wordpress_page_are_read() -> None:
    """R116 and the fields of the original's domain table."""
    found = metadata(WORDPRESS_PAGE)

    assert found.title == "Acme Bakery"
    assert found.description == found.meta_description == "Fresh bread."
    assert found.language == "de-de"
    assert found.favicon_url == "https://www.acme.example/favicon.ico"
    assert found.logo_url == "https://www.acme.example/img/acme.svg"
    assert found.canonical_url == "https://www.acme.example/de/start"
    assert found.site_name == "Acme"
    assert found.generators[0] == found.generator == "WordPress 6.4.2"
    assert (found.is_wordpress, found.wordpress_version) == (True, "6.4.2")
    assert found.wordpress_theme == "hello-elementor"
    assert found.wordpress_plugins == ("contact-form-7", "woocommerce", "wpforms-lite")
    assert (found.has_elementor, found.elementor_version) == (True, "3.18.3")
    assert found.has_woocommerce
    assert found.has_yoast_seo
    assert found.has_contact_form7
    assert found.has_wpforms
    assert not found.has_divi
    assert found.google_analytics_id == "G-ABCDEF1234"
    assert found.google_tag_manager_id == "GTM-ABC123"
    assert found.copyright_year == 2025
    assert (found.forms, found.has_contact_form) == (2, True)
    assert found.has_cookie_notice
    assert found.has_privacy_policy
    assert found.robots == "index, follow"
    assert found.h1 == "Fresh bread"
    assert found.schema_types == ("Organization",)
    assert found.hreflang == ("de", "en")
    assert found.word_count > 5


def test_every_true_answer_has_evidence_from_the_page() -> None:
    found = metadata(WORDPRESS_PAGE)
    named = {seen.method for seen in found.evidence}

    fields = {name for name in SiteMetadata.__dataclass_fields__ if name.startswith(("is_", "has_"))}
    assert named >= {name for name in fields if getattr(found, name)}
    assert all(
        WORDPRESS_PAGE[seen.start :].startswith(seen.quote) for seen in found.evidence if seen.start >= 0
    )


def test_an_empty_page_says_nothing() -> None:
    found = metadata("", Hints())

    assert found == SiteMetadata()


def test_open_graph_fills_in_for_a_missing_description() -> None:
    found = metadata('<meta property="og:description" content="Bread.">')

    assert (found.description, found.meta_description) == ("Bread.", None)


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ('<html lang="pt_BR"><p>text', "pt-br"),
        ("<p>Wir backen jeden Morgen frisches Brot und freuen uns auf Ihren Besuch in unserer Stadt.", "de"),
        (
            "<p>Chaque matin nous préparons du pain frais pour tous nos clients du quartier et d'ailleurs.",
            "fr",
        ),
        ('<html lang="{{ lang }}"><p>hm', None),
        ("<p>…", None),
    ],
)
def test_the_language_is_the_declared_one_or_that_of_the_text(html: str, expected: str | None) -> None:
    assert metadata(html).language == expected


def test_the_language_of_the_text_is_kept_beside_a_wrong_declaration() -> None:
    html = '<html lang="en"><p>Wir backen jeden Morgen frisches Brot und freuen uns auf Ihren Besuch.'

    assert (metadata(html).language, metadata(html).text_language) == ("en", "de")


@pytest.mark.parametrize(
    "html",
    [
        '<meta name="generator" content="WordPress 5.0">',
        '<img src="/wp-content/uploads/a.jpg">',
        '<link rel="stylesheet" href="https://cdn.acme.example/wp-includes/css/a.css">',
        '<img src="https://i0.wp.com/acme.example/wp-content/uploads/a.jpg">',
        '<link rel="https://api.w.org/" href="https://www.acme.example/wp-json/">',
        '<div class="wp-block-image"><img class="wp-image-12"></div>',
        '<div style="background:url(/wp-content/uploads/a.jpg)"></div>',
    ],
)
def test_one_own_sign_or_two_weak_ones_make_a_wordpress(html: str) -> None:
    assert metadata(html).is_wordpress


@pytest.mark.parametrize(
    "html",
    [
        "<p>We build with WordPress, see /wp-content/themes/ for how.</p>",
        '<img src="https://other.example/wp-content/uploads/a.jpg">',
        '<p>Put it into "/wp-content/plugins/" and press save.</p>',
        '<meta name="generator" content="Joomla! - WordPress is not used">',
        '<p class="wp-block-image">copied</p>',
        "<p>elementor, woocommerce-page and data-elementor-type are words</p>",
    ],
)
def test_mentions_and_pictures_of_others_make_no_wordpress(html: str) -> None:
    found = metadata(html)

    assert not found.is_wordpress
    assert not found.has_elementor
    assert not found.has_woocommerce


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ('<body class="et_divi_theme"><img src="/wp-content/themes/Divi/a.png">', "has_divi"),
        ('<img src="/wp-content/a.png"><div class="elementor-element">', "has_elementor"),
        (
            '<img src="/wp-content/a.png"><!-- This site is optimized with the Yoast SEO plugin -->',
            "has_yoast_seo",
        ),
        ('<img src="/wp-content/a.png"><form class="wpforms-form">', "has_wpforms"),
    ],
)
def test_plugins_are_seen_in_the_markup(html: str, expected: str) -> None:
    assert getattr(metadata(html), expected)


@pytest.mark.parametrize(
    ("html", "expected", "method"),
    [
        (
            '<script type="application/ld+json">{"@type":"Bakery","logo":{"url":"/l.png"}}</script>',
            "l.png",
            "json-ld",
        ),
        (
            '<script type="application/ld+json">{"@graph":[{"@type":"Bakery","logo":{"@id":"#logo"}},'
            '{"@type":"ImageObject","@id":"#logo","url":"/named.png"}]}</script>',
            "named.png",
            "json-ld",
        ),
        ('<header><img src="/acme-logo.png"></header>', "acme-logo.png", "image"),
        (
            '<div class="navbar"><a class="navbar-brand" href="/"><img id="logo" src="/b.png"></a></div>',
            "b.png",
            "image",
        ),
        (
            '<div class="logo"><img data-src="/lazy.png" src="data:image/gif;base64,R0"></div>',
            "lazy.png",
            "image",
        ),
        ('<meta property="og:image" content="/preview.jpg">', "preview.jpg", "og:image"),
    ],
)
def test_the_logo_is_found_where_sites_keep_it(html: str, expected: str, method: str) -> None:
    found = metadata(html)

    assert found.logo_url == f"https://www.acme.example/{expected}"
    assert [seen.method for seen in found.evidence if "logo" in seen.method] == [f"logo_url:{method}"]


@pytest.mark.parametrize(
    "html",
    [
        '<section class="partners"><img class="logo" src="/partner-a.png" alt="logo"></section>',
        '<footer><img src="/visa-logo.png" class="logo"></footer>',
        '<header><img src="https://directory.example/logo-small.gif"></header>',
        '<div class="sponsors"><div><img src="/logo-bank.png" class="logo"></div></div>',
        '<img src="/bread.jpg" alt="Bread">',
        '<script type="application/ld+json">{"@type":"Product","logo":"/product.png"}</script>',
    ],
)
def test_the_logo_of_somebody_else_is_never_taken(html: str) -> None:
    assert metadata(html).logo_url is None


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        ('<link rel="icon" href="a.ico">', "https://www.acme.example/de/a.ico"),
        (
            '<link rel="apple-touch-icon" href="/t.png"><link rel="Shortcut Icon" href="//c.example/i.png">',
            "https://c.example/i.png",
        ),
        ('<link rel="apple-touch-icon" href="/t.png">', "https://www.acme.example/t.png"),
        ('<link rel="icon" href="">', None),
    ],
)
def test_the_icon_is_absolute(head: str, expected: str | None) -> None:
    assert metadata(head).favicon_url == expected


def test_without_an_address_of_the_page_links_stay_as_written() -> None:
    assert metadata('<link rel="icon" href="../a.ico">', Hints()).favicon_url == "../a.ico"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("© 2024 Acme", 2024),
        ("Copyright 2012–2026 Acme", 2026),
        ("2023 © Acme", 2023),
        ("(c) Acme GmbH 2021", 2021),
        ("© Acme, 20301 Irun", None),
        ("Since 1999 in town", None),
    ],
)
def test_the_year_stands_at_the_copyright_sign(text: str, expected: int | None) -> None:
    assert metadata(f"<p>{text}</p>").copyright_year == expected


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<script>ga('create', 'UA-12345-6')</script>", "UA-12345-6"),
        ("<script>gtag('config', \"G-1A2B3C4D5E\")</script>", "G-1A2B3C4D5E"),
        ("<p>Our model IMG-ABCDEFGHI and the UA-12345-6 on paper</p>", None),
    ],
)
def test_ids_of_analytics_come_from_code_not_prose(html: str, expected: str | None) -> None:
    assert metadata(html).google_analytics_id == expected


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ('<form><input name="name"><input type="email"><textarea name="message"></textarea></form>', True),
        ('<form class="wpcf7-form"></form>', True),
        ('<form role="search" class="search"><input name="name"><textarea></textarea></form>', False),
        ('<form><input type="email" name="mail"></form>', False),
        ('<form><input name="username"><input type="password"><textarea></textarea></form>', False),
    ],
)
def test_a_contact_form_takes_a_message_and_a_sender(html: str, expected: bool) -> None:
    assert metadata(html).has_contact_form is expected


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ('<div class="cookie-notice">x</div>', True),
        ('<div id="CookieConsent">x</div>', True),
        ('<script src="https://app.usercentrics.eu/browser-ui/latest/loader.js"></script>', True),
        ("<p>We bake cookies. Our cookie box is famous, the cookie info too.</p>", False),
    ],
)
def test_a_cookie_notice_is_markup_not_a_biscuit(html: str, expected: bool) -> None:
    assert metadata(html).has_cookie_notice is expected


@given(st.text(max_size=400), st.text(max_size=30))
def test_no_page_ever_raises(text: str, word: str) -> None:
    metadata(text, Hints())
    metadata(f'<html lang="{word}"><meta name="generator" content="{text}">{text}')
    metadata(f'<img class="logo" src="{word}/wp-content/{text}"><p>© {word} <a href="{word}">{text}</a>')


@pytest.mark.timed
@pytest.mark.parametrize(
    "piece",
    [
        " /wp-content/ ",
        '<img src="/wp-content/a">',
        "cookie cookie ",
        "<a href='x'>",
        "<div><img src=logo>",
        "© 20",
        "UA-1 G-A GTM-",
        "<form><textarea>",
    ],
)
def test_time_grows_with_the_page_and_no_faster(piece: str) -> None:
    """B9: ten times the page takes at most fifteen times as long."""

    def seconds(size: int) -> float:
        doc = parse_document(piece * (size // len(piece)))
        times = []
        for _ in range(3):
            start = time.process_time()
            read_site_metadata(doc, HINTS)
            times.append(time.process_time() - start)
        return min(times)

    assert seconds(100_000) <= 15 * max(seconds(10_000), 0.001)
