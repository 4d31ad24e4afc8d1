"""The forms in which plugins, frameworks and people hide mail addresses, each with the same address."""

import base64
import codecs
from urllib.parse import quote

import pytest

from scrapersky.extract.emails import find_emails
from scrapersky.extract.html import parse_document
from scrapersky.extract.results import Hints

LOCAL, NAME, ENDING = "karla.voss", "lindenhof-praxis", "de"
DOMAIN = f"{NAME}.{ENDING}"
ADDRESS = f"{LOCAL}@{DOMAIN}"


def rot13(text):
    return codecs.encode(text, "rot13")


def b64(text):
    return base64.b64encode(text.encode()).decode()


def cloudflare(text, key=0x5F):
    return f"{key:02x}" + "".join(f"{byte ^ key:02x}" for byte in text.encode())


def decimal(text):
    return "".join(f"&#{ord(c)};" for c in text)


def hexadecimal(text):
    return "".join(f"&#x{ord(c):x};" for c in text)


def percent(text):
    return "".join(f"%{ord(c):02x}" for c in text)


def escaped(text):
    return "".join(f"\\x{ord(c):02x}" for c in text)


def unicoded(text):
    return "".join(f"\\u{ord(c):04x}" for c in text)


def codes(text):
    return ",".join(str(ord(c)) for c in text)


def typo3(text, distance):
    """Every character moved within its own range."""
    ranges = [range(0x2B, 0x3B), range(0x40, 0x5B), range(0x61, 0x7B)]
    spans = {code: span for span in ranges for code in span}
    return "".join(
        chr(span[(ord(c) - span[0] + distance) % len(span)]) if (span := spans.get(ord(c))) else c
        for c in text
    )


def script(code):
    return f"<p>Kontakt</p><script>{code}</script>"


def pairs(text):
    """Every character moved by the digit before it."""
    return "".join(f"{place % 4}{chr(ord(c) + place % 4)}" for place, c in enumerate(text))


def numbered(text):
    """An alphabet, and the places in it as characters from "0" on."""
    plain = text.replace("@", "%40")
    alphabet = "".join(sorted(set(plain)))
    places = "".join(chr(alphabet.index(c) + 48) for c in plain)
    return (
        f'(function(){{var ml="{alphabet}",mi="{places}",o="";for(var j=0,l=mi.length;j<l;j++)'
        "{o+=ml.charAt(mi.charCodeAt(j)-48);}document.body.innerHTML=decodeURIComponent(o);}());"
    )


