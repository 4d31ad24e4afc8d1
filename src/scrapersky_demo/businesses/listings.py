"""The demo world's businesses as a file of places, in the column orders and headings that people use."""

import csv
import io
from collections.abc import Iterable

from scrapersky_demo.businesses.business import Business

FIELDS = (
    "id",
    "name",
    "kind",
    "street",
    "postcode",
    "city",
    "region",
    "country",
    "phone",
    "phone_e164",
    "website",
    "latitude",
    "longitude",
    "rating",
    "reviews",
)
# Each layout: delimiter, then field and heading in file order.
LAYOUTS: tuple[tuple[str, tuple[tuple[str, str], ...]], ...] = (
    (",", tuple((field, field) for field in FIELDS)),
    (
        ",",
        (
            ("website", "Web Site"),
            ("city", "Town"),
            ("name", "Business Name"),
            ("phone", "Phone Number"),
            ("kind", "Category"),
            ("country", "Country Code"),
            ("postcode", "ZIP"),
            ("street", "Street Address"),
        ),
    ),
    (
        ";",
        (
            ("name", "Firma"),
            ("kind", "Branche"),
            ("street", "Straße"),
            ("postcode", "PLZ"),
            ("city", "Ort"),
            ("country", "Land"),
            ("phone", "Telefon"),
            ("website", "Webseite"),
        ),
    ),
    (
        "\t",
        (
            ("phone_e164", "phone"),
            ("latitude", "lat"),
            ("longitude", "lng"),
            ("website", "url"),
            ("name", "title"),
        ),
    ),
)


def directory_record(business: Business) -> dict[str, str]:
    """One listing as plain text fields, as a place source hands it on."""
    return {
        "id": business.id,
        "name": business.name,
        "kind": business.kind,
        "street": business.street_line,
        "postcode": business.postcode,
        "city": business.city.name,
        "region": business.city.region,
        "country": business.locale.country,
        "phone": business.main_line.national,
        "phone_e164": business.main_line.e164,
        "website": business.website,
        "latitude": str(business.latitude),
        "longitude": str(business.longitude),
        "rating": str(business.rating),
        "reviews": str(business.reviews),
    }


def places_csv(businesses: Iterable[Business], *, layout: int = 0) -> str:
    """A file of places; layouts differ in columns, order, headings and delimiter."""
    delimiter, columns = LAYOUTS[layout % len(LAYOUTS)]
    text = io.StringIO()
    writer = csv.writer(text, delimiter=delimiter, lineterminator="\r\n")
    writer.writerow([heading for _, heading in columns])
    for business in businesses:
        fields = directory_record(business)
        writer.writerow([fields[field] for field, _ in columns])
    return text.getvalue()
