"""What the peers read with: the usual patterns for addresses and numbers, and the words of promising pages.

It runs in the peers' own environments; the usual parts are there with Scrapy alone.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterable
from urllib.parse import unquote, urljoin, urlsplit

EMAIL = re.compile(r"[A-Za-z0-9._%+-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*\.[A-Za-z]{2,24}")
PHONE = re.compile(r"(?<![\w/.])\+\d[\d ()./-]{7,20}\d(?!\w)")
TEL = re.compile(r"""href=["']tel:([^"']+)""", re.IGNORECASE)
LINK = re.compile(r"""<a\s[^>]*href=["']([^"'#]+)""", re.IGNORECASE)
LOCATION = re.compile(r"<loc>\s*(?:<!\[CDATA\[)?\s*([^<\]]+)", re.IGNORECASE)
# The words by which our own page types know contact, imprint, team and about pages.
PROMISING = re.compile(
    r"contact|kontakt|contatt|contato|impressum|imprint|mentions-legales|aviso-legal|note-legali|legal"
    r"|about|ueber-uns|uber-uns|a-propos|chi-siamo|sobre|quienes|equip|team|staff|o-nas|om-oss|over-ons"
    r"|colofon|tietoa|yhteys|meist|iletisim|hakkimizda|kunnande|quem-somos|nosotros|privacy|datenschutz",
    re.IGNORECASE,
)
FILES = (".jpg", ".png", ".webp", ".svg", ".gif", ".pdf", ".css", ".js", ".xml", ".gz", ".zip", ".ico")
OTHERS = 10
USUAL = ("/sitemap.xml", "/sitemap_index.xml", "/wp-sitemap.xml")
MOST_SITEMAPS = 20


def values_in(text: str) -> list[str]:
    """E-mail addresses and international numbers of a page, as the usual patterns see them."""
    page = html.unescape(text)
    emails = {found.lower() for found in EMAIL.findall(page) if not found.lower().endswith(FILES)}
    numbers = {_plain(found) for found in (*PHONE.findall(page), *TEL.findall(page))}
    return sorted(emails | {number for number in numbers if 8 <= len(number) <= 16})


def usual_reader() -> Callable[[str], list[str]]:
    """Reads a page as careful users of Scrapy do: selectors, a mail pattern, phone matcher, JSON-LD."""
    import extruct
    import phonenumbers
    from parsel import Selector

    def e164(number: phonenumbers.PhoneNumber) -> str:
        return str(phonenumbers.format_number(number, phonenumbers.PhoneNumberFormat.E164))

    def read(text: str) -> list[str]:
        selector = Selector(text=text or "<p></p>")
        visible = "\n".join(
            selector.xpath("//body//text()[not(ancestor::script or ancestor::style)]").getall()
        )
        links = selector.css("a::attr(href)").getall()
        emails = {found.lower() for found in EMAIL.findall(visible) if not found.lower().endswith(FILES)}
        emails |= {link[7:].partition("?")[0].lower() for link in links if link.lower().startswith("mailto:")}
        numbers = {e164(match.number) for match in phonenumbers.PhoneNumberMatcher(visible, None)}
        numbers |= {_plain(link[4:]) for link in links if link.lower().startswith("tel:")} - {""}
        try:
            things = extruct.extract(text, syntaxes=["json-ld"])["json-ld"]
        except ValueError:
            things = []
        for thing in things:
            emails |= {found.lower() for found in EMAIL.findall(str(thing.get("email", "")))}
            numbers |= {_plain(str(thing.get("telephone", "")))} - {""}
        return sorted(emails | numbers)

    return read


def _plain(number: str) -> str:
    digits = re.sub(r"\D", "", unquote(number).replace("(0)", ""))
    return f"+{digits}" if number.strip().startswith(("+", "%2B")) else ""


def promising_links(text: str, base: str) -> list[str]:
    """Links of a home page to pages of the same host that promise contacts."""
    host = host_of(base)
    links = dict.fromkeys(urljoin(base, html.unescape(link.strip())) for link in LINK.findall(text))
    return [url for url in links if host_of(url) == host and PROMISING.search(urlsplit(url).path)][:20]


def listed(text: str) -> tuple[list[str], list[str]]:
    """Other sitemaps and pages that a sitemap lists; plain text and feeds are read too."""
    if "<sitemapindex" in text[:2_000]:
        return [html.unescape(url.strip()) for url in LOCATION.findall(text)], []
    urls = LOCATION.findall(text) or re.findall(r"<link>\s*([^<]+)", text)
    if not urls and "<" not in text[:200]:
        urls = [line for line in text.splitlines() if line.startswith("http")]
    return [], [html.unescape(url.strip()) for url in urls]


def chosen(urls: Iterable[str], host: str) -> list[str]:
    """The promising pages of a sitemap, and some of the others, the shortest paths first."""
    own = [url for url in dict.fromkeys(urls) if host_of(url) == host and not url.lower().endswith(FILES)]
    first = [url for url in own if PROMISING.search(urlsplit(url).path)]
    others = sorted(
        (url for url in own if url not in set(first)), key=lambda url: urlsplit(url).path.count("/")
    )
    return first + others[:OTHERS]


def host_of(url: str) -> str:
    return (urlsplit(url).hostname or "").removeprefix("www.")
