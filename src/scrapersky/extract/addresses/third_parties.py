"""Addresses of others: of authorities, chambers, arbitrators, insurers and hosts of websites."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from scrapersky.extract.html.keyword_scan import LineKeywords
from scrapersky.extract.html.line_index import TextLine

_SIGNS_TEXT: Final = """
aufsichtsbehörde|landesbeauftragte|bundesbeauftragte|landesamt für datenschutz|datenschutzbehörde|
landeszentrum für datenschutz|schlichtungsstelle|schlichtung e.v|schlichtung e. v|zuständige kammer|
ärztekammer|rechtsanwaltskammer|steuerberaterkammer|handwerkskammer|architektenkammer|ingenieurkammer|
psychotherapeutenkammer|apothekerkammer|wirtschaftsprüferkammer|notarkammer|industrie- und handelskammer|
kassenärztliche vereinigung|kassenzahnärztliche vereinigung|haftpflichtversicherung|gehostet bei|
gehostet von|gehostet durch|webhoster|hosting-anbieter|hostinganbieter|hosting-dienstleister|
hébergeur|hébergé par|hébergée par|hébergement|la cnil|commission nationale de l'informatique|
médiateur de la consommation|médiation de la consommation|autorité de contrôle|
supervisory authority|information commissioner|data protection commission|data protection authority|
hosted by|hosting provider|web host|ombudsman|
garante per la|garante privacy|autorità di controllo|fornitore di hosting|
agencia española de protección|autoridad de control|alojamiento web|alojado en|proveedor de hosting|
comissão nacional de proteção|autoridade nacional de proteção|centro de arbitragem|
autoriteit persoonsgegevens|geschillencommissie|gehost door|gehost bij|gegevensbeschermingsautoriteit|
urzędu ochrony danych|urząd ochrony danych|inspekcji handlowej|
úřad pro ochranu osobních|úřadu pro ochranu osobních|obchodní inspekc|
úrad na ochranu osobných|úradu na ochranu osobných|obchodná inšpekcia|inšpektorát soi|
nemzeti adatvédelmi|tárhelyszolgáltató|tárhely-szolgáltató|tárhely szolgáltató|békéltető testület|
autoritatea națională de supraveghere|autoritatea naţională de supraveghere|
integritetsskyddsmyndigheten|allmänna reklamationsnämnden|datatilsynet|nævnenes hus|forbrukertilsynet|
tietosuojavaltuutetun|kuluttajariitalautakun|αρχή προστασίας δεδομένων|kişisel verileri koruma kurumu|
комисия за защита на личните|agencija za zaštitu osobnih|informacijski pooblaščenec|роскомнадзор
"""
_SIGNS: Final = frozenset(sign.strip() for sign in _SIGNS_TEXT.replace("\n", "").split("|"))
THIRD_PARTIES = LineKeywords(_SIGNS)
_REACH = 220
_MOST_LINES = 4
_HEADINGS = frozenset(["h1", "h2", "h3", "h4", "h5", "h6"])


def follows_third_party(lines: list[TextLine], number: int, start: int, signs: Collection[int]) -> bool:
    """Whether the words that lead to an address say that somebody else lives there.

    `number` is the line on which the address begins, and `start` where, in the page's text; `signs` are the
    lines with a sign of a third party.
    """
    if number in signs and is_third_party(lines[number].text[: start - lines[number].start][-_REACH:]):
        return True
    for above in range(number - 1, max(-1, number - 1 - _MOST_LINES), -1):
        line = lines[above]
        if above in signs and is_third_party(line.text):
            return len(line.text) <= _REACH and lines[number].block - line.block <= _MOST_LINES
        if line.tag in _HEADINGS or line.text.endswith(":") or len(line.text) > _REACH or "@" in line.text:
            return False
    return False


def is_third_party(text: str) -> bool:
    """Whether a text names a body or a firm that other people's pages speak of."""
    low = text.lower()
    return any(map(low.__contains__, _SIGNS))
