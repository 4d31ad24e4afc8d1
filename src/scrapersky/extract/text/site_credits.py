"""Credits for the design of a website, and names of vendors: they do not name the owner."""

from __future__ import annotations

import re

# What a maker did, and the small word that leads to the maker's name.
_DEEDS = """
powered designed design designer developed development created built made coded crafted theme template
hosted hosting maintained managed produced realized webdesign erstellt gestaltet umgesetzt entwickelt
realisiert programmiert umsetzung realisierung konzeption gestaltung programmierung réalisé réalisation
créé création conçu conception développé développement propulsé realizzato realizzata realizzazione
creato creata sviluppato sviluppata progettato progettazione diseñado diseñada diseño desarrollado
desarrollada desarrollo creado hecho realizado desenvolvido desenvolvimento criado feito produzido
gemaakt ontwikkeld ontworpen ontwerp gerealiseerd gebouwd wykonanie realizacja wykonane stworzone
vytvořil tvorba készítette skapad utviklet lavet udviklet webbdesign izrada realizare tasarım разработка
создание 制作
"""
_LEADS = r"by|von|durch|par|da|por|door|av|af|przez|di|od"
_OBJECTS = (
    r"web|webu|du site|der website|strony|website|site|stránek|сайта|of site|and \w+|und \w+|et \w+|& \w+"
)
_CREDIT = re.compile(
    rf"\b(?:{'|'.join(_DEEDS.split())})\b"
    rf"(?:(?: (?!{_LEADS})[^\s.:|]{{1,15}}){{0,3}} (?:{_LEADS})\b|(?: (?:{_OBJECTS}))? ?:)"
    rf"|\b(?:web ?site|site|webseite|homepage|webbplats|hjemmeside|photos?|icons?) (?:{_LEADS})\b",
    re.IGNORECASE,
)
# What is said of websites alone: a gardener has works of his own "realised by" him.
_OF_A_SITE = re.compile(
    r"\bweb|\bsites?\b|\bsito\b|\bsitio\b|homepage|hjemmeside|stron[ay]\b|stránek|сайт|develop|d[ée]velopp|entwickel"
    r"|programm|desenvolv|desarroll|svilupp|ontwikkel|powered|hosted|hosting|template",
    re.IGNORECASE,
)
_NEW_THOUGHT = re.compile(r"[.|•·©\n–—]")


# Vendors whose addresses stand in the privacy policies and credits of others.
_VENDORS_TEXT = """
Google|Facebook|Meta Platforms|Instagram|Twitter|X Corp|LinkedIn|YouTube|Vimeo|Pinterest|TikTok|Xing|
New Work SE|Microsoft|Adobe|Amazon|Apple|Intuit|Mailchimp|Rocket Science Group|Cloudflare|Automattic|
Aut O'Mattic|HubSpot|Stripe|PayPal|Klarna|Hotjar|etracker|Matomo|InnoCraft|Hetzner|IONOS|STRATO|Wix|
Squarespace|Shopify|Salesforce|Oracle|AddThis|Disqus|Gravatar|Fonticons|Monotype|Usercentrics|
Cookiebot|Cybot|OneTrust|Sendinblue|Brevo|CleverReach|Zoom Video|Calendly|OpenStreetMap|Mapbox|
Spotify|SoundCloud|WhatsApp|Akismet|Criteo|Taboola|Outbrain|Trustpilot|eKomi|Provenexpert|Userlike|
Zendesk|Intercom|Sentry|New Relic|jsDelivr|OVH|OVHcloud|o2switch|Gandi|Infomaniak|GoDaddy|ALL-INKL
"""
_VENDORS = re.compile(rf"\b(?:{_VENDORS_TEXT.strip()})\b".replace("\n", ""))


def mentions_vendor(text: str) -> bool:
    """Whether a text speaks of one of the vendors that websites are made and measured with."""
    return _VENDORS.search(text) is not None


def credits_site_maker(line: str) -> bool:
    """Whether a line thanks somebody for the website: who is named on it is that somebody."""
    return _OF_A_SITE.search(line) is not None and _CREDIT.search(line) is not None


def introduces_credit(text_before: str) -> bool:
    """Whether the words that lead to a link thank somebody for the website."""
    thoughts = _NEW_THOUGHT.split(text_before[-100:])
    return _CREDIT.search(thoughts[-1]) is not None
