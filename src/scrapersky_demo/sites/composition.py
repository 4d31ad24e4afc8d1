"""Decides what a site shows where: its addresses, lines, people and profiles, and the traps beside them."""

from collections import defaultdict
from html import escape
from json import dumps

from scrapersky_demo.businesses.business import Business
from scrapersky_demo.businesses.phone_book import Line, international
from scrapersky_demo.locales.locale import slugify
from scrapersky_demo.sites.layout import SitePage
from scrapersky_demo.sites.obfuscation import obfuscate
from scrapersky_demo.sites.people import Employee, people_of
from scrapersky_demo.sites.placement import Placement
from scrapersky_demo.sites.plan import Plan
from scrapersky_demo.sites.traps import agency, hoster

STRUCTURED = ("json-ld", "microdata")
_PROFILES = (
    "https://www.facebook.com/{}.demo",
    "https://www.instagram.com/{}.demo/",
    "https://www.linkedin.com/company/{}-demo",
    "https://www.youtube.com/@{}demo",
    "https://x.com/{}_demo",
)


class Composition:
    """What is shown on each page of one site, collected while it is decided."""

    def __init__(self, plan: Plan, pages: dict[str, SitePage]) -> None:
        self.plan = plan
        self.placements: list[Placement] = []
        self.blocks: dict[tuple[str, str], list[str]] = defaultdict(list)
        self._draw = plan.draw("composition")
        self._paths = {page.kind: page.path for page in reversed(pages.values())}
        self.mail_domain, self.primary = self._mailbox()
        self.people = people_of(plan, self.mail_domain)
        self._compose()

    def path(self, kind: str) -> str:
        """The page of this kind, or the home page when the site has none."""
        return self._paths.get(kind, "/")

    def lines(self, path: str, slot: str) -> list[Placement]:
        return [
            placement for placement in self.placements if placement.path == path and placement.slot == slot
        ]

    def _mailbox(self) -> tuple[str, str]:
        plan, owner = self.plan, self.plan.owners[0]
        if plan.host.startswith("xn--") or self._draw.chance(0.1):
            domain = self._draw.choice(plan.locale.free_mail)
            return domain, f"{slugify(owner.name).replace('-', '')[:18]}.demo{owner.serial}@{domain}"
        return plan.host, f"{self._draw.choice(plan.locale.role_mailboxes)}@{plan.host}"

    def _compose(self) -> None:
        owner = self.plan.owners[0]
        self._compose_mail()
        self._compose_lines(owner)
        self._compose_address(owner)
        self._compose_profiles(owner)
        self._compose_people()
        for other in self.plan.owners[1:]:
            self._compose_second(other)
        self._compose_structured(owner)
        self._compose_boilerplate()

    def _compose_mail(self) -> None:
        draw, word = self._draw, self.plan.locale.words
        if self.plan.obfuscation not in STRUCTURED:
            self.show_email(self.primary, "contact", "contact", "role")
        if draw.chance(0.6):
            self.show_email(self.primary, "home", "footer", "role", again=True)
        if draw.chance(0.7):
            self.show_email(self.primary, "legal", "legal", "role", again=True)
        own = self.mail_domain == self.plan.host
        for kind, local, label, share in (
            ("career", "jobs", word["apply"], 0.9),
            ("service", "service", word["questions"], 0.2),
            ("privacy", "privacy", word["email"], 0.2),
        ):
            if own and kind in self._paths and draw.chance(share):
                self.show_email(f"{local}@{self.mail_domain}", kind, "note", "role", label=label)
        if own and draw.chance(0.1):
            self.show_email(f"noreply@{self.plan.host}", "privacy", "note", "no-reply", label=word["noreply"])

    def show_email(
        self,
        address: str,
        page: str,
        slot: str,
        detail: str,
        *,
        label: str = "",
        again: bool = False,
        person: str = "",
    ) -> None:
        """Shows an address by the site's own method; a second place may use a plainer one."""
        method = self.plan.obfuscation
        if again and not self.plan.steady:
            method = self._draw.choice(("mailto", "text"))
        if method in STRUCTURED:
            if again and self.plan.steady:
                return
            method = "mailto"
        self.placements.append(
            Placement(
                kind="email",
                value=address,
                path=self.path(page),
                slot=slot,
                method=method,
                markup=obfuscate(method, address, self.plan.locale, self._draw),
                detail=detail,
                standing="optional" if detail == "no-reply" else "expected",
                label=label or self.plan.locale.words["email"],
                person=person,
            )
        )

    def _compose_lines(self, owner: Business) -> None:
        draw = self._draw
        self.show_phone(owner.main_line, "contact", "contact", "phone")
        for page, slot, share in (("home", "header", 0.4), ("home", "footer", 0.5), ("legal", "legal", 0.7)):
            if draw.chance(share):
                self.show_phone(owner.main_line, page, slot, "phone")
        if draw.chance(0.3):
            self.show_phone(
                owner.fax_line, draw.choice(("contact", "legal")), "contact", "fax", standing="optional"
            )
        if draw.chance(0.3) and not any(person.line for person in self.people):
            self.show_phone(owner.mobile_lines[0], "contact", "contact", "mobile")

    def show_phone(
        self, line: Line, page: str, slot: str, detail: str, *, standing: str = "expected", person: str = ""
    ) -> None:
        method = self._draw.choice(("tel", "tel", "text", "text", "international", "whatsapp"))
        if method == "whatsapp" and detail != "mobile":
            method = "tel"
        if detail == "fax" and method != "international":
            method = "text"
        self.placements.append(
            Placement(
                kind="phone",
                value=line.e164,
                path=self.path(page),
                slot="legal" if slot == "contact" and page == "legal" else slot,
                method=method,
                markup=self._phone_markup(method, line),
                detail=detail,
                standing=standing,
                label=self.plan.locale.words[detail],
                person=person,
            )
        )

    def _phone_markup(self, method: str, line: Line) -> str:
        international_form = international(self.plan.locale, line.national, with_zero=self._draw.chance(0.3))
        if method == "tel":
            return f'<a href="tel:{line.e164}">{self._draw.choice((line.national, international_form))}</a>'
        if method == "whatsapp":
            return f'<a href="https://wa.me/{line.e164[1:]}">WhatsApp</a>'
        return line.national if method == "text" else international_form

    def _compose_address(self, owner: Business) -> None:
        for page, slot, share in (
            ("contact", "contact", 0.95),
            ("home", "footer", 0.5),
            ("legal", "legal", 0.8),
        ):
            if self._draw.chance(share):
                self.show_address(owner, page, slot)

    def show_address(self, owner: Business, page: str, slot: str) -> None:
        markup = "<br>".join(escape(line) for line in owner.address_lines)
        label = self.plan.locale.words["address"]
        self.placements.append(
            Placement("address", owner.address, self.path(page), slot, "text", markup, label=label)
        )

    def _compose_profiles(self, owner: Business) -> None:
        if not self._draw.chance(0.7):
            return
        handle = slugify(owner.name).replace("-", "")[:24] + str(owner.serial)
        for shape in self._draw.sample(_PROFILES, self._draw.between(1, 3)):
            url = shape.format(handle)
            name = url.split("/")[2].removeprefix("www.").partition(".")[0].capitalize()
            markup = f'<a class="social" href="{url}" rel="me noopener" target="_blank">{name}</a>'
            self.placements.append(
                Placement("social", url, "/", "footer", "link", markup, detail=name.lower())
            )

    def _compose_people(self) -> None:
        word, leader = self.plan.locale.words, self.people[0]
        self.placements.append(
            Placement(
                "person",
                leader.name,
                self.path("legal"),
                "legal",
                "text",
                leader.name,
                label=word["manager"],
                role=word["manager"],
                person=leader.name,
            )
        )
        if "team" in self._paths:
            for person in self.people:
                self._compose_person(person)

    def _compose_person(self, person: Employee) -> None:
        path = self.path("team")
        self.placements.append(
            Placement(
                "person", person.name, path, "team", "card", person.name, role=person.role, person=person.name
            )
        )
        if person.email:
            self.show_email(person.email, "team", "team", "person", person=person.name)
        if person.line:
            self.show_phone(person.line, "team", "team", "mobile", person=person.name)

    def _compose_second(self, other: Business) -> None:
        self.blocks[self.path("location"), "location"].append(f"<h3>{escape(other.name)}</h3>")
        self.show_phone(other.main_line, "location", "location", "phone")
        self.show_address(other, "location", "location")

    def _compose_structured(self, owner: Business) -> None:
        """Machine-readable data; it holds the address only on sites whose method that is."""
        method = self.plan.obfuscation if self.plan.obfuscation in STRUCTURED else "json-ld"
        with_email = self.plan.obfuscation in STRUCTURED
        if with_email or self._draw.chance(0.35):
            path = self.path("contact") if with_email else "/"
            make = _json_ld if method == "json-ld" else _microdata
            block, fragments = make(self.plan, owner, self.primary if with_email else "")
            self.blocks[path, "head" if method == "json-ld" else "structured"].append(block)
            for kind, value, markup in fragments:
                detail = "role" if kind == "email" else kind
                self.placements.append(
                    Placement(kind, value, path, "structured", method, markup, detail=detail)
                )

    def _compose_boilerplate(self) -> None:
        plan, draw = self.plan, self._draw
        if plan.agency is not None:
            firm = agency(plan.seed, plan.agency)
            self._show_trap(
                "footer", "/", firm.email, f'<a href="mailto:{firm.email}">{firm.email}</a>', "agency"
            )
            if draw.chance(0.5):
                self._show_trap("footer", "/", firm.e164, firm.phone, "agency")
        if draw.chance(0.3):
            firm = hoster(plan.seed)
            path = self.path("privacy")
            self._show_trap(
                "note", path, firm.email, f'<a href="mailto:{firm.email}">{firm.email}</a>', "hoster"
            )
            self._show_trap("note", path, firm.e164, firm.phone, "hoster")

    def _show_trap(self, slot: str, path: str, value: str, markup: str, name: str) -> None:
        kind = "email" if "@" in value else "phone"
        self.placements.append(
            Placement(kind, value, path, slot, name, markup, detail=name, standing="false")
        )


