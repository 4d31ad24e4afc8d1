"""E-mail addresses written into HTML in the many ways real sites show or hide them."""

from base64 import b64encode
from codecs import encode as recode
from collections.abc import Callable
from html import escape
from urllib.parse import quote

from scrapersky_demo.draws import Draw
from scrapersky_demo.locales.locale import Locale

Obfuscator = Callable[[str, Locale, Draw], str]
# The character ranges in which TYPO3 rotates, each on its own.
_TYPO3_RANGES = ((0x2B, 0x3A), (0x40, 0x5A), (0x61, 0x7A))
_ROT13_SCRIPT = (
    '.replace(/[a-zA-Z]/g,function(c){{return String.fromCharCode((c<="Z"?90:122)>='
    "(c=c.charCodeAt(0)+13)?c:c-26);}})"
)


def obfuscate(method: str, address: str, locale: Locale, draw: Draw) -> str:
    """The piece of HTML that shows this address by this method."""
    return OBFUSCATORS[method](address, locale, draw)


def _text(address: str, locale: Locale, draw: Draw) -> str:
    return address if draw.chance(0.8) else f"{address[0].upper()}{address[1:]}"


def _mailto(address: str, locale: Locale, draw: Draw) -> str:
    label = draw.choice((address, address, locale.words["email"]))
    query = draw.choice(("", "", "", "?subject=Demo%20request"))
    href = address.replace("@", "%40") if draw.chance(0.1) else address
    return f'<a href="mailto:{href}{query}">{label}</a>'


def _cloudflare_hex(address: str, draw: Draw) -> str:
    key = draw.between(1, 255)
    return f"{key:02x}" + "".join(f"{byte ^ key:02x}" for byte in address.encode())


def _cloudflare(address: str, locale: Locale, draw: Draw) -> str:
    code = _cloudflare_hex(address, draw)
    return (
        f'<a href="/cdn-cgi/l/email-protection" class="__cf_email__" data-cfemail="{code}">'
        "[email&#160;protected]</a>"
    )


def _cloudflare_link(address: str, locale: Locale, draw: Draw) -> str:
    code = _cloudflare_hex(address, draw)
    return f'<a href="/cdn-cgi/l/email-protection#{code}">{locale.words["write"]}</a>'


def typo3_cipher(text: str, offset: int) -> str:
    return "".join(_rotated(ord(letter), offset) for letter in text)


def _rotated(code: int, offset: int) -> str:
    for low, high in _TYPO3_RANGES:
        if low <= code <= high:
            return chr(low + (code - low + offset) % (high - low + 1))
    return chr(code)


def _typo3_shown(address: str, locale: Locale, draw: Draw) -> str:
    return draw.choice(
        (address.replace("@", "(at)"), address.replace("@", "<span>(at)</span>"), locale.words["email"])
    )


def _typo3(address: str, locale: Locale, draw: Draw) -> str:
    token = typo3_cipher(f"mailto:{address}", 1)
    label = _typo3_shown(address, locale, draw)
    # Older versions wrote the call as it is, later ones escaped the quotes or the whole of it.
    call = draw.choice(
        (f"'{escape(token)}'", f"&#039;{escape(token)}&#039;", f"%27{quote(token, safe='')}%27")
    )
    return f'<a href="javascript:linkTo_UnCryptMailto({call});">{label}</a>'


def _typo3_token(address: str, locale: Locale, draw: Draw) -> str:
    offset = draw.between(1, 8)
    token = escape(typo3_cipher(f"mailto:{address}", offset))
    label = _typo3_shown(address, locale, draw)
    return f'<a href="#" data-mailto-token="{token}" data-mailto-vector="{offset}">{label}</a>'


def _entity_vowels(text: str) -> str:
    return "".join(f"&#{ord(letter)};" if letter in "aeiou" else letter for letter in text)


def _joomla(address: str, locale: Locale, draw: Draw) -> str:
    user, _, host = address.partition("@")
    stem, _, ending = host.rpartition(".")
    key = draw.hexes(32)
    return (
        f'<span id="cloak{key}">{locale.words["cloak"]}</span><script>\n'
        f"document.getElementById('cloak{key}').innerHTML = '';\n"
        "var prefix = '&#109;a' + 'i&#108;' + '&#116;o';\nvar path = 'hr' + 'ef' + '=';\n"
        f"var addy{key} = '{_entity_vowels(user)}' + '&#64;';\n"
        f"addy{key} = addy{key} + '{_entity_vowels(stem)}' + '&#46;' + '{_entity_vowels(ending)}';\n"
        f"document.getElementById('cloak{key}').innerHTML += '<a ' + path + '\\'' + prefix + ':' + addy{key}"
        f" + '\\'>' + addy{key} + '<\\/a>';\n</script>"
    )


