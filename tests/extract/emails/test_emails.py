"""Mail addresses are found however they are hidden, and what is no address is refused with a reason."""

import base64
import codecs
import re
import time
from urllib.parse import quote

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scrapersky.extract.emails import find_emails
from scrapersky.extract.emails.address_pattern import match_addresses, normalize_address
from scrapersky.extract.emails.ciphers import decode_cloudflare, decode_enkoder, decode_typo3
from scrapersky.extract.emails.classification import classify_mailbox, classify_relation
from scrapersky.extract.emails.extractor import MAX_EMAILS
from scrapersky.extract.emails.javascript import evaluate_strings
from scrapersky.extract.emails.spelled_addresses import find_spelled_out
from scrapersky.extract.html import parse_document
from scrapersky.extract.results import Hints

HINTS = Hints("DE", "firma-nord.de")
OWN = "info@firma-nord.de"


def found(html, hints=HINTS):
    return {email.address for email in find_emails(parse_document(html), hints)[0]}


def cloudflare(address, key=0x2A):
    return f"{key:02x}" + "".join(f"{byte ^ key:02x}" for byte in address.encode())


def typo3(address, distance):
    ranges = ((0x2B, 0x3A), (0x40, 0x5A), (0x61, 0x7A))
    shifted = ""
    for character in "mailto:" + address:
        code = ord(character)
        for first, last in ranges:
            if first <= code <= last:
                code = first + (code - first + distance) % (last - first + 1)
                break
        shifted += chr(code)
    return shifted


def rot13(text):
    return codecs.encode(text, "rot13")


def base64_of(text):
    return base64.b64encode(text.encode()).decode()