FORMS = {
    "a digit before every letter": f"<a href=\"javascript:DeCryptX('{pairs(ADDRESS)}')\">x</a>",
    "places in an alphabet": script(numbered(ADDRESS)),
    "parts for a style sheet": f'<span data-before="{LOCAL}" data-after="{DOMAIN}"></span>',
    "a star to be replaced": f"<p>{LOCAL}★{DOMAIN}（★を@に変えてください）</p>",
    "a sign to be replaced": f"<p>{LOCAL}#{DOMAIN}（请将#替换为@）</p>",
    "decimal entities": f'<a href="{decimal("mailto:" + ADDRESS)}">{decimal(ADDRESS)}</a>',
    "hexadecimal entities": f'<a href="mailto:{hexadecimal(ADDRESS)}">x</a>',
    "antispambot": f'<a href="mailto:karla.v{decimal("oss@")}%6cindenhof-praxis.de">x</a>',
    "percent": f'<a href="mailto:{percent(ADDRESS)}">x</a>',
    "percent with scheme": f'<a href="mailto:%6B{ADDRESS[1:].replace("@", "%40")}">x</a>',
    "entity at": f"<p>{LOCAL}&commat;{DOMAIN}</p>",
    "entity dot": f"<p>karla&period;voss&#64;{NAME}&#46;de</p>",
    "full-width at": f"<p>{LOCAL}＠{DOMAIN}</p>",
    "zero-width": f"<p>{LOCAL}\u200b@\u200b{NAME}\u200b.de</p>",
    "soft hyphens": f"<p>{LOCAL}&shy;@&shy;{DOMAIN}</p>",
    "wbr": f"<p>{LOCAL}<wbr>@<wbr>{DOMAIN}</p>",
    "spans": f"<p><span>{LOCAL}</span><span>@</span><span>{DOMAIN}</span></p>",
    "comments": f"<p>{LOCAL}<!-- no -->@<!-- spam -->{DOMAIN}</p>",
    "hidden span": f'<p>{LOCAL}<span style="display:none">NOSPAM</span>@{DOMAIN}</p>',
    "cloudflare link": f'<a href="/cdn-cgi/l/email-protection#{cloudflare(ADDRESS)}">x</a>',
    "cloudflare span": f'<span class="__cf_email__" data-cfemail="{cloudflare(ADDRESS)}">[email&#160;'
    f"protected]</span>",
    "bidi style": f'<span style="unicode-bidi:bidi-override;direction:rtl">{ADDRESS[::-1]}</span>',
    "bidi class": f"<style>.rev{{unicode-bidi:bidi-override;direction:rtl}}</style>"
    f"<span class='rev'>{ADDRESS[::-1]}</span>",
    "bdo": f'<bdo dir="rtl">{ADDRESS[::-1]}</bdo>',
    "brackets at": f"<p>{LOCAL} [at] {DOMAIN}</p>",
    "brackets at dot": f"<p>{LOCAL}[at]{NAME}[dot]de</p>",
    "parentheses": f"<p>{LOCAL} (at) {NAME} (punkt) de</p>",
    "braces": f"<p>{LOCAL}{{at}}{DOMAIN}</p>",
    "angle": f"<p>{LOCAL} &lt;at&gt; {DOMAIN}</p>",
    "bracketed sign": f"<p>{LOCAL}[@]{DOMAIN}</p>",
    "bracketed ät": f"<p>{LOCAL}(ät){DOMAIN}</p>",
    "arroba": f"<p>{LOCAL} [arroba] {DOMAIN}</p>",
    "underscores": f"<p>{LOCAL}_at_{DOMAIN}</p>",
    "capitals": f"<p>{LOCAL}-AT-{DOMAIN}</p>",
    "words with label": f"<p>E-Mail: karla dot voss at {NAME} dot de</p>",
    "words with at only": f"<p>Email: {LOCAL} at {DOMAIN}</p>",
    "replace sign": f"<p>{LOCAL}#{DOMAIN} (replace # by @)</p>",
    "replace sign before": f"<p>Please replace # with @: {LOCAL}#{DOMAIN}</p>",
    "ersetzen": f"<p>{LOCAL}*{DOMAIN} – bitte * durch @ ersetzen</p>",
    "filler": f"<p>{LOCAL}@REMOVE-THIS.{DOMAIN} (remove REMOVE-THIS.)</p>",
    "rot13 link": f'<a href="{rot13("mailto:" + ADDRESS)}">x</a>',
    "rot13 data": f'<a data-enc-email="{rot13(LOCAL)}[at]{rot13(DOMAIN)}" href="#">x</a>',
    "rot13 data sign": f'<a data-enc-email="{rot13(ADDRESS)}" href="#">x</a>',
    "rot13 data plain name": f'<a data-email="{rot13(ADDRESS)}" href="#">x</a>',
    "base64 data": f'<a data-email="{b64(ADDRESS)}" href="#">x</a>',
    "base64 with scheme": f'<a data-href="{b64("mailto:" + ADDRESS)}" href="#">x</a>',
    "reversed data": f'<a data-email="{ADDRESS[::-1]}" href="#">x</a>',
    "hex data": f'<a data-email="{ADDRESS.encode().hex()}" href="#">x</a>',
    "percent data": f'<a data-email="{percent(ADDRESS)}" href="#">x</a>',
    "entities in data": f'<a data-mail="{decimal(ADDRESS)}" href="#">x</a>',
    "spelled data": f'<a data-mail="{LOCAL} [at] {DOMAIN}" href="#">x</a>',
    "pair": f'<span data-user="{LOCAL}" data-domain="{DOMAIN}"></span>',
    "reversed pair": f'<span data-user="{LOCAL[::-1]}" data-domain="{DOMAIN[::-1]}"></span>',
    "base64 pair": f'<span data-user="{b64(LOCAL)}" data-domain="{b64(DOMAIN)}"></span>',
    "pair with ending": f'<a data-name="{LOCAL}" data-domain="{NAME}" data-tld="de"></a>',
    "joomla element": f'<joomla-hidden-mail is-link="1" first="{b64(LOCAL)}" last="{b64(DOMAIN)}">'
    f"</joomla-hidden-mail>",
    "joomla cloak": script(
        "var prefix = '&#109;a' + 'i&#108;' + '&#116;o'; var path = 'hr' + 'ef' + '=';"
        "var addy77 = 'k&#97;rl&#97;.v&#111;ss' + '&#64;';"
        "addy77 = addy77 + 'l&#105;nd&#101;nh&#111;f-pr&#97;x&#105;s' + '&#46;' + 'd&#101;';"
        "document.getElementById('cloak77').innerHTML += '<a ' + path + prefix + ':' + addy77 + '>';"
    ),
    "concatenation": script(f"document.write('{LOCAL}' + '@' + '{DOMAIN}');"),
    "concatenation double": script(f'document.write("{LOCAL}" + "@" + "{NAME}" + "." + "de");'),
    "variables": script(
        f"var u='{LOCAL}';var d='{DOMAIN}';document.write('<a href=\"mailto:'+u+'@'+d+'\">'+u+'@'+d+'</a>');"
    ),
    "array join": script(f"document.write(['{LOCAL}','{DOMAIN}'].join('@'));"),
    "template": script(f"const u='{LOCAL}',h='{DOMAIN}';el.href=`mailto:${{u}}@${{h}}`;"),
    "fromCharCode": script(f"document.write(String.fromCharCode({codes(ADDRESS)}));"),
    "fromCharCode sign": script(f"document.write('{LOCAL}'+String.fromCharCode(64)+'{DOMAIN}');"),
    "hex escapes": script(f"document.write('{escaped(ADDRESS)}');"),
    "unicode escapes": script(f"document.write('{unicoded(ADDRESS)}');"),
    "unescape": script(f"document.write(unescape('{percent(ADDRESS)}'));"),
    "decodeURIComponent": script(f"document.write(decodeURIComponent('{quote(ADDRESS, safe='')}'));"),
    "atob": script(f"document.write(atob('{b64(ADDRESS)}'));"),
    "atob link": script(f"el.href = 'mailto:' + atob('{b64(ADDRESS)}');"),
    "reverse": script(f"document.write('{ADDRESS[::-1]}'.split('').reverse().join(''));"),
    "replace at": script(f"document.write('{LOCAL}[at]{DOMAIN}'.replace('[at]','@'));"),
    "rot13 script": script(
        "document.write('<n uers=\"znvygb:" + rot13(ADDRESS) + "\">x</n>'.replace(/[a-zA-Z]/g,function(c){"
        "return String.fromCharCode((c<='Z'?90:122)>=(c=c.charCodeAt(0)+13)?c:c-26);}));"
    ),
    "email encoder bundle escape": '<span id="eeb-1"></span>'
    + script(
        'document.getElementById("eeb-1").innerHTML = eval(decodeURIComponent("'
        + percent(f"'{ADDRESS}'")
        + '"))'
    )
    + "<noscript>*protected email*</noscript>",
    "email encoder bundle rot13": f'<a class="eeb-mail" href="javascript:;'
    f'" data-enc-email="{rot13(LOCAL)}[at]{rot13(DOMAIN)}">x</a>',
    "typo3": f"<a href=\"javascript:linkTo_UnCryptMailto('{typo3('mailto:' + ADDRESS, 2)}');\">x</a>",
    "noscript": f"<noscript>{LOCAL} (at) {DOMAIN}</noscript>",
    "onclick": f"<a href=\"#\" onclick=\"location.href='mailto:{LOCAL}'+'@'+'{DOMAIN}'\">x</a>",
    "onmouseover": f"<a href=\"#\" onmouseover=\"this.href='mai'+'lto:'+'{LOCAL}'+'&#64;'+'{DOMAIN}'\">x</a>",
    "javascript link": f"<a href=\"javascript:location='mailto:'+'{LOCAL}'+'@'+'{DOMAIN}'\">x</a>",
    "javascript arguments": f"<a href=\"javascript:mailto('{LOCAL}','{DOMAIN}')\">x</a>",
    "list of codes": script(f"document.write([{codes(ADDRESS)}].map(c=>String.fromCharCode(c)).join(''));"),
    "codes by apply": script(f"document.write(String.fromCharCode.apply(null,[{codes(ADDRESS)}]));"),
    "slashes and rot13": f'<a data-mail-to="{rot13(LOCAL)}/at/{rot13(NAME)}/dot/qr">x</a>',
    "slashes in rot13": f'<a data-mail-to="{rot13(f"{LOCAL}/at/{NAME}/dot/de")}">x</a>',
    "three parts": f'<a data-part1="{LOCAL}" data-part2="{NAME}" data-part3="de"></a>',
    "local and host": f'<span data-local="{LOCAL}" data-host="{DOMAIN}"></span>',
    "user and domain of an address": f'<a data-email-user="{LOCAL}" data-email-domain="{DOMAIN}"></a>',
    "message on the web": f'<a href="https://mail.google.com/mail/?view=cm&amp;to={ADDRESS}&amp;su=x">x</a>',
    "message on the web, escaped": f'<a href="https://outlook.live.com/owa/?path=/mail&amp;to={quote(ADDRESS)}">'
    f"x</a>",
    "letter by letter": f"<p>E-Mail: k a r l a . v o s s @ {NAME} . de</p>",
    "mailto with spaces": f'<a href="mailto: {ADDRESS} ">x</a>',
    "mailto bracket": f'<a href="mailto:{LOCAL}[at]{DOMAIN}">x</a>',
    "mailto at word": f'<a href="mailto:{LOCAL}(at){DOMAIN}">x</a>',
    "data before css": f'<style>.m:after{{content:attr(data-name) "@" attr(data-domain)}}</style>'
    f'<span class="m" data-name="{LOCAL}" data-domain="{DOMAIN}"></span>',
    "json-ld": f'<script type="application/ld+json">'
    f'{{"@type":"Organization","email":"mailto:{ADDRESS}"}}</script>',
    "picture of sign": f'<p>{LOCAL}<img src="at.gif" alt="@">{DOMAIN}</p>',
    "icon of sign": f'<p>{LOCAL}<i class="fa fa-at"></i>{DOMAIN}</p>',
}
# Not read: nothing else on the page says that these are for mail, or they are no part of its text.
UNREAD = {
    "function arguments": f"<a href=\"#\" onclick=\"sendmail('{LOCAL}','{DOMAIN}')\">x</a>",
    "css content": f"<style>.m:after{{content:'@{DOMAIN}'}}</style><span class='m'>{LOCAL}</span>",
    "image alt": f'<img src="mail.png" alt="{LOCAL} [at] {DOMAIN}">',
    "hidden input": f'<input type="hidden" name="to" value="{ADDRESS}">',
}