def _base64(text: str) -> str:
    return b64encode(text.encode()).decode()


def _joomla_tag(address: str, locale: Locale, draw: Draw) -> str:
    user, _, host = address.partition("@")
    return (
        f'<joomla-hidden-mail is-link="1" is-email="1" first="{_base64(user)}" last="{_base64(host)}" '
        f'text="{_base64(address)}" base="">{locale.words["cloak"]}</joomla-hidden-mail>'
    )


def _rot13(address: str, locale: Locale, draw: Draw) -> str:
    link = f'<a href=\\"mailto:{address}\\">{address}</a>'.replace("/", "\\/")
    return f'<script>document.write("{recode(link, "rot13")}"{_ROT13_SCRIPT.format()});</script>'


def _entities(address: str, locale: Locale, draw: Draw) -> str:
    coded = "".join(
        draw.choice(("&#{:d};", "&#x{:x};", "&#{:03d};")).format(ord(letter)) for letter in address
    )
    colon = draw.choice(("mailto:", "&#109;&#97;&#105;&#108;&#116;&#111;&#58;"))
    return draw.choice((coded, f'<a href="{colon}{coded}">{coded}</a>'))


def _reversed(address: str, locale: Locale, draw: Draw) -> str:
    return f'<span style="unicode-bidi:bidi-override;direction:rtl">{address[::-1]}</span>'


def _split_tags(address: str, locale: Locale, draw: Draw) -> str:
    user, _, host = address.partition("@")
    stem, _, ending = host.rpartition(".")
    return draw.choice(
        (
            f"<span>{user}</span><span>@</span><span>{host}</span>",
            f"<b>{user}</b>@<i>{stem}</i><i>.{ending}</i>",
            f'{user}@<span style="display:none">nospam.</span>{host}',
            f"{user}<!-- no robots -->@<!-- please -->{host}",
        )
    )


def _data_attributes(address: str, locale: Locale, draw: Draw) -> str:
    user, _, host = address.partition("@")
    stem, _, ending = host.rpartition(".")
    label = locale.words["email"]
    return draw.choice(
        (
            f'<a class="mail" href="#" data-user="{user}" data-domain="{host}">{label}</a>',
            f'<a href="#" data-name="{user}" data-domain="{stem}" data-tld="{ending}">{label}</a>',
            f'<span class="mail-link" data-email="{address}">{label}</span>',
        )
    )


def _base64_attribute(address: str, locale: Locale, draw: Draw) -> str:
    return f'<a href="#" class="mail" data-email="{_base64(address)}">{locale.words["email"]}</a>'


def _script(address: str, locale: Locale, draw: Draw) -> str:
    user, _, host = address.partition("@")
    stem, _, ending = host.rpartition(".")
    write = """document.write('<a href="mailto:' + u + '@' + d + '">' + u + '@' + d + '</a>');"""
    return draw.choice(
        (
            f"<script>var u = '{user}'; var d = '{host}'; {write}</script>",
            f"<script>document.write('{user}' + '@' + '{stem}' + '.{ending}');</script>",
            f"<script>document.write('<a href=\"mailto:' + '{user}' + '&#64;' + '{host}' + '\">'"
            f" + '{locale.words['email']}</a>');</script>",
        )
    )


def _brackets(address: str, locale: Locale, draw: Draw) -> str:
    user, _, host = address.partition("@")
    turn = draw.below(len(locale.at_signs))
    at, dot = locale.at_signs[turn], locale.dot_signs[turn]
    return f"{user}{at}{host.replace('.', dot)}"


def _full_width(address: str, locale: Locale, draw: Draw) -> str:
    return address.replace("@", "\uff20")


def _zero_width(address: str, locale: Locale, draw: Draw) -> str:
    return address.replace("@", "\u200b@\u200b")


OBFUSCATORS: dict[str, Obfuscator] = {
    "text": _text,
    "mailto": _mailto,
    "cloudflare": _cloudflare,
    "cloudflare-link": _cloudflare_link,
    "typo3": _typo3,
    "typo3-token": _typo3_token,
    "joomla": _joomla,
    "joomla-tag": _joomla_tag,
    "rot13": _rot13,
    "entities": _entities,
    "reversed": _reversed,
    "split-tags": _split_tags,
    "data-attributes": _data_attributes,
    "base64": _base64_attribute,
    "script": _script,
    "brackets": _brackets,
    "full-width": _full_width,
    "zero-width": _zero_width,
}
