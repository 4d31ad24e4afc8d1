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
EMAIL = re.compile(r"[a-zA-Z0-9._%+-]+@[a-zA-Z0-9.-]+\.[a-zA-Z]{2,}")
SOCIAL = re.compile(
    r"https?://(?:www\.)?(?:facebook|instagram|linkedin|twitter|x|youtube|tiktok)\.com/[^\s\"'<>]+"
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
    from scrapersky.extract.findings import Hints
    from scrapersky.extract.page import read_page

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


def forget() -> None:
    """Empty what our extractors remember of earlier pages, so that no page gains from being read again."""
    modules = [module for name, module in sys.modules.items() if name.startswith("scrapersky.extract.")]
    for value in [value for module in modules for value in vars(module).values()]:
        if hasattr(value, "cache_parameters") and (value.cache_parameters()["maxsize"] or 0) > 1:
            value.cache_clear()


def parts_of_ours(pages: list[Page]) -> dict[str, float]:
    """CPU seconds of each of our extractors over all pages."""
    from scrapersky.extract import page as whole
    from scrapersky.extract.findings import Hints

    names = ("read_document", "judged_emails", "phones_in", "addresses_in", "socials_in", "people_in",
             "page_metadata_of")  # fmt: skip
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


def parsel_pipeline() -> Callable[[Page], Counts]:
    """The usual parts for the same fields: Scrapy's selectors, patterns, the phone matcher, extruct."""
    import extruct
    import phonenumbers
    from parsel import Selector
    from w3lib.html import get_base_url

    def read(page: Page) -> Counts:
        html = page[0].decode("utf-8", "replace").replace("\0", "") or "<p></p>"
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
        phones = {link[4:] for link in links if link.lower().startswith("tel:")}
        for match in phonenumbers.PhoneNumberMatcher(text, page[1]):
            phones.add(phonenumbers.format_number(match.number, phonenumbers.PhoneNumberFormat.E164))
        socials = set(SOCIAL.findall(html))
        try:
            things = extruct.extract(html, base_url=get_base_url(html, ""), syntaxes=["json-ld"])["json-ld"]
        except ValueError:
            things = []
        addresses = sum("PostalAddress" in str(thing) for thing in things)
        people = sum("'Person'" in str(thing) for thing in things)
        return {
            "e-mails": len(emails), "phones": len(phones), "socials": len(socials), "addresses": addresses,
            "people": people, "metas": sum(map(bool, said)), "links": len(links),
        }  # fmt: skip

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


CONTESTANTS = {"ours": ours, "parsel": parsel_pipeline, "crawl4ai": crawl4ai_patterns}


def main(who: str, folder: str) -> None:
    pages = load(Path(folder))
    answer: dict[str, Any] = {"pages": len(pages), "bytes": sum(len(body) for body, _ in pages)}
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
        forget()
        started = time.process_time()
        for page in pages:
            for kind, number in read(page).items():
                totals[kind] = totals.get(kind, 0) + number
        answer.update(seconds=time.process_time() - started, found=totals)
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
