"""One contestant of the extraction benchmark: reads all pages when told to, and says how long it took."""

from __future__ import annotations

import json
import re
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

Page = tuple[bytes, str | None]
Counts = dict[str, int]
LARGE = 50_000  # Bytes: pages of the web are larger as a rule, most of our labelled ones smaller.
EMAIL = re.compile(r"[a-zA-Z0-9._%+-]+@[a-zA-Z0-9.-]+\.[a-zA-Z]{2,}")
SOCIAL = re.compile(
    r"https?://(?:www\.)?(?:facebook|instagram|linkedin|twitter|x|youtube|tiktok)\.com/[^\s\"'<>]+"
)
# Where the address library knows no rules: a street with a number, then a postcode and a city.
ADDRESS = re.compile(
    r"(?P<street>[A-ZÀ-Ž][^\W\d_][^\n\t@:]{2,50}?,? \d{1,4} ?[a-zA-Z]?)[,\n\t –-]{1,4}"
    r"(?P<postcode>(?:[A-Z]{1,2}-)?\d{4,5}(?: ?[A-Z]{2}\b|-\d{3})?) (?P<city>[A-ZÀ-Ž][^\n\t\d,;@|]{1,40})"
    r"|(?P<number>\d{1,4}) ?(?:bis|ter)?,? (?P<name>[^\W\d_][^\n\t@:\d]{4,60})[,\n\t –-]{1,4}"
    r"(?P<code>\d{5}) (?P<town>[A-ZÀ-Ž][^\n\t\d,;@|]{1,40})"
)
NAME = re.compile(
    r"(?:(?:Dr|Prof|Mr|Mrs|Ms|Herr|Frau|Mme|Sig|Ing|Mag)\.? )*[A-ZÀ-Ž][\w'’-]+\.?"
    r"(?: (?:van|von|de|der|di|da|del))*(?: [A-ZÀ-Ž][\w'’.-]+){1,3}"
)
ROLE = re.compile(
    r"\b(?:ceo|cto|cfo|founder|owner|director|manager|president|chair\w*|secretary|treasurer|partner|head of"
    r"|geschäftsführ\w*|inhaber\w*|vorstand\w*|leit\w*|vorsitzend\w*|gérant\w*|direct\w*|président\w*"
    r"|responsable|gerente|titolare|amministrator\w*|presidente|socio|eigenaar|właściciel|jednatel|attorney"
    r"|lawyer|doctor|engineer|coordinator|teacher|pastor|trainer|berater\w*|assistent\w*)\b",
    re.I,
)
VISIBLE = (
    "//body//text()[not(ancestor::script or ancestor::style or ancestor::noscript or ancestor::template"
    " or ancestor::svg or ancestor::iframe)]"
)


def load(folder: Path) -> list[Page]:
    """The pages of a folder, each with its country where a label tells it."""
    countries: dict[str, str] = {}
    labels = folder.parent / "gold.json"
    if labels.is_file():
        countries = {page["id"]: page["country"] for page in json.loads(labels.read_text("utf-8"))["pages"]}
    pages = []
    for path in sorted(folder.rglob("*.html")):
        own = path.with_name("expected.json")
        country = json.loads(own.read_text("utf-8"))["country"] if own.is_file() else countries.get(path.stem)
        pages.append((path.read_bytes(), country))
    return pages


def ours() -> Callable[[Page], Counts]:
    from scrapersky.extract.page import read_page
    from scrapersky.extract.results import Hints

    def read(page: Page) -> Counts:
        found = read_page(page[0], Hints(page[1]))
        meta = found.metadata
        said = (meta.title, meta.meta_description, found.document.lang, meta.favicon_url, meta.generator)
        return {
            "e-mails": len(found.emails), "phones": len(found.phones), "socials": len(found.socials),
            "addresses": len(found.addresses), "people": len(found.people),
            "metas": sum(map(bool, said)), "links": len(found.document.links),
        }  # fmt: skip

    return read