@pytest.mark.parametrize(
    "html",
    [
        "<p>info@firma-nord.de</p>",
        "<p>INFO@Firma-Nord.DE.</p>",
        "<p>&#105;nfo&#x40;firma-nord&period;de</p>",
        "<p>info＠firma-nord.de</p>",
        "<p>in&shy;fo@firma&#8203;-nord.de</p>",
        "<p>info<wbr>@<wbr>firma-nord.de</p>",
        "<p>E-Mail: info @ firma-nord.de</p>",
        "<p>info<code>@</code>firma-nord.de</p>",
        "<p>Mail<span>info@firma-nord.de</span></p>",
        "<p>info@firma-nord.deTel. 030</p>",
        "<p>Mail an info@firma-nord.de.Danke</p>",
        "<p>info (at) firma-nord.de</p>",
        "<p>info[at]firma-nord[dot]de</p>",
        "<p>info [ät] firma-nord [punkt] de</p>",
        "<p>info{arroba}firma-nord{ponto}de</p>",
        "<p>info (arobase) firma-nord (point) de</p>",
        "<p>info (chiocciola) firma-nord.de</p>",
        "<p>info(kukac)firma-nord(pont)de</p>",
        "<p>info (snabel-a) firma-nord.de</p>",
        "<p>info &lt;at&gt; firma-nord.de</p>",
        "<p>info(@)firma-nord.de</p>",
        "<p>info -at- firma-nord.de</p>",
        "<p>info [собака] firma-nord [точка] de</p>",
        "<p>info（アット）firma-nord.de</p>",
        "<a href='mailto:info@firma-nord.de'>Mail</a>",
        "<a href='MAILTO:%69nfo%40firma-nord.de?subject=x'>Mail</a>",
        "<a href='mailto:info(at)firma-nord.de'>Mail</a>",
        "<a href='mailto: info@firma-nord.de '>Mail</a>",
        "<a href='http://info@firma-nord.de'>Mail</a>",
        f"<a data-cfemail='{cloudflare(OWN)}'>[email protected]</a>",
        f"<a href='/cdn-cgi/l/email-protection#{cloudflare(OWN, 0x99)}'>x</a>",
        f"<a href=\"javascript:linkTo_UnCryptMailto('{typo3(OWN, 2)}');\">x</a>",
        f'<a href="javascript:linkTo_UnCryptMailto(%27{typo3(OWN, -5)}%27)">x</a>'.replace("%27", "'"),
        f'<a href="javascript:linkTo_UnCryptMailto(%27{quote(typo3(OWN, 1))}%27);">x</a>',
        f"<a href=\"javascript:linkTo_UnCryptMailto('{typo3(OWN, 1)}');\">x</a>".replace("/", "\\/"),
        f"<a href='#' data-mailto-token='{typo3(OWN, 1)}' data-mailto-vector='1'>x</a>",
        f"<a href='{rot13('mailto:' + OWN)}'>x</a>",
        f"<span data-enc-email='{rot13('info[at]firma-nord.de')}'></span>",
        "<a data-user='info' data-domain='firma-nord.de'>x</a>",
        "<a data-user='ofni' data-domain='ed.dron-amrif'>x</a>",
        "<a data-name='info' data-domain='firma-nord' data-tld='de'>x</a>",
        f"<a data-email='{base64_of(OWN)}'>x</a>",
        f"<a data-mail='{base64_of(OWN)[::-1]}'>x</a>",
        f"<joomla-hidden-mail first='{base64_of('info')}' last='{base64_of('firma-nord.de')}'>",
        "<script>var addy1='i&#110;fo'+'&#64;';addy1=addy1+'firma-nord'+'&#46;'+'de';</script>",
        "<script>document.write('info'+'@'+'firma-nord.de')</script>",
        "<script>document.write('<a href=\"mai'+'lto:info'+'&#64;firma-nord.de\">')</script>",
        "<script>var e=['info','firma-nord.de'].join('@');</script>",
        "<script>x='ed.dron-amrif@ofni'.split('').reverse().join('');</script>",
        f"<script>e=atob('{base64_of('mailto:' + OWN)}')</script>",
        f"<script>e=String.fromCharCode({','.join(str(ord(sign)) for sign in OWN)})</script>",
        f"<script>document.write('{rot13('<a href=mailto:' + OWN + '>')}'.replace(/[a-z]/g,f))</script>",
        "<a onclick=\"location.href='mailto:'+'info'+'\\u0040'+'firma-nord.de'\">x</a>",
        "<noscript><p>info [at] firma-nord.de</p></noscript>",
        "<span style='unicode-bidi:bidi-override;direction:rtl'>ed.dron-amrif@ofni</span>",
        "<style>.r{direction:rtl;unicode-bidi:bidi-override}</style><b class=r>ed.dron-amrif@ofni</b>",
        "<bdo dir=rtl>ed.dron-amrif@ofni</bdo>",
        "<style>.x{display:none}</style><p>info<span class=x>no</span>@firma-nord.de</p>",
        "<p>info<span style='display:none'>-nospam</span>@firma-nord.de</p>",
        '<script type="application/ld+json">{"@type":"Store","email":"info@firma-nord.de"}</script>',
        "<div itemscope itemtype=Store><a itemprop=email href='mailto:info@firma-nord.de'>x</a></div>",
        "<meta property='og:email' content='info@firma-nord.de'>",
    ],
)
def test_the_address_is_found(html):
    assert found(html) == {OWN}


@pytest.mark.parametrize(
    ("html", "reason"),
    [
        ("<p>user@example.com</p>", "placeholder"),
        ("<p>your-email@gmail.com</p>", "placeholder"),
        ("<p>info@yourdomain.com</p>", "placeholder"),
        ("<p>max.mustermann@gmx.de</p>", "placeholder"),
        ("<p>4f1c2d3e4b5a69788796a5b4c3d2e1f0@o1.ingest.sentry.io</p>", "error tracker"),
        ("<p>c760895536d64481bd17039efdcead26@firma-nord.de</p>", "hash-like local part"),
        ("<p>support@elementor.com</p>", "address of a vendor"),
        ("<footer>Webdesign: hallo@pixel-studio-x.de</footer>", "address of the page's maker"),
        ("<p>Zuständige Aufsichtsbehörde: post@lda-bezirk.de</p>", "address of somebody else"),
        ("<p>https://bob@service-host.de/x</p>", "part of a URL"),
        ("<script>var a='help@widget-maker.com';</script><script>b='x'+'@'</script>", "only in a script"),
    ],
)
def test_what_is_no_contact_is_refused_with_a_reason(html, reason):
    emails, refused = find_emails(parse_document(html), HINTS)
    assert not emails
    if "<script>" not in html:
        assert reason in refused[0].reason


