"""What each topic of a page means: stored type, plain word, priority, and whether to leave it out."""

from __future__ import annotations

from typing import NamedTuple


class Topic(NamedTuple):
    """`page_type` is the word in the database, `kind` the plain word for people and scores."""

    page_type: str
    kind: str
    priority: int
    below: int  # Priority of a page that lies below such a page and says nothing more itself.
    is_excluded: bool = False


TOPICS: dict[str, Topic] = {
    "contact": Topic("contact_root", "contact", 1, 2),
    "career_contact": Topic("career_contact", "career", 1, 2),
    "imprint": Topic("legal_root", "legal", 1, 2),
    "privacy": Topic("legal_root", "legal", 1, 2),
    "terms": Topic("legal_root", "legal", 2, 3),
    "cookies": Topic("legal_root", "legal", 3, 3),
    "accessibility": Topic("legal_root", "legal", 3, 3),
    "about": Topic("about_root", "about", 1, 2),
    "team": Topic("team_root", "team", 1, 1),
    "location": Topic("location", "location", 1, 2),
    "booking": Topic("booking", "contact", 2, 2),
    "services": Topic("services_root", "services", 2, 2),
    "menu": Topic("menu_root", "products", 2, 3),
    "pricing": Topic("pricing_root", "pricing", 2, 3),
    # In the demo world four of five show an address that no other page has; of services one in 22 does.
    "career": Topic("career", "career", 1, 3),
    "press": Topic("press", "other", 2, 3),
    "home": Topic("home", "home", 1, 2),
    "partner": Topic("partner", "other", 2, 3),
    "portfolio": Topic("portfolio", "portfolio", 3, 3),
    "testimonials": Topic("testimonials", "testimonials", 3, 3),
    "faq": Topic("faq", "faq", 3, 3),
    "gallery": Topic("gallery", "gallery", 3, 3),
    "download": Topic("download", "other", 3, 3),
    "blog": Topic("blog", "blog", 3, 3),
    "news": Topic("news", "news", 3, 3),
    "event": Topic("event", "other", 3, 3),
    "product": Topic("product", "products", 3, 3),
    "product_category": Topic("category", "products", 3, 3),
    "category": Topic("category", "other", 3, 3),
    "tag": Topic("tag", "other", 3, 3),
    "archive": Topic("archive", "blog", 3, 3),
    "wp_page": Topic("wp_prospect", "other", 2, 2),
    "wp_part": Topic("wp_prospect", "other", 3, 3),
    "media": Topic("media", "asset", 3, 3, is_excluded=True),
    "feed": Topic("feed", "asset", 3, 3, is_excluded=True),
    "sitemap": Topic("sitemap", "other", 3, 3),
    "sitemap_file": Topic("sitemap", "asset", 3, 3, is_excluded=True),
    "search": Topic("search", "other", 3, 3, is_excluded=True),
    "account": Topic("account", "other", 3, 3, is_excluded=True),
    "unknown": Topic("unknown", "other", 2, 3),
}
PAGE_TYPES = tuple(dict.fromkeys(topic.page_type for topic in TOPICS.values()))

# Sections whose pages are what the section is, whatever their own name says.
CONTAINERS = frozenset(
    {
        "blog",
        "news",
        "event",
        "product",
        "product_category",
        "category",
        "tag",
        "archive",
        "gallery",
        "portfolio",
    }
    | {"press", "account", "search"}
)
LISTS = frozenset({"product_category", "category", "tag", "archive"})
# Pages that keep their meaning even directly below such a section (shop/contact, blog/imprint).
KEPT = frozenset({"contact", "imprint", "privacy", "terms", "about", "team"})
# Topics whose words may be a part of a longer name; of the others only whole names count.
PARTIAL = frozenset(
    {"contact", "imprint", "privacy", "terms", "cookies", "accessibility", "about", "team", "location"}
    | {"booking", "services", "menu", "pricing", "career", "press", "portfolio", "testimonials", "faq"}
    | {"gallery", "blog", "news", "product", "product_category", "event"}
)
# Topics that one word at the start of a name of three words still names.
STRONG = frozenset({"contact", "imprint", "privacy"})
# Longer names in which a word of ours means something else.
MISLEADING = (
    "contact lens, contact lenses, kontaktlinse, kontaktlinsen, contactless, kontaktlos, lentes de "
    "contacto, lentes de contato, lentilles de contact, lenti a contatto, contactlenzen, "
    "kontaktlencse, team building, teambuilding, contact tracing, contact center, contact centre, "
    "soczewki kontaktowe, kontaktní čočky, kontaktné šošovky, kontaktlinser, piilolinssit, "
    "контактные линзы, контактні лінзи, press fit, menu button, service stations, team sports, "
    "contact dermatitis, kontaktgrill, kontaktdermatitis, teamwear, news letter"
)