def ours_few() -> Callable[[Page], Counts]:
    """Only what the plain pipeline finds: no addresses and no people in the text."""
    from scrapersky.extract.country import detect_country
    from scrapersky.extract.emails import find_emails
    from scrapersky.extract.html import parse_document
    from scrapersky.extract.html.structured_data import types_of
    from scrapersky.extract.metadata import read_page_metadata
    from scrapersky.extract.phones import find_phones
    from scrapersky.extract.results import Hints
    from scrapersky.extract.socials import find_socials

    def read(page: Page) -> Counts:
        document, hints = parse_document(page[0]), Hints(page[1])
        emails = find_emails(document, hints)[0]
        phones = find_phones(document, hints, country=detect_country(document, hints))
        socials, meta = find_socials(document, hints), read_page_metadata(document, hints)
        said = (meta.title, meta.meta_description, document.lang, meta.favicon_url, meta.generator)
        return {
            "e-mails": len(emails), "phones": len(phones), "socials": len(socials),
            "addresses": sum("PostalAddress" in types_of(thing) for thing in document.things),
            "people": sum("Person" in types_of(thing) for thing in document.things),
            "metas": sum(map(bool, said)), "links": len(document.links),
        }  # fmt: skip

    return read


def forget() -> None:
    """Empty what our extractors remember of earlier pages, so that no page gains from being read again."""
    modules = [module for name, module in sys.modules.items() if name.startswith("scrapersky.extract.")]
    for value in [value for module in modules for value in vars(module).values()]:
        if hasattr(value, "cache_parameters") and (value.cache_parameters()["maxsize"] or 0) > 1:
            value.cache_clear()
        elif callable(getattr(value, "forget", None)) and not isinstance(value, type):
            value.forget()


def parts_of_ours(pages: list[Page]) -> dict[str, float]:
    """CPU seconds of each of our extractors over all pages."""
    from scrapersky.extract import page as whole
    from scrapersky.extract.results import Hints

    names = ("parse_document", "find_emails", "find_phones", "find_addresses", "find_socials", "find_people",
             "read_page_metadata")  # fmt: skip
    spent = dict.fromkeys(names, 0.0)

    def timed(name: str) -> Callable[..., Any]:
        inner = getattr(whole, name)

        def run(*arguments: Any, **named: Any) -> Any:
            started = time.process_time()
            result = inner(*arguments, **named)
            spent[name] += time.process_time() - started
            return result

        return run

    for name in names:
        setattr(whole, name, timed(name))
    forget()
    for body, country in pages:
        whole.read_page(body, Hints(country))
    return spent


def parsel_few() -> Callable[[Page], Counts]:
    """The usual parts: Scrapy's selectors, patterns, phone matcher, extruct; places from JSON-LD alone."""
    read = _parsel_reader()
    return lambda page: read(page)[0]


def parsel_all() -> Callable[[Page], Counts]:
    """The same with addresses and people in the text: by a library of patterns, and by plain patterns."""
    import pyap

    read = _parsel_reader()

    def read_all(page: Page) -> Counts:
        counts, text = read(page)
        country = {"UK": "GB"}.get(page[1] or "", page[1])
        if country in ("US", "CA", "GB"):
            addresses = len(pyap.parse(text, country=country))
        else:
            addresses = sum(1 for _ in ADDRESS.finditer(text))
        counts["addresses"] += addresses
        counts["people"] += len(named_beside_roles(text))
        return counts

    return read_all


def named_beside_roles(text: str) -> set[str]:
    """Lines that are a name and stand beside a role, or on one line with it."""
    lines = text.split("\n")
    found = set()
    for number, line in enumerate(lines):
        if len(line) > 80 or not NAME.match(line):
            continue
        if NAME.fullmatch(line):
            beside = lines[max(0, number - 1) : number] + lines[number + 1 : number + 2]
            if any(len(other) <= 80 and ROLE.search(other) for other in beside):
                found.add(line)
        else:
            name, _, rest = line.partition(",")
            if rest and NAME.fullmatch(name) and ROLE.search(rest):
                found.add(name)
    for line in lines:
        label, colon, rest = line.partition(":")
        if colon and len(line) <= 120 and ROLE.search(label) and (name_after := NAME.match(rest.strip())):
            found.add(name_after.group())
    return found