@pytest.mark.parametrize(
    "html",
    [
        "<p>image@2x.png and photo@3x.webp</p>",
        "<p>Meet Bob at home.de or at firma-nord.de</p>",
        "<p>info at firma-nord.de</p>",
        "<p>@media and @firma_nord on x.com/@firma</p>",
        "<p>x@y.z a@b.c1 foo@bar.invalidtld</p>",
        "<p>npm i leaflet@1.9.4</p>",
        "<p>" + "a" * 65 + "@firma-nord.de</p>",
        "<p>work-at-home.com</p>",
        "<input placeholder='info@firma-nord.de'>",
    ],
)
def test_nothing_is_found_where_no_address_is(html):
    assert found(html) == set()


@pytest.mark.parametrize(
    "html",
    [
        "<p>Contact us at firma-nord.de</p>",
        "<p>E-Mail us at firma-nord dot de</p>",
        "<p>Contact: meet at noon.in the hall</p>",
        "<p>See a#firma-nord.de and replace the filter</p>",
        "<p>Replace # by @ in your code</p>",
    ],
)
def test_words_and_signs_that_only_look_like_an_address_give_none(html):
    assert found(html) == set()


def rot13(text):
    return codecs.encode(text, "rot13")


@pytest.mark.parametrize(
    ("html", "address"),
    [
        (f"<a data-enc-email='{rot13('info')}[at]{rot13('firma-nord.de')}'>x</a>", OWN),
        (f"<a data-email='{rot13('info')}[at]{rot13('firma-nord.de')}'>x</a>", OWN),
        # Both ways lead to a top-level domain that exists: the name of the attribute decides.
        (f"<a data-enc-email='{rot13('info')}[at]{rot13('nord-sud.fr')}'>x</a>", "info@nord-sud.fr"),
        ("<a data-email='info[at]nord-sud.fr'>x</a>", "info@nord-sud.fr"),
        ("<p>E-mail: info at firma-nord dot de</p>", OWN),
        ("<p>Email: info at firma-nord.de</p>", OWN),
        ("<p>Write to: anna dot berg at firma-nord dot de</p>", "anna.berg@firma-nord.de"),
        ("<p>info#firma-nord.de (replace # by @)</p>", OWN),
        ("<p>info*firma-nord.de</p><p>Bitte ersetzen Sie * durch @.</p>", OWN),
        ("<p>info#firma-nord.de (remplacer # par @)</p>", OWN),
        ("<p>info#firma-nord.de (# = @)</p>", OWN),
    ],
)
def test_words_ciphers_and_replaced_signs_are_read(html, address):
    assert found(html) == {address}


def quoted(text):
    """A JavaScript literal in the manner of enkoders: marks escaped, control characters in octal."""
    return '"' + "".join(f"\\{c}" if c in '"\\' else c if c >= " " else f"\\{ord(c):03o}" for c in text) + '"'


def test_a_wrapped_enkoder_with_every_layer_is_read():
    layers = [
        (lambda text: text[::-1], ";kode=kode.split('').reverse().join('')"),
        (
            lambda text: "".join(chr((ord(c) + 3) % 128) for c in text),
            ";x='';for(i=0;i<kode.length;i++){c=kode.charCodeAt(i)-3;if(c<0)c+=128;"
            "x+=String.fromCharCode(c)}kode=x",
        ),
        (
            lambda text: "".join(text[i : i + 2][::-1] for i in range(0, len(text), 2)),
            ";x='';for(i=0;i<(kode.length-1);i+=2){x+=kode.charAt(i+1)+kode.charAt(i)}"
            "kode=x+(i<kode.length?kode.charAt(kode.length-1):'');",
        ),
    ]
    link = f'<a href="mailto:{OWN}">x</a>'
    code = f"document.write({quoted(link)});"
    for change, undo in layers:
        code = f"kode={quoted(change(code))}{undo}"
    whole = quoted(code)[1:-1]
    pieces = re.findall(r"(?:\\[0-7]{3}|\\.|[^\\]){1,70}", whole, re.DOTALL)
    script = "var kode=\n" + "+\n".join(f'"{piece}"' for piece in pieces) + "\n;var i,c,x;while(eval(kode));"
    assert found(f"<script>function e(){{{script}}}e();</script>") == {OWN}


