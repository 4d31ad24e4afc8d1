"""Finds what a site says against being contacted: "no advertising", "no unsolicited offers", and the notice
that it does not give its addresses to others.

Only sentences that speak about mail, calls or addresses of the site count; "no adverts in our app" is none.
"""

from __future__ import annotations

import re

MAX_QUOTE = 300
# One alternative for each way of saying it; \W stands for line ends and inline marks.
_PHRASES = (
    # English
    r"no (?:unsolicited|cold|spam|sales|marketing)[\w ,/-]{0,40}"
    r"(?:e-?mails?|calls?|offers?|messages?|advertis\w+|contact)",
    r"(?:we )?do(?:es)? not (?:accept|want|wish to receive)[\w ,/-]{0,40}"
    r"(?:unsolicited|advertis\w+|marketing|sales)",
    r"(?:will|do|does) not (?:give|sell|transfer|rent|share|provide)[\w ,'/-]{0,60}e-?mail addresses? "
    r"[\w ,'/-]{0,60}(?:others?|third part\w+|any other part\w+)",
    r"(?:please )?(?:no|without) (?:solicit\w+|advertising by (?:e-?mail|phone|post))",
    # German
    r"keine (?:unverlangte |unaufgeforderte |unerwünschte )?"
    r"(?:werbung|werbe(?:mails?|anrufe|sendungen|angebote)|kaltakquise|akquise)(?! (?:in|auf|von|für) )",
    r"(?:der|die) (?:nutzung|verwendung)[^.\n]{0,160}(?:kontaktdaten|impressum\w*)[^.\n]{0,200}"
    r"(?:werbung|informationsmaterial\w*)[^.\n]{0,80}widersprochen",
    r"werbeanrufe (?:sind )?(?:unerwünscht|untersagt|nicht gestattet)",
    # French
    r"pas de (?:démarchage|prospection|publicité par (?:e-?mail|téléphone))",
    r"(?:démarchage|prospection) (?:commerciale? )?(?:interdite?|refusée?|non souhaitée?)",
    # Spanish, Portuguese, Italian
    r"no (?:se acepta|aceptamos|deseamos)[\w ,]{0,30}"
    r"(?:publicidad|correos? comercial\w*|llamadas comercial\w*)",
    r"não (?:aceitamos|desejamos)[\w ,]{0,30}(?:publicidade|e-?mails? comercia\w*)",
    r"(?:no|niente|non si accetta\w*|non desideriamo)[\w ]{0,20}"
    r"(?:pubblicità|e-?mail commerciali|offerte commerciali)",
    # Dutch, Danish, Swedish, Polish, Czech
    r"(?:geen|wij wensen geen) (?:ongevraagde |commerciële )?"
    r"(?:reclame|acquisitie|acquisitietelefoontjes|verkooptelefoontjes)",
    r"(?:ingen|frabedes) (?:uopfordrede? |uønsket )?(?:reklame|telefonsalg)",
    r"(?:undanber|avböjer)[\w ]{0,20}(?:reklam|telefonförsäljning)",
    r"(?:prosimy o nieprzesyłanie|nie wyrażamy zgody na)[\w ]{0,40}"
    r"(?:reklam\w*|ofert\w*|informacji handlow\w*)",
    r"nepřejeme si[\w ]{0,20}(?:reklam\w*|obchodní nabídky|obchodních sdělení)",
)
_ANY = re.compile("|".join(rf"(?:\b{phrase})" for phrase in _PHRASES), re.I)
# Words of which one is in every phrase: most pages are done after one look each.
_SIGNS = (
    "advertis", "solicit", "marketing", "sales", "cold", "spam", "mail address", "werb", "akquise",
    "démarchage", "prospection", "publicit", "publicid", "comercia", "commercial", "pubblicit", "reclame",
    "acquisitie", "verkooptelefoon", "reklam", "telefonsalg", "telefonförsäljning", "ofert", "handlow",
    "obchodní",
)  # fmt: skip


def find_objection(text: str) -> str | None:
    """The words in which a page asks not to be contacted, or None."""
    lower = text.lower()
    spans = _lines_with_sign(lower) if len(lower) == len(text) else [(0, len(text))]
    match = next(filter(None, (_ANY.search(text, start, end) for start, end in spans)), None)
    if match is None:
        return None
    start = max(text.rfind("\n", 0, match.start()), text.rfind(". ", 0, match.start()) + 1) + 1
    end = min((place for place in (text.find("\n", match.end()), text.find(". ", match.end())) if place >= 0),
              default=len(text))  # fmt: skip
    return " ".join(text[start : end + 1].split())[:MAX_QUOTE] or None


def _lines_with_sign(lower: str) -> list[tuple[int, int]]:
    """Begin and end of the lines that hold a sign, in order; no phrase goes over the end of its line."""
    spans: set[tuple[int, int]] = set()
    for sign in _SIGNS:
        place = lower.find(sign)
        while place >= 0:
            end = lower.find("\n", place)
            end = len(lower) if end < 0 else end
            spans.add((lower.rfind("\n", 0, place) + 1, end))
            place = lower.find(sign, end)
    return sorted(spans)
