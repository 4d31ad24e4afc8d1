"""A wrong contact is worse than a missing one: values that look right and are not, in several languages."""

import pytest

from scrapersky.extract.findings import Hints
from scrapersky.extract.page import read_page


def page(body, domain="beispiel-bau.de", country=None, url=""):
    return read_page(f"<html><body>{body}</body></html>", Hints(country, domain, url))


def emails(body, domain="beispiel-bau.de"):
    return [email.address for email in page(body, domain).emails]


@pytest.mark.parametrize(
    ("body", "address"),
    [
        ("<p>Contact: niamh.o'leary@cork-dental.ie.", "niamh.o'leary@cork-dental.ie"),
        ("<p>Niamh O’Leary, n.o’leary@cork-dental.ie", "n.o'leary@cork-dental.ie"),
        ("<p>Scrivere a marco.dell'orto@studio-orto.it", "marco.dell'orto@studio-orto.it"),
        ("<p>niamh.o'leary (at) cork-dental.ie", "niamh.o'leary@cork-dental.ie"),
        ("<p>ventas/taller@motor-sur.es", "ventas/taller@motor-sur.es"),
        ("<p>hahn&amp;sohn@beispiel-bau.de", "hahn&sohn@beispiel-bau.de"),
        ("<p>anna+termin@beispiel-bau.de", "anna+termin@beispiel-bau.de"),
        ("""<a href="mailto:c.d'amico@studio-orto.it">Posta</a>""", "c.d'amico@studio-orto.it"),
        ("<a href='mailto:c.d%27amico@studio-orto.it'>Posta</a>", "c.d'amico@studio-orto.it"),
        ("<a href='mailto:c.d%2527amico@studio-orto.it'>Posta</a>", "c.d'amico@studio-orto.it"),
        ("<a href='mailto:c.d&#39;amico@studio-orto.it'>Posta</a>", "c.d'amico@studio-orto.it"),
        ("<a href='mailto:c.d&amp;#39;amico@studio-orto.it'>Posta</a>", "c.d'amico@studio-orto.it"),
        ("<a href='mailto:compras/almacen@motor-sur.es'>Correo</a>", "compras/almacen@motor-sur.es"),
        ("<a href='mailto:hahn&amp;sohn@beispiel-bau.de'>Mail</a>", "hahn&sohn@beispiel-bau.de"),
        ("<a href='mailto:news=de!bau~x@beispiel-bau.de'>Mail</a>", "news=de!bau~x@beispiel-bau.de"),
    ],
)
def test_an_address_keeps_all_of_its_signs(body, address):
    assert emails(body) == [address]


@pytest.mark.parametrize(
    "body",
    [
        "<p>Schreiben Sie an 'office@beispiel-bau.de'.",
        "<p>(‘office@beispiel-bau.de’)",
        "<p>à l'adresse d'office@beispiel-bau.de",
        "<p>l’office@beispiel-bau.de",
        "<p>scrivete all'office@beispiel-bau.de",
        "<p>&lt;a href='mailto:office@beispiel-bau.de'&gt;",
        "<p>E-Mail/office@beispiel-bau.de",
        "<p>Tel. 0711/1234-0/office@beispiel-bau.de",
        "<p>email=office@beispiel-bau.de",
        "<p>メールoffice@beispiel-bau.de",
        "<p>Mail|office@beispiel-bau.de",
    ],
)
def test_signs_around_an_address_are_left_out(body):
    assert emails(body) == ["office@beispiel-bau.de"]


@pytest.mark.parametrize(
    "body",
    [
        "<p>d'anna@beispiel-bau.de",
        "<p>jürgen@beispiel-bau.de",
        "<p>siobhán@beispiel-bau.de",
        "<p>/team/vertrieb/anna@beispiel-bau.de",
        "<p>andere-firma.de/anna@beispiel-bau.de",
        "<p>liam.o&amp;#39;shea@beispiel-bau.de",
        "<p>prvs=anna@beispiel-bau.de",
    ],
)
def test_where_an_address_begins_cannot_be_told_it_is_dropped(body):
    assert emails(body) == []


