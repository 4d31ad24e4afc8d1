"""The invented businesses of the demo world and the websites that listings give for them."""

from collections.abc import Iterator
from dataclasses import dataclass

from scrapersky_demo.businesses.phone_book import Line, PhoneBook, fill_pattern
from scrapersky_demo.draws import Draw, deal
from scrapersky_demo.locales import LOCALES
from scrapersky_demo.locales.locale import City, Locale, slugify

WEBSITES = {"own": 82, "platform": 7, "none": 7, "shared": 4}
PLATFORMS = (
    "https://www.facebook.com/{slug}.demo",
    "https://www.instagram.com/{slug}_demo/",
    "https://m.facebook.com/profile.php?id=1000{digits}",
    "https://linktr.ee/{slug}demo",
    "https://www.yelp.com/biz/{slug}-demo",
)


@dataclass(frozen=True, slots=True)
class Business:
    """One listing: what a place search would return, plus the lines its own website shows."""

    id: str
    serial: int
    name: str
    kind: str
    label: str
    locale: Locale
    city: City
    street: str
    number: str
    postcode: str
    main_line: Line
    fax_line: Line
    mobile_lines: tuple[Line, ...]
    latitude: float
    longitude: float
    rating: float
    reviews: int
    website: str
    host: str

    @property
    def address_lines(self) -> tuple[str, ...]:
        shape = self.locale.address.format(
            number=self.number,
            street=self.street,
            city=self.city.name,
            region=self.city.region,
            postcode=self.postcode,
        )
        return tuple(shape.split("|"))

    @property
    def street_line(self) -> str:
        return self.address_lines[0]

    @property
    def address(self) -> str:
        return ", ".join(self.address_lines)


def businesses(seed: int, size: int) -> Iterator[Business]:
    """`size` businesses, country after country in turn, so that a small world is mixed too."""
    book, hosts, lonely = PhoneBook(), set[str](), dict[str, str]()
    for serial in range(size):
        locale = LOCALES[serial % len(LOCALES)]
        draw = Draw(seed, "business", serial)
        city, name, kind = _who(draw, locale)
        website, host = _website(seed, serial, draw, locale, name, hosts, lonely)
        yield Business(
            id=f"demo-{seed}-{serial:06d}",
            serial=serial,
            name=name,
            kind=kind,
            label=locale.kind_by_key[kind].label,
            locale=locale,
            city=city,
            street=draw.choice(locale.streets),
            number=str(draw.between(1, 180)),
            postcode=fill_pattern(city.postcode, "1" + draw.digits(6)),
            main_line=book.line(locale, city),
            fax_line=book.line(locale, city),
            mobile_lines=(book.mobile(locale), book.mobile(locale)),
            latitude=round(city.latitude + draw.below(900) / 10_000, 6),
            longitude=round(city.longitude + draw.below(900) / 10_000, 6),
            rating=draw.between(28, 50) / 10,
            reviews=draw.below(400),
            website=website,
            host=host,
        )


def _who(draw: Draw, locale: Locale) -> tuple[City, str, str]:
    city, kind = draw.choice(locale.cities), draw.choice(locale.kinds)
    family, family2 = draw.sample(locale.family, 2)
    name = draw.choice(locale.names).format(
        brand=draw.choice(locale.brands), label=kind.label, family=family, family2=family2, city=city.name
    )
    return city, f"{name} {draw.choice(locale.legal_forms)}".strip(), kind.key


def _website(
    seed: int, serial: int, draw: Draw, locale: Locale, name: str, hosts: set[str], lonely: dict[str, str]
) -> tuple[str, str]:
    """The website as listed and its host; `lonely` holds one host per country that may be shared."""
    choice = deal(WEBSITES, seed, "website", serial)
    if choice == "none":
        return "", ""
    if choice == "platform":
        slug = slugify(name).replace("-", "")
        return draw.choice(PLATFORMS).format(slug=slug, digits=draw.digits(11)), ""
    if choice == "shared" and locale.tag in lonely:
        host = lonely.pop(locale.tag)
        return f"http://{host}/", host
    host, listed_host = _free_host(draw, locale, name, hosts)
    lonely[locale.tag] = host
    return _as_listed(draw, listed_host), host


def _free_host(draw: Draw, locale: Locale, name: str, hosts: set[str]) -> tuple[str, str]:
    ending = draw.choice(locale.host_endings)
    plain = slugify(name)[:44].strip("-")
    wide = "-".join("".join(letter if letter.isalnum() else " " for letter in name.lower()).split())
    if draw.chance(0.06) and not wide.isascii() and len(wide) < 40 and "ß" not in wide:
        plain = wide
    stem, turn = plain, 1
    while _ascii(stem + ending) in hosts:
        turn += 1
        stem = f"{plain}-{turn}"
    host = _ascii(stem + ending)
    hosts.add(host)
    return host, stem + ending


def _ascii(host: str) -> str:
    return host.encode("idna").decode("ascii")


def _as_listed(draw: Draw, host: str) -> str:
    """Listings spell the same website in many ways."""
    forms = (
        "http://{}/",
        "http://www.{}/",
        "http://{}",
        "https://www.{}/?utm_source=gmb",
        "{}",
        "HTTP://{}/index",
    )
    return draw.choice(forms).format(host)
