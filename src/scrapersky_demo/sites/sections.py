"""The main part of each page: headings, paragraphs, lists, and the contacts that belong there."""

from html import escape

from scrapersky_demo.draws import Draw
from scrapersky_demo.sites.composition import Composition
from scrapersky_demo.sites.layout import SitePage
from scrapersky_demo.sites.placement import Placement
from scrapersky_demo.sites.traps import contact_form, hoster, legal_numbers, product_numbers, share_links

_PARAGRAPHS = {
    "home": 9,
    "about": 10,
    "post": 12,
    "service": 6,
    "privacy": 26,
    "product": 3,
    "career": 5,
    "category": 2,
    "tag": 1,
    "author": 2,
    "legal": 6,
}


def sections(composition: Composition, pages: dict[str, SitePage], page: SitePage) -> list[str]:
    """The page's main part as separate pieces of HTML, for the builder to wrap in its own way."""
    draw = composition.plan.draw("page", page.path)
    pieces = [f"<h1>{escape(page.title)}</h1>"]
    pieces += [_paragraphs(composition, draw) for _ in range(_PARAGRAPHS.get(page.kind, 3) // 3 + 1)]
    pieces += _lists(composition, pages, page, draw)
    pieces += composition.blocks.get((page.path, "structured"), [])
    for slot, write in (
        ("contact", _contact),
        ("legal", _legal),
        ("team", _team),
        ("location", _location),
        ("note", _notes),
    ):
        lines = composition.lines(page.path, slot)
        if lines:
            pieces.append(write(composition, page, lines, draw))
    return pieces


def _paragraphs(composition: Composition, draw: Draw) -> str:
    owner = composition.plan.owners[0]
    chosen = draw.sample(composition.plan.locale.sentences, draw.between(6, 10))
    texts = [text.format(name=escape(owner.name), city=escape(owner.city.name)) for text in chosen]
    half = len(texts) // 2
    return f"<p>{' '.join(texts[:half])}</p>\n<p>{' '.join(texts[half:])}</p>"


def _lists(composition: Composition, pages: dict[str, SitePage], page: SitePage, draw: Draw) -> list[str]:
    """Links to the pages below this one, and the numbers that posts and products bring."""
    word = composition.plan.locale.words
    children = {
        "services": "service",
        "blog": "post",
        "products": "product",
        "home": "service",
        "category": "post",
        "tag": "post",
    }
    pieces = []
    if page.kind in children:
        links = [entry for entry in pages.values() if entry.kind == children[page.kind]]
        pieces.append(
            '<ul class="entries">' + "".join(_entry(entry, word["more"]) for entry in links) + "</ul>"
        )
    if page.kind == "home" and composition.plan.fate == "calendar":
        pieces.append('<p><a href="/events/?m=1">Kalender / Calendar</a></p>')
    if page.kind == "home" and composition.plan.fate == "crowd":
        pieces.append('<p><a href="/members/">Members</a></p>')
    if page.kind == "post":
        reference = f"{draw.digits(4)} {draw.digits(6)}"
        day = f"{draw.between(10, 28)}.{draw.between(10, 12)}.202{draw.below(5)}"
        pieces.append(f'<p class="meta">{word["published"]} {day}, 08:30-17:45, Ref. {reference}</p>')
        pieces.append(share_links(composition.plan.origin + page.path))
    if page.kind == "product":
        pieces.append(product_numbers(draw) + f'<p class="price">{draw.between(5, 90)}.{draw.digits(2)}</p>')
    return pieces


def _entry(page: SitePage, more: str) -> str:
    return f'<li><h3><a href="{page.path}">{escape(page.title)}</a></h3><a href="{page.path}">{more}</a></li>'


def _contact(composition: Composition, page: SitePage, lines: list[Placement], draw: Draw) -> str:
    owner, word = composition.plan.owners[0], composition.plan.locale.words
    rows = [(line.label, line.markup) for line in lines]
    hours = f"{word['days']} 09:00-17:30"
    title = f"<h2>{escape(owner.name)}</h2>"
    body = _STYLES[draw.below(len(_STYLES))]([*rows, (word["hours"], hours)])
    return f'<div class="contact-info">{title}{body}</div>{contact_form(composition.plan.locale)}'


def _as_list(rows: list[tuple[str, str]]) -> str:
    return "<ul>" + "".join(f"<li>{label}: {value}</li>" for label, value in rows) + "</ul>"


def _as_table(rows: list[tuple[str, str]]) -> str:
    return (
        "<table>"
        + "".join(f"<tr><th>{label}</th><td>{value}</td></tr>" for label, value in rows)
        + "</table>"
    )


def _as_terms(rows: list[tuple[str, str]]) -> str:
    return "<dl>" + "".join(f"<dt>{label}</dt><dd>{value}</dd>" for label, value in rows) + "</dl>"


def _as_paragraphs(rows: list[tuple[str, str]]) -> str:
    return "".join(f"<p><strong>{label}</strong><br>{value}</p>" for label, value in rows)


def _as_lines(rows: list[tuple[str, str]]) -> str:
    return "<address>" + "<br>\n".join(f"{label}: {value}" for label, value in rows) + "</address>"


_STYLES = (_as_list, _as_table, _as_terms, _as_paragraphs, _as_lines)


def _legal(composition: Composition, page: SitePage, lines: list[Placement], draw: Draw) -> str:
    rows = [(line.label, line.markup) for line in lines if line.kind != "address"]
    address = "".join(f"{line.markup}<br>" for line in lines if line.kind == "address")
    rows += legal_numbers(composition.plan.locale, draw)
    return f"<h2>{escape(composition.plan.owners[0].name)}</h2><p>{address}</p>{_as_lines(rows)}"


def _team(composition: Composition, page: SitePage, lines: list[Placement], draw: Draw) -> str:
    people = [line for line in lines if line.kind == "person"]
    cards = []
    for person in people:
        ways = [line for line in lines if line.person == person.value and line.kind != "person"]
        details = "".join(f'<p class="{way.kind}">{way.markup}</p>' for way in ways)
        cards.append(
            f'<div class="team-member"><img src="/images/{draw.hexes(8)}@2x.jpg" alt="{person.value}">'
            f'<h3>{person.value}</h3><p class="role">{person.role}</p>{details}</div>'
        )
    return f'<div class="team-grid">{"".join(cards)}</div>'


def _location(composition: Composition, page: SitePage, lines: list[Placement], draw: Draw) -> str:
    title = composition.plan.locale.words["second"]
    heads = "".join(composition.blocks.get((page.path, "location"), []))
    return f"<h2>{title}</h2>{heads}" + _as_list([(line.label, line.markup) for line in lines])


def _notes(composition: Composition, page: SitePage, lines: list[Placement], draw: Draw) -> str:
    notes = [f"<p>{line.label}: {line.markup}</p>" for line in lines if line.standing != "false"]
    foreign = [line.markup for line in lines if line.standing == "false"]
    if foreign:
        notes.append(f"<p>Hosting: {hoster(composition.plan.seed).name}<br>{'<br>'.join(foreign)}</p>")
    return "".join(notes)
