"""The invented people of a site, with role, address and line."""

from dataclasses import dataclass

from scrapersky_demo.businesses.phone_book import Line
from scrapersky_demo.locales.locale import slugify
from scrapersky_demo.sites.plan import Plan


@dataclass(frozen=True, slots=True)
class Employee:
    """Somebody who works at a business; the address and the line are empty when the site gives none."""

    name: str
    role: str
    email: str
    line: Line | None


def people_of(plan: Plan, mail_domain: str) -> list[Employee]:
    """Two to six people; the first leads the business."""
    draw, locale = plan.draw("people"), plan.locale
    count = draw.between(2, 6)
    given_names, family = draw.sample(locale.given_names, count), draw.sample(locale.family, count)
    with_email = mail_domain == plan.host and draw.chance(0.75)
    shape = draw.choice(("{given_names}.{family}", "{initial}.{family}", "{given_names}"))
    lines = list(plan.owners[0].mobile_lines) if draw.chance(0.25) else []
    people = []
    for serial in range(count):
        local = shape.format(
            given_names=slugify(given_names[serial]).replace("-", ""),
            family=slugify(family[serial]).replace("-", ""),
            initial=slugify(given_names[serial])[0],
        )
        people.append(
            Employee(
                name=f"{given_names[serial]} {family[serial]}",
                role=locale.roles[serial],
                email=f"{local}@{mail_domain}" if with_email else "",
                line=lines[serial] if serial < len(lines) else None,
            )
        )
    return people
