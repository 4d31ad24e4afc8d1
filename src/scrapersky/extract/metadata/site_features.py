"""Finds contact forms, cookie notices, privacy policies and the copyright year on a page."""

from __future__ import annotations

import re
from functools import cache

from ahocorasick_rs import BytesAhoCorasick
from selectolax.lexbor import LexborNode

from scrapersky.extract.html import Document

_MAX_FORMS = 50
_CONSENT_TOOLS = """
cookiebot usercentrics borlabs-cookie cdn.cookielaw.org cmplz- cookie-law-info cookieyes klaro
iubenda_cs didomi tarteaucitron axeptio consentmanager real-cookie-banner quantcast.mgr cookiefirst
termly.io cookie-script ccm19 moove_gdpr osano orejime
"""
_COOKIE_NAME = re.compile(
    r"cookie[-_ ]?(?:consent|notice|banner|bar|popup|hint|hinweis|message|info|alert|overlay|modal|accept|box"
    r"|law|disclaimer|dialog|wrapper)|(?:eu|gdpr|accept|dsgvo)[-_]?cookie",
    re.IGNORECASE,
)
_PRIVACY = (
    "privacy", "datenschutz", "confidentialit", "données personnelles", "privacidad",
    "privacidade", "protección de datos", "proteccion-de-datos", "riservatezza", "prywatno",
    "ochrana osobn", "ochrana-osobn", "gdpr", "adatvéd", "adatved", "integritetspolicy",
    "personvern", "privatliv", "gizlilik", "kvkk", "tietosuoja", "プライバシー", "個人情報",
    "конфиденциальност", "приватност", "隐私", "隱私", "개인정보", "confidențialit", "zasebnost",
    "privatnost", "απορρήτου", "chính sách bảo mật", "rgpd", "dsgvo",
)  # fmt: skip
_YEARS = re.compile(r"\b((?:19|20)\d\d)(?:\s*[-–—/]\s*((?:19|20)\d\d))?\b")
_COPYRIGHT = ("©", "opyright", "OPYRIGHT", "(c)", "(C)")
_OTHER_FORM = re.compile(
    r"search|login|signin|newsletter|subscribe|comment|cart|suche|coupon|register", re.IGNORECASE
)
_FORM_MAKER = re.compile(
    r"wpcf7|wpforms|gform_|ninja-forms|hs-form|elementor-form|fluentform|contact-?form|kontaktform",
    re.IGNORECASE,
)


def find_copyright_year(text: str) -> int | None:
    """The latest year behind or before the last copyright sign that has one."""
    for place in sorted((text.rfind(sign) for sign in _COPYRIGHT), reverse=True):
        if place < 0:
            break
        near = text[max(0, place - 20) : place + 70]
        years = [int(year) for pair in _YEARS.findall(near) for year in pair if year]
        if years:
            return max(years)
    return None


def find_cookie_notice(doc: Document) -> str:
    """The name by which the page calls its cookie notice, or an empty string."""
    html = doc.html
    place = html.find("ookie")
    for _ in range(200):
        if place < 0:
            break
        match = _COOKIE_NAME.search(html, max(0, place - 8), place + 25)
        if match and _is_in_tag(html, match.start()):
            return match[0]
        place = html.find("ookie", place + 5)
    matches = _consent_tools().find_matches_as_indexes(html.encode("utf-8", "replace"))
    return _CONSENT_TOOLS.split()[matches[0][0]] if matches else ""


@cache
def _consent_tools() -> BytesAhoCorasick:
    return BytesAhoCorasick([tool.encode() for tool in _CONSENT_TOOLS.split()])


def _is_in_tag(html: str, place: int) -> bool:
    """Whether a place lies inside a tag or a script's string, not in prose."""
    return html.rfind("<", max(0, place - 300), place) > html.rfind(">", max(0, place - 300), place)


def find_privacy_policy(doc: Document) -> str:
    """The link that leads to the privacy policy, or an empty string."""
    everything = "\n".join(f"{link.text} {link.raw}" for link in doc.links).lower()
    word = next((word for word in _PRIVACY if word in everything), "")
    if not word:
        return ""
    return next((link.raw for link in doc.links if word in f"{link.text} {link.raw}".lower()), "")


def find_contact_form(doc: Document) -> str:
    """The opening tag of a form to write to the organisation, or an empty string."""
    for form in [node for node in doc.forms_and_headings if node.tag == "form"][:_MAX_FORMS]:
        tag = "".join(f' {name}="{value or ""}"' for name, value in form.attributes.items())
        tag = f"<form{tag[:2_000]}>"
        if _is_contact_form(form, tag):
            return tag
    return ""


def _is_contact_form(form: LexborNode, tag: str) -> bool:
    if _FORM_MAKER.search(tag):
        return True
    if _OTHER_FORM.search(tag) or form.css_first('input[type="password"]') is not None:
        return False
    inputs = form.css('input[type="email"],input[type="tel"],input[name*="mail" i],input[name*="name" i]')
    return form.css_first("textarea") is not None and bool(inputs)
