"""One other tool, in its own environment: reads pages named on standard input and writes what it finds."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from bench.extraction_worker import ADDRESS, EMAIL, SOCIAL, VISIBLE, named_beside_roles

Found = dict[str, list[Any]]
Read = Callable[[str, str | None], Found]
_PROFILE = re.compile(r"(?:facebook|instagram|linkedin|twitter|x|youtube|tiktok|pinterest)\.com/\w")


def visible_text(html: str) -> str:
    from parsel import Selector

    pieces = Selector(text=html).xpath(VISIBLE).getall()
    return "\n".join(filter(None, (piece.strip() for piece in pieces)))


def extract_emails() -> Read:
    from extract_emails.data_extractors.advanced_email_extractor import AdvancedEmailExtractor

    return lambda html, country: {"emails": sorted(AdvancedEmailExtractor().get_data(html))}


def phone_matcher() -> Read:
    """PhoneNumberMatcher over the visible text and over what the links call."""
    import phonenumbers
    from parsel import Selector

    def read(html: str, country: str | None) -> Found:
        called = Selector(text=html).css('a[href^="tel:"]::attr(href)').getall()
        text = "\n".join([visible_text(html), *(link[4:] for link in called)])
        matches = phonenumbers.PhoneNumberMatcher(text, country)
        e164 = phonenumbers.PhoneNumberFormat.E164
        return {"phones": sorted({phonenumbers.format_number(match.number, e164) for match in matches})}

    return read


def structured_data() -> Read:
    """extruct's JSON-LD and microdata."""
    import extruct

    def read(html: str, country: str | None) -> Found:
        found: Found = {"emails": [], "phones": [], "addresses": [], "socials": [], "people": []}
        try:
            data = extruct.extract(html, syntaxes=["json-ld", "microdata"], uniform=True, errors="ignore")
        except ValueError:
            return found
        for thing in _things(data):
            _read_thing(thing, found)
        return found

    return read


def _things(data: Any) -> Iterator[dict[str, Any]]:
    if isinstance(data, dict):
        yield data
        data = list(data.values())
    if isinstance(data, list):
        for one in data:
            yield from _things(one)


def _read_thing(thing: dict[str, Any], found: Found) -> None:
    kinds = str(thing.get("@type"))
    for name, field in (("email", "emails"), ("telephone", "phones"), ("sameAs", "socials")):
        values = thing.get(name) or []
        found[field] += [str(value) for value in (values if isinstance(values, list) else [values])]
    if "PostalAddress" in kinds:
        parts = ("streetAddress", "postalCode", "addressLocality")
        found["addresses"].append(" ".join(str(thing.get(part) or "") for part in parts))
    if "Person" in kinds and thing.get("name"):
        role, email = str(thing.get("jobTitle") or ""), str(thing.get("email") or "")
        found["people"].append({"name": str(thing["name"]), "role": role, "email": email})


def address_library() -> Read:
    import pyap

    def read(html: str, country: str | None) -> Found:
        if country not in ("US", "CA", "GB"):
            return {"addresses": []}
        return {"addresses": [str(one) for one in pyap.parse(visible_text(html), country=country)]}

    return read


def plain_patterns() -> Read:
    """What people write themselves: a pattern for each field."""

    def read(html: str, country: str | None) -> Found:
        text = visible_text(html)
        return {
            "emails": sorted({found.lower() for found in EMAIL.findall(html)}),
            "socials": sorted(set(SOCIAL.findall(html))),
            "addresses": [match[0] for match in ADDRESS.finditer(text)],
            "people": [{"name": name} for name in sorted(named_beside_roles(text))],
        }

    return read


def crawl4ai() -> Read:
    from crawl4ai.extraction_strategy import RegexExtractionStrategy as Strategy

    pattern = Strategy.Email | Strategy.PhoneIntl | Strategy.PhoneUS | Strategy.Url
    strategy = Strategy(pattern=pattern, input_format="html")

    def read(html: str, country: str | None) -> Found:
        found: Found = {"emails": [], "phones": [], "socials": []}
        for one in strategy.extract("", html):
            label, value = one["label"], one["value"]
            if label == "email":
                found["emails"].append(value.lower())
            elif label.startswith("phone"):
                found["phones"].append(value)
            elif label == "url" and _PROFILE.search(value):
                found["socials"].append(value)
        return found

    return read


TOOLS: dict[str, Callable[[], Read]] = {
    "extract-emails": extract_emails, "phonenumbers": phone_matcher, "extruct": structured_data,
    "pyap2": address_library, "plain patterns": plain_patterns, "crawl4ai": crawl4ai,
}  # fmt: skip


def main(name: str) -> None:
    read = TOOLS[name]()
    for line in sys.stdin:
        page = json.loads(line)
        html = Path(page["path"]).read_bytes().decode("utf-8", "replace").replace("\0", "") or "<p></p>"
        print(json.dumps({"id": page["id"], **read(html, page["country"])}))


if __name__ == "__main__":
    main(sys.argv[1])