# Both readings of an attribute have an existing ending: .org and .bet, .fr and .se.
TWO_READINGS = [
    ("claire.moreau@atelier-bois.fr", "atelier-bois.fr"),
    ("claire.moreau@atelier-bois.fr", None),
    ("peter.hansen@river-trust.org", "river-trust.org"),
    ("peter.hansen@river-trust.org", None),
    ("m.dubois@mairie-saintbrieuc.fr", None),
]


OWN = Hints("DE", DOMAIN)


def found(html, hints=OWN):
    return {email.address for email in find_emails(parse_document(f"<body>{html}</body>"), hints)[0]}


@pytest.mark.parametrize("form", FORMS)
def test_a_hidden_address_is_read(form):
    assert found(FORMS[form]) == {ADDRESS}


@pytest.mark.parametrize("form", UNREAD)
def test_what_is_not_read_gives_no_wrong_address(form):
    assert found(UNREAD[form]) <= {ADDRESS}


@pytest.mark.parametrize(("address", "site"), TWO_READINGS)
@pytest.mark.parametrize("is_turned", [True, False])
def test_of_two_possible_readings_the_one_with_evidence_wins(address, site, is_turned):
    value = rot13(address) if is_turned else address
    assert found(f'<p><a data-email="{value}">x</a></p>', Hints(None, site)) == {address}
