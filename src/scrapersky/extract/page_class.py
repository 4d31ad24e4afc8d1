"""Detects pages that are not real content: a parked domain, a bot barrier, a soft 404.

Only short pages are judged, and the reason is quoted. Doubt is for the page: what is read in vain costs less
than a business that is lost.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from scrapersky.extract.page import PageReading
from scrapersky.extract.urls.canonical import path_segments

PARKED, BLOCKED, SOFT_404 = "parked", "blocked", "soft_404"
# A page that offers a domain or asks for patience is short; an article about such pages is not.
_MOST_WORDS = 350
_MOST_LINKS = 12
_LONGEST_QUOTE = 200
# Few words may still be a long text.
_LONGEST_TEXT = 20_000


def _one_of(*phrases: str) -> str:
    return "(?:" + "|".join(phrases) + ")"


# The stems of the word in many languages, and what a page needs to be looked at twice.
_STEMS = (
    "domain", "domein", "dominio", "domínio", "domena", "domeny", "domenę", "domene", "domæne", "domän",
    "domén", "домен", "ドメイン", "域名", "도메인", "alan adı",
)  # fmt: skip
_FOR_SALE = _one_of(
    "for sale", "available for purchase", "zum verkauf", "zu verkaufen", "à vendre", "en venta", "in vendita",
    "à venda", "te koop", "na sprzedaż", "till salu", "til salg", "myytävänä", "na prodej", "na predaj",
    "eladó", "de vânzare", "продаж", "продаётся", "продается", "продається", "satılık", "売り出し",
    "販売中", "出售", "판매",
)  # fmt: skip
_SALE = re.compile(
    _one_of(
        rf"{_one_of(*_STEMS)}[^\n]{{0,60}}?{_FOR_SALE}", rf"{_FOR_SALE}[^.\n]{{0,20}}{_one_of(*_STEMS)}",
        r"\bbuy this domain\b", r"\b(?:domain|domain name|web page) is parked\b",
        r"\bparked (?:free|domain|page)\b", r"\bdomain (?:geparkt|parking|parkovaná)\b",
        r"\bdiese domain (?:wurde|ist) (?:frisch )?(?:registriert|geparkt)\b",
        r"\bthis domain (?:has been|is|was) (?:recently )?registered\b[^\n]{0,80}\b(?:sale|parked|soon)\b",
        r"\bdomaine (?:est )?(?:parké|réservé)\b",
    ),
    re.IGNORECASE,
)  # fmt: skip
# What the pages of the large parking firms hold, whatever they say; looked for only after a first sign.
_PARKING_SIGNS = ("park", "lander", "adblockkey", "domain")
_PARKING = (
    "sedoparking.com", "parkingcrew.net", "bodis.com", "parklogic.com", "skenzo.com",
    "parked-content.godaddy.com", "afternic.com/forsale", "hugedomains.com/domain_profile",
    "dan.com/buy-domain", "sedo.com/search/details", "data-adblockkey=", "/lander?", "window.park",
)  # fmt: skip
_BARRIER = re.compile(
    r"\b" + _one_of(
        r"just a moment\.\.\.", r"attention required! \| cloudflare", "checking your browser",
        "ddos protection by", "(?:verify|prove|confirm) (?:that )?you(?: are|['’]re) (?:a )?human",
        "(?:verify|prove|confirm) (?:that )?you(?: are|['’]re) not a robot", "are you a robot",
        "are you human",
        "i['’]m not a robot", "unusual traffic", "pardon our interruption", "you have been blocked",
        "access (?:to this page has been )?denied", "incapsula incident id",
        "enable javascript and cookies to continue", "complete the (?:security check|captcha)",
        "bot (?:check|verification)", "ich bin kein roboter", "sicherheitsüberprüfung",
        "je ne suis pas un robot", "vérification de sécurité", "no soy un robot", "comprobación de seguridad",
        "non sono un robot", "ik ben geen robot", "nie jestem robotem", "não sou um robô", "я не робот",
    ),
    re.IGNORECASE,
)  # fmt: skip
_AGREE = _one_of(
    "accept", "agree", "consent", r"zustimm\w*", r"akzeptier\w*", r"accept[eé]\w*", r"acept\w*", r"accett\w*",
    r"akcept\w*", r"godkänn\w*", r"aceit\w*",
)  # fmt: skip
_CONTINUE = _one_of(
    "to continue", "before continuing", "um fortzufahren", "fortfahren", "pour continuer", "para continuar",
    "per continuare", "om (?:door|verder) te gaan", "aby kontynuować", "för att fortsätta",
)  # fmt: skip
_CONSENT = re.compile(
    _one_of(
        rf"\b{_AGREE}\b[^\n]{{0,120}}\b{_CONTINUE}\b", "before you continue", "bevor sie fortfahren",
        "avant de continuer", "antes de continuar", "prima di continuare", "voordat je verdergaat",
        "zanim przejdziesz dalej", "innan du fortsätter",
    ),
    re.IGNORECASE,
)  # fmt: skip
_PAGE = _one_of(
    "page", "site", "url", "seite", "pagina", "página", "sida", "sidan", "siden", "sivua", "stránka",
    "strona",
    "strony", "oldal", "страница", r"сторінк\w+", "sayfa", "σελίδα",
)  # fmt: skip
_IS_MISSING = _one_of(
    "not (?:be )?found", "doesn['’]t exist", "does not exist", "nicht gefunden", "nicht (?:mehr )?vorhanden",
    "existiert nicht", "introuvable", "n['’]existe (?:pas|plus)", "no encontrada", "no existe", "non trovata",
    "non esiste", "niet gevonden", "bestaat niet", "nie znaleziono", "nie istnieje", "hittades inte",
    "kunde inte hittas", "finns inte", "ikke fundet", "ikke funnet", "findes ikke", "ei löytynyt",
    "nenalezena",
    "neexistuje", "nem található", "nu a fost găsită", "não encontrada", "não existe", r"не найден\w*",
    r"не знайден\w*", "bulunamadı", "δεν βρέθηκε",
)  # fmt: skip
_MISSING = re.compile(
    _one_of(
        r"\W*(?:error|fehler|erreur|errore|fout|błąd|fel|erro|ошибка)?\W*404\b.{0,60}",
        rf".{{0,30}}\b{_PAGE}\b.{{0,30}}?{_IS_MISSING}\b.{{0,30}}", "nie znaleziono (?:pod)?strony.{0,30}",
        "file not found.{0,40}", r"not found\W*", "ページが見つかりません.{0,20}",
        "(?:找不到|未找到).{0,6}(?:页面|網頁|頁面).{0,20}", "페이지를 찾을 수 없.{0,20}",
    ),
    re.IGNORECASE,
)  # fmt: skip
_PARTS = re.compile(r" [|–—·-] ")


class PageClass(NamedTuple):
    """What the page is instead, and the words that say so."""

    name: str
    sign: str


def detect_page_class(reading: PageReading, url: str) -> PageClass | None:
    """None for a page like any other."""
    doc = reading.document
    if doc.word_count > _MOST_WORDS:
        return _missing(reading, url)
    said = f"{reading.metadata.title or ''}\n{doc.text[:_LONGEST_TEXT]}"
    if parked := _parked(said, doc.html):
        return parked
    if not (reading.emails or reading.phones) and len(doc.links) <= _MOST_LINKS:
        sign = _BARRIER.search(said)
        if sign is None and said.lower().count("cookie") >= 2:
            sign = _CONSENT.search(said)
        if sign:
            return PageClass(BLOCKED, sign.group()[:_LONGEST_QUOTE])
    return _missing(reading, url)


def _parked(said: str, html: str) -> PageClass | None:
    low = said.lower()
    if any(word in low for word in (*_STEMS, "parked")) and (sale := _SALE.search(said)):
        return PageClass(PARKED, sale.group()[:_LONGEST_QUOTE])
    if any(sign in html for sign in _PARKING_SIGNS):
        return next((PageClass(PARKED, sign) for sign in _PARKING if sign in html), None)
    return None


def _missing(reading: PageReading, url: str) -> PageClass | None:
    """A page that says so in its title or its main heading; a home page is never missing."""
    if not path_segments(url):
        return None
    for words in (reading.metadata.h1, reading.metadata.title):
        first = _PARTS.split(words or "")[0].strip()
        if first and _MISSING.fullmatch(first):
            return PageClass(SOFT_404, first[:_LONGEST_QUOTE])
    return None