def _parsel_reader() -> Callable[[Page], tuple[Counts, str]]:
    import extruct
    import phonenumbers
    from parsel import Selector
    from w3lib.encoding import html_to_unicode
    from w3lib.html import get_base_url

    def number_of(written: str, country: str | None) -> str:
        """A number from a link, kept when it exists."""
        try:
            number = phonenumbers.parse(written, country)
        except phonenumbers.NumberParseException:
            return ""
        known = phonenumbers.is_valid_number(number)
        return phonenumbers.format_number(number, phonenumbers.PhoneNumberFormat.E164) if known else ""

    def read(page: Page) -> tuple[Counts, str]:
        html = html_to_unicode(None, page[0])[1].replace("\0", "") or "<p></p>"
        selector = Selector(text=html)
        links = selector.css("a::attr(href), area::attr(href)").getall()
        text = "\n".join(filter(None, (piece.strip() for piece in selector.xpath(VISIBLE).getall())))
        said = (
            selector.css("title::text").get(), selector.css("meta[name=description]::attr(content)").get(),
            selector.xpath("/html/@lang").get(), selector.css("link[rel*=icon]::attr(href)").get(),
            selector.css("meta[name=generator]::attr(content)").get(),
        )  # fmt: skip
        emails = {found.lower() for found in EMAIL.findall(html)}
        emails |= {link[7:].split("?")[0].lower() for link in links if link.lower().startswith("mailto:")}
        phones = {number_of(link[4:], page[1]) for link in links if link.lower().startswith("tel:")} - {""}
        for match in phonenumbers.PhoneNumberMatcher(text, page[1]):
            phones.add(phonenumbers.format_number(match.number, phonenumbers.PhoneNumberFormat.E164))
        socials = set(SOCIAL.findall(html))
        try:
            things = extruct.extract(html, base_url=get_base_url(html, ""), syntaxes=["json-ld"])["json-ld"]
        except ValueError:
            things = []
        counts = {
            "e-mails": len(emails), "phones": len(phones), "socials": len(socials),
            "addresses": sum("PostalAddress" in str(thing) for thing in things),
            "people": sum("'Person'" in str(thing) for thing in things),
            "metas": sum(map(bool, said)), "links": len(links),
        }  # fmt: skip
        return counts, text

    return read


def crawl4ai_patterns() -> Callable[[Page], Counts]:
    from crawl4ai.extraction_strategy import RegexExtractionStrategy

    strategy = RegexExtractionStrategy(
        pattern=RegexExtractionStrategy.Email
        | RegexExtractionStrategy.PhoneIntl
        | RegexExtractionStrategy.PhoneUS
        | RegexExtractionStrategy.Url
        | RegexExtractionStrategy.TwitterHandle,
        input_format="html",
    )

    def read(page: Page) -> Counts:
        labels = [found["label"] for found in strategy.extract("", page[0].decode("utf-8", "replace"))]
        return {
            "e-mails": labels.count("email"),
            "phones": sum(label.startswith("phone") for label in labels),
        }

    return read


CONTESTANTS = {
    "ours": ours, "ours, few fields": ours_few, "parsel": parsel_all, "parsel, few fields": parsel_few,
    "crawl4ai": crawl4ai_patterns,
}  # fmt: skip


def main(who: str, folder: str) -> None:
    pages = load(Path(folder))
    answer: dict[str, Any] = {}
    for size, kept in (("small", range(LARGE)), ("large", range(LARGE, sys.maxsize))):
        sizes = [len(body) for body, _ in pages if len(body) in kept]
        answer[size] = {"pages": len(sizes), "bytes": sum(sizes)}
    try:
        read = CONTESTANTS[who]()
    except ImportError as fault:
        print(json.dumps({"error": str(fault)}), flush=True)
        return
    for line in sys.stdin:
        if line.strip() == "parts":
            print(json.dumps(parts_of_ours(pages)), flush=True)
            continue
        totals: Counts = {}
        seconds = {"small": 0.0, "large": 0.0}
        forget()
        for page in pages:
            started = time.process_time()
            found = read(page)
            seconds["large" if len(page[0]) >= LARGE else "small"] += time.process_time() - started
            for kind, number in found.items():
                totals[kind] = totals.get(kind, 0) + number
        answer.update(seconds=seconds, found=totals)
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