def test_several_recipients_are_told_apart():
    recipients = "a.b@firma-nord.de,c%40firma-nord.de;d@firma-nord.de?cc=e@firma-nord.de&body=x%40y.de"
    html = f"<a href='mailto:{recipients}'>x</a>"
    assert found(html) == {f"{local}@firma-nord.de" for local in ("a.b", "c", "d", "e")}


@pytest.mark.parametrize(
    ("local", "domain", "kind"),
    [
        ("info", "x.de", "role"),
        ("kontakt", "x.de", "role"),
        ("sekretariat.sued", "x.de", "role"),
        ("anna.berg", "x.de", "person"),
        ("mueller", "x.de", "person"),
        ("no-reply", "x.de", "no-reply"),
        ("ne-pas-repondre", "x.fr", "no-reply"),
        ("firma-nord", "firmanord.de", "role"),
    ],
)
def test_the_kind_is_told_by_the_local_part(local, domain, kind):
    assert classify_mailbox(local, domain) == kind


@pytest.mark.parametrize(
    ("domain", "site", "relation"),
    [
        ("mail.firma.co.uk", "firma.co.uk", "own"),
        ("firma.com", "firma.de", "own"),
        ("gmail.com", "firma.de", "free"),
        ("yahoo.co.in", "firma.de", "free"),
        ("andere.de", "firma.de", "other"),
        ("andere.de", "", "other"),
    ],
)
def test_the_relation_to_the_site_is_told(domain, site, relation):
    assert classify_relation(domain, site) == relation


def test_hidden_and_plain_are_told_apart_and_evidence_adds_up():
    hidden = find_emails(parse_document("<p>info (at) firma-nord.de</p>"), HINTS)[0][0]
    plain = find_emails(parse_document("<a href='mailto:info@firma-nord.de'>info@firma-nord.de</a>"), HINTS)[
        0
    ][0]
    assert hidden.hidden
    assert not plain.hidden
    assert {one.method for one in plain.evidence} == {"mailto", "text"}
    assert plain.confidence > max(0.9, hidden.confidence)


def test_a_page_of_many_addresses_is_capped():
    assert len(found("<br>".join(f"p{number}@firma-nord.de" for number in range(1_000)))) == MAX_EMAILS


def test_ciphers_give_nothing_for_other_text():
    assert decode_cloudflare("zz") == decode_cloudflare("abc") == ""
    assert decode_typo3("not a cipher") == ""
    assert decode_enkoder("kode") == ""


@given(st.text(max_size=200))
@settings(max_examples=300)
def test_reading_addresses_never_raises_and_is_stable(text):
    for seen in match_addresses(text):
        assert normalize_address(seen.address) == seen.address
        assert seen.address == seen.address.lower()
    list(find_spelled_out(text))
    list(evaluate_strings(text))
    found(text)


@pytest.mark.timed
@pytest.mark.parametrize(
    "piece",
    ["a", "@", "a@", "a@b.", "(at)", "a (at) ", "&#64;", "'a'+", "(", "a.b", "<b>@</b>", "{", "x@y.de "],
)
def test_time_grows_with_the_length_and_no_faster(piece):
    """RELIABILITY B9: ten times the text takes at most fifteen times the time."""

    def seconds(size):
        text = piece * (size // len(piece))
        started = time.process_time()
        for _ in match_addresses(text):
            pass
        for _ in find_spelled_out(text):
            pass
        for _ in evaluate_strings(text):
            pass
        return time.process_time() - started

    seconds(5_000)
    assert any(seconds(100_000) < max(0.15, 15 * seconds(10_000)) for _ in range(4))


@pytest.mark.parametrize(
    ("value", "address"),
    [
        ("vasb[at]npzr-gbbyf.bet", "info@acme-tools.org"),
        ("pbagnpg [at] npzr-gbbyf.se", "contact@acme-tools.fr"),
        ("info[at]tips.bet", "info@tips.bet"),
        ("anna.berg[at]tips.se", "anna.berg@tips.se"),
    ],
)
def test_of_two_readings_of_an_attribute_the_one_with_a_common_mailbox_is_meant(value, address):
    doc = parse_document(f'<p><a data-email="{value}">Mail</a></p>')
    emails, _ = find_emails(doc, Hints())
    assert [email.address for email in emails] == [address]
