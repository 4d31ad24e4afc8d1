"""Things on pages that look like contacts and are none: agencies, hosters, placeholders, ids and numbers."""

from dataclasses import dataclass
from html import escape

from scrapersky_demo.draws import Draw
from scrapersky_demo.locales.locale import Locale

_AGENCY_WORDS = (
    "Pixelhof",
    "Brightgrid",
    "Formwerk",
    "Lumenpress",
    "Nordkante",
    "Tintenfass",
    "Webmolen",
    "Studio Quadra",
)
_VAT_SHAPES = {
    "US": "##-#######",
    "GB": "GB ### #### ##",
    "DE": "DE#########",
    "FR": "FR ## ### ### ###",
    "ES": "B########",
    "IT": "###########",
    "NL": "NL#########B01",
    "PL": "###-###-##-##",
    "BR": "##.###.###/0001-##",
    "SE": "SE##########01",
}
_REGISTER_SHAPES = {
    "FR": "### ### ### 000##",
    "SE": "55####-####",
    "IT": "MI-#######",
    "BR": "###.###.###.###",
}


@dataclass(frozen=True, slots=True)
class Agency:
    """A firm that made or hosts many of the sites and signs them with its own contact."""

    name: str
    host: str
    email: str
    phone: str
    e164: str


def agency(seed: int, serial: int) -> Agency:
    word = _AGENCY_WORDS[serial % len(_AGENCY_WORDS)]
    name = word if serial < len(_AGENCY_WORDS) else f"{word} {serial}"
    host = f"{name.lower().replace(' ', '')}-agency-demo.com"
    line = f"{9000 + (seed * 31 + serial) % 999:04d}"
    return Agency(name, host, f"hello@{host}", f"+1 503-555-{line}", f"+1503555{line}")


def hoster(seed: int) -> Agency:
    line = f"{8000 + seed % 999:04d}"
    host = "cloudbarn-hosting-demo.net"
    return Agency("Cloudbarn Hosting", host, f"privacy@{host}", f"+1 503-555-{line}", f"+1503555{line}")


def numbered(shape: str, draw: Draw) -> str:
    return "".join(str(draw.between(1, 9)) if letter == "#" else letter for letter in shape)


def legal_numbers(locale: Locale, draw: Draw) -> list[tuple[str, str]]:
    """Labelled numbers of a legal page, none of which is a telephone number."""
    iban = f"{locale.country}{numbered('## #### #### #### #### ##', draw)}"
    return [
        (locale.words["vat"], numbered(_VAT_SHAPES[locale.country], draw)),
        (locale.words["register"], numbered(_REGISTER_SHAPES.get(locale.country, "######"), draw)),
        (locale.words["bank"], iban),
    ]


def tracker_scripts(draw: Draw) -> str:
    """Scripts with ids that careless readers take for addresses and telephone numbers."""
    key = draw.hexes(32)
    return (
        f"<script>window.dataLayer=window.dataLayer||[];function gtag(){{dataLayer.push(arguments)}}"
        f"gtag('js',new Date());gtag('config','G-{draw.hexes(10).upper()}');</script>\n"
        f'<script>window.__errors={{dsn:"https://{key}@o{draw.digits(6)}.ingest.sentry.io/4505{draw.digits(12)}",'
        f"build:17489{draw.digits(5)},session:'49151{draw.digits(8)}'}};</script>\n"
        '<script src="https://cdn.jsdelivr.net/npm/bootstrap@5.3.0/dist/bootstrap.min.js" defer></script>\n'
    )


def retina_image(name: str, alt: str) -> str:
    return (
        f'<img class="logo site-logo" src="/images/{name}.png" '
        f'srcset="/images/{name}@2x.png 2x, /images/{name}@3x.png 3x" '
        f'alt="{escape(alt)} logo" width="180" height="60">'
    )


def contact_form(locale: Locale) -> str:
    words = locale.words
    return (
        f'<form class="contact-form" method="post" action="#"><h3>{words["write"]}</h3>'
        f'<label>{words["your_name"]}<input name="name" placeholder="{words["your_name"]}"></label>'
        f'<label>{words["email"]}<input type="email" placeholder="{words["placeholder"]}"></label>'
        f'<label>{words["phone"]}<input type="tel" name="tel" placeholder="0123 456789"></label>'
        f'<textarea name="text" rows="6"></textarea><button type="submit">{words["send"]}</button></form>'
    )


def share_links(url: str) -> str:
    return (
        '<ul class="share">'
        f'<li><a href="https://www.facebook.com/sharer/sharer.php?u={url}" rel="nofollow">Facebook</a></li>'
        f'<li><a href="https://twitter.com/intent/tweet?url={url}" rel="nofollow">X</a></li>'
        f'<li><a href="https://www.linkedin.com/shareArticle?mini=true&amp;url={url}">LinkedIn</a></li></ul>'
    )


def product_numbers(draw: Draw) -> str:
    return (
        f'<table class="specs"><tr><th>SKU</th><td>{draw.digits(4)}-{draw.digits(6)}</td></tr>'
        f"<tr><th>EAN</th><td>40{draw.digits(11)}</td></tr><tr><th>ISBN</th><td>978-3-{draw.digits(3)}-{draw.digits(5)}-1</td></tr>"
        f"<tr><th>ID</th><td>{draw.digits(10)}</td></tr></table>"
    )