@pytest.mark.parametrize(
    "body",
    [
        "<style>.zz{display:none}</style><p>buero<span class=zz>kein</span>@beispiel-bau.de",
        "<style>p b.q, td{visibility: hidden}</style><p>buero@<b class=q>xx.</b>beispiel-bau.de",
        "<style>#n{position:absolute;left:-5000px}</style><div>buero@beispiel<em id=n>null</em>-bau.de</div>",
        "<style>.m>:nth-child(2){display:none}</style><p class=m><i>buero</i><i>x</i><i>@beispiel-bau.de",
        "<p>buero<i hidden>1614556800</i>@beispiel-bau.de",
        "<p>buero<small class='d-none'>raus</small>@beispiel-bau.de",
        "<p>buero@<u style='font-size:0'>foo</u>beispiel-bau.de",
        "<p>buero<span aria-hidden=true>@</span><span class=sr-only>at</span>beispiel-bau.de",
        "<p>buero<span class=oculto>quitar</span>(at)beispiel-bau.de",
        "<p>buero@NO-SPAM.beispiel-bau.de",
        "<p>buero@beispiel-bauLOESCHEN.de",
        "<p>bueroDELETETHIS@beispiel-bau.de",
        "<p>buero-a-enlever@beispiel-bau.de",
        "<p>buero(quitar-esto)@beispiel-bau.de",
        "<p>buero@-dies-entfernen-beispiel-bau.de",
        "<a href='mailto:buero@sans-spam.beispiel-bau.de'>Mail</a>",
        "<p>buero-1699882211@beispiel-bau.de",
        "<p>buero@1699882211456.beispiel-bau.de",
    ],
)
def test_filler_in_an_address_is_taken_out(body):
    found = page(body).emails
    assert [email.address for email in found] == ["buero@beispiel-bau.de"]


def test_an_address_that_filler_protects_counts_as_hidden():
    assert page("<p>buero@NO-SPAM.beispiel-bau.de").emails[0].hidden
    assert not page("<p>buero@beispiel-bau.de").emails[0].hidden


@pytest.mark.parametrize(
    "address",
    [
        "antispam@beispiel-bau.de",
        "remove@beispiel-bau.de",
        "info@antispam-europa.com",
        "1699882211@qq.com",
        "RECEPTION@BEISPIEL-BAU.DE",
        "weg@beispiel-bau.de",
    ],
)
def test_a_mailbox_or_domain_that_only_looks_like_filler_stays(address):
    assert emails(f"<p>Mail: {address}") == [address.lower()]


def test_filler_between_two_words_leaves_no_guess():
    assert emails("<p>max-nospam-huber@beispiel-bau.de") == []


@pytest.mark.parametrize(
    ("domain", "site"),
    [
        ("xn--mnchen-bau-9db.de", "münchen-bau.de"),
        ("münchen-bau.de", "xn--mnchen-bau-9db.de"),
        ("muenchen-bau.de", "xn--mnchen-bau-9db.de"),
        ("xn--caf-lucie-d4a.fr", "www.café-lucie.fr"),
        ("cafe-lucie.fr", "café-lucie.fr"),
        ("xn--80adxhks-bau.xn--p1ai", "xn--80adxhks-bau.xn--p1ai"),
        ("smorrebrod.dk", "smörrebröd.dk"),
    ],
)
def test_an_own_address_is_own_in_every_spelling_of_the_domain(domain, site):
    assert [email.relation for email in page(f"<p>Kontakt: anna@{domain}", site).emails] == ["own"]


def test_two_spellings_of_one_domain_are_one_address():
    assert emails("<p>anna@café-lucie.fr <p>anna@xn--caf-lucie-d4a.fr") == ["anna@café-lucie.fr"]