Fragment = tuple[str, str, str]


def _json_ld(plan: Plan, owner: Business, email: str) -> tuple[str, list[Fragment]]:
    thing = {
        "@context": "https://schema.org",
        "@type": "LocalBusiness",
        "name": owner.name,
        "url": plan.origin + "/",
        "telephone": owner.main_line.e164,
        "address": {
            "@type": "PostalAddress",
            "streetAddress": owner.street_line,
            "postalCode": owner.postcode,
            "addressLocality": owner.city.name,
            "addressCountry": owner.locale.country,
        },
        "geo": {"@type": "GeoCoordinates", "latitude": owner.latitude, "longitude": owner.longitude},
    }
    fragments = [
        ("phone", owner.main_line.e164, f'"telephone": "{owner.main_line.e164}"'),
        ("address", owner.address, f'"streetAddress": "{owner.street_line}"'),
    ]
    if email:
        thing["email"] = email
        fragments.append(("email", email, f'"email": "{email}"'))
    # A "<" would end the script early; JSON may write it as an escape.
    text = dumps(thing, ensure_ascii=False).replace("<", "\\u003c")
    return f'<script type="application/ld+json">{text}</script>', fragments


def _microdata(plan: Plan, owner: Business, email: str) -> tuple[str, list[Fragment]]:
    phone = f'<span itemprop="telephone">{owner.main_line.national}</span>'
    street = f'<span itemprop="streetAddress">{escape(owner.street_line)}</span>'
    mail = f'<meta itemprop="email" content="{email}">'
    block = (
        '<div class="vcard-box" itemscope itemtype="https://schema.org/LocalBusiness">'
        f'<strong itemprop="name">{escape(owner.name)}</strong> {phone}{mail}'
        f'<div itemprop="address" itemscope itemtype="https://schema.org/PostalAddress">{street}<br>'
        f'<span itemprop="postalCode">{owner.postcode}</span> '
        f'<span itemprop="addressLocality">{escape(owner.city.name)}</span>'
        f'<meta itemprop="addressCountry" content="{owner.locale.country}"></div></div>'
    )
    fragments = [
        ("phone", owner.main_line.e164, phone),
        ("address", owner.address, street),
        ("email", email, mail),
    ]
    return block, fragments
